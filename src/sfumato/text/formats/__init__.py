"""Files as texts: a format says which parts of a file are text, and puts the parts back after scrubbing."""

from .format_choice import FORMATS, format_of
from .parts import Format, Opened, Part, Reading

__all__ = ["FORMATS", "Format", "Opened", "Part", "Reading", "format_of"]
