"""Domains that cost something: values selected privately, and cells of a long range cut by noisy
quantiles.

A value is selected where its noisy count is above a threshold. A value of one person alone is
therefore released with a probability of at most a part of delta (Korolova and others 2009). A long
range is counted with noise in even cells, cells with many people are cut, and neighbouring cells
with few people are merged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import (
    THRESHOLD,
    Measurement,
    PrivacyAccount,
    lowest_threshold,
    sigma_for,
)
from sfumato.policy import DeclaredDomain
from sfumato.synthesis import denoise, on_simplex, ordered_bins

from .field_codes import (
    MOST_CELLS,
    OTHER,
    RangeCoder,
    ValueCoder,
    even_edges,
    number_grid,
    steps_of,
)

DOMAIN_SHARE, MOST_DOMAIN_SHARE = 0.04, 0.25
"""Shares of the budget: for each field that is selected or cut, and for all of them together."""
LONGEST = 200
FIRST_CELLS = 64
"""Even cells of a long range, in its first pass."""
FINER = 16
"""Into how many cells one with many people is cut."""
PASSES = 4
FINEST = FIRST_CELLS * FINER ** (PASSES - 1)
"""Cells of a long range, at most."""
HEAVY = 256
"""A cell with a larger part of the people than one in so many is cut, where noise allows."""
SIGMAS = 4.0


def domain_share(costly: int) -> Fraction:
    """The share of the budget of each field that is selected or cut, where there are so many."""
    return Fraction(min(DOMAIN_SHARE, MOST_DOMAIN_SHARE / max(1, costly)))


def select_values(
    name: str,
    values: Sequence[str],
    counts: NDArray[np.int64],
    account: PrivacyAccount,
    *,
    rho: Fraction,
    delta: float,
    rows_per_person: int,
) -> ValueCoder:
    """The values of a field that enough people have, by the noisy counts of each of its values."""
    line = selection_line(name, rho=rho, delta=delta, rows_per_person=rows_per_person)
    # A value that no counted row has is none: it must not be among those that get noise.
    there = np.flatnonzero(np.asarray(counts) > 0)
    noisy = account.measure(line, np.asarray(counts, np.int64)[there])
    chosen = in_order(
        values[place]
        for place, count in zip(there.tolist(), noisy.tolist(), strict=True)
        if count > line.threshold and len(values[place]) <= LONGEST and values[place] != OTHER
    )
    return ValueCoder(name=name, values=chosen)


def in_order(values: Iterable[str]) -> tuple[str, ...]:
    """Numbers by size, so that near codes are near values; other values by their text.

    Example:
        >>> in_order(["10", "9", "2.5"]), in_order(["b", "10", "9"])
        (('2.5', '9', '10'), ('10', '9', 'b'))
    """
    held = sorted(values)
    try:
        numbers = {value: float(value) for value in held}
    except ValueError:
        return tuple(held)
    if not all(map(math.isfinite, numbers.values())):
        return tuple(held)
    return tuple(sorted(held, key=lambda value: numbers[value]))


def selection_line(name: str, *, rho: Fraction, delta: float, rows_per_person: int) -> Measurement:
    """The line of a selection with the lowest threshold that keeps to a delta. It does not disclose
    how many values there are."""
    squared = rows_per_person**2
    line = Measurement(
        what="values of a field",
        fields=(name,),
        cells=0,
        sigma=sigma_for(rho, squared),
        squared_sensitivity=squared,
        rows_per_person=rows_per_person,
        mechanism=THRESHOLD,
        threshold=1,
    )
    return lowest_threshold(line, delta)


def is_long(domain: DeclaredDomain) -> bool:
    return domain.is_range and steps_of(domain) > MOST_CELLS


def finest_cells(domain: DeclaredDomain) -> int:
    """The number of cells in which a range is counted exactly, before its noisy counts cut it."""
    return number_grid(domain, FINEST if is_long(domain) else MOST_CELLS).cells


def cut_range(
    name: str,
    domain: DeclaredDomain,
    fine: NDArray[np.int64],
    account: PrivacyAccount,
    *,
    rho: Fraction,
    rows_per_person: int,
) -> RangeCoder:
    """A range of many steps in cells of about as many people, by noisy counts of even cells. `fine`
    has the exact counts of its finest cells, which only noisy sums of are read.

    Cells with many people are cut and counted once more, up to three times: most incomes are near
    the low end of their range. Cells of one pass are inside different cells, so that a row is
    counted once in it. The parts of a cell share its people, so that no noise inside one cell takes
    people from others."""
    edges = even_edges(len(fine), FIRST_CELLS)
    measure = partial(_measured, name, fine, account, rows_per_person, rho=rho / PASSES)
    noisy, sigma = measure(edges, np.ones(len(edges) - 1, bool))
    total = max(float(noisy.sum()), 1.0)
    counts = on_simplex(denoise(noisy, sigma), total)
    for _ in range(PASSES - 1):
        heavy = (counts > max(total / HEAVY, SIGMAS * sigma)) & (np.diff(edges) > 1)
        if not heavy.any():
            break
        finer = _finer(edges, heavy)
        home = np.searchsorted(edges, finer[:-1], side="right") - 1
        noisy, _ = measure(finer, heavy[home])
        counts = _shared(noisy, counts, home, heavy, sigma)
        edges = finer
    least = max(total / (MOST_CELLS // 2), 2 * sigma)
    # One day on which many were registered is no part of the quiet month before it.
    bins = ordered_bins(counts, least, heavy=2 * least)
    firsts = np.append(edges[np.flatnonzero(np.diff(bins, prepend=-1))], len(fine))
    steps = even_edges(steps_of(domain), len(fine))
    return RangeCoder(
        name=name, domain=domain, edges=steps[firsts], parts=steps[edges], weights=counts
    )


def _shared(
    noisy: NDArray[np.float64],
    counts: NDArray[np.float64],
    home: NDArray[np.int64],
    heavy: NDArray[np.bool_],
    sigma: float,
) -> NDArray[np.float64]:
    """The people of each heavy cell, shared by the noisy counts of its parts; others as they are."""
    out = counts[home]
    cut = heavy[home]
    smooth = np.zeros(len(home))
    smooth[cut] = denoise(noisy[cut], sigma)
    for place in np.flatnonzero(heavy).tolist():
        inside = home == place
        out[inside] = on_simplex(smooth[inside], float(counts[place]))
    return out


def _measured(
    name: str,
    fine: NDArray[np.int64],
    account: PrivacyAccount,
    rows_per_person: int,
    edges: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    *,
    rho: Fraction,
) -> tuple[NDArray[np.float64], float]:
    """Noisy counts of the chosen cells between edges, zero for the others; and the noise."""
    counts = np.add.reduceat(fine, edges[:-1])
    squared = rows_per_person**2
    line = Measurement(
        what="counts of cells of a range",
        fields=(name,),
        cells=int(chosen.sum()),
        sigma=sigma_for(rho, squared),
        squared_sensitivity=squared,
        rows_per_person=rows_per_person,
    )
    out = np.zeros(len(counts))
    out[chosen] = account.measure(line, counts[chosen])
    return out, line.sigma


def _finer(edges: NDArray[np.int64], heavy: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Edges with each heavy cell cut into as even parts as its steps allow."""
    out = [edges]
    for place in np.flatnonzero(heavy).tolist():
        first, last = int(edges[place]), int(edges[place + 1])
        out.append(first + even_edges(last - first, FINER))
    return np.unique(np.concatenate(out))
