"""How unique the rows are in every small combination of fields (Sweeney 2000, Fig. 13), without
counting them all.

Pruned combinations, and why that is right:

- A combination is not counted if a part of it already singles out nearly every row: adding a field
  never makes a row less unique.
- A bin that is split in d parts has at most d unique rows. The bins of a combination and the number
  of values of one more field therefore bound the larger combination. Where that bound is close to
  zero, it is not counted.

The remaining combinations may still be too many. Then the combinations that can single out most are
counted, those of proposed quasi-identifiers first. The number of the others is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import SIZE_CAP, Engine
from sfumato.policy import Role

from .coded_rows import CodedField
from .records import Combination, FieldSurvey, Uniqueness

Names = tuple[str, ...]
Progress = Callable[[str, float], None]

NEARLY_ALL = 0.999
NEXT_TO_NOTHING = 0.001
MOST_FIELDS = 20
MOST_GROUP_BYS, LEAST_GROUP_BYS = 200, 20
ROWS_READ = 40_000_000
"""Group-bys times rows: larger sources get fewer group-bys."""


def most_alone(sizes: NDArray[np.int64], parts: int) -> int:
    """The most rows that can be unique once each bin is split in `parts`; `sizes[s]` bins have s
    rows.

    A bin of at most `parts` rows could fall apart into single rows; a larger one has some part with
    two.

    Example:
        >>> most_alone(np.array([0, 3, 2, 1, 0]), 2)  # three single rows, two pairs, one bin of three
        8
    """
    rows = np.arange(len(sizes))
    alone = np.where(rows <= parts, rows, parts - 1)
    alone[-1] = parts  # The last entry gathers all larger bins.
    return int((alone * sizes).sum())


@dataclass
class _Search:
    """The state of the search: the counted combinations and, per combination, its bin sizes."""

    engine: Engine
    rows: int
    parts: dict[str, int]
    coded: Mapping[str, CodedField]
    quasi: frozenset[str]
    counted: dict[Names, Combination] = field(default_factory=dict)
    sizes: dict[Names, NDArray[np.int64]] = field(default_factory=dict)
    certain: int = 0
    hopeless: int = 0

    def worth_counting(self, size: int) -> list[Names]:
        """The combinations of one size that no bound rules out, the most promising first."""
        out: list[Names] = []
        for names in combinations(self.parts, size):
            if self._has_nearly_unique_part(names):
                self.certain += 1
            elif self.bound(names) < NEXT_TO_NOTHING * self.rows:
                self.hopeless += 1
            else:
                out.append(names)
        return sorted(
            out,
            key=lambda names: (
                not self.quasi.issuperset(names),
                -prod(self.parts[n] for n in names),
            ),
        )

    def _has_nearly_unique_part(self, names: Names) -> bool:
        parts = (part for size in range(1, len(names)) for part in combinations(names, size))
        return any(
            part in self.counted and self.counted[part].unique_share >= NEARLY_ALL for part in parts
        )

    def bound(self, names: Names) -> int:
        """At most this many rows can be unique in a combination."""
        bounds = [self.rows, prod(self.parts[name] for name in names)]
        for left_out in names:
            rest = tuple(name for name in names if name != left_out)
            if rest in self.sizes:
                bounds.append(most_alone(self.sizes[rest], self.parts[left_out]))
        return min(bounds)

    def count(self, names: Names) -> None:
        sizes = self._coded_sizes(names)
        sizes = self.engine.bin_sizes(names) if sizes is None else sizes
        self.sizes[names] = sizes
        self.counted[names] = Combination(
            fields=names, rows=self.rows, bins=int(sizes.sum()), unique=int(sizes[1])
        )

    def _coded_sizes(self, names: Names) -> NDArray[np.int64] | None:
        """The bin sizes from rows that were read already; None where that was not all of them."""
        if not all(name in self.coded for name in names):
            return None
        together: NDArray[np.int64] | int = 0
        for name in names:
            item = self.coded[name]
            if len(item.codes) != self.rows:
                return None
            together = together * (item.distinct + 1) + item.codes + 1
        _, counts = np.unique(together, return_counts=True)
        return np.bincount(np.minimum(counts, SIZE_CAP), minlength=SIZE_CAP + 1)


def uniqueness(
    engine: Engine,
    fields: Sequence[FieldSurvey],
    *,
    rows: int,
    max_combination: int,
    progress: Progress,
    coded: Mapping[str, CodedField] | None = None,
) -> Uniqueness:
    """Count the combinations of up to `max_combination` of the fields that could be released; from
    `coded` rows where these are complete."""
    alone, looked_at, left_out = _candidates(fields)
    search = _Search(
        engine=engine,
        rows=rows,
        parts={item.name: item.distinct + (item.missing > 0) for item in looked_at},
        quasi=frozenset(item.name for item in looked_at if item.proposal.role is Role.QUASI),
        coded=coded or {},
    )
    for item in (*alone, *looked_at):
        search.counted[(item.name,)] = _single(item)
    budget = max(LEAST_GROUP_BYS, min(MOST_GROUP_BYS, ROWS_READ // max(rows, 1)))
    skipped = dict(
        _count_up(search, max_combination=max_combination, budget=budget, progress=progress)
    )
    ordered = sorted(
        search.counted.values(),
        key=lambda found: (-found.unique_share, len(found.fields), found.fields),
    )
    notes = _notes(search, alone=alone, left_out=left_out, skipped=skipped, budget=budget)
    return Uniqueness(counted=tuple(ordered), not_counted=tuple(notes))


def _single(item: FieldSurvey) -> Combination:
    """One field as a combination: its profile has counted it already. A lone null is a bin of one
    row too."""
    bins = item.distinct + (item.missing > 0)
    return Combination(
        fields=(item.name,), rows=item.rows, bins=bins, unique=item.unique + (item.missing == 1)
    )


def _candidates(
    fields: Sequence[FieldSurvey],
) -> tuple[list[FieldSurvey], list[FieldSurvey], list[FieldSurvey]]:
    """Fields that single out nearly every row alone; those to combine, quasi and many-valued first;
    the rest."""
    possible = [
        item
        for item in fields
        if item.proposal.role not in (Role.DIRECT, Role.TEXT) and _single(item).bins > 1
    ]
    alone = [item for item in possible if _single(item).unique_share >= NEARLY_ALL]
    others = [item for item in possible if item not in alone]
    ranked = sorted(others, key=lambda item: (item.proposal.role is not Role.QUASI, -item.distinct))
    chosen = {item.name for item in ranked[:MOST_FIELDS]}
    return alone, [item for item in others if item.name in chosen], ranked[MOST_FIELDS:]


def _count_up(
    search: _Search, *, max_combination: int, budget: int, progress: Progress
) -> Iterator[tuple[int, int]]:
    """Count size by size; no size but the last may use more than half of the remaining work. Yields
    the skipped combinations."""
    left = budget
    for size in range(2, max_combination + 1):
        worth = search.worth_counting(size)
        allowed = left if size == max_combination else (left + 1) // 2
        for done, names in enumerate(worth[:allowed]):
            progress(f"combinations of {size} fields", done / min(len(worth), allowed))
            search.count(names)
        left -= min(len(worth), allowed)
        if len(worth) > allowed:
            yield size, len(worth) - allowed


def _notes(
    search: _Search,
    *,
    alone: Sequence[FieldSurvey],
    left_out: Sequence[FieldSurvey],
    skipped: dict[int, int],
    budget: int,
) -> Iterator[str]:
    if alone:
        yield f"Combinations with {_names(alone)}: each alone singles out nearly every row."
    if search.certain:
        yield (
            f"{_several(search.certain)} with a smaller one inside that singles out nearly "
            "every row already."
        )
    if search.hopeless:
        yield (
            f"{_several(search.hopeless)} that cannot single out more than "
            f"{100 * NEXT_TO_NOTHING:g} % of rows."
        )
    for size, number in skipped.items():
        yield (
            f"{_several(number)} of {size} fields, because {budget} counts are made at "
            "most for a source of "
            "this size: those that can single out most were counted."
        )
    if left_out:
        yield f"Combinations with {_names(left_out)}: {MOST_FIELDS} fields are combined at most."


def _names(fields: Sequence[FieldSurvey]) -> str:
    return ", ".join(item.name for item in fields)


def _several(number: int) -> str:
    return "1 combination" if number == 1 else f"{number} combinations"
