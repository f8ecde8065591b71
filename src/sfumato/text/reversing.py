"""The way back, for the holder: a mapping file written apart from the text, from which the originals are put back.

Without a file the holder of the secret has another way: replacing is the same function of text and secret every time,
so the originals, replaced again, show what became of each.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import SecretError

from .replacing import Replaced

FORMAT = "sfumato text mapping 1"
OWNER_ONLY = 0o600
Entry = tuple[int, int, str]
"""Where a surrogate stands in the new text, and the original."""


def restored(text: str, entries: Iterable[Entry]) -> str:
    """The text with the originals back in their places.

    Example:
        >>> restored("Dear Dr. Way:", [(9, 12, "Lang")])
        'Dear Dr. Lang:'
    """
    pieces: list[str] = []
    last = 0
    for start, end, original in sorted(entries):
        pieces += (text[last:start], original)
        last = end
    return "".join((*pieces, text[last:]))


def entries_of(replaced: Replaced) -> list[Entry]:
    return [(each.new_start, each.new_end, each.original) for each in replaced.replacements]


def write_mapping(path: Path, documents: Mapping[str, Replaced]) -> None:
    """Write the originals of documents, by their names, to a new file that only its owner may read.

    **The file holds every original in clear.** An existing file is never overwritten.
    """
    content = {
        "format": FORMAT,
        "documents": {
            name: {"digest": _digest(replaced.text), "entries": entries_of(replaced)}
            for name, replaced in documents.items()
        },
    }
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        raise SecretError(
            f"{path} exists already and is not overwritten: originals would be lost.", attempt="another name."
        ) from None
    except OSError as error:
        raise SecretError(f"{path} cannot be created.", found=f"{error.strerror}.") from None
    with os.fdopen(number, "w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(number)


def reverse(path: Path, texts: Mapping[str, str]) -> dict[str, str]:
    """The originals of scrubbed texts, by their names. One that was changed since, or is not in it, is refused."""
    known = _read(path)
    strangers = [name for name, text in texts.items() if known.get(name, {}).get("digest") != _digest(text)]
    if strangers:
        raise SecretError(
            f"{path} does not have the originals of {len(strangers):,} of {len(texts):,} texts.",
            found="They are not in it, or were changed after they were written.",
            attempt="the texts as they were scrubbed, with the file of the same run.",
        )
    return {name: restored(text, map(tuple, known[name]["entries"])) for name, text in texts.items()}


def _read(path: Path) -> dict[str, Any]:
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise SecretError(f"{path} cannot be read.", found=f"{error.strerror}.") from None
    with os.fdopen(number, encoding="utf-8") as file:
        if os.name == "posix" and os.fstat(number).st_mode & 0o077:
            raise SecretError(
                f"{path} may be opened by others than its owner.",
                attempt=f"chmod 600 {path}, and finding out who may have read it.",
            )
        try:
            content = json.load(file)
        except ValueError:  # Also where it is not UTF-8. The message of json would quote the file.
            content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SecretError(f"{path} is not a mapping file.", attempt="the file that was written with the scrubbed text.")
    return dict(content["documents"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
