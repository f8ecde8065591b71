"""Surrogates: the replacements of references, one file for each family of kinds."""

from sfumato.keys import KeyedDraws

from .names import is_first_name
from .real_values import RealValues, has_own_words, is_name_part, untitled
from .scope import Scope
from .styles import DateStyle, PlaceStyle, ReplacementMethod, Style, Trait, UnsureStyle
from .written_dates import read_date

__all__ = [
    "DateStyle",
    "KeyedDraws",
    "PlaceStyle",
    "RealValues",
    "ReplacementMethod",
    "Scope",
    "Style",
    "Trait",
    "UnsureStyle",
    "has_own_words",
    "is_first_name",
    "is_name_part",
    "read_date",
    "untitled",
]
