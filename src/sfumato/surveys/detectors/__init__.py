"""Every detector, in the order in which a tie is decided, and the competition between them."""

from __future__ import annotations

from ..evidence import Evidence
from ..records import FieldLikeness
from .abbreviated import ABBREVIATED
from .amounts import AMOUNTS
from .confidential import CONFIDENTIAL
from .contacts import CONTACTS
from .dates import DATES
from .detector import FieldDetector, NameAndValues
from .health import HEALTH
from .keys import KEYS
from .names import NAMES
from .numbers import NUMBERS
from .people import PEOPLE
from .places import PLACES
from .shapes import SHAPES
from .text import TEXT

__all__ = ["DETECTORS", "FieldDetector", "NameAndValues", "likenesses"]

DETECTORS: tuple[FieldDetector, ...] = (
    *CONTACTS,
    *NUMBERS,
    *KEYS,
    *NAMES,
    *DATES,
    *PLACES,
    *PEOPLE,
    *HEALTH,
    *AMOUNTS,
    *CONFIDENTIAL,
    *ABBREVIATED,
    *TEXT,
    *SHAPES,
)


def likenesses(evidence: Evidence) -> tuple[FieldLikeness, ...]:
    """The likenesses of the field to every detector that has one: the surest first, each thing
    once."""
    found = [
        likeness for detector in DETECTORS if (likeness := detector.detect(evidence)) is not None
    ]
    surest: dict[str, FieldLikeness] = {}
    for likeness in sorted(found, key=lambda item: -item.confidence):
        surest.setdefault(likeness.looks_like, likeness)
    return tuple(surest.values())
