"""Fields that determine each other, from counts of pairs: equal, one to one, functional, monotone,
differences, parts.

A field determines another where knowing its value names the other's with at most 1 % of exceptions.
A field whose values are nearly all different determines everything in this sense. The same count is
therefore made with the other field permuted, and only the excess over it counts (a permutation
test, as for functional dependencies in Mandros et al. 2017; here by exceptions and with one
permutation under a fixed seed)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product, starmap
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from .coded_rows import MISSING, CodedField, Codes, Numbers
from .held_values import HeldValues, plain_text, ways_of_writing
from .named_twins import paired_names
from .pair_counts import (
    ENOUGH_NAMED,
    ENOUGH_ROWS,
    ENOUGH_SHARE,
    EXCEPTIONS,
    GLANCE,
    RARE,
    SEED,
    VARIED,
    PairCount,
    count_pair,
    fewest_exceptions,
    not_ruled_out,
    repeats,
)
from .records import Dependence, DependenceKind
from .value_twins import MOST_PAIRS, same_rows, value_share

MOST_NUMBERS, MOST_TEXTS, SOME_ROWS, FEW_ROWS = 60, 30, 300, 120
ORDERED = 15
"""With fewer different values, an order is no surprise."""
_BOTH_WAYS = (DependenceKind.EQUAL, DependenceKind.ONE_TO_ONE, DependenceKind.MONOTONE)


@dataclass
class DependenceSearch:
    """The fields of a table as codes and numbers, and the dependences among them.

    Where `telling` and `told` are given, only dependences count by which a field of `telling` could
    disclose one of `told`. With `twins` it must be one of these: a wide table has a million pairs
    of fields, and few of them matter to a release."""

    fields: Mapping[str, CodedField]
    formats: Mapping[str, str] = field(default_factory=dict)
    telling: frozenset[str] | None = None
    told: frozenset[str] | None = None
    twins: frozenset[str] | None = None

    def __post_init__(self) -> None:
        self._varied = [item for item in self.fields.values() if item.is_varied]
        rows = len(self._varied[0].codes) if self._varied else 0
        self._order = np.random.default_rng(SEED).permutation(rows)
        self._glance = self._order[:GLANCE]
        self._numbers = dict(self._numeric())

    def find(self) -> tuple[Dependence, ...]:
        """Every dependence, the closest kinds first; a consequence of an equal field is not
        reported again."""
        equal = [*self._equal()]
        if self.telling is None:
            copies = {item.fields[1] for item in equal}
            self._varied = [item for item in self._varied if item.name not in copies]
            self._numbers = {name: own for name, own in self._numbers.items() if name not in copies}
        pairs = [*self._functional()]
        told = {frozenset(item.fields) for item in (*equal, *pairs)}
        pairs += [item for item in self._named() if frozenset(item.fields) not in told]
        told |= {frozenset(item.fields) for item in pairs}
        ordered = [item for item in self._monotone() if frozenset(item.fields) not in told]
        told |= {frozenset(item.fields) for item in ordered}
        parts = [item for item in self._parts() if frozenset(item.fields) not in told]
        found = (*equal, *pairs, *ordered, *self._differences(), *parts)
        if self.telling is None:
            return found
        twins = [
            item.name
            for item in self._varied
            if self._is_twin(item.name) and (self.told is None or item.name in self.told)
        ]
        return (*found, *self.told_apart(found, self.telling, twins))

    def told_apart(
        self,
        found: Sequence[Dependence],
        telling_names: Collection[str],
        told_names: Collection[str],
    ) -> Iterator[Dependence]:
        """Fields that hold the other's value in a text, or determine one value of it: what a
        release must not disclose, and a survey does not report."""
        seen = {each.fields for each in found}
        seen |= {each.fields[::-1] for each in found if each.kind in _BOTH_WAYS}
        telling = [item for item in self._varied if item.name in telling_names]
        told = [item for item in self._varied if item.name in told_names]
        for each in (*self._holding(telling, told), *self._holding_numbers(telling, told)):
            if each.fields not in seen:
                seen.add(each.fields)
                yield each
        tests = max(1, len(telling) * len(told))
        for one, other in (
            product(telling, told) if tests <= MOST_PAIRS else same_rows(telling, told)
        ):
            names = (one.name, other.name)
            if one is other or names in seen:
                continue
            if (share := value_share(one, other, tests=tests)) is not None:
                kind = DependenceKind.FUNCTIONAL
                yield Dependence(kind=kind, fields=names, exceptions=share, is_of_value=True)

    def _holding(
        self, telling: Sequence[CodedField], told: Sequence[CodedField]
    ) -> Iterator[Dependence]:
        texts = [
            item for item in telling if item.distinct > ORDERED and item.name not in self._numbers
        ]
        some = self._glance[:SOME_ROWS]
        plain = [[*map(plain_text, item.texts(some))] for item in texts]
        for other in told if texts else ():
            values = HeldValues(other, self._numbers.get(other.name))
            for one, glanced in zip(texts, plain, strict=True):
                held = None if one is other else values.held_by(one, some, glanced)
                if held is not None and (counted := count_pair(held, other)).holds:
                    yield _counted(DependenceKind.PART, (one.name, other.name), counted)

    def _holding_numbers(
        self, telling: Sequence[CodedField], told: Sequence[CodedField]
    ) -> Iterator[Dependence]:
        """Numbers and dates inside a text or a longer number, though nearly all of them differ."""
        some = self._glance[:SOME_ROWS]
        numbers = [item for item in told if item.name in self._numbers]
        longer = [item for item in telling if item.distinct > ORDERED] if numbers else []
        plain = [_plain_texts(item, some) for item in longer]
        for other in numbers:
            own = _ways_of_writing(other, self._numbers[other.name], some)
            for one, texts in zip(longer, plain, strict=True):
                share = None if one is other else _share_outside(own, texts)
                if share is not None:
                    fields = (one.name, other.name)
                    yield Dependence(kind=DependenceKind.PART, fields=fields, exceptions=share)

    def _matters(self, one: str, other: str) -> bool:
        """Whether one field could disclose the other, as far as that was asked for."""
        return (
            self.telling is None
            or self.told is None
            or (one in self.telling and other in self.told)
        )

    def _is_twin(self, name: str) -> bool:
        return self.twins is None or name in self.twins

    def _either(self, one: str, other: str) -> bool:
        """Whether either of two fields could disclose the other, which is one of the twins, if any
        are named. Such a pair is judged both ways, so that its kind does not depend on the
        twins."""
        return (self._is_twin(other) and self._matters(one, other)) or (
            self._is_twin(one) and self._matters(other, one)
        )

    def _equal(self) -> Iterator[Dependence]:
        """Fields with the same values in the same rows, each with the first that it equals. An
        empty cell is like any other at a glance."""
        number: dict[str, int] = {"": 0}
        glanced = np.array(
            [
                [number.setdefault(text, len(number)) for text in item.spellings(self._glance)]
                for item in self._varied
            ]
        ).reshape(len(self._varied), len(self._glance))
        copies: set[str] = set()
        for place, item in enumerate(self._varied):
            both = (glanced[:place] != 0) & (glanced[place] != 0)
            differ = (glanced[:place] != glanced[place]) & both
            alike = differ.sum(axis=1) <= 3 * EXCEPTIONS * both.sum(axis=1) + 2
            for first in (self._varied[at] for at in np.flatnonzero(alike)):
                if first.name in copies or not self._either(first.name, item.name):
                    continue
                if (share := _share_equal(first, item)) is not None:
                    fields = (first.name, item.name)
                    yield Dependence(kind=DependenceKind.EQUAL, fields=fields, exceptions=share)
                    if self.telling is None and _empty_alike(first, item):
                        copies.add(item.name)
                        break

    def _functional(self) -> Iterator[Dependence]:
        """Pairs that a sample of the rows does not rule out are counted over all rows."""
        if not self._varied:
            return
        codes = np.column_stack([item.codes for item in self._varied])
        table: NDArray[np.int32] = codes[self._order].astype(np.int32)
        twins = np.array([self._is_twin(item.name) for item in self._varied])
        some = np.ascontiguousarray(table[:, twins])
        possible = np.zeros((len(twins), len(twins)), bool)
        for place, one in enumerate(self._varied):
            if not repeats(one):
                continue
            own = table[:, place] + 1 if one.distinct == 1 else table[:, place]
            if twins[place]:
                possible[place] = not_ruled_out(own, table)
            elif len(some[0]):
                possible[place, twins] = not_ruled_out(own, some)
        for first, second in np.argwhere(np.triu(possible | possible.T, 1)):
            one, other = self._varied[first], self._varied[second]
            if self._either(one.name, other.name):
                forth = possible[first, second] and self._matters(one.name, other.name)
                back = possible[second, first] and self._matters(other.name, one.name)
                yield from self._judged(one, other, forth=bool(forth), back=bool(back))

    def _judged(
        self, one: CodedField, other: CodedField, *, forth: bool, back: bool
    ) -> Iterator[Dependence]:
        there = count_pair(one, other) if forth else PairCount(1, 1)
        again = count_pair(other, one) if back else PairCount(1, 1)
        names = (one.name, other.name)
        if there.holds and again.holds:
            yield _counted(DependenceKind.ONE_TO_ONE, names, there, again)
        elif there.holds:
            yield _counted(DependenceKind.FUNCTIONAL, names, there)
        elif again.holds:
            yield _counted(DependenceKind.FUNCTIONAL, names[::-1], again)

    def _named(self) -> Iterator[Dependence]:
        """A code and its words, by their names. Their values must only not contradict it: values
        are no evidence where nearly all of them differ, or nearly all are the same."""
        varied = {item.name: item for item in self._varied}
        for code, words in paired_names([*varied]):
            if not self._either(code, words):
                continue
            there = fewest_exceptions(varied[code], varied[words])
            back = fewest_exceptions(varied[words], varied[code])
            if there is not None and back is not None:
                kind, fields = DependenceKind.ONE_TO_ONE, (code, words)
            elif there is not None and self._matters(code, words):
                kind, fields = DependenceKind.FUNCTIONAL, (code, words)
            elif back is not None and self._matters(words, code):
                kind, fields = DependenceKind.FUNCTIONAL, (words, code)
            else:
                continue
            share = max(each for each in (there, back) if each is not None)
            yield Dependence(kind=kind, fields=fields, exceptions=share)

    def _numeric(self) -> Iterator[tuple[str, Numbers]]:
        for item in self._varied:
            numbers = item.numbers(self.formats.get(item.name, ""))
            present = item.codes != MISSING
            if present.any() and np.isfinite(numbers[present]).mean() >= 1 - EXCEPTIONS:
                yield item.name, numbers

    def _monotone(self) -> Iterator[Dependence]:
        """Numbers and dates that grow together, or one as the other falls, though nearly every
        value is different."""
        names = [name for name in self._numbers if self.fields[name].distinct > ORDERED]
        if len(names) < 2:
            return
        ranks = np.column_stack([_ranks(self._numbers[name][self._glance]) for name in names])
        ranks /= np.maximum(np.linalg.norm(ranks, axis=0), 1e-12)
        close = np.abs(ranks.T @ ranks) >= 0.8
        for one, other in zip(*np.nonzero(np.triu(close, 1)), strict=True):
            first, second = names[one], names[other]
            if not self._either(first, second):
                continue
            if self.telling is None and _in_order(self._numbers[first], self._numbers[second]):
                yield Dependence(kind=DependenceKind.MONOTONE, fields=(first, second))
            else:
                yield from self._in_proportion(first, second)

    def _in_proportion(self, one: str, other: str) -> Iterator[Dependence]:
        """A number that is the other one in another unit, or counted from another day: each
        determines the other, also where no value repeats. An order alone determines no value."""
        for told, teller in ((one, other), (other, one)):
            if self._matters(teller, told):
                share = _share_off_line(self._numbers[teller], self._numbers[told])
                if share <= EXCEPTIONS:
                    yield Dependence(
                        kind=DependenceKind.FUNCTIONAL, fields=(teller, told), exceptions=share
                    )

    def _differences(self) -> Iterator[Dependence]:
        """One number or date that is the difference of two others."""
        names = [name for name in self._numbers if self.fields[name].distinct > 2][:MOST_NUMBERS]
        if len(names) < 3 or not any(map(self._is_twin, names)):
            return
        table = np.column_stack([self._numbers[name][self._glance[:FEW_ROWS]] for name in names])
        told: set[frozenset[str]] = set()
        for larger, smaller in permutations(range(len(names)), 2):
            made = table[:, larger] - table[:, smaller]
            with np.errstate(invalid="ignore"):
                there = np.isfinite(made[:, None]) & np.isfinite(table)
                same = (np.abs(made[:, None] - table) < 1e-6) & there
            enough = there.sum(0) >= 3
            for result in np.flatnonzero(enough & (same.sum(0) >= 0.95 * there.sum(0))):
                group = frozenset((names[larger], names[smaller], names[result]))
                if len(group) == 3 and group not in told and self._is_asked(group):
                    found = self._difference(names[larger], names[smaller], names[result])
                    told.add(group)
                    yield from found

    def _is_asked(self, group: frozenset[str]) -> bool:
        """Whether two of three fields could disclose the third, as far as that was asked for."""
        asked = filter(self._is_twin, group)
        if self.telling is None or self.told is None:
            return any(asked)
        return any(name in self.told and group - {name} <= self.telling for name in asked)

    def _difference(self, larger: str, smaller: str, result: str) -> Iterator[Dependence]:
        first, second, third = (self._numbers[name] for name in (larger, smaller, result))
        there = np.isfinite(first) & np.isfinite(second) & np.isfinite(third)
        first, second, third = first[there], second[there], third[there]
        if len(first) < max(ENOUGH_ROWS, ENOUGH_SHARE * len(there)):
            return
        wrong = np.abs(first - second - third) > 1e-6
        chance = np.random.default_rng(SEED)
        by_chance = np.abs(first - second - chance.permutation(third)) > 1e-6
        all_differ = ((second != 0) & (third != 0)).mean()
        if wrong.mean() <= EXCEPTIONS and by_chance.mean() >= 0.1 and all_differ >= ENOUGH_SHARE:
            fields = (larger, smaller, result)
            yield Dependence(
                kind=DependenceKind.DIFFERENCE, fields=fields, exceptions=float(wrong.mean())
            )

    def _parts(self) -> Iterator[Dependence]:
        """A text inside another one, as a first name is inside an e-mail address."""
        texts = [
            item
            for item in self._varied
            if item.distinct > ORDERED and item.name not in self._numbers
        ]
        chosen = self._glance[:SOME_ROWS]
        plain = {item.name: _plain_texts(item, chosen) for item in texts[:MOST_TEXTS]}
        for one, other in permutations(plain, 2):
            if not self._is_twin(one):
                continue
            share = _share_outside([(each,) for each in plain[one]], plain[other])
            if share is not None:
                yield Dependence(kind=DependenceKind.PART, fields=(other, one), exceptions=share)


def _counted(kind: DependenceKind, names: tuple[str, str], *counts: PairCount) -> Dependence:
    return Dependence(
        kind=kind,
        fields=names,
        exceptions=max(each.exceptions / each.rows for each in counts),
        contradicted=max(each.contradicted for each in counts),
        is_small=any(each.rows < ENOUGH_ROWS for each in counts),
    )


def _share_equal(one: CodedField, other: CodedField) -> float | None:
    """The share of rows in which two fields differ; None where they are not the same.

    Values are compared as they are read: another case, other signs or a number written in another
    way are no difference. Rows with both values must be the same, whatever the others hold, as soon
    as they are enough to tell."""
    rename: dict[str, int] = {}
    first, second = (
        np.array([*(rename.setdefault(text, len(rename)) for text in each.spelt), MISSING])[
            each.codes
        ]
        for each in (one, other)
    )
    both = (first != MISSING) & (second != MISSING)
    for compared in (first != MISSING, both):
        rows = int(compared.sum())
        if rows < ENOUGH_NAMED:
            continue
        varied = np.bincount(first[compared]).max() <= (1 - VARIED) * rows
        differ = float((first[compared] != second[compared]).mean())
        if varied and differ <= EXCEPTIONS and _is_no_chance(first[compared]):
            return differ
    return None


def _empty_alike(one: CodedField, other: CodedField) -> bool:
    """Whether two fields have no value in the same rows, so that one of them is enough to search
    with."""
    return float(((one.codes == MISSING) != (other.codes == MISSING)).mean()) <= EXCEPTIONS


def _is_no_chance(codes: Codes) -> bool:
    """Whether equal values of two fields are no chance: in few rows, only where they are many
    different ones, or repeat in one order out of a hundred."""
    if len(codes) >= ENOUGH_ROWS:
        return True
    counts = np.unique(codes, return_counts=True)[1].tolist()
    return RARE * factorial(len(codes)) >= prod(map(factorial, counts))


def _in_order(first: Numbers, second: Numbers) -> bool:
    """Whether one only grows, or only falls, as the other grows, each in small steps."""
    there = np.isfinite(first) & np.isfinite(second)
    if there.sum() < max(ENOUGH_ROWS, ENOUGH_SHARE * len(first)):
        return False
    steps = [_steps(first[there], second[there]), _steps(second[there], first[there])]
    if min(int((each != 0).sum()) for each in steps) < ORDERED:
        return False
    return all((each < 0).mean() <= EXCEPTIONS for each in steps) or all(
        (each > 0).mean() <= EXCEPTIONS for each in steps
    )


def _share_off_line(first: Numbers, second: Numbers) -> float:
    """The share of rows in which `second` is not the line through `first` that fits best, by more
    than a thousandth of how far it varies."""
    there = np.isfinite(first) & np.isfinite(second)
    if there.sum() < max(ENOUGH_ROWS, ENOUGH_SHARE * len(first)):
        return 1.0
    order = np.argsort(first[there])
    first, second = first[there][order], second[there][order]
    half = len(first) // 2  # Slopes between rows that are far apart: rounding matters least.
    run, rise = first[half : 2 * half] - first[:half], second[half : 2 * half] - second[:half]
    if not (run > 0).any():
        return 1.0
    off = second - float(np.median(rise[run > 0] / run[run > 0])) * first
    return float((np.abs(off - np.median(off)) > np.std(second) / 1_000).mean())


def _steps(first: Numbers, second: Numbers) -> Numbers:
    """How `second` moves from each value of `first` to the next, one row for each value."""
    _, places = np.unique(first, return_index=True)
    return np.diff(second[places])


def _ranks(numbers: Numbers) -> Numbers:
    """Ranks around nought, missing values in the middle."""
    there = np.isfinite(numbers)
    ranks = np.zeros(len(numbers))
    ranks[there] = np.argsort(np.argsort(numbers[there])) - (there.sum() - 1) / 2
    return ranks


def _plain_texts(item: CodedField, chosen: Codes) -> Sequence[str]:
    codes = item.codes[chosen].tolist()
    plain = {MISSING: ""} | {code: _letters(item.values[code]) for code in set(codes) - {MISSING}}
    return [plain[code] for code in codes]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _ways_of_writing(item: CodedField, numbers: Numbers, chosen: Codes) -> list[tuple[str, ...]]:
    """The number or date of some rows in each way that a text may write it, without signs."""
    some = item.only(chosen)
    other = ways_of_writing(some, numbers[chosen])
    ways = [
        tuple(dict.fromkeys(map(_letters, (value, *other.get(code, ())))))
        for code, value in enumerate(some.values)
    ]
    return [ways[code] if code != MISSING else ("",) for code in some.codes.tolist()]


def _share_outside(inner: Sequence[tuple[str, ...]], outer: Sequence[str]) -> float | None:
    """The share of rows in which no way of writing the inner value is part of the outer text; None
    where the inner one is no part, or would be by chance."""
    pairs = [(a, b) for a, b in zip(inner, outer, strict=True) if len(a[0]) > 2 and b]
    if len(pairs) < max(ENOUGH_ROWS, ENOUGH_SHARE * len(outer)):
        return None

    def is_inside(ways: tuple[str, ...], text: str) -> bool:
        return any(way in text and way != text for way in ways)

    first = pairs[:ENOUGH_ROWS]
    if sum(starmap(is_inside, first)) < len(first) / 2:
        return None
    inside = sum(starmap(is_inside, pairs)) / len(pairs)
    if inside < 0.9:
        return None
    others = np.random.default_rng(SEED).permutation(len(pairs)).tolist()
    chance = sum(is_inside(a, pairs[at][1]) for (a, _), at in zip(pairs, others, strict=True))
    return 1 - inside if chance / len(pairs) < 0.3 else None
