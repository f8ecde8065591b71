"""Words for missing values: which a survey looks for, and which a field of some type can hold."""

from __future__ import annotations

from collections.abc import Sequence

from .engine import FieldKind

ANYWHERE = (
    *(
        "",
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "<na>",
        "nan",
        "null",
        "(null)",
        "#null!",
        "nil",
        "?",
        "??",
        ".",
        "-",
        "--",
    ),
    *(
        "missing",
        "(missing)",
        "unknown",
        "(unknown)",
        "not available",
        "not_available",
        "not known",
        "not recorded",
    ),
    *(
        "not reported",
        "unspecified",
        "undefined",
        "unknown/invalid",
        "undetermined",
        "#nulo#",
        "#ne#",
        "#n/d",
        "n/d",
    ),
    *(
        "k.a.",
        "keine angabe",
        "unbekannt",
        "inconnu",
        "non renseigné",
        "desconocido",
        "desconhecido",
    ),
)
"""Words in lower case that mean a missing value in every kind of field."""
AMONG_NUMBERS = (
    "none",
    "not applicable",
    "not tested",
    "no data",
    "refused",
    "declined",
    "other",
    "tbd",
    "x",
    "*",
)
"""Words that are a value among other words, and mean a missing one where all other cells are
numbers or dates."""
_DIGITS = frozenset("0123456789")
_NUMBERS = frozenset({"nan", "inf", "-inf", "infinity", "-infinity"})


def possible_words(kind: FieldKind, words: Sequence[str]) -> tuple[str, ...]:
    """Those of the words that a cell of a type can be: no whole number is NA.

    Example:
        >>> possible_words(FieldKind.INTEGER, ("NA", "-1")), possible_words(FieldKind.TEXT, ("NA", "-1"))
        (('-1',), ('NA', '-1'))
    """
    if kind in (FieldKind.TEXT, FieldKind.OTHER):
        return tuple(words)
    if kind is FieldKind.BOOLEAN:
        return tuple(word for word in words if word in ("true", "false"))
    return tuple(word for word in words if _DIGITS & set(word) or word.lower() in _NUMBERS)
