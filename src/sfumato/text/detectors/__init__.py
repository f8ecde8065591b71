"""Detectors: each file declares one. `RULES` are all that work by rules, `sets` has the learned
ones too.

A score is the certainty of a detector, on one scale for all of them:

| from | meaning |
| --- | --- |
| 0.95 | check digits agree, or nothing else looks like it |
| 0.8 | its form and the words around it say so |
| 0.5 | its form says so |
| below | a weak quasi-identifier (a year, an age under 90, a sum of money), or a form much else has |
"""

from __future__ import annotations

from typing import Any

from .declaration import DETECTORS, Basis, DetectorDeclaration, Detectors
from .medicine import Medicine
from .months import MONTHS, WEEKDAYS
from .sets import detectors, usual_set, weights_of

_GROUPS = {
    "PATTERNS": (Basis.FORM,),
    "WORDS": (Basis.WORDS,),
    "RULES": (Basis.FORM, Basis.WORDS),
}


def __getattr__(name: str) -> Any:
    """`PATTERNS`, `WORDS` and `RULES` by the basis of detectors, when they are first asked for."""
    if name not in _GROUPS:
        raise AttributeError(name)
    from .sets import detectors_by

    return detectors_by(_GROUPS[name])


__all__ = [
    "DETECTORS",
    "MONTHS",
    "PATTERNS",
    "RULES",
    "WEEKDAYS",
    "WORDS",
    "Basis",
    "DetectorDeclaration",
    "Detectors",
    "Medicine",
    "detectors",
    "usual_set",
    "weights_of",
]
