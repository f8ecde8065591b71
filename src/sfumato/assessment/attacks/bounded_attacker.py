"""Attacks by somebody with the knowledge that a policy assumes: the register fields and any m
others.

A policy that bounds knowledge promises nothing against somebody who knows everything at once. Sets
of m others are therefore drawn, and the attacked people are divided among them. The results of each
attack over all sets are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

from sfumato.measures import Records, Subject
from sfumato.wording import counted

from .attack_run import UNDECIDED, AttackRun, judged
from .attack_setup import FIELDS_NAMED, Scene
from .rates import Rate

SETS = 8
"""So many sets of fields are tried; the verdict on the policy's rule counts all of them."""
FEWEST_PEOPLE = 100
"""At least so many people are attacked with each set."""
_MOST_LISTED = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedAttacker:
    """Somebody who knows the `register` fields of a person and any `m` others."""

    register: tuple[str, ...]
    m: int

    def words(self, known: Sequence[str]) -> str:
        """The knowledge, for a story."""
        register = [name for name in self.register if name in known]
        others = len(known) - len(register)
        drawn = f"any {min(self.m, others)} of {counted(others, 'other field')}"
        if not register:
            return drawn
        if len(register) > FIELDS_NAMED:
            return f"{counted(len(register), 'register field')} and {drawn}"
        return f"{', '.join(register)} and {drawn}"

    def sets(self, subject: Subject, *, among: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Sets of m fields `among` those that may be known: all, or some by chance."""
        others = [name for name in among if name not in self.register]
        m = min(self.m, len(others))
        if comb(len(others), m) <= _MOST_LISTED:
            every = list(combinations(others, m))
            order = subject.generator("sets of known fields").permutation(len(every))
            return tuple(every[place] for place in sorted(order[:SETS].tolist()))
        chance = subject.generator("sets of known fields")
        drawn = {tuple(sorted(chance.permutation(len(others))[:m].tolist())) for _ in range(SETS)}
        return tuple(tuple(others[place] for place in places) for places in sorted(drawn))

    def scenes(self, scene: Scene) -> tuple[Scene, ...]:
        """One scene for each set of known fields, with its share of the attacked people."""
        subject = scene.subject
        register = tuple(name for name in subject.known if name in self.register)
        sets = self.sets(subject, among=subject.known)
        words = self.words(subject.known)
        found = []
        for number, others in enumerate(sets):
            known = tuple(name for name in subject.known if name in (*register, *others))
            here = _narrowed(subject, known, seed=subject.seed + number)
            found.append(
                replace(
                    scene,
                    subject=here,
                    targets=_dealt(scene.targets, here, number, len(sets)),
                    control=_dealt(scene.control, here, number, len(sets)),
                    known_as=words,
                    only_targets=True,
                )
            )
            if scene.people is not None:
                every = (*known, *subject.sensitive)
                vars(found[-1])["people"] = scene.people.project(every)
        return tuple(found)


def _narrowed(subject: Subject, known: tuple[str, ...], *, seed: int) -> Subject:
    """The subject as somebody sees it who knows fewer fields. Counts over all of them are summed,
    where each row is a person's only one, in place of counting again."""
    here = replace(subject, known=known, seed=seed)
    if subject.person is None:
        vars(here)["released"] = subject.released.project(known)
        original = subject.original
        vars(here)["original"] = None if original is None else original.project(known)
    return here


def _dealt(people: Records | None, subject: Subject, number: int, sets: int) -> Records | None:
    """Every so many of the people, with what is known of them here; all where they are few."""
    if people is None:
        return None
    names = (*subject.known, *subject.sensitive)
    columns = [people.fields.index(name) for name in names if name in people.fields]
    step = min(sets, max(len(people) // FEWEST_PEOPLE, 1))
    return Records(
        tuple(people.fields[column] for column in columns),
        tuple(people.labels[column] for column in columns),
        people.codes[number % step :: step][:, columns],
    )


def over_sets(attack: Callable[[Scene], AttackRun], scenes: Sequence[Scene]) -> AttackRun:
    """One attack with each set of known fields, added up."""
    return added_up([attack(scene) for scene in scenes])


def added_up(runs: Sequence[AttackRun]) -> AttackRun:
    """Runs of one attack with different sets of known fields, as one; the first where none could be
    measured."""
    told = [run for run in runs if run.outcome != UNDECIDED and run.rate and run.baseline]
    if not told:
        return runs[0]
    claims = sum(run.claims for run in told)
    guesses = [run.guess * run.claims for run in told if run.guess is not None]
    sets = counted(len(told), "set of known fields", "sets of known fields")
    return judged(
        told[0].name,
        told[0].title,
        told[0].story,
        claims=claims,
        rate=_sum([run.rate for run in told]) or Rate(successes=0, attempts=0),
        baseline=_sum([run.baseline for run in told]) or Rate(successes=0, attempts=0),
        control=_sum([run.control for run in told]),
        outside=_sum([run.outside for run in told]),
        what=told[0].what,
        certain=sum(run.certain for run in told),
        guess=sum(guesses) / max(claims, 1) if len(guesses) == len(told) else None,
        notes=(f"It was tried with {sets}, and the results were added up.",),
    )


def _sum(rates: Sequence[Rate | None]) -> Rate | None:
    """All attempts together; None where one could not be measured."""
    known = [rate for rate in rates if rate is not None]
    if len(known) < len(rates):
        return None
    return Rate(
        successes=sum(rate.successes for rate in known),
        attempts=sum(rate.attempts for rate in known),
    )
