"""Joint releases: a release for each of several recipient profiles, judged with all that the same
recipients hold.

Profiles are released in their order, each as it is solved alone. People whom a release would expose
beside the ones before are held back (`exposed_people.py`). Where more people would be left out than
the policy allows, profiles to which nothing was shown yet are solved anew together: the release to
their common profile gives the finest levels that the product may have, and the people in it. Each
profile keeps its own levels where these are coarser (`common_profile.py`). Where that fails too,
coarser levels of earlier profiles are taken: the bins of the new release are then unions of theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from sfumato.errors import CandidateFailed, NoRecodingFound
from sfumato.policy import Policy
from sfumato.register import JointClasses, Ledger, LedgerRequirement, LedgerVerdict
from sfumato.releases import known_fields

from .exposed_people import Tags, exposed_people
from .release_maker import ProfileRelease, ReleaseMaker

Progress = Callable[[str], None]
Levels = Callable[[str], Mapping[str, int] | None]
MOST_ROUNDS: Final = 8
"""Rounds of holding people back from one release."""
MOST_RAISED: Final = 12
"""Levels that are raised, one at a time, for the first release of all."""
ROUNDING: Final = 1e-9
NOBODY: Final = "without a person"
"""The end of a people record's reason where rows have no person."""


@dataclass(eq=False, kw_only=True)
class JointReleases:
    """Makes the releases of several profiles from one source, and judges them together."""

    maker: ReleaseMaker
    requirement: LedgerRequirement
    progress: Progress

    def make(
        self,
        profiles: Sequence[str],
        ledger: Ledger,
        *,
        known: tuple[str, ...],
        called: Callable[[str], str],
        levels: Levels = lambda profile: None,
    ) -> dict[str, ProfileRelease]:
        """The releases of profiles whose recipients hold all of `ledger` too, and may know the
        fields `known`. Each is added to the ledger by the name that `called` gives it. `levels`
        are those that a profile keeps, or None where it is solved."""
        refused: NoRecodingFound | None = None
        solved: dict[str, Mapping[str, int] | None] = {each: levels(each) for each in profiles}
        is_start = not ledger.views and len(profiles) > 1 and not self.maker.policy.tables
        for way in (_hold_back, _solve_together, _take_coarser) if is_start else (_take_coarser,):
            trial = Ledger(ledger.tags, ledger.views, key_check=ledger.key_check)
            run = _JointRun(
                maker=self.maker,
                requirement=self.requirement,
                progress=self.progress,
                known=known,
                ledger=trial,
                shown=_people_of(ledger) if ledger.views else None,
                solved=solved,
            )
            try:
                made = way(run, profiles, called)
            except NoRecodingFound as error:
                refused = refused or error
                continue
            if way is _take_coarser or trial.judge(self.requirement).outcome != "fail":
                ledger.tags, ledger.key_check = trial.tags, trial.key_check
                ledger.views = trial.views
                return made
        assert refused is not None
        raise refused

    def judge(self, ledger: Ledger, *, asked: str) -> LedgerVerdict:
        """The verdict on all that recipients hold; CandidateFailed where it is no pass."""
        self.progress("judging all that was shown")
        verdict = ledger.judge(self.requirement)
        if verdict.outcome != "pass":
            raise CandidateFailed(
                asked,
                found=f"All that recipients would hold together: {verdict.reason}.",
                attempt=self._attempt(verdict),
            )
        return verdict

    def _attempt(self, verdict: LedgerVerdict) -> str:
        """What may help: where nothing fails, only what was not judged is in the way."""
        if verdict.outcome == "fail":
            return "fewer profiles, coarser hierarchies, or waiting for more people."
        if any(reason.endswith(NOBODY) for reason in verdict.not_judged):
            return (
                f"a source in which every row has its person in {self.maker.person}, or one without "
                "the rows that have none: nobody can say whose they are in several releases."
            )
        return (
            "a policy and a source of which everything can be judged; what is not is named above."
        )


@dataclass(eq=False, kw_only=True)
class _JointRun:
    """One attempt at all profiles. `shown` are the people of earlier releases, None where there are
    none: others are newcomers, who wait without limit. `solved` are the levels of each profile
    alone, None until it is solved."""

    maker: ReleaseMaker
    requirement: LedgerRequirement
    progress: Progress
    known: tuple[str, ...]
    ledger: Ledger
    shown: Tags | None
    solved: dict[str, Mapping[str, int] | None]
    made: dict[str, ProfileRelease] = field(default_factory=dict)

    @property
    def limit(self) -> float:
        return self.maker.policy.require.max_suppression

    def alone(self, profile: str) -> ProfileRelease:
        """The release of one profile, whatever others hold."""
        self.progress(f"releasing to {profile}")
        made = self.maker.make(profile, self.known, levels=self.solved[profile])
        self.solved[profile] = made.levels
        return made

    def add(self, profile: str, made: ProfileRelease, *, called: str) -> None:
        self.made[profile] = made
        self.ledger.add(called, made.record)

    def first_of_all(self, profile: str, first: ProfileRelease) -> ProfileRelease | None:
        """The first release that anybody is shown. Where the rows of all tables, or fields that
        others know, expose more people than may be left out, levels are raised one at a time; None
        where that helps nobody."""
        made = self.without_exposed(profile, first)
        tolerated = replace(self.maker.policy, recipient=profile).profile.tolerates
        levels, heights = dict(first.levels), first.heights
        order = sorted(levels, key=lambda name: -tolerated(name.rpartition(".")[2]))
        for _ in range(MOST_RAISED if made is None else 0):
            lower = [name for name in order if levels[name] < heights.get(name, MOST_RAISED)]
            if not lower:
                break
            order = [*(name for name in order if name != lower[0]), lower[0]]
            levels[lower[0]] += 1
            raised = self.maker.make(profile, self.known, levels=levels)
            made = self.without_exposed(profile, raised)
            if made is not None:
                return made
        return made

    def without_exposed(
        self, profile: str, made: ProfileRelease, *, among: Tags | None = None
    ) -> ProfileRelease | None:
        """The same release without the people whom it would expose beside earlier ones, and without
        those who are not `among` the people of another; None where more people of the source would
        be left out than the policy allows.

        Where people have several rows, others may lose rows with those who are held back, and are
        looked at again."""
        held = np.zeros(0, np.uint64)
        for _ in range(MOST_ROUNDS):
            if among is not None:
                more = np.setdiff1d(made.record.tags, among)
            if among is None or not len(more):
                more = exposed_people(self.ledger, made.record, requirement=self.requirement)
            held = np.union1d(held, more)
            newcomers = 0 if self.shown is None else int((~np.isin(held, self.shown)).sum())
            out = made.left_out if not len(more) else len(held) - newcomers
            if out > self.limit * made.source_people + ROUNDING:
                return None
            if not len(more):
                return made
            self.progress(f"holding people back from {profile}")
            try:
                made = self.maker.make(profile, self.known, levels=made.levels, held_back=held)
            except NoRecodingFound:  # Without these people, others are too many of those left.
                return None
            made.waiting, made.held_back = newcomers, len(held) - newcomers
        return None

    def refusal(self, profile: str, first: ProfileRelease) -> NoRecodingFound:
        return NoRecodingFound(
            f"No release to {profile} was found that leaves out at most {self.limit:.1%} of people "
            "beside what others hold.",
            found=f"More of the {first.source_people} people would be left out, because other "
            "releases and this one together disclose too much of them.",
            attempt="a larger max_suppression, the same linking fields in all profiles, or fewer "
            "profiles.",
        )


def _hold_back(
    run: _JointRun, profiles: Sequence[str], called: Callable[[str], str]
) -> dict[str, ProfileRelease]:
    """Each profile as it is solved alone, without exposed people."""
    for profile in profiles:
        first = run.alone(profile)
        made = run.without_exposed(profile, first)
        if made is None:
            raise run.refusal(profile, first)
        run.add(profile, made, called=called(profile))
    return run.made


def _solve_together(
    run: _JointRun, profiles: Sequence[str], called: Callable[[str], str]
) -> dict[str, ProfileRelease]:
    """Each profile at the levels of the common release, or its own where they are coarser, and
    without the people whom the common release leaves out."""
    run.progress("solving for all profiles together")
    common = run.maker.make_common(profiles, run.known)
    for profile in profiles:
        first = run.alone(profile)
        coarser = {
            name: max(level, common.levels.get(name, 0)) for name, level in first.levels.items()
        }
        again = run.maker.make(profile, run.known, levels=coarser)
        made = run.without_exposed(profile, again, among=common.record.tags)
        if made is None:
            raise run.refusal(profile, first)
        run.add(profile, made, called=called(profile))
    return run.made


def _take_coarser(
    run: _JointRun, profiles: Sequence[str], called: Callable[[str], str]
) -> dict[str, ProfileRelease]:
    """Each profile as it is solved alone; where that leaves out too many, at coarser levels of the
    profiles before it."""
    for profile in profiles:
        first = run.alone(profile)
        made = None if run.ledger.views else run.first_of_all(profile, first)
        made = made or run.without_exposed(profile, first)
        coarser = {
            name: max(level, *(each.levels.get(name, 0) for each in run.made.values()), 0)
            for name, level in first.levels.items()
        }
        if made is None and coarser != first.levels:
            again = run.maker.make(profile, run.known, levels=coarser)
            made = run.without_exposed(profile, again)
        if made is None:
            raise run.refusal(profile, first)
        run.add(profile, made, called=called(profile))
    return run.made


def _people_of(ledger: Ledger) -> Tags:
    """The people whom a release of the ledger shows."""
    classes = JointClasses.of(view.read("bins") for view in ledger.views).class_of
    return ledger.tags[: len(classes)][classes > 0]


def fields_known_to(policy: Policy, profiles: Sequence[str]) -> tuple[str, ...]:
    """The fields that somebody may know who is a recipient of all these profiles; of several
    tables as TABLE.FIELD."""
    policies = [replace(policy, recipient=each) for each in profiles]
    if not policy.tables:
        return tuple(dict.fromkeys(name for each in policies for name in known_fields(each)))
    return tuple(
        dict.fromkeys(
            f"{table}.{name}"
            for each in policies
            for table in policy.tables
            for name in known_fields(each.of_table(table))
        )
    )


def judged_groups(profiles: Sequence[str], apart: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Profiles that are judged together, by the name of their group."""
    together = tuple(each for each in profiles if each not in apart)
    groups = {"together": together} if together else {}
    return groups | {each: (each,) for each in profiles if each in apart}
