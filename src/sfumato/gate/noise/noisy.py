"""Noisy answers: a number for each group of people who share what others may know, at a cost that is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NotAdmitted

from ..answers import typed
from ..deciding.cells import marked_places
from ..deciding.holding import Holding
from ..deciding.lattice import raised
from ..settings import Terms
from ..sql.admitting import AGGREGATES, PERSON
from ..sql.predicates import Predicate
from ..sql.questions import Aggregate, Question
from .laplace import Noise
from .noisy_rows import keys_of
from .reckoning import ROWS, Measure, Reckoning, added

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]
FUNCTIONS: Final = ("count", "sum", "avg")
STEP: Final = 1.0
EXACT: Final = 2**53
"""Whole numbers below this are added up without an error."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Noisy:
    """Numbers for each group: `labels` has a column for each field grouped by, `numbers` one for each aggregate.

    `suppressed` is how many groups were too small to be told about; `within` how far off each number may be.
    """

    labels: dict[str, NDArray[Any]]
    numbers: dict[str, NDArray[np.float64]]
    within: dict[str, float]
    suppressed: int


def check_noisy(question: Question, holding: Holding, terms: Terms) -> None:
    """Whether noisy numbers can be had; decided by the question and the terms alone."""
    for each in question.aggregates:
        if each.function not in FUNCTIONS or (each.distinct and each.field != PERSON):
            raise NotAdmitted(
                f"{each.canonical().upper()} is not told with noise.",
                code="not-noisy",
                attempt="COUNT(*), COUNT(DISTINCT person), SUM(field) or AVG(field).",
            )
        if each.function != "count" and each.field not in terms.bounds:
            raise NotAdmitted(
                f"The field {each.field!r} has no bounds to be summed between.",
                code="not-noisy",
                attempt="asking the steward to name them.",
            )
    for part in _parts(question):
        if _measure(part, terms).reach * len(holding) >= EXACT:
            raise NotAdmitted(
                f"The field {part.field!r} has bounds too far apart to be summed in such steps.",
                code="not-noisy",
                attempt="asking the steward to name others.",
            )
    shown = {part.canonical() for part in _parts(question)}
    hidden = [node for node in question.after.find_all(*AGGREGATES) if not shown.issuperset(keys_of(node))]
    if hidden:
        raise NotAdmitted(
            "Noisy groups are sorted and chosen by numbers that the query shows.",
            code="not-noisy",
            found=f"{hidden[0].sql().upper()} is not one of them.",
        )
    strange = [name for name in question.groups if name not in holding.known]
    if strange:
        raise NotAdmitted(
            "Noisy numbers are told for groups of fields that others may know.",
            code="not-noisy",
            found=f"{', '.join(strange)} is to be protected.",
            attempt="a condition on that field in place of groups, one value at a time.",
        )


def noisy(question: Question, reckoning: Reckoning, terms: Terms, *, epsilon: float) -> Noisy:
    """The numbers. Which groups are told about depends on known fields alone, never on what is to be protected."""
    asked = Asked.of(question, reckoning.holding)
    people = np.ceil(asked.grouped(reckoning.entries(asked.known).totals(asked.meant, None, {})) / reckoning.most)
    told = np.flatnonzero(people >= terms.least)  # Nobody has more than `most` rows: so many people at the least.
    parts = list(_parts(question))
    numbers: dict[str, NDArray[np.float64]] = {}
    within: dict[str, float] = {}
    for part in parts:
        found, unit, reach = _summed(part, asked, reckoning, terms)
        noise = Noise(epsilon=epsilon / len(parts), reach=reach)
        numbers[part.canonical()] = np.asarray(noise.added_to(found[told]) * unit, np.float64)
        within[part.canonical()] = noise.usually_within * unit
    there = np.zeros(asked.count, bool)
    there[asked.whole[asked.meant]] = True
    return Noisy(
        labels=asked.labels(told), numbers=numbers, within=within, suppressed=int(np.count_nonzero(there)) - len(told)
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Asked:
    """A question on the face of the known fields that it groups by or has a condition on: which places it means, and
    the group of each."""

    holding: Holding
    having: Predicate | None
    groups: tuple[str, ...]
    known: tuple[str, ...]
    meant: Marks
    whole: Wholes
    count: int

    @classmethod
    def of(cls, question: Question, holding: Holding) -> Asked:
        about = question.about.fields() if question.about else frozenset()
        known = tuple(name for name in holding.known if name in question.groups or name in about)
        groups = tuple(name for name in known if name in question.groups)
        face = holding.face(known)
        whole, count = raised(dict.fromkeys(groups, 0), face.codes, holding, count=face.places)
        return cls(
            holding=holding,
            having=question.having,
            groups=groups,
            known=known,
            meant=marked_places(question.about, holding, known),
            whole=whole,
            count=count,
        )

    def grouped(self, totals: Wholes) -> Wholes:
        """Numbers of places added up in their groups."""
        return added(self.whole, totals, self.count)

    def labels(self, told: Wholes) -> dict[str, NDArray[Any]]:
        """What the fields that are grouped by are in some groups."""
        face = self.holding.face(self.known)
        somewhere = np.zeros(self.count, np.int64)
        somewhere[self.whole] = np.arange(face.places)
        return {name: typed(self.holding.fields[name], face.codes[name][somewhere[told]]) for name in self.groups}


def _parts(question: Question) -> Iterator[Aggregate]:
    """The counts and sums that are needed, each once: an average is a sum and a count."""
    found: dict[str, Aggregate] = {}
    for each in question.aggregates:
        parts = (
            (Aggregate(function="sum", field=each.field), Aggregate(function="count", field=each.field))
            if each.function == "avg"
            else (each,)
        )
        for part in parts:
            found.setdefault(part.canonical(), part)
    yield from found.values()


def _summed(part: Aggregate, asked: Asked, reckoning: Reckoning, terms: Terms) -> tuple[Wholes, float, int]:
    """The number of each group in whole steps, the step, and the most that one person adds to all of them."""
    holding, most = reckoning.holding, reckoning.most
    if part.distinct and not holding.one_row_each:
        place_of = holding.face(asked.known).place_of
        meant, whole = asked.meant[place_of], asked.whole[place_of]
        return reckoning.people_of_groups(asked.having, meant, whole, asked.count), 1.0, most
    measure = _measure(part, terms)
    names = tuple(sorted(asked.having.fields())) if asked.having else ()
    entries = reckoning.entries(asked.known, names, measure)
    totals = entries.totals(asked.meant, asked.having, holding.fields)
    return asked.grouped(totals), measure.step, measure.reach * most


def _measure(part: Aggregate, terms: Terms) -> Measure:
    if part.distinct:  # Of people: where a row is a person, these are the rows.
        return ROWS
    if part.function == "count":
        return Measure(field=part.field)
    return Measure(field=part.field, between=terms.bounds[part.field], step=terms.steps.get(part.field, STEP))
