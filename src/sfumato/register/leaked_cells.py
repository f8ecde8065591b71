"""Leaked cells beside the labels of a released field: equal, possible, or provably different.

A label may be about a cell if they are equal in some reading of a number or a date, if the label is
a range, a prefix or a set that holds it, or if the hierarchy of the manifest leads from the cell to
the label. A label is proven to be about something else only where all of that is known: the field
was kept as it is, or generalised by a hierarchy that has the cell, and the cell occurs in the field.
Otherwise nobody can say, and the row is not ruled out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import overlapping
from sfumato.errors import SfumatoError
from sfumato.hierarchies import SUPPRESSED, HierarchySpec, Label, hierarchy_from_table, iso
from sfumato.releases import KEPT, dates_meant, number_readings

_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,60}(?:[.,][0-9]{1,60})?")
_DIGITS: Final = re.compile(r"[0-9]+")
_NUMERIC: Final = re.compile(r"[0-9]+(?:-[0-9]+)?")
"""A number or a range of them, which may be years."""
_GENERALISED: Final = re.compile(
    r"generalised (?:in \d+ of \d+ rows|to [^;]* \(level \d+ of \d+\))"
)
_ENDS: Final = re.compile(r"(.+?)\.\.(.+)|([0-9]{4})-([0-9]{4})")
_QUARTER: Final = re.compile(r"([0-9]{4})-q([1-4])")
_MONTH_LAST: Final = re.compile(r"(0?[1-9]|1[0-2])[/.]([0-9]{4})")
Marks = NDArray[np.bool_]
Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class FieldTreatment:
    """The way from a source value to a released label, as a manifest states it: none where it was
    kept, a hierarchy where it was generalised. Otherwise nobody knows it."""

    is_kept: bool = False
    made_by: Mapping[str, Any] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, manifest: Mapping[str, Any], table: str) -> dict[str, FieldTreatment]:
        """The treatments of a table's fields."""
        hierarchies = manifest.get("hierarchies", {})
        out = {}
        for name, words in manifest["tables"][table].get("fields", {}).items():
            made_by = hierarchies.get(name, {}).get("made_by")
            is_known = isinstance(made_by, dict) and _GENERALISED.fullmatch(str(words))
            out[name] = cls(is_kept=words == KEPT, made_by=made_by if is_known else None)
        return out

    @cached_property
    def _spec(self) -> HierarchySpec | None:
        try:
            return None if self.made_by is None else hierarchy_from_table(self.made_by)
        except SfumatoError:
            return None

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        """The texts of the hierarchy, by the form in which they are compared."""
        out: dict[str, list[str]] = {}
        for each in _texts(self.made_by):
            out.setdefault(compared(each), []).append(each)
        return out

    def ancestors(self, texts: Sequence[str]) -> frozenset[Label] | None:
        """Every label of these readings of a value; None where the hierarchy has none of them."""
        if self._spec is None:
            return None
        every = dict.fromkeys(
            [*texts, *(name for text in texts for name in self._named.get(compared(text), ()))]
        )
        found: set[Label] = set()
        for text in every:
            try:
                made = self._spec.bind([text])
            except (SfumatoError, ValueError):
                continue
            found |= {made.labels[at][made.up[at][0]] for at in range(made.height + 1)}
        return frozenset(found) if found else None


UNKNOWN: Final = FieldTreatment()


class ComparedField:
    """One field of a release and of leaked rows. `meets` has the labels that each leaked cell is or
    may be; `is_settled` is whether it is proven to be none of the others."""

    def __init__(
        self,
        name: str,
        labels: Sequence[Label],
        cells: Sequence[str],
        *,
        treatment: FieldTreatment = UNKNOWN,
    ) -> None:
        self.name, self._treatment, self._labels = name, treatment, labels
        numbers: dict[str, int] = {}
        self.released = np.array(
            [numbers.setdefault(compared(_text(each)), len(numbers)) for each in labels], np.int64
        )
        self.leaked = [numbers.get(compared(each), -1) for each in cells]
        places: dict[str, int] = {}
        self.cell_of = [places.setdefault(each, len(places)) for each in cells]
        self.is_hidden = np.array(
            [not treatment.is_kept and each in (None, SUPPRESSED) for each in labels], bool
        )
        self.meets = np.zeros((len(places), len(labels)), bool)
        self.is_settled = np.zeros(len(places), bool)
        self.is_known = self._compare(list(places))

    def _compare(self, cells: Sequence[str]) -> bool:
        """Mark the labels that each cell equals or may mean; False where there are too many."""
        by_cell = dict(zip(self.cell_of, self.leaked, strict=True))
        for at in range(len(cells)):
            self.meets[at] = (self.released == by_cell[at]) | self.is_hidden
        lengths = sorted({len(each) for each in self._labels if each and each.endswith("*")})
        spelled = [
            (at, text) for at, cell in enumerate(cells) for text in _spellings(cell, lengths)
        ]
        pairs = overlapping([*self._labels, *(text for _, text in spelled)])
        if pairs is None:
            return False
        start = len(self._labels)
        for label, other in pairs.tolist():
            if label < start <= other:
                self.meets[spelled[other - start][0], label] = True
        self._compare_numbers(cells)
        self._compare_dates(cells)
        self._compare_hierarchy(cells, lengths)
        return True

    def _compare_numbers(self, cells: Sequence[str]) -> None:
        places: dict[str, list[int]] = {}
        for place, label in enumerate(self._labels):
            for value in number_readings(_text(label)):
                places.setdefault(value, []).append(place)
        for at, cell in enumerate(cells):
            for value in number_readings(cell):
                self.meets[at, places.get(value, [])] = True

    def _compare_dates(self, cells: Sequence[str]) -> None:
        """Days and spans of them; two numbers are not taken for dates."""
        spans = [
            (place, first, last)
            for place, label in enumerate(self._labels)
            for first, last in day_spans(_text(label))
        ]
        if not spans:
            return
        place, first, last = np.array(spans).T
        numeric = np.array([bool(_NUMERIC.fullmatch(_text(each))) for each in self._labels])[place]
        for at, cell in enumerate(cells):
            is_number = bool(_NUMERIC.fullmatch(cell.strip()))
            for low, high in day_spans(cell):
                mark = (first <= high) & (low <= last) & ~(numeric & is_number)
                self.meets[at, place[mark]] = True

    def _compare_hierarchy(self, cells: Sequence[str], lengths: Sequence[int]) -> None:
        """Mark the labels above each cell, and the cells of which all labels are known."""
        sets = [each for each in self._labels if each is not None and each.startswith("{")]
        for at, cell in enumerate(cells):
            above = self._treatment.ancestors([*_spellings(cell, lengths), *_iso_days(cell)])
            if above is not None:
                inside = _sets_with(above, sets)
                self.meets[at] |= np.array(
                    [each in above or each in inside for each in self._labels], bool
                )
            occurs = bool(self.meets[at, ~self.is_hidden].any())
            is_known = self._treatment.is_kept or above is not None
            self.is_settled[at] = bool(cell.strip()) and occurs and is_known


def compared(cell: str) -> str:
    """A cell as it is compared: numbers by their value, texts without case and outer blanks.

    Example:
        >>> compared("02139") == compared(" 2139.0"), compared("1,5") == compared("1.50")
        (True, True)
    """
    text = unicodedata.normalize("NFKC", cell).strip().casefold()
    if not _NUMBER.fullmatch(text):
        return text
    number = Decimal(text.replace(",", ".")).normalize()
    return f"{number:f}" if number else "0"


def day_spans(text: str) -> tuple[Span, ...]:
    """The days that a text may mean, as first and last ordinals: a date in each order, a month, a
    quarter, a year, or a span of them.

    Example:
        >>> [date.fromordinal(each).isoformat() for each in day_spans("1980-1984")[0]]
        ['1980-01-01', '1984-12-31']
    """
    plain = text.strip().lower()
    if not any(each.isdigit() for each in plain):
        return ()
    if ends := _ENDS.fullmatch(plain):
        low, high = (day_spans(each) for each in ends.groups() if each is not None)
        return tuple((one[0], two[1]) for one in low for two in high if one[0] <= two[1])
    if found := _QUARTER.fullmatch(plain):
        return (_month_span(int(found[1]) * 12 + int(found[2]) * 3 - 3, months=3),)
    if found := _MONTH_LAST.fullmatch(plain):
        return (_month_span(int(found[2]) * 12 + int(found[1]) - 1),)
    if days := dates_meant(plain):
        return tuple((each.toordinal(), each.toordinal()) for each in sorted(days))
    moment = iso(plain) if len(plain) in (4, 7) else None
    if moment is None:
        return ()
    return (_month_span(moment.first_month, months=moment.last_month - moment.first_month + 1),)


def _month_span(first: int, *, months: int = 1) -> Span:
    """The days of some months, counted from the year 0."""
    end = min(first + months, 9999 * 12 + 11)
    start = date(max(first // 12, 1), first % 12 + 1, 1).toordinal()
    return start, date(max(end // 12, 1), end % 12 + 1, 1).toordinal() - 1


def _iso_days(cell: str) -> list[str]:
    return [each.isoformat() for each in sorted(dates_meant(cell))]


def _spellings(cell: str, lengths: Sequence[int]) -> tuple[str, ...]:
    """A cell as it is, as each number that it may be, and with zeros that were lost before it."""
    text = cell.strip()
    padded = (text.zfill(many) for many in lengths) if _DIGITS.fullmatch(text) else ()
    return tuple(dict.fromkeys((text, *number_readings(text), *padded)))


def _sets_with(values: frozenset[Label], sets: Sequence[str]) -> frozenset[str]:
    """The sets that hold one of some values."""
    pairs = overlapping([*sets, *values])
    if pairs is None:
        return frozenset(sets)
    return frozenset(sets[one] for one, other in pairs.tolist() if one < len(sets) <= other)


def _texts(table: object) -> Iterator[str]:
    """Every text in a description of a hierarchy."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, Mapping):
        for name, each in table.items():
            yield str(name)
            yield from _texts(each)
    elif isinstance(table, list):
        for each in table:
            yield from _texts(each)


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
