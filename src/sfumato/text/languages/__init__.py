"""Languages: in which one a text is written, and which ones the detectors read."""

from .recognition import READ, UNTOLD, languages_of, unread

__all__ = ["READ", "UNTOLD", "languages_of", "unread"]
