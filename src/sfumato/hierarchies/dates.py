"""Dates by calendar windows: day, month, quarter, year, any number of months or years (Sweeney
1997, section 3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import HierarchyError
from sfumato.parts import parameter

from .date_windows import (
    Moment,
    check_format,
    months_of_days,
    parser,
    window_label,
    window_of_step,
)
from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import Hierarchy, Label, LabelPlaces
from .ladders import climb
from .parameters import Table, flag, is_whole, only_keys, text, texts, wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class DatesParameters:
    """The parameters of a table of dates."""

    dates: tuple[str, ...] = parameter("windows, finest first", example='["month", "year"]')
    format: str = parameter("how the dates are written, as %d/%m/%Y; without it, ISO", default="")
    last_year: int | None = parameter(
        "the latest year, for years of two digits", default=None, least=1000, most=9999
    )
    nested: bool = parameter(
        "false where windows need not be made of whole ones of the step before, for solvers that "
        "only climb",
        default=True,
    )


@dataclass(frozen=True, slots=True)
class Dates:
    """ISO dates and timestamps, or text in `format`, widened step by step.

    Windows are counted from the year 0, so that "10 years" gives decades. A value that is coarser
    than a step, such as a bare year below "month", keeps its text until a window holds all of it.
    `last_year` is for formats with a two-digit year: the latest year that occurs, so that a birth
    in 65 is not read as 2065. Without `nested`, 6 months may follow 4 months: each step is then
    counted from the dates themselves, by solvers that only climb.

    Example:
        >>> Dates(("month", "year", "5 years")).bind(["1965-09-20", "1964-02-29"]).labels[1:]
        (('1965-09', '1964-02'), ('1965', '1964'), ('1965-1969', '1960-1964'), ('*',))
    """

    steps: tuple[str, ...]
    format: str = ""
    last_year: int | None = None
    nested: bool = True

    key: ClassVar[str] = "dates"

    @classmethod
    def from_table(cls, table: Table) -> Dates:
        only_keys(table, keys_of(DatesParameters), builder="dates")
        last_year = table.get("last_year")
        if last_year is not None and not (is_whole(last_year) and 1000 <= last_year <= 9999):
            raise wanted("last_year", "a year, such as 1999")
        spec = cls(
            texts(table["dates"], "dates"),
            text(table.get("format", ""), "format"),
            last_year,
            flag(table.get("nested", True), "nested"),
        )
        spec._windows()
        return spec

    def _windows(self) -> tuple[int, ...]:
        """The width of each step in months, 0 for a day; each must be a multiple of the one
        before."""
        check_format(self.format, last_year=self.last_year)
        windows = tuple(window_of_step(step) for step in self.steps)
        for finer, coarser in pairwise(zip(windows, self.steps, strict=True)):
            uneven = self.nested and finer[0] and coarser[0] % finer[0]
            if coarser[0] <= finer[0] or uneven:
                raise HierarchyError(
                    "Each step of a dates hierarchy must be made of whole windows of the "
                    "step before.",
                    found=f'"{coarser[1]}" is not made of whole windows of "{finer[1]}".',
                    attempt="steps in which each is a multiple of the one before, such as month, "
                    "quarter, year; or nested = false with a solver that only climbs."
                    if self.nested
                    else "steps that grow.",
                )
        return windows

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        windows = self._windows()
        names = ("date", *self.steps, "suppressed")
        months = None if self.format else months_of_days(values)
        if months is not None:
            levels = [_level(values, months, window) for window in windows]
            return Hierarchy.from_levels(values, levels, level_names=names, nested=self.nested)
        parse = parser(self.format, last_year=self.last_year)

        def labels(value: str) -> tuple[str, ...] | None:
            moment = parse(value.strip())
            return None if moment is None else tuple(_label(moment, window) for window in windows)

        return climb(
            values,
            labels,
            level_names=names,
            uncovered=f"are not dates written as {self.format or 'YYYY-MM-DD'}.",
            attempt='format = the way the field writes them, such as format = "%m/%d/%Y".',
            nested=self.nested,
        )

    def describe(self) -> Mapping[str, object]:
        out: dict[str, object] = {"dates": list(self.steps)}
        if self.format:
            out["format"] = self.format
        if self.last_year is not None:
            out["last_year"] = self.last_year
        if not self.nested:
            out["nested"] = False
        return out


def _level(values: Sequence[Label], months: NDArray[np.int64], window: int) -> LabelPlaces:
    """The labels of days at one step: few of them for many days."""
    if window == 0:
        return values, np.arange(len(values), dtype=np.int32)
    lowest = int(months.min())
    there = np.zeros(int(months.max()) - lowest + 1, bool)
    there[months - lowest] = True
    labels = [
        None if month < 0 else window_label(month // window, window)
        for month in (np.flatnonzero(there) + lowest).tolist()
    ]
    return labels, (np.cumsum(there, dtype=np.int32) - 1)[months - lowest]


def _label(moment: Moment, window: int) -> str:
    if window == 0:
        return moment.text
    number = moment.first_month // window
    if moment.last_month // window != number:
        return moment.text
    return window_label(number, window)


DECLARATION = HierarchyDeclaration(
    key="dates",
    doc="dates and timestamps, widened step by step",
    record=DatesParameters,
    read=Dates.from_table,
    example={"dates": ["month", "year", "5 years"]},
    shown=("dates", "format", "last_year", "nested"),
)
