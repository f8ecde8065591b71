"""Text fields of tables: scrubbed while they are released, with the tables' values of each person
as cues.

Names are imported when they are first used: a release without text fields needs nothing of the text
room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.lazy_names import lazy_names

if TYPE_CHECKING:
    from .cues import kind_of_field as kind_of_field
    from .text_lookups import person_of as person_of

_HOME_OF = {"kind_of_field": "cues", "person_of": "text_lookups"}

__all__ = [*_HOME_OF]

__getattr__ = lazy_names(__name__, _HOME_OF)
