"""Which rule limits how close the sensitive numbers of a bin are, as a hint in words."""

from __future__ import annotations

from json import dumps
from math import floor, log10

import numpy as np

from sfumato.hierarchies import exact

from .evidence import Evidence

FEWEST = 20
"""For fewer different numbers, a rule that counts values is enough."""
STEPS = 20
"""The interval is a twentieth of where nine numbers in ten are."""


def closeness_hint(evidence: Evidence) -> str:
    """The rule by closeness for a sensitive number with many values; nothing for other fields."""
    width = interval_width(evidence)
    if not width:
        return ""
    name = dumps(evidence.name, ensure_ascii=False)
    written = f"value_spread = {{ width = {width}, share = 0.8, fields = [{name}] }}"
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
