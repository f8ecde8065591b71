"""The distance of a synthetic table's marginals from those of its source: total variation over one,
two and three fields, the k-marginal score, and associations of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coded_rows import CodedRows, Codes

MOST_SETS = 400
"""Of more sets of fields, so many are drawn."""
MOST_CELLS = 4_000_000
"""Beyond so many possible cells, only those that occur are counted."""
WORST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalDistance:
    """The mean over sets of `ways` fields of the total variation distance: the least share of rows
    that would have to change. `floor` is that of the source from people who are not in it. Where
    there are none, it is that from another sample of its size, estimated from its halves."""

    ways: int
    sets: int
    to_source: float
    to_control: float | None
    floor: float
    worst: tuple[tuple[str, float], ...]
    """The sets of fields that are farthest from the source."""

    @property
    def score(self) -> float:
        """The k-marginal score of NIST: 1000 where nothing differs, 0 where nothing is shared."""
        return 1000 * (1 - self.to_source)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"score": self.score}


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """How strongly two fields go together, by Cramér's V, in the source and in the synthetic rows."""

    fields: tuple[str, str]
    source: float
    made: float


def marginal_distances(rows: CodedRows, *, seed: int) -> tuple[MarginalDistance, ...]:
    """For one, two and three fields at a time, as far as there are so many."""
    return tuple(
        _distances(rows, ways, seed=seed) for ways in (1, 2, 3) if ways <= len(rows.fields)
    )


def _distances(rows: CodedRows, ways: int, *, seed: int) -> MarginalDistance:
    sets = list(combinations(range(len(rows.fields)), ways))
    if len(sets) > MOST_SETS:
        chosen = np.random.default_rng(seed).choice(len(sets), MOST_SETS, replace=False)
        sets = [sets[n] for n in sorted(chosen.tolist())]
    known = len(rows.control) > 0
    mixed = rows.source[np.random.default_rng(seed).permutation(len(rows.source))]
    halves = mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]
    found, outside, floor = [], [], []
    for columns in sets:
        made, source, control = shares_of((rows.made, rows.source, rows.control), columns, rows)
        found.append(_half(made, source))
        if known:
            outside.append(_half(made, control))
            floor.append(_half(source, control))
        else:
            floor.append(_half(*shares_of(halves, columns, rows)) / sqrt(2))
    order = np.argsort(found)[::-1][:WORST].tolist()
    names = [", ".join(rows.fields[c] for c in sets[n]) for n in order]
    return MarginalDistance(
        ways=ways,
        sets=len(sets),
        to_source=float(np.mean(found)),
        to_control=float(np.mean(outside)) if known else None,
        floor=float(np.mean(floor)),
        worst=tuple((name, found[n]) for name, n in zip(names, order, strict=True)),
    )


def shares_of(
    tables: Sequence[Codes], columns: Sequence[int], rows: CodedRows
) -> list[NDArray[np.float64]]:
    """The share of each table's rows in each cell of these fields, over the same cells."""
    keys = [np.zeros(len(table), np.int64) for table in tables]
    cells = 1
    for column in columns:
        cells *= rows.sizes[column]
        for key, table in zip(keys, tables, strict=True):
            key *= rows.sizes[column]
            key += table[:, column]
    if cells > MOST_CELLS:
        _, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        keys = np.split(inverse, np.cumsum([len(key) for key in keys])[:-1])
        cells = int(inverse.max()) + 1
    return [np.bincount(key, minlength=cells) / max(len(key), 1) for key in keys]


def _half(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.abs(one - other).sum() / 2)


def associations(rows: CodedRows) -> tuple[Association, ...]:
    """Each pair of fields, those that differ most first."""
    out = []
    for one, other in combinations(range(len(rows.fields)), 2):
        made, source = shares_of((rows.made, rows.source), (one, other), rows)
        shape = (rows.sizes[one], rows.sizes[other])
        if made.size != shape[0] * shape[1]:
            continue
        out.append(
            Association(
                fields=(rows.fields[one], rows.fields[other]),
                source=_cramer(source.reshape(shape)),
                made=_cramer(made.reshape(shape)),
            )
        )
    return tuple(sorted(out, key=lambda pair: -abs(pair.made - pair.source)))


def _cramer(shares: NDArray[np.float64]) -> float:
    """Cramér's V of a table of shares; 0 where one of the fields has one value.

    Example:
        >>> round(_cramer(np.array([[0.5, 0.0], [0.0, 0.5]])), 3)
        1.0
    """
    across, down = shares.sum(1), shares.sum(0)
    expected = np.outer(across, down)
    there = expected > 0
    square = float(((shares - expected)[there] ** 2 / expected[there]).sum())
    least = min(int((across > 0).sum()), int((down > 0).sum())) - 1
    return float(np.sqrt(min(square / least, 1.0))) if least > 0 else 0.0
