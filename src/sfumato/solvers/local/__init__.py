"""Local recoding: cell by cell, with labels of hierarchies, ranges or sets, under every protection model."""

from .solving import DOWNCODING, MINIMALITY, Local

__all__ = ["DOWNCODING", "MINIMALITY", "Local"]
