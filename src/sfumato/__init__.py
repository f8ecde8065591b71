"""Sfumato: a release is a source seen through a recoding, and every protection claim is a verdict about its bins."""

__version__ = "0.1.0"
