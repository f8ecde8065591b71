"""Domains that cost something: values selected privately, and cells of a long range cut by noisy
quantiles.

A value is selected where its noisy count is above a threshold. A value of one person alone is
therefore shown with a chance of at most a part of delta (Korolova and others 2009). A long range is
counted with noise in even cells, and neighbouring cells with few people are merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

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
    """A range of many steps in cells of about as many people, by noisy counts of even cells."""
    even = RangeCoder(name=name, domain=domain, edges=even_edges(steps_of(domain), FINE_CELLS))
    counts = np.bincount(even.encode(cells), minlength=len(even.edges))
    squared = rows_per_person**2
    line = Measurement(
        what="counts of even cells of a range",
        fields=(name,),
        cells=len(counts),
        sigma=sigma_for(rho, squared),
        squared_sensitivity=squared,
        rows_per_person=rows_per_person,
    )
    noisy = account.measure(line, counts).astype(float)[:-1]
    total = max(float(noisy.sum()), 1.0)
    smooth = on_simplex(denoise(noisy, line.sigma), total)
    bins = ordered_bins(smooth, max(total / (MOST_CELLS // 2), 2 * line.sigma))
    firsts = np.flatnonzero(np.diff(bins, prepend=-1))
    return RangeCoder(name=name, domain=domain, edges=np.append(even.edges[firsts], even.edges[-1]))
