"""Row counts: each number of rows that someone has in a table is shared by enough people (Sweeney
1997, section 3.8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake

from .model import verdict_of
from .verdict import Verdict

ROWS = "rows"
"""The field of the bins that holds the number of rows, as `Engine.rows_per_person` calls it; it is
the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """Each number of rows in `table`, within each bin of `fields`, is that of at least `bin_size`
    people.

    Bins are over `fields` and the number of rows, and count people, not rows: those with no row in
    the table too, under "0". Without `fields` the number is judged by itself (P_tabf < 1). With the
    quasi-identifiers it is judged together with them (P_tabf = 1).

    Assumes: the bins hold every person of the release; a recipient knows the number in this table
    only. Does not protect: numbers in several tables taken together; the content of the rows; a
    recipient who knows more than `fields`. Reference: Sweeney 1997, section 3.8;
    docs/protection/row-counts.md.

    Example:
        >>> bins = Bins.of(("sex", "rows"), {("f", "0"): 9, ("f", "2"): 6, ("m", "2"): 7, ("m", "31"): 1})
        >>> RowCounts(table="visits", bin_size=5, fields=("sex",)).judge(bins).reason
        '1 of 4 bins over (sex, rows) breaks it; it holds 1 of 23 people'
    """

    table: str
    bin_size: int
    fields: tuple[str, ...] = ()

    name: ClassVar[str] = "row counts"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = True

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        if bins.fields != (*self.fields, ROWS):
            raise Mistake(
                f"The number of rows in {self.table} is judged on bins over "
                f"({', '.join((*self.fields, ROWS))}).",
                found=f"The bins are over ({', '.join(bins.fields)}).",
                attempt="Engine.rows_per_person(person, fields), with the people who have no row.",
            )
        return np.asarray(bins.counts < self.bin_size)

    def judge(self, bins: Bins) -> Verdict:
        requirement = (
            f"each number of rows in {self.table} is that of at least {self.bin_size} people"
        )
        fields = (*self.fields, ROWS)
        verdict = verdict_of(
            self, bins, requirement=requirement, fields=fields, smallest=bins.smallest
        )
        return (
            replace(verdict, reason=verdict.reason.removesuffix("rows") + "people")
            if verdict.bins_below
            else verdict
        )
