"""The declaration of a detector: its name, its kinds and their basis, and the first set of
detectors that has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sfumato.parts import Registry

from ..bases import Basis as Basis
from ..bids import TextDetector
from ..kinds import ReferenceKind


class Detectors(StrEnum):
    """A set of detectors. Each has those of the one before."""

    RULES = "rules"
    CRF = "crf"
    """Rules and the conditional random field."""
    TRANSFORMER = "transformer"
    """Needs the extra `text`; finds more and is slower. The default where the extra is installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorDeclaration:
    """One detector. `key` is its name in findings and manifests, `kinds` what it finds; none claims
    words to keep.

    `order` is when it is asked: of two bids that are worth the same, the later one wins.
    `least_set` is the smallest set of detectors that has it. Bids that score less than
    `gives_way_below` give way to a detector that `vetoes`; where nothing is declared, none do. Bids
    that do not give way and score `vouches_from` or more cut their words out of a veto. A detector
    that vetoes looks only in texts with words of medicine."""

    key: str
    doc: str
    kinds: tuple[ReferenceKind, ...]
    basis: Basis
    make: Callable[[], TextDetector]
    order: int = 1_000
    least_set: Detectors = Detectors.RULES
    gives_way_below: float = 0.0
    vouches_from: float = 0.8
    vetoes: bool = False

    @property
    def abilities(self) -> dict[str, str]:
        """For the table of detectors."""
        return {
            "kinds": ", ".join(self.kinds) or "none: words to keep",
            "by": str(self.basis),
            "sets": ", ".join(tuple(Detectors)[tuple(Detectors).index(self.least_set) :]),
        }


ALWAYS: Final = 2.0
"""A limit that no score reaches: bids below it are all bids."""

DETECTORS: Final[Registry[DetectorDeclaration]] = Registry(
    "detector", room="sfumato.text.detectors", group="sfumato.detectors"
)
"""Every detector, by its name."""
