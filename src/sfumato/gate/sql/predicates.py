"""Conditions of a query, as the gate evaluates them: on the different values of a field, never row
by row.

No value can raise an error here, and none takes longer than another. A comparison that makes no
sense for a value is not true of it. Null is handled as SQL does, with three truths, so that `NOT`
means the same as there. Equal conditions in different spellings have one canonical text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..decide.protected_table import HeldField

Marks = NDArray[np.bool_]
Truth = tuple[Marks, Marks]
"""Where a condition is true, and where it is false; elsewhere it is unknown."""
Constant = str | float

OPPOSITE: Final = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
SWAPPED: Final = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_COMPARE: Final[Mapping[str, Callable[..., Marks]]] = {
    "=": np.equal,
    "<>": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class Predicate:
    """A condition over fields of one table."""

    def canonical(self) -> str:
        raise NotImplementedError

    def fields(self) -> frozenset[str]:
        raise NotImplementedError

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        raise NotImplementedError

    def marks(
        self, fields: Mapping[str, HeldField], codes: Mapping[str, NDArray[np.int32]]
    ) -> Marks:
        """Where it is true; `codes` has each field's codes for whatever is marked, rows or bins."""
        return self.truth(lambda name: _TruthOf(fields[name], codes[name]))[0]


@dataclass(frozen=True, slots=True)
class _TruthOf:
    """Evaluates a test of one field on its values and looks the outcome up for each code."""

    held: HeldField
    codes: NDArray[np.int32]

    def __call__(self, test: Callable[[HeldField], Marks]) -> Truth:
        found = test(self.held) & self.held.present
        return found.take(self.codes), (self.held.present & ~found).take(self.codes)


TruthOf = Callable[[Callable[[HeldField], Marks]], Truth]


@dataclass(frozen=True, slots=True)
class Comparison(Predicate):
    """A field and a constant."""

    field: str
    operator: str
    constant: Constant

    def canonical(self) -> str:
        return f"{self.field!r} {self.operator} {_told(self.constant)}"

    def fields(self) -> frozenset[str]:
        return frozenset((self.field,))

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        return of_field(self.field)(self._holds)

    def _holds(self, held: HeldField) -> Marks:
        return compared(held, self.operator, self.constant)


@dataclass(frozen=True, slots=True)
class Among(Predicate):
    """A field and several constants: IN, or several equalities."""

    field: str
    constants: frozenset[Constant]

    def canonical(self) -> str:
        return f"{self.field!r} in ({', '.join(sorted(map(_told, self.constants)))})"

    def fields(self) -> frozenset[str]:
        return frozenset((self.field,))

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        return of_field(self.field)(self._holds)

    def _holds(self, held: HeldField) -> Marks:
        out = np.zeros(len(held.values), bool)
        for constant in self.constants:
            out |= compared(held, "=", constant)
        return out


@dataclass(frozen=True, slots=True)
class Like(Predicate):
    """A field and a pattern of SQL: % for any text, _ for any character."""

    field: str
    pattern: str
    ignores_case: bool = False

    def canonical(self) -> str:
        return f"{self.field!r} {'ilike' if self.ignores_case else 'like'} {self.pattern!r}"

    def fields(self) -> frozenset[str]:
        return frozenset((self.field,))

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        return of_field(self.field)(self._holds)

    def _holds(self, held: HeldField) -> Marks:
        match = re.compile(
            _pattern(self.pattern), re.IGNORECASE if self.ignores_case else 0
        ).fullmatch
        return np.array(
            [value is not None and match(value) is not None for value in held.values], bool
        )


@dataclass(frozen=True, slots=True)
class IsNull(Predicate):
    """A field that is null."""

    field: str

    def canonical(self) -> str:
        return f"{self.field!r} is null"

    def fields(self) -> frozenset[str]:
        return frozenset((self.field,))

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        _, false = of_field(self.field)(lambda held: np.zeros(len(held.values), bool))
        return ~false, false


@dataclass(frozen=True, slots=True)
class Not(Predicate):
    """The opposite, where the condition is not unknown."""

    of: Predicate

    def canonical(self) -> str:
        return f"not ({self.of.canonical()})"

    def fields(self) -> frozenset[str]:
        return self.of.fields()

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        true, false = self.of.truth(of_field)
        return false, true


@dataclass(frozen=True, slots=True)
class Both(Predicate):
    """All of several."""

    parts: tuple[Predicate, ...]

    def canonical(self) -> str:
        return " and ".join(
            f"({text})" for text in sorted({part.canonical() for part in self.parts})
        )

    def fields(self) -> frozenset[str]:
        return frozenset().union(*(part.fields() for part in self.parts))

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        truths = [part.truth(of_field) for part in self.parts]
        return np.logical_and.reduce([t for t, _ in truths]), np.logical_or.reduce(
            [f for _, f in truths]
        )


@dataclass(frozen=True, slots=True)
class Either(Predicate):
    """One of several at least."""

    parts: tuple[Predicate, ...]

    def canonical(self) -> str:
        return " or ".join(
            f"({text})" for text in sorted({part.canonical() for part in self.parts})
        )

    def fields(self) -> frozenset[str]:
        return frozenset().union(*(part.fields() for part in self.parts))

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        truths = [part.truth(of_field) for part in self.parts]
        return np.logical_or.reduce([t for t, _ in truths]), np.logical_and.reduce(
            [f for _, f in truths]
        )


def negated(of: Predicate) -> Predicate:
    """The opposite, with the negation as far inside as possible, so that spellings meet."""
    match of:
        case Comparison(name, operator, constant):
            return Comparison(name, OPPOSITE[operator], constant)
        case Not(inner):
            return inner
        case Both(parts):
            return either(*map(negated, parts))
        case Either(parts):
            return both(*map(negated, parts))
        case Among(name, constants):
            return both(*(Comparison(name, "<>", each) for each in constants))
    return Not(of)


def both(*parts: Predicate) -> Predicate:
    flat = tuple(_flat(parts, Both))
    return flat[0] if len({part.canonical() for part in flat}) == 1 else Both(flat)


def either(*parts: Predicate) -> Predicate:
    """One of several; equalities of one field are put together."""
    rest: list[Predicate] = []
    equal: dict[str, set[Constant]] = {}
    for part in _flat(parts, Either):
        match part:
            case Comparison(name, "=", constant):
                equal.setdefault(name, set()).add(constant)
            case Among(name, constants):
                equal.setdefault(name, set()).update(constants)
            case _:
                rest.append(part)
    found = [*(among(name, constants) for name, constants in equal.items()), *rest]
    return found[0] if len({part.canonical() for part in found}) == 1 else Either(tuple(found))


def among(name: str, constants: set[Constant] | frozenset[Constant]) -> Predicate:
    return (
        Comparison(name, "=", *constants)
        if len(constants) == 1
        else Among(name, frozenset(constants))
    )


def _flat(parts: tuple[Predicate, ...], kind: type[Both] | type[Either]) -> Iterator[Predicate]:
    for part in parts:
        if isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def compared(held: HeldField, operator: str, constant: Constant) -> Marks:
    """A comparison with each value: as numbers where the field is one, as text otherwise; false
    where it cannot be."""
    if held.is_number:
        try:
            number = float(constant)
        except ValueError:
            return np.zeros(len(held.values), bool)
        with np.errstate(invalid="ignore"):
            return np.asarray(_COMPARE[operator](held.numbers(), number), bool)
    return np.asarray(_COMPARE[operator](held.texts, as_text(constant)), bool)


def _told(constant: Constant) -> str:
    return repr(constant) if isinstance(constant, str) else f"{constant:.17g}"


def as_text(constant: Constant) -> str:
    """A constant as the text of a value."""
    return constant if isinstance(constant, str) else f"{constant:.17g}"


def _pattern(like: str) -> str:
    """A pattern of LIKE as a regular expression without backtracking. The text between two % is
    taken at its first place, so that time depends on a value's length alone.

    Example:
        >>> [re.fullmatch(_pattern(like), "abcabd") is not None for like in ("a%b_", "%c%d", "a%c", "abcabd%", "%%")]
        [True, True, False, True, True]
    """
    first, *others = (
        "".join("[\\s\\S]" if c == "_" else re.escape(c) for c in part) for part in like.split("%")
    )
    if not others:
        return first
    between = "".join(f"(?>[\\s\\S]*?{part})" for part in others[:-1] if part)
    return f"{first}{between}[\\s\\S]*{others[-1]}"
