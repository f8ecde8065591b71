"""Bins of people who represent several each, by survey weights: a person counts once, however many
rows they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, no_weights, weight_of
from sfumato.hierarchies import Codes, Label

from .bins import Bins
from .counted_people import CountedPeople, Numbers, pairs_of


@dataclass(frozen=True, eq=False, repr=False)
class WeightedPeople(CountedPeople):
    """`weight_of[p]` is how many people person p represents: the least weight of their rows, so
    that nobody counts for more than any row states. Sizes are sums of these, rounded down.

    Example:
        >>> rows = [("02138", "ann", "2.5"), ("02138", "ann", "3"), ("02138", "bob", "4"), ("02139", "bob", "4")]
        >>> people = WeightedPeople.weighed(Bins.of(("zip", "person", "weight"), dict.fromkeys(rows, 1)))
        >>> people.sizes(), people.people
        ({('02138',): 6, ('02139',): 4}, 6)
    """

    weight_of: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def counted_by_weight(
        cls, engine: Engine, fields: Sequence[str], *, person: str, weight: str
    ) -> Self:
        """One group-by over fields, person and weight; rows without a weight are refused."""
        found = Bins.count(engine, (*fields, person, weight))
        strange = np.array([weight_of(label) is None for label in found.labels[-1]], bool)
        missing = int(found.counts[strange[found.codes[:, -1]]].sum()) if strange.any() else 0
        if missing:
            raise no_weights(engine.title, weight, missing)
        return cls.weighed(found)

    @classmethod
    def weighed(cls, tuples: Bins) -> Self:
        """From bins over fields, then the person, then the weight."""
        plain = Bins(tuples.fields[:-1], tuples.labels[:-1], tuples.codes[:, :-1], tuples.counts)
        bins = cls._from_tuples(plain, len(plain.fields) - 1, ())
        numbers = np.array([float(weight_of(label) or 0) for label in tuples.labels[-1]])
        least = np.full(len(tuples.labels[-2]), np.inf)
        np.minimum.at(least, tuples.codes[:, -2], numbers[tuples.codes[:, -1]])
        return replace(bins, weight_of=least)._weighed(bins)

    @property
    def people(self) -> int:
        """How many people they all represent."""
        return _down(self.weight_of[np.unique(self.person_of)].sum())

    def people_in(self, marked: NDArray[np.bool_]) -> int:
        return _down(self.weight_of[np.unique(self.person_of[marked[self.bin_of]])].sum())

    def sizes_of(self, groups: Numbers) -> Numbers:
        bin_of, person_of = pairs_of(groups[self.bin_of], self.person_of)
        return self._sizes(bin_of, person_of, int(groups.max(initial=-1)) + 1)

    def group_of(self, fields: Sequence[str]) -> tuple[Numbers, Numbers]:
        groups, _ = super().group_of(fields)
        return groups, self.sizes_of(groups)

    def only(self, keep: NDArray[np.bool_]) -> Self:
        return self._weighed(super().only(keep))

    def _rolled_up(
        self, fields: tuple[str, ...], labels: tuple[tuple[Label, ...], ...], codes: Codes
    ) -> tuple[Self, Numbers]:
        coarse, groups = super()._rolled_up(fields, labels, codes)
        return self._weighed(coarse), groups

    def _weighed(self, bins: Self) -> Self:
        counts = self._sizes(bins.bin_of, bins.person_of, len(bins))
        return replace(bins, counts=counts, weight_of=self.weight_of)

    def _sizes(self, bin_of: Numbers, person_of: Numbers, count: int) -> Numbers:
        found = np.bincount(bin_of, weights=self.weight_of[person_of], minlength=count)
        return np.asarray(np.floor(found + 1e-9), np.int64)


def _down(number: float) -> int:
    return int(np.floor(number + 1e-9))
