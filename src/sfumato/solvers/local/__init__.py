"""Local recoding: cell by cell, with labels of hierarchies, ranges or sets, under every protection model."""

from .solving import Local

__all__ = ["Local"]
