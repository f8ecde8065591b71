"""Refreshing views: each recipient profile gets its own release, judged with all earlier ones. It
is readable only when all profiles have passed.

A profile's first release is solved under the policy; later ones keep its levels, so that people
whose values are unchanged stay in their bins (`joint_releases.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sfumato.errors import Mistake, SfumatoError
from sfumato.keys import Key
from sfumato.policy import Policy
from sfumato.register import LedgerRequirement, LedgerVerdict
from sfumato.releases import PolicyLike, found_policy
from sfumato.runs import claim, temporary_folder

from .history import ShownRelease, ViewHistory
from .joint_releases import JointReleases, Progress, fields_known_to, judged_groups
from .joint_requirement import joint_requirement
from .release_maker import ProfileRelease, ReleaseMaker
from .repeated_draws import check_no_draws
from .row_names import check_rows_apart
from .view_places import ViewPlace, view_place
from .view_request import (
    VIEWS,
    check_apart,
    check_still_apart,
    chosen_profiles,
    default_state,
    person_of,
    source_table,
    view_name,
)


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
    check_no_draws(found, request=VIEWS)
    for group in judged_groups(chosen, frozenset(apart)).values():
        check_rows_apart(found, group, has_key=True, request=VIEWS)
    requirement = joint_requirement(found)
    person = person_of(found, person)
    history = ViewHistory(Path(state) if state is not None else default_state(to), key=key)
    schema, table = source_table(options)
    name = table or view_name(source)
    place = view_place(to, history, name=name, table=table, roles=roles or {}, schema=schema)
    with claim(history.folder):
        history.read()
        check_still_apart(history, chosen, apart)
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
            person=person,
            anew=anew,
            progress=progress,
            clock=clock,
            options=options,
        )
        return refresh.run()


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
        made: dict[str, ProfileRelease] = {}
        with temporary_folder() as folder:
            joint = self._joint(number, folder)
            try:
                verdicts = {}
                for name, group in judged_groups(self.profiles, self.apart).items():
                    shown = self.history.held(name if group[0] in self.apart else "")
                    known = self._known(group)
                    self._check_known(group, known, shown)
                    ledger = self.history.ledger(shown)
                    made |= joint.make(
                        group,
                        ledger,
                        known=known,
                        called=lambda profile: f"{profile} {number}",
                        levels=self._last_levels,
                    )
                    verdicts[name] = joint.judge(ledger, asked="The views were not changed.")
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

    def _joint(self, number: int, folder: Path) -> JointReleases:
        maker = ReleaseMaker(
            source=self.source,
            policy=self.policy,
            key=self.key,
            person=self.person,
            scratch=folder,
            place=lambda profile: {**self.place.target(profile, number), "key": self.key},
            clock=self.clock,
            options=self.options,
        )
        return JointReleases(maker=maker, requirement=self.requirement, progress=self.progress)

    def _last_levels(self, profile: str) -> Mapping[str, int] | None:
        last = self.history.last(profile)
        return dict(last.levels) if last is not None and not self.anew else None

    def _known(self, group: Sequence[str]) -> tuple[str, ...]:
        """The fields that somebody may know who holds the releases of a group, and of all that are
        judged with it."""
        if group[0] in self.apart:
            return fields_known_to(self.policy, group)
        shown = {each.profile for each in self.history.held()} & self.policy.recipients.keys()
        return fields_known_to(self.policy, (*group, *sorted(shown)))

    def _check_known(
        self, group: Sequence[str], known: Sequence[str], shown: Sequence[ShownRelease]
    ) -> None:
        """Refuse recipients who may know a field by which earlier releases were not judged."""
        missing = [name for name in known if any(name not in each.fields for each in shown)]
        if missing:
            raise Mistake(
                f"Views were asked for of {', '.join(group)}.",
                found=f"Their recipients may know {', '.join(missing)}, and earlier views were not "
                "judged by that.",
                attempt="the linking of before, or a new place with a new --state and other "
                "recipients.",
            )

    def _record(self, made: Mapping[str, ProfileRelease], number: int) -> None:
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

    def _view(self, profile: str, made: ProfileRelease) -> ProfileView:
        return ProfileView(
            profile=profile,
            place=self.place.called(profile),
            rows=made.release.rows,
            waiting=made.waiting,
            held_back=made.held_back,
            levels=dict(made.release.manifest["recoding"]["level_names"]),
        )
