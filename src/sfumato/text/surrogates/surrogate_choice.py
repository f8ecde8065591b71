"""One surrogate for one value: the first of its candidates that is not real, not the value, and not
another's."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from .real_values import RealValues, words_of

ATTEMPTS = 64
"""After as many candidates a value is given up, and suppressed."""


class SurrogateChoice:
    """Gives out surrogates within one scope, to no two values the same.

    Example:
        >>> choosing = SurrogateChoice(RealValues())
        >>> choosing.choose("1", "12", ["12", "34"]), choosing.choose("2", "56", ["34", "78"])
        ('34', '78')
    """

    def __init__(self, *real: RealValues) -> None:
        self._real = real
        self._given: dict[str, str] = {}

    def choose(self, identity: str, value: str, candidates: Iterable[str]) -> str | None:
        """The surrogate for a value; other spellings of the same `identity` may share it. None
        where nothing fits."""
        own = "".join(words_of(value))
        for candidate in islice(candidates, ATTEMPTS):
            words = words_of(candidate)
            joined = "".join(words)
            if joined == own or any(real.stand_among(words) for real in self._real):
                continue
            if self._given.setdefault(joined, identity) == identity:
                return candidate
        return None

    def is_real(self, text: str) -> bool:
        return any(real.holds(text) for real in self._real)

    def is_whole(self, text: str) -> bool:
        """Whether the text as a whole is a real value; a part of a real name is not enough."""
        words = words_of(text)
        return len(words) > 1 and any(" ".join(words) in real for real in self._real)

    def claim(self, surrogate: str, identity: str) -> bool:
        """Whether the surrogate is free, or the identity's own; it is taken from then on."""
        return self._given.setdefault("".join(words_of(surrogate)), identity) == identity
