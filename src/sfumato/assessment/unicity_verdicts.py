"""The verdict on unicity: how many people few released values single out."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.protection import Outcome
from sfumato.report import counted, percent

from .attacks import Rate
from .page import Judgement
from .risk.identifying_sets import IdentifyingSets
from .risk.unicity import MOST_VALUES, Unicity
from .verdict_limits import FOUND

MANY = 3
QUESTION = "How many values of a person single them out?"
RULE = (
    f"Red where the policy's m values of the known fields find over {percent(FOUND[1])} of "
    f"people. Amber over {percent(FOUND[0])}, insensitive fields included, or where m values of "
    f"everything released, or {MOST_VALUES} of more, find over {percent(FOUND[1])}."
)


def about_unicity(
    found: Unicity | None, sets: IdentifyingSets | None = None, *, left_out: str = ""
) -> Iterator[Judgement]:
    """One line; amber where it was not measured."""
    if found is None:
        yield Judgement(
            question=QUESTION, outcome="review", answer=f"Not known: {left_out}.", rule=RULE
        )
        return
    yield Judgement(
        question=QUESTION,
        outcome=outcome_of(found),
        answer=" ".join([*_answer(found), *_smallest(sets)]),
        rule=RULE,
        anchor="unicity",
        advice=_advice(found, sets),
    )


def outcome_of(found: Unicity) -> Outcome:
    """By the share of people found; by the upper end of its interval where people were sampled."""
    if _judged(found, found.known.at(found.m)) > FOUND[1]:
        return "fail"
    knowable = _judged(found, found.knowable.at(found.m))
    wide = found.everything.values_per_person > MOST_VALUES
    beyond = _judged(found, found.everything.at(found.m)) > FOUND[1] or (
        wide and _judged(found, found.everything.at(MOST_VALUES)) > FOUND[1]
    )
    return "review" if knowable > FOUND[0] or beyond else "pass"


def _judged(found: Unicity, rate: Rate) -> float:
    return rate.high if found.sampled < found.people and rate.successes else rate.value


def _answer(found: Unicity) -> Iterator[str]:
    values, m = counted(found.m, "random value"), found.known.at(found.m)
    which = "of everything released" if found.linked else "of the known fields"
    find = "finds" if found.m == 1 else "find"
    yield f"{values[0].upper()}{values[1:]} {which} {find} {_share(found, m)} of people."
    if not found.linked:
        if len(found.knowable.fields) > len(found.known.fields):
            knowable = found.knowable.at(found.m)
            yield f"With insensitive fields they find {_share(found, knowable)}."
        everything = found.everything.at(found.m)
        yield f"Of everything released, as many find {_share(found, everything)}."
    longest = len(found.everything.rates)
    if longest > found.m:
        last = found.everything.at(longest)
        yield f"{longest} values of everything find {_share(found, last)}."
    if not found.m_is_named:
        yield f"The policy names no m, so {found.m} is taken."


def _advice(found: Unicity, sets: IdentifyingSets | None) -> str:
    if found.linked:
        return "Release fewer or coarser linked rows, or remove the key that links them."
    if sets is not None and sets.sets:
        fields = sets.sets[0].fields
        single = "singles" if len(fields) == 1 else "single"
        return f"Coarsen or leave out {', '.join(fields)}, which {single} people out."
    return "Coarsen the released fields, or leave some out."


def _smallest(sets: IdentifyingSets | None) -> Iterator[str]:
    """Of the smallest sets of fields that single anyone out, the one that does so for the most
    rows."""
    if sets is None or not sets.sets:
        return
    least = len(sets.sets[0].fields)
    most = max((one for one in sets.sets if len(one.fields) == least), key=lambda one: one.rows)
    named = " and ".join(most.fields) if least < MANY else ", ".join(most.fields)
    alone = "alone " if least == 1 else ""
    find = "singles" if least == 1 else "single"
    yield f"{named} {alone}{find} out {in_units(most.rows, sets)} of {sets.rows:,}."


def in_units(count: int, sets: IdentifyingSets) -> str:
    """A number of rows or people."""
    return counted(count, "person", "people") if sets.unit == "person" else counted(count, "row")


def _share(found: Unicity, rate: Rate) -> str:
    if found.sampled == found.people:
        return percent(rate.value)
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"
