"""Input channels about nobody: as Garfinkel et al. 2007 simulates them (section 7), and as crossed
fields of a table have them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Reals = NDArray[np.float64]

TENTH = 0.1
"""At most this share of a channel that is not risky has a value, and more of one that is."""
_STEP = 10  # Sizes are multiples of it, so that a tenth of a channel is a whole number of subjects.


def input_channels(
    at_risk: float,
    *,
    unconditional: float | None = None,
    seed: int = 0,
    subjects: int = 1_000_000,
    channels: int = 200,
    values: int = 2,
) -> tuple[Counts, Counts]:
    """The size of each input channel, and how many of its subjects have each risky value.

    Sizes are about uniform, the largest some twelve times the smallest. Channels with the share
    `at_risk` of the subjects have each value in a tenth to a half of them; the others in none to a
    tenth, uniformly. The share of all subjects with a value is therefore 0.05 + 0.25 at_risk: the
    paper's 0.1 where a fifth is at risk. To have it at any share, set `unconditional` = 0.1: then
    nothing is left over at a tolerance of 0.1.

    Example:
        >>> sizes, counts = input_channels(0.2)
        >>> int(sizes.sum()), counts.sum(axis=0).tolist(), len(sizes)
        (1000000, [100000, 100000], 200)
        >>> risky = (counts * 10 > sizes[:, None]).any(axis=1)
        >>> bool(abs(sizes[risky].sum() / sizes.sum() - 0.2) < 0.002)
        True
    """
    random = np.random.default_rng(seed)
    sizes = _sizes(random, subjects, channels)
    order = random.permutation(channels)
    high = _at_risk(order, sizes, at_risk)
    total = round(subjects * (0.05 + 0.25 * at_risk if unconditional is None else unconditional))
    counts = [_having(random, sizes, high, total=total) for _ in range(values)]
    return sizes, np.column_stack(counts)


def _sizes(random: np.random.Generator, subjects: int, channels: int) -> Counts:
    drawn = random.uniform(1_000, 12_000, channels)
    sizes: Counts = (
        np.maximum(1, np.rint(drawn * subjects / drawn.sum() / _STEP)).astype(np.int64) * _STEP
    )
    sizes[int(sizes.argmax())] += subjects - int(sizes.sum())
    return sizes


def _at_risk(order: NDArray[np.int64], sizes: Counts, share: float) -> NDArray[np.bool_]:
    """Channels in that order, those that still fit into the share."""
    out = np.zeros(len(sizes), bool)
    left = share * int(sizes.sum())
    for channel in order.tolist():
        if sizes[channel] <= left:
            out[channel] = True
            left -= int(sizes[channel])
    return out


def _having(
    random: np.random.Generator, sizes: Counts, high: NDArray[np.bool_], *, total: int
) -> Counts:
    """How many in each channel have a value, `total` in all: more than a tenth where it is `high`,
    elsewhere not."""
    tenth = sizes // _STEP
    low_share, high_share = (
        random.uniform(0.0, TENTH, len(sizes)),
        random.uniform(TENTH, 0.5, len(sizes)),
    )
    below = np.where(high, 0.0, (TENTH - low_share) * sizes)
    above = np.where(high, (high_share - TENTH) * sizes, 0.0)
    wanted = total - int(tenth.sum())
    if above.sum() - below.sum() > wanted:
        above *= max(0.0, wanted + below.sum()) / max(above.sum(), 1.0)
    else:
        below *= max(0.0, above.sum() - wanted) / max(below.sum(), 1.0)
    counts: Counts = tenth + np.ceil(above).astype(np.int64) - np.ceil(below).astype(np.int64)
    counts = np.clip(counts, np.where(high, tenth + 1, 0), np.where(high, sizes // 2, tenth))
    return _summing_to(
        random, counts, np.where(high, tenth + 1, 0), np.where(high, sizes // 2, tenth), total
    )


def _summing_to(
    random: np.random.Generator, counts: Counts, least: Counts, most: Counts, total: int
) -> Counts:
    """One more or one fewer here and there, within what is allowed, until the sum is right."""
    while (missing := total - int(counts.sum())) != 0:
        step = 1 if missing > 0 else -1
        free = np.flatnonzero(counts < most) if step > 0 else np.flatnonzero(counts > least)
        if not len(free):
            break
        counts[random.permutation(free)[: abs(missing)]] += step
    return counts


LEVELS = (3, 3, 3, 2, 3, 4)
"""How many values each of six fields has: 648 input channels."""
_BASE = (-3.2, -3.6, -4.2)


def crossed_channels(
    levels: tuple[int, ...] = LEVELS,
    *,
    subjects: int = 1_000_000,
    at_risk: float = 0.13,
    seed: int = 1,
) -> tuple[Counts, Counts, tuple[float, ...], float]:
    """Sizes, counts of three risky values, and the tolerances and bound at which `at_risk` of the
    subjects are at risk.

    Fields are skewed and nearly independent, and each makes some values of the confidential field
    likelier. As in an ordinary table, most input channels are small and few are large.

    Example:
        >>> sizes, counts, limits, bound = crossed_channels()
        >>> len(sizes), int(sizes.sum()), counts.shape[1], len(limits)
        (648, 1000000, 3, 3)
    """
    random = np.random.default_rng(seed)
    cells = np.indices(levels).reshape(len(levels), -1)
    chances = np.exp(random.normal(0.0, 0.5, cells.shape[1]))
    for field, many in enumerate(levels):
        chances *= random.dirichlet(np.full(many, 2.4))[cells[field]]
    sizes: Counts = random.multinomial(subjects, chances / chances.sum()).astype(np.int64)
    shares = _crossed_shares(random, levels, cells)[sizes > 0]
    sizes = sizes[sizes > 0]
    drawn = [
        random.multinomial(m, [*row, 1.0 - row.sum()])[:-1]
        for m, row in zip(sizes, shares, strict=True)
    ]
    counts: Counts = np.array(drawn, np.int64)
    least, most = 1.0, 20.0
    for _ in range(40):
        middle = (least + most) / 2
        limits, bound = _limits(counts, subjects, middle)
        risky = (counts > np.array(limits) * sizes[:, None]).any(axis=1) | (
            counts.sum(axis=1) > bound * sizes
        )
        least, most = (middle, most) if sizes[risky].sum() > at_risk * subjects else (least, middle)
    return sizes, counts, *_limits(counts, subjects, most)


def _crossed_shares(
    random: np.random.Generator, levels: tuple[int, ...], cells: NDArray[np.int64]
) -> Reals:
    """How likely each risky value is in each cell: more so the higher the level of a field."""
    odds = []
    for base in _BASE:
        total = base + random.normal(0.0, 0.15, cells.shape[1])
        for field, many in enumerate(levels):
            total += np.sort(random.normal(0.0, 0.55, many))[cells[field]]
        odds.append(np.exp(total))
    out: Reals = np.array(odds).T / (1.0 + np.array(odds).sum(axis=0))[:, None]
    return out


def _limits(counts: Counts, subjects: int, times: float) -> tuple[tuple[float, ...], float]:
    """Tolerances that are so many times the shares of all subjects, and a bound that is less than
    their sum."""
    shares = counts.sum(axis=0) / subjects
    return tuple(round(float(share * times), 4) for share in shares), round(
        float(shares.sum() * times * 0.85), 4
    )
