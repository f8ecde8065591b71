"""Surrogates: what is put in a reference's place, one file for each family of kinds."""

from .keyed_draws import Drawing
from .real_values import RealValues
from .scope import Scope
from .styles import DateStyle, Method, PlaceStyle, Style, Trait

__all__ = ["DateStyle", "Drawing", "Method", "PlaceStyle", "RealValues", "Scope", "Style", "Trait"]
