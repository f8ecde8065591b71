"""Text fields of tables: scrubbed while they are released, with what the tables know of each person
as cues.

Names are imported when they are first used: a release without text fields needs nothing of the text
room."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cues import kind_of_field as kind_of_field
    from .text_lookups import person_of as person_of

_HOME_OF = {"kind_of_field": "cues", "person_of": "text_lookups"}

__all__ = [*_HOME_OF]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value
