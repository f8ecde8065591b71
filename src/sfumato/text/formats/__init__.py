"""Files as texts: a format decides which parts of a file are text, and puts the parts back after
scrubbing."""

from .eml import Eml
from .format_choice import FORMATS, format_of
from .parts import FilePart, FileReading, Format, OpenedFile, unreadable_pages

__all__ = [
    "Eml",
    "FORMATS",
    "Format",
    "OpenedFile",
    "FilePart",
    "FileReading",
    "format_of",
    "unreadable_pages",
]
