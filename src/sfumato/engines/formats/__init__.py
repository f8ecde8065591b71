"""File formats as data: each file declares one. Readers and writers belong to the engines."""

from .declaration import FORMATS, FormatDeclaration, format_of_suffix, released_suffixes

__all__ = ["FORMATS", "FormatDeclaration", "format_of_suffix", "released_suffixes"]
