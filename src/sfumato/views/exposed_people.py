"""Exposed people: those whom a new release must leave out beside earlier ones, so that every joint
class has k people and keeps the rules about sensitive values.

A holder of all releases sees the parts into which the new release cuts each earlier class: a part
for each bin, and one for people who are absent from it. A part that breaks a rule is left out as a
whole. Where the absent ones of a class break a rule, the whole class is left out of the new release.
It then stays the class that it was, which was judged before. So the search ends, and what remains
breaks no rule that earlier releases did not break already."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.register import (
    JointClasses,
    Ledger,
    LedgerRequirement,
    ReleaseView,
    people_to_hold_back,
)
from sfumato.releases import PeopleRecord

Tags = NDArray[np.uint64]
Marks = NDArray[np.bool_]


def exposed_people(ledger: Ledger, record: PeopleRecord, *, requirement: LedgerRequirement) -> Tags:
    """The keyed numbers of people whom a release would expose beside those of the ledger."""
    trial = Ledger(ledger.tags, ledger.views, key_check=ledger.key_check)
    view = trial.add("new", record)
    bins = view.read("bins")
    classes = JointClasses.of(each.read("bins") for each in ledger.views).class_of
    class_of = np.zeros(len(bins), np.int32)
    class_of[: len(classes)] = classes
    chance = np.argsort(trial.tags, kind="stable")  # Keyed numbers have an order by chance.
    held, more = np.zeros(len(bins), bool), np.ones(len(bins), bool)
    while more.any():
        shown = np.where(held, 0, bins).astype(np.int32)
        more = np.zeros(len(bins), bool)
        more[chance] = people_to_hold_back(class_of[chance], shown[chance], k=requirement.k)
        if not more.any():
            left = Ledger(trial.tags, [*ledger.views, _without(view, held)])
            more = _to_leave_out(left.failing_people(requirement), class_of, shown)
        held |= more
    return trial.tags[held]


def _to_leave_out(failing: Marks, class_of: NDArray[np.int32], shown: NDArray[np.int32]) -> Marks:
    """The failing parts that the new release shows, and whole classes whose absent part fails."""
    absent = failing & (shown == 0) & (class_of > 0)
    whole = np.isin(class_of, np.unique(class_of[absent]))
    return np.asarray((shown > 0) & (failing | whole), bool)


def _without(view: ReleaseView, held: Marks) -> ReleaseView:
    """A release without some people: they have no bin and no value in it."""

    def read(part: str) -> NDArray[Any]:
        found = view.read(part)
        by_person = part == "bins" or part.startswith(("value_of", "bins_of", "input_of"))
        return np.where(held, 0, found).astype(found.dtype) if by_person else found

    return replace(view, read=read)
