"""A cursor over a TOML table: it returns values of the right type and notes every problem instead
of stopping."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, time
from enum import StrEnum
from typing import Any, Final, TypeVar

from sfumato.errors import Problem
from sfumato.hierarchies import is_list, is_number, is_whole
from sfumato.parts import with_question

Choice = TypeVar("Choice", bound=StrEnum)

LARGEST: Final = 1e15  # no bin is larger; also, a whole number of TOML may be too long for a float
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def joined(where: str, key: str) -> str:
    """The address of a key, quoted where TOML would quote it.

    Example:
        >>> joined("fields", "birth date")
        'fields."birth date"'
    """
    part = key if _BARE.fullmatch(key) else f'"{key}"'
    return f"{where}.{part}" if where else part


def kind_of(value: object) -> str:
    """The kind of a TOML value, in words. The value itself is not disclosed."""
    if isinstance(value, bool):
        return "true or false"
    kinds: tuple[tuple[type, str], ...] = (
        (str, "a text"),
        (int, "a whole number"),
        (float, "a number with a fraction"),
        (Mapping, "a table"),
        (list, "a list"),
        (tuple, "a list"),
        (date, "a date"),
        (time, "a time"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "something else")


def plain_values(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table whose numbers and lists are Python's own, also where a caller gave those of numpy or
    pandas, such as the minimum of a column."""
    return {key: _plain(value) for key, value in table.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain_values(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.tolist() if hasattr(value, "dtype") and hasattr(value, "tolist") else value


class Reader:
    """One table. Each getter marks its key as known; `close` then reports the keys that no getter
    read."""

    def __init__(self, raw: Mapping[str, object], *, where: str, problems: list[Problem]) -> None:
        self.raw = raw
        self.where = where
        self.problems = problems
        self._known: list[str] = []

    def at(self, key: str) -> str:
        return joined(self.where, key)

    def report(self, key: str, found: str, *, attempt: str = "") -> None:
        self.problems.append(Problem(where=self.at(key), found=found, attempt=attempt))

    def get(self, key: str) -> object:
        """The raw value, None where there is none."""
        self._known.append(key)
        return self.raw.get(key)

    def _wanted(self, key: str, value: object, what: str, *, attempt: str = "") -> None:
        self.report(key, f"It must be {what}, and is {kind_of(value)}.", attempt=attempt)

    def text(self, key: str, default: str = "") -> str:
        value = self.get(key)
        if value is None or isinstance(value, str):
            return default if value is None else value
        self._wanted(key, value, "a text")
        return default

    def flag(self, key: str, *, default: bool = False) -> bool:
        value = self.get(key)
        if value is not None and not isinstance(value, bool):
            self._wanted(key, value, "true or false")
        return value if isinstance(value, bool) else default

    def whole(self, key: str, *, least: int, most: int | None = None) -> int | None:
        """A whole number within bounds."""
        value = self.get(key)
        if value is None:
            return None
        span = f"{least} or more" if most is None else f"from {least} to {most}"
        if not is_whole(value):
            self._wanted(key, value, f"a whole number, {span}")
            return None
        if value < least or (most is not None and value > most):
            self.report(key, f"It is {value}, and must be {span}.")
            return None
        return value

    def number(self, key: str, *, least: float = 0.0, most: float | None = None) -> float | None:
        """A finite number within bounds."""
        value = self.get(key)
        if value is None:
            return None
        span = f"{least:g} or more" if most is None else f"from {least:g} to {most:g}"
        if not is_number(value):
            infinite = isinstance(value, float)
            self.report(
                key,
                f"It must be a number {span}, and is "
                f"{'not finite' if infinite else kind_of(value)}.",
            )
            return None
        if not least <= value <= (LARGEST if most is None else most):
            told = value if abs(value) <= LARGEST else "too large a number"
            self.report(key, f"It is {told}, and must be {span}.")
            return None
        return float(value)

    def share(self, key: str, default: float) -> float:
        """A number from 0 to 1."""
        value = self.number(key, most=1.0)
        return default if value is None else value

    def choice(self, key: str, options: type[Choice], default: Choice) -> Choice:
        """One of the words of an enumeration."""
        return options(self.word(key, tuple(options), default))

    def word(self, key: str, options: tuple[str, ...], default: str) -> str:
        """One of some words."""
        value = self.text(key, default)
        if value in options:
            return value
        said = with_question(f'"{value}" is not one of its words.', value, options)
        self.report(key, said, attempt=f"one of {', '.join(filter(None, options))}.")
        return default

    def names(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.get(key)
        if value is None:
            return ()
        if is_list(value):
            out = tuple(item for item in value if isinstance(item, str))
            if len(out) == len(value):
                return out
        self._wanted(key, value, "a list of texts")
        return ()

    def table(self, key: str) -> Reader | None:
        """A table of its own, or None where there is none."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, Mapping):
            return Reader(value, where=self.at(key), problems=self.problems)
        self._wanted(key, value, "a table")
        return None

    def shares(self, key: str) -> dict[str, float]:
        """A table of names with a number from 0 to 1 each."""
        inner = self.table(key)
        return {} if inner is None else {name: inner.share(name, 1.0) for name in inner.raw}

    def close(self) -> None:
        """Report every key that no getter read."""
        for key in self.raw:
            if key not in self._known:
                said = with_question("There is no such key here.", key, self._known)
                known = ", ".join(dict.fromkeys(self._known))
                self.report(key, said, attempt=f"one of {known}." if "mean" not in said else "")
