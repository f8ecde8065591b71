"""Releases to several recipient profiles in one run: one folder with a release for each, judged
together by their product (Sweeney 1997, section 3: a release per profile of the recipient).

`refresh.py` does the same for a live source, and remembers what was shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sfumato.engines import is_address
from sfumato.errors import Mistake
from sfumato.keys import Key
from sfumato.policy import Policy
from sfumato.register import Ledger, LedgerVerdict
from sfumato.releases import (
    PROFILES,
    PolicyLike,
    ProfileFolder,
    Release,
    aside,
    check_target,
    found_policy,
)
from sfumato.runs import temporary_folder

from .joint_releases import JointReleases, Progress, fields_known_to, judged_groups
from .joint_requirement import joint_requirement
from .release_maker import ProfileRelease, ReleaseMaker
from .repeated_draws import check_one_draw, check_same_rows
from .row_names import check_rows_apart
from .view_request import check_apart, chosen_profiles, person_of

REQUEST: Final = "Releases to several profiles were asked for"


@dataclass(frozen=True, kw_only=True)
class ProfileReleases:
    """The releases of one run, by profile, and the verdicts on what recipients hold together.

    `held_back` has for each profile the number of people whom its release and the ones before
    would expose together; they are left out of it. `digest` is that of `profiles.json`."""

    folder: Path
    releases: Mapping[str, Release]
    verdicts: Mapping[str, LedgerVerdict] = field(repr=False)
    held_back: Mapping[str, int]
    digest: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "profiles": {
                name: {
                    "folder": str(made.folder),
                    "outcome": made.outcome,
                    "rows": made.rows,
                    "rows_suppressed": made.rows_suppressed,
                    "held_back": self.held_back[name],
                    "levels": dict(made.manifest["recoding"]["level_names"]),
                    "digest": made.digest,
                }
                for name, made in self.releases.items()
            },
            "verdicts": {name: each.as_dict() for name, each in self.verdicts.items()},
            "digest": self.digest,
        }


def release_profiles(
    source: Any,
    policy: PolicyLike | None = None,
    *,
    to: str | Path,
    profiles: Sequence[str] = (),
    apart: Sequence[str] = (),
    key: Key | None = None,
    person: str = "",
    keep_people: str | Path | None = None,
    replace: bool = False,
    progress: Progress = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> ProfileReleases:
    """Make a release for each of several recipient profiles, and judge all of them together.

    `to` is a new folder, in which each profile has a folder with its release. `profiles` are those
    of the policy in their order, unless named; the one that may see most comes first. A person who
    holds several of the releases is judged to hold their product. People whom a release would
    expose beside the ones before it are held back from it, or all profiles are solved anew,
    together. Profiles that are `apart` are judged alone: their recipients share nothing.

    `person` is the field that identifies the person of a row, where it is not the policy's entity;
    it need not be released. `keep_people` names a new folder for the people record of each release.
    Further keywords are those of `release`. Raises NoRecodingFound or CandidateFailed where the
    releases together would break the policy's requirement; nothing is written then."""
    if keep_people is not None and key is None:
        raise Mistake(
            "People records were asked for.",
            found="There is no key to number people with.",
            attempt="--key, the same for all releases about the same people.",
        )
    run = _ProfileRun.of(
        source, policy, profiles=profiles, apart=apart, to=to, person=person, kept=keep_people
    )
    for group in judged_groups(run.profiles, run.apart).values():
        check_one_draw(run.policy, group, has_key=key is not None, request=REQUEST)
        check_rows_apart(run.policy, group, has_key=key is not None, request=REQUEST)
    check_target(run.target, replace=replace)
    with temporary_folder() as scratch, aside(run.target, replace=replace) as folder:
        # People are numbered with a key that is gone after the run, unless records are kept.
        numbering = key if key is not None else Key.generate()
        maker = ReleaseMaker(
            source=source,
            policy=run.policy,
            key=numbering,
            person=run.person,
            scratch=scratch,
            place=lambda profile: {"to": folder / profile, "key": key, "replace": True},
            clock=clock,
            options=options,
        )
        requirement = joint_requirement(run.policy, request=REQUEST)
        joint = JointReleases(maker=maker, requirement=requirement, progress=progress)
        made, verdicts = run.make(joint)
        facts = run.facts(made, verdicts)
        (folder / PROFILES).write_text(facts.text, encoding="utf-8")
        run.keep(made)
    return ProfileReleases(
        folder=run.target,
        releases={name: _moved(each.release, run.target / name) for name, each in made.items()},
        verdicts=verdicts,
        held_back={name: each.held_back + each.waiting for name, each in made.items()},
        digest=facts.digest,
    )


@dataclass(frozen=True, kw_only=True)
class _ProfileRun:
    """A request that was checked before anything is read."""

    policy: Policy
    profiles: tuple[str, ...]
    apart: frozenset[str]
    target: Path
    person: str
    kept: Path | None

    @classmethod
    def of(
        cls,
        source: Any,
        policy: PolicyLike | None,
        *,
        profiles: Sequence[str],
        apart: Sequence[str],
        to: str | Path,
        person: str,
        kept: str | Path | None,
    ) -> _ProfileRun:
        if isinstance(to, str) and is_address(to):
            raise Mistake(
                f"{REQUEST}.",
                found="They are written to a folder.",
                attempt="--to with a folder, or sfumato views for schemas of a database.",
            )
        found = found_policy(source, policy)
        if found is None:
            raise Mistake(f"{REQUEST}.", found="There is no policy.", attempt="--policy FILE.")
        chosen = chosen_profiles(found, profiles, request=REQUEST)
        check_apart(chosen, apart)
        return cls(
            policy=found,
            profiles=chosen,
            apart=frozenset(apart),
            target=Path(to),
            person=person_of(found, person, request=REQUEST),
            kept=_record_folder(kept, Path(to)),
        )

    def make(
        self, joint: JointReleases
    ) -> tuple[dict[str, ProfileRelease], dict[str, LedgerVerdict]]:
        """The releases of all profiles, and the verdict on each group."""
        made: dict[str, ProfileRelease] = {}
        verdicts: dict[str, LedgerVerdict] = {}
        for name, group in judged_groups(self.profiles, self.apart).items():
            ledger = Ledger()
            known = fields_known_to(self.policy, group)
            made |= joint.make(group, ledger, known=known, called=lambda profile: profile)
            check_same_rows(self.policy, (made[each] for each in group))
            verdicts[name] = joint.judge(ledger, asked="The releases were not made.")
        return {name: made[name] for name in self.profiles}, verdicts

    def facts(
        self, made: Mapping[str, ProfileRelease], verdicts: Mapping[str, LedgerVerdict]
    ) -> ProfileFolder:
        return ProfileFolder(
            digests={name: each.release.digest for name, each in made.items()},
            apart=tuple(name for name in self.profiles if name in self.apart),
            verdicts={name: each.as_dict() for name, each in verdicts.items()},
        )

    def keep(self, made: Mapping[str, ProfileRelease]) -> None:
        """Keep the people records, for the register."""
        if self.kept is None:
            return
        self.kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, each in made.items():
            each.record.save(self.kept / f"{name}.people")


def _record_folder(asked: str | Path | None, target: Path) -> Path | None:
    if asked is None:
        return None
    folder = Path(asked)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Mistake(
            f"People records were asked for in {folder}.",
            found="It is there, and nothing is overwritten.",
            attempt="a folder that does not exist yet.",
        )
    if folder.resolve().is_relative_to(target.resolve()):
        raise Mistake(
            f"People records were asked for in {folder}.",
            found="It is inside the releases, and the records are private.",
            attempt="a folder elsewhere.",
        )
    return folder


def _moved(made: Release, folder: Path) -> Release:
    """The release at its last place."""
    before = made.folder
    assert before is not None

    def now(place: Path | str) -> Path | str:
        return folder / Path(place).relative_to(before)

    return replace(
        made,
        folder=folder,
        table=now(made.table),
        tables={name: now(each) for name, each in made.tables.items()},
    )
