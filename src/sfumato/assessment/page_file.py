"""Writing a page or a file of numbers: whole or not at all, and never over a file without
`replace`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sfumato.errors import TargetError
from sfumato.runs import UNFINISHED, hidden_name, link_new


def check_file(path: Path, *, replace: bool) -> None:
    """Whether a file can be written there, before the work that leads to it."""
    if path.is_dir():
        raise TargetError(f"{path} is a folder.", attempt="the name of a file in it.")
    if path.exists() and not replace:
        raise TargetError(
            f"{path} exists already.",
            attempt="another file, or --replace to put this one in its place.",
        )
    if not path.parent.is_dir():
        raise TargetError(
            f"There is no folder {path.parent}.", attempt="a file in a folder that exists."
        )


def write_private(path: Path, text: str, *, replace: bool) -> None:
    """Write beside the target, readable by its owner only, and move into place; an earlier file
    stays if it fails."""
    check_file(path, replace=replace)
    draft = path.with_name(hidden_name(path, UNFINISHED))
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(draft, path)
        else:
            link_new(
                draft, path
            )  # Unlike a rename, this does not write over a file that came in between.
    except FileExistsError:
        raise TargetError(
            f"{path} exists already.", attempt="another file, or --replace."
        ) from None
    except OSError as error:
        why = f"{error.strerror or 'The system refused'}."
        raise TargetError(
            f"{path} cannot be written.", found=why, attempt="another place."
        ) from None
    finally:
        with suppress(OSError):
            draft.unlink()
