"""The way back for the holder: scrubbed files with their originals in place again, from the mapping
file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import SecretError, SourceError
from sfumato.releases import MANIFEST, aside
from sfumato.text import (
    How,
    ReferenceKind,
    ReplacedDocument,
    ReversalEntry,
    TextReplacement,
    digest_of,
    read_mapping,
    restored,
)
from sfumato.text.formats import FileReading

from .file_inspection import opened

NO_WAY = "nothing"
"""In place of a digest: this file cannot be put back, because it is not written in the format it
was read in."""


def reverse_files(
    mapping: Path, folder: Path, *, to: Path, reading: FileReading | None = None
) -> int:
    """Write the files of a scrubbed folder with their originals back, under the names that they
    had; how many.

    Parts that were removed when they were scrubbed, such as pictures, stay removed.
    """
    ways, sources = read_mapping(mapping)
    names = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    found = [name for name in names if name != MANIFEST]
    if not found:
        raise SourceError(
            f"{folder} holds no scrubbed files.", attempt="the folder that was given as --to."
        )
    strangers = [name for name in found if name not in sources]
    if strangers:
        raise SecretError(
            f"{mapping} does not have the originals of {len(strangers):,} of {len(found):,} files.",
            attempt="the folder as it was scrubbed, with the file of the same run.",
        )
    with aside(to) as target:
        for name in found:
            path = target / sources[name]
            if target not in path.parents or ".." in path.parts:
                raise SecretError(f"{mapping} names a file outside of the folder to write to.")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(
                _restored(
                    folder / name, name, ways, mapping=mapping, reading=reading or FileReading()
                )
            )
    return len(found)


def ways_by_name(
    name: str, ways: Sequence[ReversalEntry], *, reads_back: bool
) -> dict[str, ReversalEntry]:
    """The ways of a file's parts, as the mapping names them."""
    return {
        f"{name}#{number}": way if reads_back else ReversalEntry(NO_WAY, ())
        for number, way in enumerate(ways, start=1)
    }


def _restored(
    path: Path, name: str, ways: dict[str, ReversalEntry], *, mapping: Path, reading: FileReading
) -> bytes:
    _, _, file = opened(path, reading)
    own = [ways.get(f"{name}#{number}") for number in range(1, len(file.parts) + 1)]
    if (
        any(way is not None and way.digest == NO_WAY for way in own)
        or f"{name}#{len(own) + 1}" in ways
    ):
        raise SecretError(
            f"{name} cannot be put back.",
            found="It was written in another form than it was read in, as text for a PDF.",
            attempt="the source, which is not changed by scrubbing.",
        )
    made = []
    for part, way in zip(file.parts, own, strict=True):
        if way is None or way.digest != digest_of(part.text):
            raise SecretError(
                f"{name} was changed after it was scrubbed, or is not of the run that "
                f"wrote {mapping}.",
                attempt="the file as it was written.",
            )
        made.append(_back(part.text, way))
    return file.written(made)


def _back(text: str, way: ReversalEntry) -> ReplacedDocument:
    """The text with its originals, as if they replaced the surrogates."""
    changes, moved = [], 0
    for start, end, original in sorted(way.entries):
        new_start = start + moved
        moved += len(original) - (end - start)
        changes.append(
            TextReplacement(
                start=start,
                end=end,
                new_start=new_start,
                new_end=new_start + len(original),
                kind=ReferenceKind.OTHER,
                how=How.SURROGATE,
                original=text[start:end],
                surrogate=original,
            )
        )
    return ReplacedDocument(text=restored(text, way.entries), replacements=tuple(changes))
