"""Words about fields and cells: the role of a field, how a missing value and how a suppressed cell
are compared."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """The role of a field for someone who wants to identify the person of a row."""

    DIRECT = "direct"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
    TEXT = "text"


class NullRule(StrEnum):
    """How a missing value is compared: as a value of its own, or as one that could be anything."""

    VALUE = "value"
    MATCHES_ANYTHING = "matches-anything"


class CellReading(StrEnum):
    """How a suppressed cell is counted: as a value of its own (strict), or as matching any value
    (wildcard)."""

    STRICT = "strict"
    WILDCARD = "wildcard"
