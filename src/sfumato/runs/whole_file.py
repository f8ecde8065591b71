"""Writing a text file so that it is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.errors import TargetError
from sfumato.runs.leftovers import UNFINISHED
from sfumato.runs.locks import hidden_name
from sfumato.runs.moves import link_new


def write_whole(path: Path, text: str) -> None:
    """Write beside the target, then move into place; what was there before stays if anything fails."""
    try:
        with _draft(path, text.encode()) as draft:
            os.replace(draft, path)
    except (OSError, UnicodeEncodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "It holds text that UTF-8 cannot write."
        raise TargetError(f"{path} cannot be written.", found=why or "", attempt="another folder.") from None


def write_new_file(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """The same for a file that must not exist: FileExistsError where it does, OSError where it cannot be written."""
    with _draft(path, content, mode=mode) as draft:
        link_new(draft, path)


@contextmanager
def _draft(path: Path, content: bytes, *, mode: int = 0o666) -> Iterator[Path]:
    draft = path.with_name(hidden_name(path, UNFINISHED))
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        yield draft
    finally:
        with suppress(OSError):
            draft.unlink()
