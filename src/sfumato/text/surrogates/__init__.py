"""Surrogates: what is put in a reference's place, one file for each family of kinds."""

from sfumato.keys import KeyedDraws

from .real_values import RealValues
from .scope import Scope
from .styles import DateStyle, PlaceStyle, ReplacementMethod, Style, Trait

__all__ = ["DateStyle", "KeyedDraws", "ReplacementMethod", "PlaceStyle", "RealValues", "Scope", "Style", "Trait"]
