"""Which fields make people unique: Sweeney 2000, Figure 13, and the average k of its GIC example,
for any fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import SIZE_CAP, Engine

K = 5
FEW_FIELDS = 6
FEW_BINS = 200_000


FEW_NAMED = 3
ONE_MISSING = 2


def set_words(fields: Sequence[str], known: Sequence[str]) -> str:
    """Fields by name; of many, all or all but one are named by those missing, which fits on a line.

    Example:
        >>> set_words(("zip", "sex"), ("zip", "sex", "age", "race", "town"))
        'zip, sex'
        >>> set_words(("zip", "age", "race", "town"), ("zip", "sex", "age", "race", "town"))
        'all but sex'
    """
    missing = [name for name in known if name not in fields]
    if len(known) > FEW_NAMED and len(missing) < ONE_MISSING:
        return f"all but {missing[0]}" if missing else f"all {len(known)} fields"
    return ", ".join(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class UniquenessRow:
    """One combination of fields: the share of rows that are unique with their values, and in bins
    of fewer than k."""

    fields: tuple[str, ...]
    rows: int
    bins: int
    unique: int
    below: int
    k: int

    @property
    def share_unique(self) -> float:
        return self.unique / self.rows if self.rows else 0.0

    @property
    def share_below(self) -> float:
        return self.below / self.rows if self.rows else 0.0

    @property
    def average(self) -> float:
        """The average bin size: "the average value of k" of Sweeney 2000. 0 where there is no
        row."""
        return self.rows / self.bins if self.bins else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "fields": list(self.fields),
            "rows": self.rows,
            "bins": self.bins,
            "unique_rows": self.unique,
            "share_unique": self.share_unique,
            "k": self.k,
            "share_below_k": self.share_below,
            "average_bin_size": self.average,
        }


def uniqueness_table(
    table: Engine | Bins, fields: Iterable[Sequence[str]], *, k: int = K, person: str | None = None
) -> tuple[UniquenessRow, ...]:
    """One line per combination of fields; of an engine one group-by each, of bins a sum over them.

    With a `person` field, people are counted and not rows.

    Example:
        >>> bins = Bins.of(("birth", "sex"), {("1960", "f"): 1, ("1960", "m"): 1, ("1961", "f"): 1, ("1962", "m"): 6})
        >>> for line in uniqueness_table(bins, [("birth",), ("birth", "sex")]):
        ...     print(line.fields, round(line.share_unique, 2), line.average)
        ('birth',) 0.11 3.0
        ('birth', 'sex') 0.33 2.25
    """
    return tuple(_line(table, tuple(names), k=k, person=person) for names in fields)


def _line(
    table: Engine | Bins, fields: tuple[str, ...], *, k: int, person: str | None
) -> UniquenessRow:
    if isinstance(table, Bins):
        return _of_counts(fields, _sizes(table, fields), k=k)
    if person is not None or k >= SIZE_CAP:
        return _of_counts(fields, Bins.count(table, fields, person=person).counts, k=k)
    bins = table.bin_sizes(fields)
    below = bins[:k]
    return UniquenessRow(
        fields=fields,
        rows=table.count_rows(),
        bins=int(bins.sum()),
        unique=int(bins[1]) if len(bins) > 1 else 0,
        below=int(np.arange(len(below)) @ below),
        k=k,
    )


def _sizes(bins: Bins, fields: tuple[str, ...]) -> NDArray[np.int64]:
    """The sizes of the bins over some of the fields; of one field without sorting."""
    if fields == bins.fields:
        return bins.counts
    if len(fields) > 1:
        return bins.group_of(fields)[1]
    column = bins.column(fields[0])
    counts = np.bincount(bins.codes[:, column], bins.counts).astype(np.int64)
    return counts[counts > 0]


def _of_counts(fields: tuple[str, ...], counts: NDArray[np.int64], *, k: int) -> UniquenessRow:
    return UniquenessRow(
        fields=fields,
        rows=int(counts.sum()),
        bins=len(counts),
        unique=int((counts == 1).sum()),
        below=int(counts[counts < k].sum()),
        k=k,
    )


def usual_combinations(fields: Sequence[str], bins: int) -> tuple[tuple[str, ...], ...]:
    """Each field alone, pairs where the fields are few, all but one, and all; of very many bins the
    first and last.

    Example:
        >>> usual_combinations(("zip", "birth", "sex"), 100)[3:]
        (('zip', 'birth'), ('zip', 'sex'), ('birth', 'sex'), ('zip', 'birth', 'sex'))
    """
    sizes = {1, len(fields)}
    if bins <= FEW_BINS:
        sizes |= {len(fields) - 1} | ({2} if len(fields) <= FEW_FIELDS else set())
    return tuple(names for size in sorted(sizes - {0}) for names in combinations(fields, size))
