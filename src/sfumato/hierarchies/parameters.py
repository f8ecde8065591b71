"""Reading a builder's parameters from its table: the right type, or a HierarchyError that names the
type that is needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from sfumato.errors import HierarchyError
from sfumato.parts import with_question

Table = Mapping[str, object]
Number = int | float

LEVELS = 100
"""The most levels of a hierarchy. Those of ICD have five, of dates six."""


def only_keys(table: Table, allowed: Sequence[str], *, builder: str) -> None:
    """Refuse a parameter that the builder does not have."""
    for key in table:
        if key not in allowed:
            raise HierarchyError(
                f'A hierarchy of {builder} has no parameter "{key}".',
                found=with_question(f"It has {', '.join(allowed)}.", key, allowed),
            )


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; true and false are not numbers."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[Number]:
    """Whether a value is a finite number; true and false are not numbers."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def wanted(key: str, what: str) -> HierarchyError:
    """The error for a parameter of the wrong type or range."""
    return HierarchyError(f"{key} must be {what}.")


def texts(value: object, key: str) -> tuple[str, ...]:
    """A list of distinct texts with at least one entry."""
    what = "a list of texts, each different"
    if not is_list(value) or not value:
        raise wanted(key, what)
    out = tuple(item for item in value if isinstance(item, str))
    if len(out) != len(value) or len(set(out)) != len(out):
        raise wanted(key, what)
    return out


def text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise wanted(key, "a text")
    return value


def flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise wanted(key, "true or false")
    return value


def whole_numbers(value: object, key: str, *, least: int = 1) -> tuple[int, ...]:
    """A list of whole numbers with at least one entry, none below `least`."""
    what = f"a list of whole numbers, each {least} or more"
    if not is_list(value) or not value:
        raise wanted(key, what)
    check_levels(value, key)
    out = tuple(item for item in value if is_whole(item) and item >= least)
    if len(out) != len(value):
        raise wanted(key, what)
    return out


def number(value: object, key: str) -> Number:
    if not is_number(value):
        raise wanted(key, "a finite number")
    return value


def check_levels(value: Sequence[object], key: str) -> None:
    """Each entry is a level; refuse more of them than a hierarchy may have."""
    if len(value) > LEVELS:
        raise wanted(key, f"a list of at most {LEVELS} levels, and has {len(value):,}")


def numbers(value: object, key: str) -> tuple[Number, ...]:
    """A list of finite numbers with at least one entry."""
    if not is_list(value) or not value:
        raise wanted(key, "a list of finite numbers")
    return tuple(number(item, key) for item in value)


def table(value: object, key: str) -> Table:
    if not isinstance(value, Mapping):
        raise wanted(key, "a table")
    return value
