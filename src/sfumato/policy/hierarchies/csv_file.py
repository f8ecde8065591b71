"""Hierarchies from CSV in the form that ARX and others use: one row per value, `value;level1;level2;...`."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import HierarchyError

from .hierarchy import Hierarchy, Label
from .spec import bind_rows


@dataclass(frozen=True, slots=True)
class CsvHierarchy:
    """A hierarchy written out value by value. An empty first cell is the row of null."""

    path: Path
    ladders: Mapping[Label, tuple[Label, ...]] = field(repr=False)
    digest: str = field(default="", repr=False)
    written_as: str = field(default="", repr=False)

    @classmethod
    def read(cls, path: Path, *, written_as: str = "") -> CsvHierarchy:
        """Read and check the file; every complaint names the row, never the cell."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise HierarchyError(
                f"Hierarchy file {path} cannot be read.", found=error.strerror or "", attempt="checking the path."
            ) from None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise HierarchyError(
                f"Hierarchy file {path} is not UTF-8.", attempt="saving it as UTF-8."
            ) from None
        ladders = _ladders(text, path)
        return cls(path, ladders, hashlib.sha256(data).hexdigest(), written_as or path.name)

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        holes = sum(1 for value in values if value is not None and value not in self.ladders)
        if holes:
            raise HierarchyError(
                f"Hierarchy {self.path.name} does not cover every value of its field.",
                found=f"{holes} of {len(values)} distinct values have no row in it.",
                attempt="adding a row for each value: sfumato hierarchy SOURCE FIELD lists them for you.",
            )
        return bind_rows(values, self.ladders)

    def describe(self) -> Mapping[str, object] | str:
        return self.written_as


def _ladders(text: str, path: Path) -> dict[Label, tuple[Label, ...]]:
    first = text.split("\n", 1)[0]
    separator = max(";,\t", key=first.count)
    ladders: dict[Label, tuple[Label, ...]] = {}
    width = 0
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=separator), start=1):
        if not row:
            continue
        width = width or len(row)
        if len(row) != width or width < 2:
            raise HierarchyError(
                f"Hierarchy file {path} needs the same number of levels, at least one, in every row.",
                found=f"Row {number} has {len(row)} cell(s); the first row has {width}.",
                attempt="one row per value, 'value;level1;level2;...', ending in one value such as *.",
            )
        value = row[0] or None
        ladder = tuple(cell or None for cell in row[1:])
        if ladders.setdefault(value, ladder) != ladder:
            raise HierarchyError(
                f"Hierarchy file {path} gives one value two different rows.", found=f"The second is row {number}."
            )
    if not ladders:
        raise HierarchyError(f"Hierarchy file {path} is empty.", attempt="one row per value, 'value;level1;...'.")
    tops = {ladder[-1] for ladder in ladders.values()}
    if len(tops) != 1:
        raise HierarchyError(
            f"Hierarchy file {path} does not end in one value.",
            found=f"Its last level has {len(tops)} labels.",
            attempt="adding a last level with the same label, such as *, in every row.",
        )
    return ladders
