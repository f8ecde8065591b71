"""Wrong-map: each released tuple maps to exactly one subject, and that is not the one it is about (000, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, population_counts
from sfumato.policy.hierarchies import Hierarchy

from .model import verdict_of
from .verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class WrongMap:
    """Each released tuple covers exactly one subject, which no row with that tuple is about; over 2 rows leave.

    This is what swapping the quasi-identifiers of people as a unit is for. The bins of a release do not say whose
    row is whose, so the holder must: `own` are the bins of those released rows whose own subject their tuple
    covers, none of them where the swapping moved everyone (`Bins.of(fields, {})`). `subjects` holds the subjects'
    values of level 0; a released label covers every value under it.

    Assumes: `own` was counted on what is released, by whoever knows the true link. With two subjects the release
    is compromised, so at least three rows are asked for.
    Does not protect: the harm of a wrong match to the one who is matched; whoever can undo the swapping.
    Reference: paper 000, section 5, wrong-map protection; docs/protection/wrong-map.md.

    Example:
        >>> people = {("1965", "02138"): 1, ("1964", "02139"): 1, ("1963", "02141"): 1}
        >>> subjects = release = Bins.of(("birth", "zip"), people)
        >>> own = Bins.of(("birth", "zip"), {("1963", "02141"): 1})
        >>> WrongMap(fields=("birth", "zip"), subjects=subjects, own=own).failing(release).tolist()
        [False, False, True]
    """

    fields: tuple[str, ...]
    subjects: Bins = field(repr=False)
    own: Bins = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)

    name: ClassVar[str] = "wrong-map"
    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = False
    bin_monotone: ClassVar[bool] = False

    def matches(self, bins: Bins) -> NDArray[np.int64]:
        """For each released bin: how many subjects it covers."""
        return population_counts(bins, self.subjects, self.fields, self.hierarchies)

    def home(self, bins: Bins) -> NDArray[np.int64]:
        """For each released bin: how many of its rows lead to the subject they are about."""
        return population_counts(bins, self.own, self.fields, {})

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        if bins.rows <= 2:
            return np.ones(len(bins), bool)
        one: NDArray[np.bool_] = self.matches(bins) == 1
        return ~one | (self.home(bins) > 0)

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"each tuple covers one of {self.subjects.rows} subjects, and not its own",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"{int(self.home(bins).sum())} rows lead to their own subject",
        )
