"""Several registers as one. An intruder joins them by the names that they share, and knows more of
each person than any register has. See Sweeney 2000, section 3: linking the voter list, the
discharges and further collections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from sfumato.bins import Bins
from sfumato.confusables import skeleton
from sfumato.engines import Engine, open_source
from sfumato.hierarchies import Label

Row = dict[str, Label]
Reading = tuple[str | None, ...]
Key = tuple[tuple[str, str], ...]
"""Pairs of fields, one of each register, whose values are compared."""

LEAST_ALIKE = 1 / 3
"""Fields of different titles are one where this share of the shorter register is in both."""
DIGITS = 6
"""Numbers that are not shorter are compared between fields of different titles: phone numbers, not
ages."""
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, eq=False, kw_only=True)
class JoinedRegister:
    """`people` of all registers that could be joined, over every field that one of them has; None
    where fewer than two could. `joined` and `left_out` name the registers."""

    people: Engine | None
    by: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def joined_register(
    registers: Sequence[Engine], released: Sequence[str], *, fields: Sequence[str]
) -> JoinedRegister:
    """Join registers one after the other, by the names and numbers that they share.

    Two people are one where the values agree and nobody else in either register has them; case,
    accents and the order of a name's words do not count. `fields` are what the intruder needs of
    each person. A register that shares nobody with the others stays alone, in whatever order they
    are given. Where two registers differ about a person, the first is believed.
    """
    left = [_Register.of(engine, fields) for engine in registers]
    for first in left:
        grown = _Grown(first, released)
        grown.take_from([one for one in left if one is not first])
        if len(grown.joined) > 1:
            break
    else:
        return JoinedRegister(people=None, left_out=tuple(one.title for one in left))
    return JoinedRegister(
        people=open_source(list(grown.register.rows), engine="reference"),
        by=tuple(dict.fromkeys(grown.by)),
        joined=tuple(one.title for one in grown.joined),
        left_out=tuple(one.title for one in left if one not in grown.joined),
    )


@dataclass(frozen=True, eq=False)
class _Register:
    """The people of a register who have a combination of values of their own; others cannot be
    distinguished."""

    title: str
    names: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, engine: Engine, fields: Sequence[str]) -> _Register:
        names = [info.name for info in engine.fields()]
        kept = tuple(name for name in names if name in fields) if fields else tuple(names)
        bins = Bins.count(engine, kept)
        rows = tuple(
            {
                name: bins.labels[at][code]
                for at, (name, code) in enumerate(zip(kept, row, strict=True))
            }
            for row, count in zip(bins.codes.tolist(), bins.counts.tolist(), strict=True)
            if count == 1
        )
        return cls(engine.title, kept, rows)

    def single(self, names: Sequence[str]) -> dict[Reading, Row]:
        """The row of each key that one row alone has, without those that miss a part of it."""
        found: dict[Reading, Row | None] = {}
        for row in self.rows:
            key = tuple(_reading(row.get(name)) for name in names)
            if None not in key:
                found[key] = None if key in found else row
        return {key: row for key, row in found.items() if row is not None}


class _Grown:
    """A register that others are joined to, one at a time."""

    def __init__(self, first: _Register, released: Sequence[str]) -> None:
        self.register, self.joined, self._released = first, [first], frozenset(released)
        self.by: list[str] = []

    def take_from(self, others: Sequence[_Register]) -> None:
        """Join each that shares people, until none does: one may be joined by fields of another."""
        left = list(others)
        while left:
            for other in left:
                if self._take(other):
                    left.remove(other)
                    break
            else:
                return

    def _take(self, other: _Register) -> bool:
        """Join a register by the key that most people agree on, in all fields that both have."""
        best: tuple[int, Key, list[tuple[Row, Row]]] = (0, (), [])
        for keys in self._candidates(other):
            for key in keys:
                pairs = _pairs(self.register, other, key)
                agreeing = sum(_agree(here, there) for here, there in pairs)
                if agreeing > best[0]:
                    best = agreeing, key, pairs
            if best[0]:
                break
        _, key, pairs = best
        if not pairs:
            return False
        names = tuple(dict.fromkeys((*self.register.names, *other.names)))
        rows = tuple(_merged(here, there) for here, there in pairs)
        self.register = _Register(self.register.title, names, rows)
        self.joined.append(other)
        self.by += [name if name == same else f"{name} = {same}" for name, same in key]
        return True

    def _candidates(self, other: _Register) -> Iterator[list[Key]]:
        """Names and numbers that both have and the release has not: all, with what else both have, or
        one; then such fields of different titles; then all fields that both have."""
        both = [name for name in other.names if name in self.register.names]
        names = [name for name in both if name not in self._released]
        if names:
            every = [names, both, *([name] for name in names if len(names) > 1)]
            yield [tuple((name, name) for name in key) for key in every]
        yield [
            ((here, there),)
            for here, there in product(self._unreleased(self.register), self._unreleased(other))
            if here != there and self._is_alike(other, here, there)
        ]
        if both:
            yield [tuple((name, name) for name in both)]

    def _unreleased(self, register: _Register) -> list[str]:
        return [name for name in register.names if name not in self._released]

    def _is_alike(self, other: _Register, here: str, there: str) -> bool:
        """Whether two fields of different titles hold the same names or long numbers."""
        shorter, longer = self.register.single((here,)), other.single((there,))
        if len(shorter) > len(longer):
            shorter, longer = longer, shorter
        alike = [key for key in shorter if key in longer and _is_telling(key[0])]
        return len(alike) >= max(1, LEAST_ALIKE * len(shorter))


def _pairs(left: _Register, right: _Register, key: Key) -> list[tuple[Row, Row]]:
    here = left.single([name for name, _ in key])
    there = right.single([name for _, name in key])
    return [(row, there[value]) for value, row in here.items() if value in there]


def _agree(here: Row, there: Row) -> bool:
    """Whether two rows say the same in every field that both have a value for."""
    both = (name for name in here if name in there and None not in (here[name], there[name]))
    return all(_reading(here[name]) == _reading(there[name]) for name in both)


def _merged(here: Row, there: Row) -> Row:
    return there | {name: value for name, value in here.items() if value is not None}


def _reading(label: Label | None) -> str | None:
    """A value without case, accents and marks; words of a name in the order of the alphabet."""
    if label is None:
        return None
    words = _WORDS.findall(skeleton(str(label)))
    return " ".join(sorted(words) if any(map(str.isalpha, words)) else words)


def _is_telling(reading: str | None) -> bool:
    """Whether a value is a name or a long number, and no small number that many things have."""
    return reading is not None and (
        any(map(str.isalpha, reading)) or sum(map(str.isdigit, reading)) >= DIGITS
    )
