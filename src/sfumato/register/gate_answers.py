"""Exact answers of a gate in the ledger: the people whom its answers so far do not distinguish.

A gate shows a group of recipients one answer after the other. All of them together are a partition
of its people, as a release is. The newest one of each gate and group is kept. Those that a signed
move names are kept as well, so that a changed file cannot retract them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import numpy as np

from sfumato.releases import PeopleRecord

from .joint_classes import JointClasses
from .key_spelling import KnownPeople
from .ledger import Ledger
from .people_links import common_key, key_spelling
from .recipients import EVERYBODY
from .release_views import Array, ReleaseView
from .replay import RegisterState

NOT_COMPARED: Final = (
    "its exact answers: the gate knows its people by no key, or by another than the releases"
)


@dataclass(frozen=True, kw_only=True)
class AnswerScope:
    """The scope of answers: one state of a gate's tables, and the group that got them. A group with
    tabs is somebody who belongs to all of the groups between them."""

    gate: str
    group: str

    @property
    def line(self) -> str:
        return f"{self.gate}\t{self.group}"

    @classmethod
    def of(cls, line: str) -> AnswerScope:
        gate, _, group = line.partition("\t")
        if not gate or not group:
            raise ValueError("no scope")
        return cls(gate=gate, group=group)


@dataclass(frozen=True, eq=False, kw_only=True)
class GateAnswers:
    """All answers without noise that a gate has shown to a group, as a people record: a bin is a
    class of people whom no answer distinguishes. Without a record, nobody can judge it."""

    scope: AnswerScope
    record: PeopleRecord | None = field(repr=False)


class AnswerReader(Protocol):
    """Where answers of gates are read from: their digests by scope, and each by its digest."""

    def answers(self) -> Mapping[str, str]: ...

    def answer_record(self, digest: str) -> PeopleRecord: ...

    def part(self, digest: str) -> Array: ...


def no_people(why: str = NOT_COMPARED) -> PeopleRecord:
    """The record of answers that nobody can judge."""
    return PeopleRecord(
        release="", person="", fields=(), key_check="",
        tags=np.zeros(0, np.uint64), bin_of=np.zeros(0, np.int32),
        labels=np.zeros((0, 0), np.int32), not_judged=(why,),
    )  # fmt: skip


def shown_answers(state: RegisterState, store: AnswerReader) -> list[GateAnswers]:
    """The shown answers of gates, by scope: the newest, and those that a signed move knew of."""
    newest = store.answers()
    digests = [
        (line, digest)
        for line in sorted({*state.answers, *newest})
        for digest in dict.fromkeys(
            each[line] for each in (state.answers, newest) if line in each
        )
    ]  # fmt: skip
    return [
        GateAnswers(scope=AnswerScope.of(line), record=store.answer_record(digest))
        for line, digest in digests
    ]


@dataclass(frozen=True, eq=False)
class AnsweredPeople:
    """The people of all releases by number, to whom answers of gates are compared."""

    state: RegisterState
    people: KnownPeople = field(repr=False)
    key_check: str

    @classmethod
    def of(cls, state: RegisterState, store: AnswerReader) -> AnsweredPeople:
        known = [each for each in state.releases if "tags" in each.parts]
        people = KnownPeople.of(known, store.part)
        return cls(state, people, next((each.key_check for each in known), ""))

    def views(self, answers: Sequence[GateAnswers]) -> Iterator[ReleaseView]:
        """The answers as the ledger judges them, beside releases."""
        ledger = Ledger(self.people.tags, key_check=self.key_check)
        for at, each in enumerate(answers):
            record = each.record or no_people()
            if ledger.key_check and record.key_check not in ("", ledger.key_check):
                record = no_people()
            if not record.key_check:
                record = replace(record, key_check=ledger.key_check)
            rule = key_spelling(record.person, self.state.people)
            why = self.people.unsettled(record, rule)
            record = (
                replace(no_people(why), key_check=ledger.key_check)
                if why
                else self.people.settled(record, rule)
            )
            view, parts = ledger.enter(f"{at}", record)
            yield replace(
                view,
                name=f"answers of {each.scope.gate}",
                person=common_key(view.person, self.state.people) if view.person else "",
                read=parts.__getitem__,
                is_release=False,
            )


def answers_for(groups: Collection[str], answers: Sequence[GateAnswers]) -> list[GateAnswers]:
    """The answers that some groups got, and those that everybody got."""
    return [each for each in answers if each.scope.group in (*groups, EVERYBODY)]


def refined_by(
    views: Sequence[ReleaseView], joint: JointClasses
) -> tuple[JointClasses, tuple[str, ...]]:
    """The joint classes of releases with answers of gates; and the views without a person in common
    with those releases."""
    apart = []
    out = joint
    for view in views:
        bins = view.read("bins")
        known = joint.class_of[: len(bins)] > 0
        if bins.any() and joint.class_of.any() and not bins[: len(known)][known].any():
            apart.append(view.name)
        out = out.refined(bins)
    return out, tuple(apart)


def is_finer(one: PeopleRecord, other: PeopleRecord) -> bool:
    """Whether a record distinguishes everybody whom another one does, with every field that it
    has."""
    if not np.array_equal(one.tags, other.tags) or other.sensitive.keys() - one.sensitive.keys():
        return False
    pairs = [(one.bin_of, other.bin_of)] + [
        (one.sensitive[name].bin_of, values.bin_of) for name, values in other.sensitive.items()
    ]
    return all(
        mine is not None
        and theirs is not None
        and JointClasses.of((mine + 1, theirs + 1)).count == JointClasses.of((mine + 1,)).count
        for mine, theirs in pairs
    )
