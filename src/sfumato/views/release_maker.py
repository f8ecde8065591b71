"""The maker of releases to profiles: one release at a time, with its people record, where nobody can
read it yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sfumato.errors import CandidateFailed, Mistake
from sfumato.keys import Key
from sfumato.policy import Policy
from sfumato.releases import (
    ONE_TABLE,
    HeldBack,
    PeopleRecord,
    PeopleRecordRequest,
    Release,
    release,
)
from sfumato.solvers import AnytimeSettings, BestSettings, GivenSettings

from .common_profile import for_common_profile
from .exposed_people import Tags


@dataclass(eq=False, kw_only=True)
class ProfileRelease:
    """A release of one profile that nobody can read yet. `waiting` people are in no release yet,
    `held_back` others are left out of this one."""

    release: Release
    record: PeopleRecord
    waiting: int = 0
    held_back: int = 0

    @property
    def source_people(self) -> int:
        """All people of the source, of a sample those who were drawn."""
        return int(self._account["source"]) + self.waiting + self.held_back

    @property
    def left_out(self) -> int:
        """People of the source who are not in the release, and do not wait."""
        return int(self._account["left_out"]) + self.held_back

    @property
    def _account(self) -> Mapping[str, Any]:
        """The numbers of the person's table; of an only table, its own."""
        tables: Mapping[str, Any] = self.release.manifest["tables"]
        table = self.record.person.rpartition(".")[0]
        found = tables[table] if table in tables else next(iter(tables.values()))
        return dict(found["left_out"])

    @property
    def levels(self) -> dict[str, int]:
        """The level of each field; that of an only table has no table before it, also where people
        have several rows."""
        found = self.release.manifest["recoding"]["levels"]
        return {name.removeprefix(f"{ONE_TABLE}."): level for name, level in found.items()}

    @property
    def heights(self) -> dict[str, int]:
        """The highest level of each field."""
        found = self.release.manifest["hierarchies"]
        return {
            name.removeprefix(f"{ONE_TABLE}."): int(each["height"]) for name, each in found.items()
        }


@dataclass(eq=False, kw_only=True)
class ReleaseMaker:
    """Makes releases to profiles from one source.

    `key` numbers people, and `options` are keywords of `release`. `place` gives the keywords that
    say where the release of a profile is written."""

    source: Any
    policy: Policy
    key: Key = field(repr=False)
    person: str
    scratch: Path
    place: Callable[[str], Mapping[str, Any]]
    clock: Callable[[], datetime]
    options: Mapping[str, Any]

    def make(
        self,
        profile: str,
        known: tuple[str, ...],
        *,
        levels: Mapping[str, int] | None,
        held_back: Tags | None = None,
    ) -> ProfileRelease:
        """The release to a profile, whose recipients may know the fields `known`; solved, where no
        `levels` are given."""
        policy = replace(self.policy, recipient=profile)
        where = {**self.place(profile), **self.options}
        return self._made(policy, known, levels=levels, held_back=held_back, where=where)

    def make_common(self, profiles: Sequence[str], known: tuple[str, ...]) -> ProfileRelease:
        """The release to the common profile of several. Nobody gets it."""
        policy = for_common_profile(self.policy, profiles)
        given = {**self.place(profiles[0]), **self.options}
        where = {
            name: value
            for name, value in given.items()
            if name not in ("sign", "lookup_file", "documents")
        }
        where |= {"to": self.scratch / "common", "replace": True}
        return self._made(policy, known, levels=None, held_back=None, where=where)

    def _made(
        self,
        policy: Policy,
        known: tuple[str, ...],
        *,
        levels: Mapping[str, int] | None,
        held_back: Tags | None,
        where: Mapping[str, Any],
    ) -> ProfileRelease:
        record = self.scratch / f"{policy.recipient}.people"
        record.unlink(missing_ok=True)
        made = release(
            self.source,
            policy,
            solver=_solver(policy, levels),
            keep_people=PeopleRecordRequest(
                file=record,
                key=self.key,
                person="" if policy.tables else self.person,
                fields=known,
            ),
            held_back=None
            if held_back is None
            else HeldBack(tags=held_back, key=self.key, person=self.person),
            clock=self.clock,
            **where,
        )
        _check_made(made, policy.recipient)
        return ProfileRelease(release=made, record=PeopleRecord.read(record))


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
            f"The release to {profile} is *{made.outcome}*, and only a *pass* is shown.",
            attempt="sfumato release with this profile, whose report says what a person must decide.",
        )
    if made.manifest.get("recoding", {}).get("kind") != "global":
        raise Mistake(
            f"Releases to several profiles were asked for, {profile} among them.",
            found="The solver recodes bin by bin, and other releases could not keep its recoding.",
            attempt='solver = "anytime" or "optimal" in the policy.',
        )
