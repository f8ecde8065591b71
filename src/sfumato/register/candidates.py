"""Candidates: releases that the ledger judges before anything of them is written.

A group's holdings are a requirement like any other. A release that would break it together with
earlier ones fails, or is solved anew with coarser labels until the ledger accepts it. Nothing is
recorded: a candidate waits until it is submitted, or added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sfumato.errors import CandidateFailed, Mistake, PolicyError
from sfumato.hierarchies import Suppression
from sfumato.policy import Policy, Role, read_policy
from sfumato.releases import Key, PeopleRecord, PeopleRecordRequest, Release, release

from .ledger_verdict import LedgerVerdict
from .register import Register

MOST_LEVELS: Final = 12
"""The most levels of a hierarchy that are tried."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidate:
    """A release that waits: what was made, its people record, and the verdicts on all that its
    groups would hold. `finest` is the level from which its policy was solved anew; 0 as it was."""

    made: Release
    people: Path
    verdicts: Mapping[str, LedgerVerdict]
    finest: int = 0


@dataclass(eq=False, kw_only=True)
class _LedgerJudge:
    """Judges a people record while its release is made, and keeps the verdicts."""

    register: Register
    group: str
    verdicts: Mapping[str, LedgerVerdict] = field(default_factory=dict)
    failed: bool = False

    def __call__(self, record: PeopleRecord) -> None:
        self.failed = False
        try:
            self.verdicts = self.register.judge_candidate(record, group=self.group)
        except CandidateFailed:
            self.failed = True
            raise


def make_candidate(
    register: Register,
    source: Any,
    policy: str | Path | Policy,
    *,
    to: str | Path,
    group: str,
    people: str | Path | None = None,
    key: Key | None = None,
    person: str = "",
    solve_anew: bool = False,
    attempted: Callable[[int], None] = lambda finest: None,
    **options: Any,
) -> Candidate:
    """Make a release for a group, judged with all that the group holds before it is written.

    Raises CandidateFailed where that breaks the charter's requirement. With `solve_anew`, the
    policy's quasi-identifiers are first tried from each coarser level on. `people` is the file of
    the people record, by default beside the release."""
    target = Path(to)
    file = target.with_name(f"{target.name}.people") if people is None else Path(people)
    judge = _LedgerJudge(register=register, group=group)
    kept = PeopleRecordRequest.of(file, key=key, person=person, target=target, judge=judge)
    levels = _CoarserLevels(policy) if solve_anew else None
    refused: CandidateFailed | None = None
    finest = 0
    while True:
        try:
            asked = policy if levels is None else levels.policy
            made = release(source, asked, to=to, key=key, keep_people=kept, **options)
        except CandidateFailed as error:
            if not judge.failed:
                raise
            refused = error
        except PolicyError as error:
            if levels is None or not levels.bounded(error):
                raise
            continue
        else:
            return Candidate(made=made, people=file, verdicts=judge.verdicts, finest=finest)
        if levels is None or not levels.raise_level():
            assert refused is not None
            raise refused
        finest = levels.level
        attempted(finest)


class _CoarserLevels:
    """A policy, then the same with labels from each coarser level on: first of fields with a
    hierarchy of several levels, then also without those that can only be suppressed."""

    def __init__(self, policy: str | Path | Policy) -> None:
        read = policy if isinstance(policy, Policy) else read_policy(Path(policy))
        if read.tables or read.channels is not None:
            raise Mistake(
                "A release was to be solved anew against the ledger.",
                found="It has several tables, or channels.",
                attempt="a policy with coarser labels.",
            )
        self._read, self.level, self._suppressed = read, 0, False
        quasi = {
            name: decided.hierarchy
            for name, decided in read.fields.items()
            if decided.role is Role.QUASI and not isinstance(decided.finest, str)
        }
        self._several = {
            name: MOST_LEVELS
            for name, hierarchy in quasi.items()
            if hierarchy is not None and not isinstance(hierarchy, Suppression)
        }
        self._others = [name for name in quasi if name not in self._several]

    @property
    def policy(self) -> Policy:
        finest = {name: min(self.level, most) for name, most in self._several.items()}
        if self._suppressed:
            finest |= dict.fromkeys(self._others, 1)
        fields = {
            name: replace(decided, finest=max(finest[name], int(decided.finest or 0)) or None)
            if name in finest
            else decided
            for name, decided in self._read.fields.items()
        }
        return replace(self._read, fields=fields)

    def bounded(self, error: PolicyError) -> bool:
        """Learn from a refusal which hierarchies have no such level; False where there is more."""
        names = {f"fields.{name}.hierarchy": name for name in self._several}
        places = {problem.where for problem in error.problems}
        if not self.level or not places <= names.keys():
            return False
        for place in places:
            self._several[names[place]] = self.level - 1
        return True

    def raise_level(self) -> bool:
        """The next coarser policy; False where there is none."""
        if any(most > self.level for most in self._several.values()):
            self.level += 1
            return True
        if self._suppressed or not self._others:
            return False
        self._suppressed = True
        return True
