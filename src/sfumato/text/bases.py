"""By what a detector knows a reference."""

from __future__ import annotations

from enum import StrEnum


class Basis(StrEnum):
    """By what a detector knows a reference."""

    FORM = "form"
    """Numbers, addresses of the net, dates."""
    WORDS = "words"
    """Words and their context: names, places, bodies, and the medicine that stays."""
    LEARNED = "learned"
    """Weights that were learned from marked texts."""
