"""Local recoding: cell by cell, with labels of hierarchies, ranges or sets, under every protection
model."""

from .local import Local, LocalSettings

__all__ = ["Local", "LocalSettings"]
