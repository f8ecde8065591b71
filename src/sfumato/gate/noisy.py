"""Noisy answers: a number for each group of people who share what others may know, at a cost that is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NotAdmitted

from .answers import typed
from .holding import Holding
from .noise import Noise
from .noisy_rows import keys_of
from .reckoning import Reckoning
from .settings import Terms
from .shapes import groups_at, marked
from .sql.admitting import AGGREGATES, PERSON
from .sql.questions import Aggregate, Question

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]
FUNCTIONS: Final = ("count", "sum", "avg")
STEP: Final = 1.0


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
    holding = reckoning.holding
    levels = dict.fromkeys((name for name in holding.known if name in question.groups), 0)
    whole = groups_at(levels, holding)
    count = int(whole.max(initial=-1)) + 1
    meant = marked(question.about, holding)
    told = np.flatnonzero(reckoning.people(whole, meant, count) >= terms.least)
    asked = int(np.count_nonzero(np.bincount(whole[meant], minlength=count))) if meant.any() else 0
    parts = list(_parts(question))
    numbers: dict[str, NDArray[np.float64]] = {}
    within: dict[str, float] = {}
    share = epsilon / len(parts)
    for part in parts:
        found, unit, reach = _summed(part, question, reckoning, meant, whole, count, terms)
        noise = Noise(epsilon=share, reach=reach)
        numbers[part.canonical()] = np.asarray(noise.added_to(found[told]) * unit, np.float64)
        within[part.canonical()] = noise.usually_within * unit
    first = np.zeros(count, np.int64)
    first[whole[::-1]] = np.arange(len(whole))[::-1]
    labels = {
        name: typed(holding.fields[name], holding.corners[first[told], holding.known.index(name)]) for name in levels
    }
    return Noisy(labels=labels, numbers=numbers, within=within, suppressed=asked - len(told))


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


def _summed(
    part: Aggregate, question: Question, reckoning: Reckoning, meant: Marks, whole: Wholes, count: int, terms: Terms
) -> tuple[Wholes, float, int]:
    """The number of each group in whole steps, the step, and the most that one person adds to all of them."""
    holding, most = reckoning.holding, reckoning.most
    if part.distinct:
        rows = reckoning.rows_of(question.having, meant)
        keys = whole[holding.corner_of[rows]] * holding.people + holding.person_of[rows]
        return np.bincount(np.unique(keys) // holding.people, minlength=count), 1.0, most
    names = {*(question.having.fields() if question.having else ()), *([part.field] if part.field else [])}
    entries = reckoning.entries(tuple(sorted(names)))
    chosen = meant[entries.corner]
    if question.having is not None:
        chosen &= question.having.marks(holding.fields, entries.codes)
    if part.field:
        present = np.array([value is not None for value in holding.fields[part.field].values], bool)
        chosen &= present[entries.codes[part.field]]
    groups, times = whole[entries.corner[chosen]], entries.times[chosen]
    if part.function == "count":
        return _added(groups, times, count), 1.0, most
    held = holding.fields[part.field]
    low, high = terms.bounds[part.field]
    step = terms.steps.get(part.field, STEP)
    values = np.rint(np.clip(np.nan_to_num(held.numbers()), low, high) / step).astype(np.int64)
    reach = int(np.ceil(max(abs(low), abs(high), high - low) / step)) * most  # They are there, or have another value.
    return _added(groups, values[entries.codes[part.field][chosen]] * times, count), step, reach


def _added(groups: Wholes, numbers: Wholes, count: int) -> Wholes:
    """Sums of whole numbers: exact, because no sum of ours comes near the 53 bits of a double."""
    return np.rint(np.bincount(groups, weights=numbers, minlength=count)).astype(np.int64)
