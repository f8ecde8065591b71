"""The rule that limits how close the sensitive numbers of a bin are: an interval of some width must
not hold most of them."""

from __future__ import annotations

from json import dumps
from math import floor, log10

import numpy as np

from sfumato.engines import Engine
from sfumato.hierarchies import exact

from .evidence import Evidence

FEWEST = 20
"""For fewer different numbers, a rule that counts values is enough."""
STEPS = 20
"""The interval is a twentieth of the range that holds nine numbers in ten."""
SHARE = 0.8
"""The share of a bin's rows that may be in such an interval: of five rows, not all."""
MOST_ALIKE = 0.5
"""Where one interval holds more of the whole table, many bins could not keep the rule."""


def closeness_hint(name: str, width: str) -> str:
    """The rule by closeness for a sensitive number with many values, in words."""
    named = dumps(name, ensure_ascii=False)
    written = f"value_spread = {{ width = {width}, share = {SHARE:g}, fields = [{named}] }}"
    return (
        f"its numbers may differ and be close: {written} in [require] limits that, or t_closeness "
        'with distance = "ordered" where people have several rows'
    )


def interval_width(evidence: Evidence) -> str:
    """A narrow interval for the numbers of a field, with one digit; empty where there is none."""
    if not evidence.all_numbers or evidence.profile.distinct < FEWEST:
        return ""
    read = [number for number in map(exact, evidence.values) if number is not None]
    if len(read) < FEWEST:
        return ""
    low, high = np.quantile(np.array([float(number) for number in read]), (0.05, 0.95))
    span = float(high - low) / STEPS
    if not span > 0 or not np.isfinite(span):
        return ""
    unit = 10.0 ** floor(log10(span))
    digit = max(each for each in (1, 2, 5) if each * unit <= span * (1 + 1e-9))
    return f"{digit * unit:.12g}"


def can_be_spread(engine: Engine, name: str, width: str) -> bool:
    """Whether a rule with this width can hold in bins: no narrower interval, and not null either,
    has most of the whole table's rows."""
    found = engine.frequencies((name,))
    read = [None if label is None else exact(label) for label in found.values[0]]
    numbers = np.array([np.nan if one is None else float(one) for one in read])
    column, counts = numbers[found.codes[:, 0]], found.counts
    rows, missing = counts.sum(), counts[np.isnan(column)].sum()
    order = np.argsort(column, kind="stable")[: int((~np.isnan(column)).sum())]
    upto = np.concatenate(([0], np.cumsum(counts[order])))
    ends = np.searchsorted(column[order], column[order] + float(width))
    within = (upto[ends] - upto[:-1]).max(initial=0)
    return bool(max(within, missing) <= MOST_ALIKE * rows)
