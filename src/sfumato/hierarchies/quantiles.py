"""Numbers by quantiles of the distinct values: groups that hold about as many values each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sfumato.errors import HierarchyError

from .decimals import exact, interval
from .hierarchy import Hierarchy, Label
from .ladders import climb
from .parameters import Table, only_keys, whole_numbers
from .widths import CLEAN_FIRST, NOT_NUMBERS


@dataclass(frozen=True, slots=True)
class Quantiles:
    """`groups` is the number of groups at each level; a coarser level joins whole groups of the
    finer one.

    A hierarchy is built from distinct values, not rows, so the edges are quantiles of the distinct
    values. Equal numbers stay together, and a value that half of the rows share counts once. The
    outermost groups are open ("<30", "≥61"), so that the lowest and the highest value of the data
    are not disclosed. The edges depend on the data.

    Example:
        >>> Quantiles((4, 2)).bind(["20", "30", "50", "61"]).labels[1:]
        (('<30', '30-49', '50-60', '≥61'), ('<50', '≥50'), ('*',))
    """

    groups: tuple[int, ...]

    @classmethod
    def from_table(cls, table: Table) -> Quantiles:
        only_keys(table, ("quantiles",), builder="numbers with quantiles")
        spec = cls(whole_numbers(table["quantiles"], "quantiles", least=2))
        spec._check()
        return spec

    def _check(self) -> None:
        for finer, coarser in pairwise(self.groups):
            if coarser >= finer or finer % coarser:
                raise HierarchyError(
                    "Each number of quantiles must divide the one before, so that groups nest.",
                    found=f"{coarser} does not divide {finer} into whole groups.",
                    attempt=f"{finer * coarser} before {coarser}, or another divisor of {finer}.",
                )

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        self._check()
        found = {value: exact(value) for value in values if value is not None}
        ranked = sorted({item for item in found.values() if item is not None})
        whole = all(item.denominator == 1 for item in ranked)
        labels_of: dict[Fraction, list[str]] = {item: [] for item in ranked}
        for groups in self.groups:
            for item, label in _labels(
                ranked, finest=self.groups[0], groups=groups, whole=whole
            ).items():
                labels_of[item].append(label)

        def labels(value: str) -> list[str] | None:
            item = found[value]
            return None if item is None else labels_of[item]

        names = ("value", *(f"{groups} groups" for groups in self.groups), "suppressed")
        return climb(values, labels, level_names=names, uncovered=NOT_NUMBERS, attempt=CLEAN_FIRST)

    def describe(self) -> Mapping[str, object]:
        return {"numbers": {"quantiles": list(self.groups)}}


def _labels(
    ranked: Sequence[Fraction], *, finest: int, groups: int, whole: bool
) -> dict[Fraction, str]:
    """The label of each number where the finest groups are joined into `groups`."""
    group_of = [rank * finest // len(ranked) // (finest // groups) for rank in range(len(ranked))]
    starts = [
        rank for rank in range(len(ranked)) if rank == 0 or group_of[rank] != group_of[rank - 1]
    ]
    out: dict[Fraction, str] = {}
    for start, stop in pairwise([*starts, len(ranked)]):
        low = ranked[start] if start else None
        high = ranked[stop] if stop < len(ranked) else None
        label = interval(low, high, whole=whole)
        out.update(dict.fromkeys(ranked[start:stop], label))
    return out
