"""Hierarchies from CSV in the form that ARX and others use: one row per value,
`value;level1;level2;...`."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import HierarchyError
from sfumato.files import write_whole
from sfumato.wording import counted

from .hierarchy import Hierarchy, Label
from .hierarchy_spec import bind_rows
from .parameters import LEVELS

BYTES = 64 << 20
"""The most bytes of a hierarchy file: a million values of five levels take less."""
_SEPARATORS = ";\t,"
_SPECIAL = re.compile(r'[;"\r\n]|^\s|\s$')


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
            data = _bytes(path)
        except (OSError, ValueError) as error:
            why = (
                f"{error.strerror}."
                if isinstance(error, OSError)
                else "It is not the name of a file."
            )
            raise HierarchyError(
                f"Hierarchy file {path} cannot be read.", found=why, attempt="checking the path."
            ) from None
        return cls.of(data, path, written_as=written_as)

    @classmethod
    def of(cls, data: bytes, path: Path, *, written_as: str = "") -> CsvHierarchy:
        """The hierarchy in some bytes, which are those of a file."""
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise HierarchyError(
                f"Hierarchy file {path} is not UTF-8.", attempt="saving it as UTF-8."
            ) from None
        try:
            ladders = _ladders(text, path)
        except csv.Error:
            raise HierarchyError(
                f"Hierarchy file {path} is not CSV.",
                found="A cell is too long or a quote is not closed.",
            ) from None
        return cls(path, ladders, hashlib.sha256(data).hexdigest(), written_as or path.name)

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        holes = sum(1 for value in values if value is not None and value not in self.ladders)
        if holes:
            raise HierarchyError(
                f"Hierarchy {self.path.name} does not cover every value of its field.",
                found=f"{holes} of {len(values)} distinct values have no row in it.",
                attempt="adding a row for each value: sfumato hierarchy SOURCE FIELD lists them "
                "for you.",
            )
        return bind_rows(values, self.ladders)

    def describe(self) -> Mapping[str, object] | str:
        return self.written_as


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(BYTES + 1)
    if len(data) > BYTES:
        raise HierarchyError(
            f"Hierarchy file {path} is larger than {BYTES >> 20} MiB, which is the limit."
        )
    return data


def write_csv(hierarchy: Hierarchy, path: Path) -> None:
    """Save a hierarchy in the form that `CsvHierarchy.read` and ARX read; the file appears whole or
    not at all."""
    if any(label == "" for names in hierarchy.labels for label in names):
        raise HierarchyError(
            f"Hierarchy file {path} cannot distinguish an empty text from null.",
            found="The hierarchy has an empty text as a value or a label.",
            attempt="making empty texts null in the source.",
        )
    columns = [
        [names[code] for code in codes]
        for names, codes in zip(hierarchy.labels, hierarchy.up, strict=True)
    ]
    lines = [";".join(map(_quoted, row)) + "\n" for row in zip(*columns, strict=True)]
    write_whole(path, "".join(lines))


def _quoted(label: Label) -> str:
    text = label or ""
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def _rows(text: str) -> list[list[str]]:
    """The cells, split at the first of the usual separators that gives every row the same number of
    them.

    Where none does, the most frequent separator of the first line is used, and its rows are
    reported."""
    for mark in _SEPARATORS:
        rows = _split(text, mark)
        widths = {len(row) for row in rows if row}
        if len(widths) == 1 and widths.pop() > 1:
            return rows
    return _split(text, max(_SEPARATORS, key=text.split("\n", 1)[0].count))


def _split(text: str, mark: str) -> list[list[str]]:
    """The rows up to the first that is too wide, which is cut and reported; the rest is not
    kept."""
    rows = []
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark):
        rows.append(row[: LEVELS + 2])
        if len(row) > LEVELS + 1:
            break
    return rows


def _ladders(text: str, path: Path) -> dict[Label, tuple[Label, ...]]:
    ladders: dict[Label, tuple[Label, ...]] = {}
    shared: dict[tuple[Label, ...], tuple[Label, ...]] = {}
    width = 0
    for number, row in enumerate(_rows(text), start=1):
        if not row:
            continue
        width = width or len(row)
        if len(row) > LEVELS + 1:
            raise HierarchyError(
                f"Hierarchy file {path} has more than {LEVELS} levels, which is the limit.",
                found=f"Row {number} has more cells.",
                attempt="one row per value, 'value;level1;level2;...', ending in one value such as "
                "*.",
            )
        if len(row) != width or width < 2:
            raise HierarchyError(
                f"Hierarchy file {path} needs the same number of levels, at least one, in "
                "every row.",
                found=f"Row {number} has {counted(len(row), 'cell')}; the first row has {width}."
                if width > 1
                else "The first row has a value and no level.",
                attempt="one row per value, 'value;level1;level2;...', ending in one value such as "
                "*.",
            )
        value = row[0] or None
        ladder: tuple[Label, ...] = (
            tuple(row[1:]) if all(row) else tuple(cell or None for cell in row[1:])
        )
        ladder = shared.setdefault(ladder, ladder)  # A million values have few of them.
        if ladders.setdefault(value, ladder) != ladder:
            raise HierarchyError(
                f"Hierarchy file {path} gives one value two different rows.",
                found=f"The second is row {number}.",
            )
    _check_top(ladders, path)
    # Labels must nest: better said when the file is read than when data arrives.
    bind_rows((), {str(number): ladder for number, ladder in enumerate(shared)})
    return ladders


def _check_top(ladders: Mapping[Label, tuple[Label, ...]], path: Path) -> None:
    if not ladders:
        raise HierarchyError(
            f"Hierarchy file {path} is empty.", attempt="one row per value, 'value;level1;...'."
        )
    tops = {ladder[-1] for ladder in ladders.values()}
    if len(tops) != 1:
        raise HierarchyError(
            f"Hierarchy file {path} does not end in one value.",
            found=f"Its last level has {len(tops)} labels.",
            attempt="adding a last level with the same label, such as *, in every row.",
        )
