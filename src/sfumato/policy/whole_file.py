"""Writing a text file so that it is there whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from sfumato.errors import TargetError


def write_whole(path: Path, text: str) -> None:
    """Write beside the target, then move into place; what was there before stays if anything fails."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with draft.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(draft, path)
    except (OSError, UnicodeEncodeError) as error:
        with suppress(OSError):
            draft.unlink()
        why = error.strerror if isinstance(error, OSError) else "It holds text that UTF-8 cannot write."
        raise TargetError(f"{path} cannot be written.", found=why or "", attempt="another folder.") from None
