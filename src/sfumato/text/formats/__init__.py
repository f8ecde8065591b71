"""Files as texts: a format decides which parts of a file are text, and puts the parts back after
scrubbing."""

from .format_choice import FORMATS, format_of
from .parts import FilePart, FileReading, Format, OpenedFile

__all__ = ["FORMATS", "Format", "OpenedFile", "FilePart", "FileReading", "format_of"]
