"""k-people: each released tuple of quasi-identifiers is shared by rows of at least k different
people (Sweeney 1997, 3.8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Bug
from sfumato.wording import agreeing

from .model import verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class KPeople:
    """Each tuple of `fields` in the release has rows of at least `k` different people.

    Judges bins over exactly `fields` whose counts are people (`Engine.frequencies(fields,
    person=...)`): counts of coarser bins are not sums, because one person may be in many. Where a
    verdict has rows, each person was counted once in every bin. Suppressed cells are read strictly,
    and null is a value.

    Assumes: a recipient knows a person's quasi-identifiers and those of one row of one table, with
    all that this row is linked to. Does not protect: a recipient who knows several rows of a person
    at once (k^m-anonymity is for that) or how many there are; a sensitive value shared by the whole
    bin. Reference: Sweeney 1997, section 3.8; docs/protection/k-people.md.

    Example:
        >>> people = Bins.of(("zip", "sex"), {("021**", "F"): 7, ("946**", "M"): 2})
        >>> KPeople(k=3, fields=("zip", "sex"), table="visits").judge(people).reason
        '1 of 2 bins over (zip, sex) has rows of fewer than 3 people; the fewest are 2'
    """

    k: int
    fields: tuple[str, ...]
    table: str = ""

    name: ClassVar[str] = "k-people"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = True

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        if set(bins.fields) != set(self.fields):
            raise Bug("people were counted over other fields than those that they are judged over")
        return bins.counts < self.k

    def judge(self, bins: Bins) -> Verdict:
        place = f" in {self.table}" if self.table else ""
        verdict = verdict_of(
            self,
            bins,
            requirement=f"k = {self.k} people{place}, suppressed cells read strict",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the fewest people in one: {bins.smallest}",
        )
        if verdict.outcome != "fail":
            return verdict
        over = ", ".join(self.fields)
        have = agreeing(verdict.bins_below, "has", "have")
        few = f"{have} rows of fewer than {self.k} people; the fewest are {bins.smallest}"
        total = f"{len(bins)} {agreeing(len(bins), 'bin', 'bins')}"
        return replace(verdict, reason=f"{verdict.bins_below} of {total} over ({over}) {few}")
