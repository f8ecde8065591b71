"""Refreshing views: each recipient profile gets its own release, judged with all earlier ones. It
is readable only when all profiles have passed.

Profiles are released in their order. A profile's first release is solved under the policy; later
ones keep its levels, so that people whose values are unchanged stay in their bins. People whom a
release would single out beside earlier ones are held back (`cohorts.py`). Where that holds back
more people than the policy allows, coarser levels of earlier profiles are taken. The bins of the
new release are then unions of theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import CandidateFailed, Mistake, NoRecodingFound, SfumatoError
from sfumato.keys import Key
from sfumato.policy import Policy
from sfumato.register import (
    JointClasses,
    Ledger,
    LedgerRequirement,
    LedgerVerdict,
    people_to_hold_back,
)
from sfumato.releases import (
    ONE_TABLE,
    HeldBack,
    PeopleRecord,
    PeopleRecordRequest,
    PolicyLike,
    Release,
    found_policy,
    known_fields,
    release,
)
from sfumato.runs import claim, temporary_folder
from sfumato.solvers import AnytimeSettings, BestSettings, GivenSettings

from .history import ShownRelease, ViewHistory
from .joint_requirement import joint_requirement
from .view_places import ViewPlace, view_place
from .view_request import (
    check_apart,
    check_still_apart,
    chosen_profiles,
    default_state,
    source_table,
    view_name,
)

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class ProfileView:
    """The release that a profile reads now. `waiting` people are in no release yet, `held_back`
    others are left out of this one; both are for the holder."""

    profile: str
    place: str
    rows: int
    waiting: int
    held_back: int
    levels: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class RefreshedViews:
    """The views of all profiles after a refresh, and the verdicts on all that was ever shown: to
    profiles together, and to each apart."""

    number: int
    profiles: tuple[ProfileView, ...]
    verdicts: Mapping[str, LedgerVerdict] = field(repr=False)
    state: Path

    def as_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "profiles": [
                {
                    "profile": each.profile,
                    "place": each.place,
                    "rows": each.rows,
                    "waiting": each.waiting,
                    "held_back": each.held_back,
                    "levels": dict(each.levels),
                }
                for each in self.profiles
            ],
            "verdicts": {name: each.as_dict() for name, each in self.verdicts.items()},
            "state": str(self.state),
        }


def refresh_views(
    source: Any,
    policy: PolicyLike | None = None,
    *,
    to: str | Path,
    key: Key,
    profiles: Sequence[str] = (),
    apart: Sequence[str] = (),
    state: str | Path | None = None,
    person: str = "",
    roles: Mapping[str, str] | None = None,
    anew: bool = False,
    progress: Progress = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> RefreshedViews:
    """Give each recipient profile of the policy its own view of a live source.

    `to` is a folder, in which each profile has a DuckDB file, or the address of a PostgreSQL
    database. There each profile has a schema of views for the role of its name, or of the name in
    `roles`. `profiles` are those of the policy in their order, unless named. All that their
    recipients hold is judged together, except for profiles that are `apart`. Recipients of these
    are trusted to share nothing with the others. `state` is a private folder with the history of
    all releases; keep it, and the key, as you keep the source.

    Views show the last release that was judged, and change over together. A refresh that would
    disclose too much, beside all earlier releases, raises CandidateFailed and changes nothing.
    `anew` solves again in place of keeping the levels of the last release."""
    found = found_policy(source, policy)
    if found is None:
        raise Mistake(
            "Views were asked for.", found="There is no policy.", attempt="--policy FILE."
        )
    chosen = chosen_profiles(found, profiles)
    check_apart(chosen, apart)
    requirement = joint_requirement(found)
    history = ViewHistory(Path(state) if state is not None else default_state(to))
    schema, table = source_table(options)
    name = table or view_name(source)
    place = view_place(to, history, name=name, table=table, roles=roles or {}, schema=schema)
    check_still_apart(history, chosen, apart)
    with claim(history.folder):
        place.check(found, chosen)
        history.make_folders()
        refresh = _Refresh(
            source=source,
            policy=found,
            profiles=chosen,
            apart=frozenset(apart),
            requirement=requirement,
            place=place,
            history=history,
            key=key,
            person=person or found.entity or "",
            anew=anew,
            progress=progress,
            clock=clock,
            options=options,
        )
        return refresh.run()


@dataclass(eq=False, kw_only=True)
class _Made:
    """A release of one profile that nobody can read yet."""

    release: Release
    record: PeopleRecord
    waiting: int = 0
    held_back: int = 0

    @property
    def levels(self) -> dict[str, int]:
        """The level of each field; that of an only table has no table before it, also where people
        have several rows."""
        found = self.release.manifest["recoding"]["levels"]
        return {name.removeprefix(f"{ONE_TABLE}."): level for name, level in found.items()}


@dataclass(eq=False, kw_only=True)
class _Refresh:
    """One run over all profiles."""

    source: Any
    policy: Policy
    profiles: tuple[str, ...]
    apart: frozenset[str]
    requirement: LedgerRequirement
    place: ViewPlace
    history: ViewHistory
    key: Key = field(repr=False)
    person: str
    anew: bool
    progress: Progress
    clock: Callable[[], datetime]
    options: dict[str, Any]

    def run(self) -> RefreshedViews:
        number = self.history.next_number
        made: dict[str, _Made] = {}
        with temporary_folder() as folder:
            try:
                verdicts = {}
                for name, group in self._groups().items():
                    shown = self.history.held(name if group[0] in self.apart else "")
                    self._check_known(group, shown)
                    ledger = self.history.ledger(shown)
                    beside: dict[str, _Made] = {}
                    for profile in group:
                        self.progress(f"releasing to {profile}")
                        beside[profile] = self._make(profile, number, ledger, beside, folder)
                        ledger.add(f"{profile} {number}", beside[profile].record)
                    verdicts[name] = self._judged(ledger)
                    made |= beside
                self._record(made, number)
            except BaseException:
                for profile in self.profiles:
                    with suppress(
                        SfumatoError
                    ):  # What went wrong first is what a person must read.
                        self.place.discard(profile, number)
                raise
        self.progress("changing the views over")
        self.place.change_over({name: each.release for name, each in made.items()}, number)
        return RefreshedViews(
            number=number,
            profiles=tuple(self._view(name, made[name]) for name in self.profiles),
            verdicts=verdicts,
            state=self.history.folder,
        )

    def _groups(self) -> dict[str, tuple[str, ...]]:
        """Profiles that are judged together, by the name of their group."""
        together = tuple(each for each in self.profiles if each not in self.apart)
        groups = {"together": together} if together else {}
        return groups | {each: (each,) for each in self.profiles if each in self.apart}

    def _judged(self, ledger: Ledger) -> LedgerVerdict:
        self.progress("judging all that was shown")
        verdict = ledger.judge(self.requirement)
        if verdict.outcome != "pass":
            raise CandidateFailed(
                "The views were not changed.",
                found=f"All that recipients would hold together: {verdict.reason}.",
                attempt="fewer profiles, coarser hierarchies, or waiting for more people.",
            )
        return verdict

    def _make(
        self,
        profile: str,
        number: int,
        ledger: Ledger,
        before: Mapping[str, _Made],
        folder: Path,
    ) -> _Made:
        """The release of one profile, without people whom it would single out."""
        last = self.history.last(profile)
        levels = dict(last.levels) if last is not None and not self.anew else None
        first = self._released(profile, number, folder, levels=levels)
        made = self._without_exposed(profile, number, ledger, first, folder)
        if made is not None:
            return made
        coarser = {
            name: max(level, *(each.levels.get(name, 0) for each in before.values()), 0)
            for name, level in first.levels.items()
        }
        if coarser != first.levels:
            again = self._released(profile, number, folder, levels=coarser)
            made = self._without_exposed(profile, number, ledger, again, folder)
        if made is not None:
            return made
        raise NoRecodingFound(
            f"No release to {profile} was found that leaves out at most "
            f"{self.policy.require.max_suppression:.1%} of people beside what was shown before.",
            found=f"More of the {first.record.people} people would be held back, because other "
            "releases and this one together single them out.",
            attempt="a larger max_suppression, the same linking fields in all profiles, or fewer "
            "profiles.",
        )

    def _without_exposed(
        self, profile: str, number: int, ledger: Ledger, made: _Made, folder: Path
    ) -> _Made | None:
        """The same release without the people whom it would single out beside earlier ones; None
        where these are too many. Newcomers wait without limit."""
        trial = Ledger(ledger.tags, ledger.views, key_check=ledger.key_check)
        bins = trial.add("new", made.record).read("bins")
        classes = JointClasses.of(view.read("bins") for view in ledger.views).class_of
        class_of = np.zeros(len(bins), np.int32)
        class_of[: len(classes)] = classes
        held = np.zeros(len(bins), bool)
        chance = np.argsort(trial.tags, kind="stable")  # Keyed numbers have an order by chance.
        held[chance] = people_to_hold_back(class_of[chance], bins[chance], k=self.requirement.k)
        if not held.any():
            return made
        is_new = class_of == 0
        waiting, held_back = int((held & is_new).sum()), int((held & ~is_new).sum())
        if held_back > self.policy.require.max_suppression * made.record.people:
            return None
        self.progress(f"holding people back from {profile}")
        exposed = HeldBack(tags=trial.tags[held], key=self.key, person=self.person)
        try:
            again = self._released(profile, number, folder, levels=made.levels, held_back=exposed)
        except NoRecodingFound:  # Without these people, others are too many of those left.
            return None
        again.waiting, again.held_back = waiting, held_back
        return again

    def _released(
        self,
        profile: str,
        number: int,
        folder: Path,
        *,
        levels: Mapping[str, int] | None,
        held_back: HeldBack | None = None,
    ) -> _Made:
        record = folder / f"{profile}.people"
        record.unlink(missing_ok=True)
        made = release(
            self.source,
            replace(self.policy, recipient=profile),
            key=self.key,
            solver=_solver(self.policy, levels),
            keep_people=PeopleRecordRequest(
                file=record, key=self.key, person=self.person, fields=self._known(profile)
            ),
            held_back=held_back,
            clock=self.clock,
            **self.place.target(profile, number),
            **self.options,
        )
        _check_made(made, profile)
        return _Made(release=made, record=PeopleRecord.read(record))

    def _known(self, profile: str) -> tuple[str, ...]:
        """The fields that somebody may know who holds the releases of a profile, and of all that
        are judged with it."""
        if profile in self.apart:
            return known_fields(replace(self.policy, recipient=profile))
        shown = {each.profile for each in self.history.held()} & self.policy.recipients.keys()
        together = [each for each in self.profiles if each not in self.apart]
        policies = (replace(self.policy, recipient=each) for each in (*together, *sorted(shown)))
        return tuple(dict.fromkeys(name for each in policies for name in known_fields(each)))

    def _check_known(self, group: Sequence[str], shown: Sequence[ShownRelease]) -> None:
        """Refuse recipients who may know a field by which earlier releases were not judged."""
        known = self._known(group[0])
        missing = [name for name in known if any(name not in each.fields for each in shown)]
        if missing:
            raise Mistake(
                f"Views were asked for of {', '.join(group)}.",
                found=f"Their recipients may know {', '.join(missing)}, and earlier views were not "
                "judged by that.",
                attempt="the linking of before, or a new place with a new --state and other "
                "recipients.",
            )

    def _record(self, made: Mapping[str, _Made], number: int) -> None:
        """Record the new releases, before anybody can read them."""
        shown = []
        for profile, each in made.items():
            file = f"{profile}-{number}.people"
            each.record.save(self.history.records / file)
            shown.append(
                ShownRelease(
                    number=number,
                    profile=profile,
                    created=str(each.release.manifest["created"]),
                    digest=each.release.digest,
                    record=file,
                    tables=tuple(self.place.tables(each.release)),
                    levels=each.levels,
                    apart=profile in self.apart,
                    fields=each.record.fields,
                )
            )
        self.history.add(shown)

    def _view(self, profile: str, made: _Made) -> ProfileView:
        return ProfileView(
            profile=profile,
            place=self.place.called(profile),
            rows=made.release.rows,
            waiting=made.waiting,
            held_back=made.held_back,
            levels=dict(made.release.manifest["recoding"]["level_names"]),
        )


def _solver(
    policy: Policy, levels: Mapping[str, int] | None
) -> GivenSettings | AnytimeSettings | None:
    """The levels of the release before; of a first release the policy's solver, of one that takes
    either kind of recoding the global one, whose levels later releases can keep."""
    if levels is not None:
        return GivenSettings(levels=dict(levels))
    asked = policy.solve.settings
    if not isinstance(asked, BestSettings):
        return None
    return AnytimeSettings(seconds=asked.seconds, work=asked.work, gap=asked.gap)


def _check_made(made: Release, profile: str) -> None:
    if made.outcome != "pass":
        raise CandidateFailed(
            f"The release to {profile} is *{made.outcome}*, and views show what has passed.",
            attempt="sfumato release with this profile, whose report says what a person must decide.",
        )
    if made.manifest.get("recoding", {}).get("kind") != "global":
        raise Mistake(
            f"Views of {profile} were asked for.",
            found="The solver recodes bin by bin, and later releases could not keep its recoding.",
            attempt='solver = "anytime" or "optimal" in the policy.',
        )
