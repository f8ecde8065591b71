"""Null-map: no released tuple can be mapped to any of the subjects (000, section 5)."""

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
class NullMap:
    """No released tuple covers a subject of the source; it may or may not cover someone else.

    This is what encrypting, extensively swapping or adding noise to the quasi-identifiers is for. `subjects`
    holds the subjects' values of level 0, as they were before any step; a released label covers every value under it,
    and a suppressed cell covers everyone. Generalising works against it: a wider label covers more.

    Assumes: `subjects` has everyone whose data is in the source; the hierarchies know their values; and the recipient
    maps by equal values and hierarchies, not by likeness: values moved by little noise still lead home to one who
    looks for the nearest.
    Does not protect: whoever can undo the encryption or the swapping.
    Reference: paper 000, section 5, null-map protection, Figure 16; docs/protection/null-map.md.

    Example:
        >>> subjects = Bins.of(("birth", "zip"), {("1965", "02138"): 1, ("1964", "02139"): 1})
        >>> release = Bins.of(("birth", "zip"), {("1965", "02139"): 1, ("1964", "02139"): 1})
        >>> NullMap(fields=("birth", "zip"), subjects=subjects).failing(release).tolist()
        [False, True]
    """

    fields: tuple[str, ...]
    subjects: Bins = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)

    name: ClassVar[str] = "null-map"
    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    def matches(self, bins: Bins) -> NDArray[np.int64]:
        """For each released bin: how many subjects it covers; nobody is looked up where nothing is known."""
        if not self.fields:
            return np.zeros(len(bins), np.int64)
        return population_counts(bins, self.subjects, self.fields, self.hierarchies)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.matches(bins) > 0

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"no tuple covers one of {self.subjects.rows} subjects",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"a tuple covers at most {self.matches(bins).max(initial=0)} subjects",
        )
