"""The way back, for the holder: a mapping file written apart from the text, from which the
originals are put back.

Without a file the holder of the secret has another way. Replacing is the same function of text and
secret every time, so the originals, replaced again, show each replacement."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import SecretError

from .replacement import ReplacedDocument

FORMAT = "sfumato text mapping 1"
OWNER_ONLY = 0o600
Entry = tuple[int, int, str]
"""The place of a surrogate in the new text, and the original."""


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


def entries_of(replaced: ReplacedDocument) -> list[Entry]:
    return [(each.new_start, each.new_end, each.original) for each in replaced.replacements]


@dataclass(frozen=True, slots=True)
class ReversalEntry:
    """The way back from one text: the digest of the text, and the originals with their places in
    it."""

    digest: str
    entries: tuple[Entry, ...] = field(repr=False)


def way_of(replaced: ReplacedDocument) -> ReversalEntry:
    return ReversalEntry(digest_of(replaced.text), tuple(entries_of(replaced)))


def write_mapping(
    path: Path,
    documents: Mapping[str, ReplacedDocument | ReversalEntry],
    *,
    sources: Mapping[str, str] | None = None,
) -> None:
    """Write the originals of documents, by their names, to a new file that only its owner may read.

    **The file holds every original in clear.** An existing file is never overwritten. `sources` are
    the names that files had before, by those that they have now."""
    ways = {
        name: way_of(each) if isinstance(each, ReplacedDocument) else each
        for name, each in documents.items()
    }
    content = {
        "format": FORMAT,
        **({} if sources is None else {"sources": dict(sources)}),
        "documents": {
            name: {"digest": way.digest, "entries": way.entries} for name, way in ways.items()
        },
    }
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        raise SecretError(
            f"{path} exists already and is not overwritten: originals would be lost.",
            attempt="another name.",
        ) from None
    except OSError as error:
        raise SecretError(f"{path} cannot be created.", found=f"{error.strerror}.") from None
    with os.fdopen(number, "w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(number)


def reverse(path: Path, texts: Mapping[str, str]) -> dict[str, str]:
    """The originals of scrubbed texts, by their names. One that was changed since, or is not in it,
    is refused."""
    known = read_mapping(path)[0]
    strangers = [
        name
        for name, text in texts.items()
        if known.get(name, ReversalEntry("", ())).digest != digest_of(text)
    ]
    if strangers:
        raise SecretError(
            f"{path} does not have the originals of {len(strangers):,} of {len(texts):,} texts.",
            found="They are not in it, or were changed after they were written.",
            attempt="the texts as they were scrubbed, with the file of the same run.",
        )
    return {name: restored(text, known[name].entries) for name, text in texts.items()}


def read_mapping(path: Path) -> tuple[dict[str, ReversalEntry], dict[str, str]]:
    """The ways back in a mapping file, by the names of their texts, and the names that files had
    before."""
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
        raise SecretError(
            f"{path} is not a mapping file.",
            attempt="the file that was written with the scrubbed text.",
        )
    try:
        ways = {
            str(name): ReversalEntry(
                str(each["digest"]),
                tuple((int(a), int(b), str(text)) for a, b, text in each["entries"]),
            )
            for name, each in content["documents"].items()
        }
        return ways, {str(now): str(before) for now, before in content.get("sources", {}).items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise SecretError(f"{path} is not whole.", attempt="the file as it was written.") from None


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
