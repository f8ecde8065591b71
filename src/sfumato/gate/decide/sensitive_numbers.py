"""Sensitive numbers: which exact answers about pay, costs and measurements may be given at all.

A row, a minimum, a maximum or a condition discloses one person's number: a recipient who knows that
somebody earns most reads it there. These answers are never exact. A sum or a mean is exact where
the policy has a rule about the closeness of the numbers of a class. No class may be dominated by
one person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.bins import Bins
from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted
from sfumato.hierarchies import Label
from sfumato.policy import Role
from sfumato.protection import IntervalWidth, Model, TCloseness, Verdict, inside, verdict_of

from ..sql.questions import Question
from .protected_table import HeldField, ProtectedTable

MOST_CODES: Final = 20
"""A sensitive field with more different numbers than this is a measurement, unless the policy lists
its values; with fewer, numbers are taken for codes."""
LEAST_PART: Final = 0.1
"""How far off the best guess of the largest contribution stays, as a part of it (the p % rule)."""
_TIMES: Final = (FieldKind.DATE, FieldKind.TIMESTAMP)
_MEASURED: Final = re.compile(r"\s*[<>\u2264\u2265~=\u20ac$\u00a3(]*\s*[+-]?[.,]?[0-9]")
"""A number, perhaps behind a sign of comparison or of a currency."""
ADDED_UP: Final = frozenset(("sum", "avg", "count"))


def measurements(table: ProtectedTable) -> frozenset[str]:
    """The fields of a table that are sensitive numbers."""
    return frozenset(name for name, held in table.fields.items() if _is_measured(held, table))


def _is_measured(held: HeldField, table: ProtectedTable) -> bool:
    domain = table.policy.fields[held.name].domain
    if held.role is not Role.SENSITIVE or (domain is not None and domain.values):
        return False
    if held.is_number or held.kind in _TIMES:
        return len(held.values) > MOST_CODES
    return sum(map(_looks_measured, held.values)) > MOST_CODES


def _looks_measured(value: Label) -> bool:
    """Whether a text is a number or a date with something about it. One such cell makes a column of
    numbers one of text.

    Example:
        >>> [_looks_measured(each) for each in (">200", "27499 EUR", "1,200.50", "2020-01-05", "I10", "n/a")]
        [True, True, True, True, False, False]
    """
    return value is not None and _MEASURED.match(value) is not None


def looks_at_closeness(models: Iterable[Model]) -> bool:
    """Whether a rule limits how near each other numbers may be; others hold 101 and 102 for as
    different as 1 and 900."""
    return any(
        isinstance(model, IntervalWidth)
        or (isinstance(model, TCloseness) and model.distance == "ordered")
        for model in models
    )


def adds_up(question: Question, fields: frozenset[str]) -> bool:
    """Whether a question only sums, averages or counts these fields, over all people of its classes.

    Another protected field in a condition or in GROUP BY would pick people out of a class that is
    judged as a whole. A sum would then be the number of whomever that field picks."""
    asked = fields & set(question.unknown)
    if not asked:
        return True
    protected = {*question.unknown, *question.derived} - {
        name for name, each in question.derived.items() if each.is_known
    }
    condition = question.having.fields() if question.having is not None else frozenset()
    outside = {
        column.name
        for column in question.after.find_all(exp.Column)
        if not column.find_ancestor(exp.AggFunc)
    }
    derived = any(
        asked & set(each.fields) for each in question.derived.values() if not each.is_known
    )
    numbers = [each for each in question.aggregates if asked & {each.field, each.other}]
    added = all(each.function in ADDED_UP and not each.distinct for each in numbers)
    return added and not derived and protected.isdisjoint(condition | outside)


def check_shown_numbers(question: Question, fields: frozenset[str]) -> None:
    """Refuse rows that would show sensitive numbers; decided by the question and the policy."""
    shown = sorted(fields & set(question.unknown))
    if shown and not question.is_aggregate:
        raise NotAdmitted(
            f"The field {shown[0]!r} is a sensitive number, and the gate shows no row of it.",
            code="sensitive-number",
            attempt=f"AVG({shown[0]}) or SUM({shown[0]}) by groups, or other fields.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominance:
    """Somebody who knows the sum and the second largest number of a class misses the largest by at
    least the part `part` of it (the p % rule).

    The others' numbers add up to at least that: total - x1 - x2 >= part * x1, with sizes in place
    of negative numbers. Two classes that pass also pass together.

    Assumes: one row per person, and one person beside the target who knows their own number. Does
    not protect: a target all of whose companions work together. Reference: Hundepool et al. 2012,
    "Statistical Disclosure Control", section 4.2.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> pay = [("a", "900"), ("a", "50"), ("a", "40"), ("b", "900"), ("b", "800"), ("b", "700")]
        >>> bins = bins_of_rows(("class",), pay, sensitive=("pay",))
        >>> Dominance(fields=("class",), sensitive="pay").failing(bins).tolist()
        [True, False]
    """

    fields: tuple[str, ...]
    sensitive: str
    part: float = LEAST_PART

    name: ClassVar[str] = "dominance"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        histogram = inside(bins, self.sensitive)
        sizes = np.array([_size(value) for value in histogram.values], float)
        amount = sizes[histogram.value_of] if len(sizes) else np.zeros(0)
        order = np.lexsort((-amount, histogram.bin_of))
        bin_of, amount = histogram.bin_of[order], amount[order]
        counts = histogram.counts[order]
        total = np.bincount(bin_of, amount * counts, minlength=len(bins))
        first, second = np.zeros(len(bins)), np.zeros(len(bins))
        starts = np.flatnonzero(np.diff(bin_of, prepend=-1))
        first[bin_of[starts]] = amount[starts]
        following = np.minimum(starts + 1, len(bin_of) - 1)
        same = bin_of[following] == bin_of[starts]
        next_one = np.where(same & (following > starts), amount[following], 0.0)
        second[bin_of[starts]] = np.where(counts[starts] > 1, amount[starts], next_one)
        rest = total - first - second
        return np.asarray(rest < self.part * first - 1e-9 * total, bool)

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"p = {100 * self.part:g} % for {self.sensitive}",
            fields=self.fields,
            smallest=bins.smallest,
            measured="the others beside the two largest numbers add up to too little in some class"
            if self.failing(bins).any()
            else "no class is dominated",
        )


def _size(value: str | None) -> float:
    try:
        return abs(float(value)) if value is not None else 0.0
    except ValueError:
        return 0.0
