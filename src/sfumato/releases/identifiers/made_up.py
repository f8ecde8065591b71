"""Made-up values of the same shape: digits for digits, letters for letters (Sweeney 1997, sections
3.5 and 3.9).

Datafly replaced Social Security, patient and physician numbers "one time with made-up alternatives"
by one-way hashing, one-to-one. Departures: the hash is keyed, and numbers of a known kind are drawn
from ranges that no one holds."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from sfumato.keys import Key, key_words
from sfumato.policy import Method

from .description import beginning
from .keyed_words import Draws, WordSpace, redrawn_words
from .shapes import shape_of, space_of

LARGEST_CYCLE = 100_000
SHAPES_KEPT, CYCLED_WORDS_KEPT = 10_000, 2_000_000


class _Met(NamedTuple):
    """The data that is needed again for every value of a known shape."""

    spaces: tuple[WordSpace]
    avoid: Container[str]
    cycle: Mapping[str, str]


class MadeUpReplacer:
    """Another value of the same shape for each value, never its own, and no two the same.

    A shape of up to 100,000 words, such as numbers of five digits, is passed through in one keyed
    cycle. Every release and every field of the domain repeats it; drawing there could end with a
    value that only has itself left. In a larger shape words are drawn. A value whose first word was
    taken gets a further one, which may differ in a release of other values; where this matters keep
    a lookup file. There `avoid` holds the field's originals, casefolded: none of them is given,
    unless they fill too much of the shape.

    Example:
        >>> maker = MadeUpReplacer(Key(bytes(range(32))), domain="ssn")
        >>> maker.replace(["123-45-6789"])
        ['924-66-9945']
    """

    def __init__(self, key: Key | None, *, domain: str, avoid: Container[str] = ()) -> None:
        self._kept = key is not None
        self._avoid = avoid
        derived = (key or Key.generate()).derive("made-up", domain)
        self._draws = Draws(derived, domain=domain, avoid=avoid)
        self._met: dict[str, _Met] = {}
        self._cycled = 0

    @property
    def redrawn(self) -> int:
        return self._draws.redrawn

    def replace(self, values: Sequence[str]) -> list[str]:
        draws, met = self._draws, self._met
        out = []
        for value in values:
            shape = shape_of(value)
            if shape not in met:
                self._meet(shape)
            spaces, avoid, cycle = met[shape]
            word = cycle.get(value)
            if word is None or not draws.claim(word, value):
                word = draws.take(value, spaces, avoid=avoid)
            out.append(word)
        return out

    def describe(self) -> str:
        return (
            f"{beginning(Method.MADE_UP)}{key_words(kept=self._kept)}; "
            f"{redrawn_words(self.redrawn)}"
        )

    def _meet(self, shape: str) -> None:
        """Make the space of a new shape; when they take too much memory, start again with none."""
        if len(self._met) >= SHAPES_KEPT or self._cycled >= CYCLED_WORDS_KEPT:
            self._met.clear()
            self._cycled = 0
        space = space_of(shape)
        small = space.size <= LARGEST_CYCLE
        cycle = self._draws.cycle(space) if small else {}
        avoid = () if small or self._draws.is_crowded(space) else self._avoid
        self._cycled += len(cycle)
        self._met[shape] = _Met(spaces=(space,), avoid=avoid, cycle=cycle)
