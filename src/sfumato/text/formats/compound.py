"""A file of several files: the parts of all of them, one after the other, and each written again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..replacement import ReplacedDocument
from .part_assembly import checked
from .parts import FilePart, OpenedFile, unreadable_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound:
    """Opened files with what each is called before the places of its parts; "" for none."""

    files: tuple[tuple[str, OpenedFile], ...]

    @property
    def parts(self) -> tuple[FilePart, ...]:
        return tuple(
            replace(part, place=f"{name}, {part.place}" if name else part.place)
            for name, file in self.files
            for part in file.parts
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(
            f"{what} ({name})" if name else what
            for name, file in self.files
            for what in file.left_out
        )

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(note for _, file in self.files for note in file.notes)

    @property
    def unreadable(self) -> int:
        return sum(unreadable_pages(file) for _, file in self.files)

    def written_each(self, replaced: Sequence[ReplacedDocument]) -> Iterator[bytes]:
        """The bytes of each file, in their order."""
        checked(sum(len(file.parts) for _, file in self.files), replaced)
        start = 0
        for _, file in self.files:
            end = start + len(file.parts)
            yield file.written(replaced[start:end])
            start = end
