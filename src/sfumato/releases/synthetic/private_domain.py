"""Domains that cost something: values selected privately, and cells of a long range cut by noisy
quantiles.

A value is selected where its noisy count is above a threshold. A value of one person alone is
therefore released with a probability of at most a part of delta (Korolova and others 2009). A long
range is counted with noise in even cells, and neighbouring cells with few people are merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

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

from .field_codes import FINE_CELLS, MOST_CELLS, RangeCoder, ValueCoder, even_edges, steps_of

LONGEST = 200
HEAVY = 64
"""A cell with a larger part of the people than one in so many is cut."""
FINER = 16
"""Into how many cells."""


def select_values(
    name: str,
    cells: Sequence[Any],
    account: PrivacyAccount,
    *,
    rho: Fraction,
    delta: float,
    rows_per_person: int,
) -> ValueCoder:
    """The values of a field that enough people have, by their noisy counts."""
    counted = Counter(cell for cell in cells if cell is not None and cell != "*")
    values = sorted(counted)
    line = selection_line(name, rho=rho, delta=delta, rows_per_person=rows_per_person)
    noisy = account.measure(line, np.array([counted[value] for value in values], np.int64))
    chosen = [
        str(value)
        for value, count in zip(values, noisy.tolist(), strict=True)
        if count > line.threshold and len(str(value)) <= LONGEST
    ]
    return ValueCoder(name=name, values=tuple(chosen))


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


def cut_range(
    name: str,
    domain: DeclaredDomain,
    cells: Sequence[Any],
    account: PrivacyAccount,
    *,
    rho: Fraction,
    rows_per_person: int,
) -> RangeCoder:
    """A range of many steps in cells of about as many people, by noisy counts of even cells.

    Cells with many people are counted once more, in finer ones: most incomes are near the low end
    of their range. Finer cells are inside different cells, so that a row is counted once."""
    edges = even_edges(steps_of(domain), FINE_CELLS)
    measure = partial(_measured, name, domain, cells, account, rows_per_person)
    noisy, sigma = measure(edges, np.ones(len(edges) - 1, bool), rho / 2)
    counts = denoise(noisy, sigma)
    for _ in range(2):
        total = max(float(counts.sum()), 1.0)
        heavy = (counts > max(total / HEAVY, 4 * sigma)) & (np.diff(edges) > 1)
        if not heavy.any():
            break
        finer = _finer(edges, heavy)
        home = np.searchsorted(edges, finer[:-1], side="right") - 1
        noisy, sigma = measure(finer, heavy[home], rho / 4)
        counts = np.where(heavy[home], noisy, counts[home])
        edges = finer
    total = max(float(counts.sum()), 1.0)
    smooth = on_simplex(counts, total)
    bins = ordered_bins(smooth, max(total / (MOST_CELLS // 2), 2 * sigma))
    firsts = np.flatnonzero(np.diff(bins, prepend=-1))
    return RangeCoder(name=name, domain=domain, edges=np.append(edges[firsts], edges[-1]))


def _measured(
    name: str,
    domain: DeclaredDomain,
    cells: Sequence[Any],
    account: PrivacyAccount,
    rows_per_person: int,
    edges: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    rho: Fraction,
) -> tuple[NDArray[np.float64], float]:
    """Noisy counts of the chosen cells between edges, zero for the others; and the noise."""
    coder = RangeCoder(name=name, domain=domain, edges=edges)
    counts = np.bincount(coder.encode(cells), minlength=len(edges))[:-1]
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
