"""Measuring a case: every family of measures in turn, and why where one could not be measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.errors import MissingExtra, Mistake
from sfumato.measures import Ads0, ads0_of

from .attacks import BoundedAttacker, run_attacks
from .case import Case
from .released_facts import (
    attack_by_intervals,
    case_group_risks,
    case_identifying_sets,
    case_intervals,
    case_unicity,
    few_valued_fields,
    released_fields,
)
from .risk import measure_risks
from .risk.number_closeness import ClosenessFindings, measure_closeness
from .risk.suda2 import suda2_of
from .risk_verdicts import bounded_knowledge
from .utility import measure_usefulness

START, CELL, ATTACK = 1.5, 1e-5, 4e-5
"""CPU seconds: for opening and the page, for each cell, and for each attack and row."""
USUAL_ATTACKS, MOST_ROWS = 6, 20_000
NO_SOURCE = "the source was not at hand"
UNDECIDED = "undecided: "
NOT_INSTALLED = "which is not installed"
QUICK = "the quick assessment leaves it out"
SWITCHED_OFF = "they were switched off when the assessment was made"


@dataclass(frozen=True, eq=False, kw_only=True)
class CaseMeasures:
    """The results by family, `risk`, `unicity`, `identifying_sets`, `groups`, `intervals`,
    `closeness`, `suda`, `usefulness` and `attacks`, and why others are missing."""

    results: Mapping[str, Any] = field(repr=False)
    left_out: Mapping[str, str]
    ads0: Ads0 | None = None

    @property
    def not_installed(self) -> tuple[str, ...]:
        """The measures that were omitted because a part of Sfumato is not installed, in the words
        of each family."""
        said = [*self.left_out.values(), *self.results["risk"].notes]
        if "usefulness" in self.results:
            said += self.results["usefulness"].not_said.values()
        if "attacks" in self.results:
            said += [run.reason for run in self.results["attacks"]]
        return tuple(words for words in dict.fromkeys(said) if NOT_INSTALLED in words)


def measured(case: Case) -> CaseMeasures:
    """Risk, special uniques, usefulness, attacks and ADS0, with their shares of the work."""
    subject, moved = case.subject, case.asked.moved
    results: dict[str, Any] = {}
    left_out: dict[str, str] = {}

    def measure(name: str, family: Callable[[], Any]) -> None:
        """A family itself reports where it has nothing to measure, or a part of Sfumato is not
        installed."""
        try:
            results[name] = family()
        except Mistake as reason:
            tried = f" Try {reason.attempt}" if isinstance(reason, MissingExtra) else ""
            left_out[name] = f"{reason.asked} {reason.found}".strip() + tried

    moved(0.1)
    results["risk"] = measure_risks(
        subject
    )  # What is wrong with a population or with weights is told, not left out.
    moved(0.25)
    subject.progress("counting how many values identify people")
    released = released_fields(case)
    measure("unicity", lambda: case_unicity(case, released))
    measure("identifying_sets", lambda: case_identifying_sets(case, released))
    measure("groups", lambda: case_group_risks(released))
    dates = case_intervals(case, released)
    if dates is not None:
        results["intervals"] = dates
    close = _closeness(case)
    if close.fields:
        results["closeness"] = close
    moved(0.3)
    if case.asked.quick:
        left_out["suda"] = QUICK
    else:
        subject.progress("looking for special uniques")
        measure("suda", lambda: suda2_of(subject, people=results["risk"].after.people.total))
    moved(0.4)
    if subject.source is None:
        left_out["usefulness"] = QUICK if case.asked.quick else NO_SOURCE
    else:
        measure("usefulness", lambda: measure_usefulness(subject))
    moved(0.6)
    if case.asked.attacks:
        measure(
            "attacks",
            lambda: run_attacks(
                subject,
                also_known=few_valued_fields(case, released),
                bounded=_bounded(case),
                moved=lambda share: moved(0.6 + 0.35 * share),
            ),
        )
    else:
        left_out["attacks"] = QUICK if case.asked.quick else SWITCHED_OFF
    if dates is not None and released.source_tables and "attacks" in results:
        subject.progress("looking for people by the days between their dates")
        run = attack_by_intervals(case, released)
        results["attacks"] = replace(results["attacks"], runs=(*results["attacks"].runs, run))
    subject.progress("finding whom a row points to")
    ads0 = _ads0(case, left_out)
    moved(1.0)
    return CaseMeasures(results=results, left_out=left_out, ads0=ads0)


def _closeness(case: Case) -> ClosenessFindings:
    """Every sensitive number that is released, over what somebody may know at once."""
    subject, bounded = case.subject, _bounded(case)
    known = [subject.known]
    if bounded is not None:
        register = tuple(name for name in subject.known if name in bounded.register)
        known = [(*register, *others) for others in bounded.sets(subject, among=subject.known)]
    released = {info.name for info in subject.release.fields()}
    every = dict.fromkeys((*subject.sensitive, *case.opened.seen.sensitive))
    fields = [name for name in every if name in released]
    return measure_closeness(subject.release, fields, known=known, person=subject.person)


def _bounded(case: Case) -> BoundedAttacker | None:
    """The knowledge of an attacker where the policy bounds it, unless the knowledge of others was
    asked for."""
    policy = case.opened.policy
    if case.asked.known or policy is None:
        return None
    asked = bounded_knowledge(policy)
    register = () if asked is None else _in_view(case, asked.register)
    if asked is None or len(case.subject.known) <= len(register) + asked.m:
        return None
    return BoundedAttacker(register=register, m=asked.m)


def _in_view(case: Case, fields: Sequence[str]) -> tuple[str, ...]:
    """The known fields that a requirement names; one of several tables also by its name there."""
    sight = case.opened.seen.sight
    quasi = sight.quasi if sight is not None else ()
    own = {item.called: {item.called, item.field, item.name} for item in quasi}
    return tuple(name for name in case.subject.known if own.get(name, {name}) & {*fields})


def estimated_seconds(case: Case) -> float:
    """About how many CPU seconds the measures take, from rows, fields and attacks, as counted on
    wide and long tables."""
    subject = case.subject
    rows, fields = subject.release.count_rows(), len(subject.release.fields())
    seconds = START + CELL * rows * fields
    if case.asked.attacks and subject.source is not None:
        attacks = USUAL_ATTACKS + 2 * len(subject.sensitive)
        seconds += ATTACK * attacks * min(rows, MOST_ROWS)
    return seconds


def _ads0(case: Case, left_out: dict[str, str]) -> Ads0 | None:
    """Against the population where there is one, else against the source as if it were a register
    of its people."""
    if case.subject.person is not None:
        left_out["ads0"] = "people have several rows, and those of several bins cannot be added up"
        return None
    found = ads0_of(case.subject)
    if found.reason.startswith(UNDECIDED):
        left_out["ads0"] = found.reason.removeprefix(UNDECIDED)
        return None
    return found
