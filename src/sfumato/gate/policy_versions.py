"""Versions of policies: every one that was ever in force or proposed, who made it, and who agreed
to it.

The first version of a table's policy is its file; others are made by administrators at the gate, or
by changing the file. A change that is provably stricter holds at once; any other waits until a
second person has agreed, at the gate and in the file alike. The newest one that was put in force
holds.
"""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Bug, NotAdmitted, PolicyError, Problem
from sfumato.hierarchies import CsvHierarchy
from sfumato.policy import Policy, policy_as_table, policy_as_toml, policy_from_table

from .settings import Settings
from .state import GateState
from .strictness import loosened

FILE: Final = "the file"
"""The author of a version that was read from the policy's file."""


class Status(StrEnum):
    PROPOSED = "proposed"
    IN_FORCE = "in force"
    REPLACED = "replaced"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version: the policy as the text of its file. `after` is the version that it was made
    from."""

    table: str
    number: int
    policy: str = field(repr=False)
    by: str
    why: str = ""
    time: str = ""
    status: Status = Status.PROPOSED
    decided_by: str = ""
    says: str = ""
    """The parts of the policy that differ from the version before."""
    after: int = 0
    at: float = 0.0
    """When it was made, in seconds: an account that is not older does not agree to it."""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The hierarchy files that it names, as they were when it was made: they are a part of it."""
    renews: int = 0
    """The version that it proposes anew; 0 for none."""


class Policies:
    """All versions of the policies of a gate's tables."""

    def __init__(self, state: GateState, settings: Settings) -> None:
        self._state, self._settings = state, settings

    def all_of(self, table: str) -> tuple[Version, ...]:
        """The oldest first."""
        rows = self._state.all(
            "SELECT content FROM policies WHERE holding = ? ORDER BY version", table
        )
        return tuple(_version(json.loads(row[0])) for row in rows)

    def one(self, table: str, number: int) -> Version:
        rows = self._state.all(
            "SELECT content FROM policies WHERE holding = ? AND version = ?", table, number
        )
        if not rows:
            raise NotAdmitted("There is no such version.", code="not-there")
        return _version(json.loads(rows[0][0]))

    def in_force(self, table: str) -> Version:
        found = [version for version in self.all_of(table) if version.status is Status.IN_FORCE]
        if len(found) != 1:
            raise Bug(f"table {table!r} has {len(found)} policies in force")
        return found[0]

    def from_file(self, table: str) -> Version | None:
        """The version that a table's file makes, not written down yet; None where the file is as it
        was.

        It is in force where it is the first one or provably stricter than the one in force, and
        proposed otherwise."""
        text = _text(self._settings.tables[table].policy)
        versions = self.all_of(table)
        files = [version for version in versions if version.by == FILE]
        beside = self._files(table, text)
        if (
            files
            and files[-1].policy == text
            and files[-1].files == beside
            and not self._is_outdated(files[-1])
        ):
            return None
        made = Version(
            table=table, number=len(versions) + 1, policy=text, by=FILE, time=_now(), status=Status.IN_FORCE,
            at=time.time(), files=beside,
        )  # fmt: skip
        if not versions:
            return made
        holds = self.in_force(table)
        changed = (
            name for name, content in beside.items() if holds.files.get(name, content) != content
        )
        says = ", ".join((*differing(as_table(holds.policy), as_table(text)), *changed))
        waits = loosened(self.read(table, holds), self.read(table, made))
        status = Status.PROPOSED if waits else Status.IN_FORCE
        return replace(made, says=says, after=holds.number, status=status)

    def _is_outdated(self, version: Version) -> bool:
        """Whether it waits, and another one is in force since: then it is proposed anew."""
        return (
            version.status is Status.PROPOSED
            and version.after != self.in_force(version.table).number
        )

    def new(self, table: str, policy: str, *, by: str, why: str) -> Version:
        """A version that was made at the gate, proposed and not written down yet."""
        holds = self.in_force(table)
        number = len(self.all_of(table)) + 1
        made = Version(
            table=table, number=number, policy=policy, by=by, why=why, time=_now(), after=holds.number, at=time.time(),
            files=holds.files,
        )  # fmt: skip
        before, after = (policy_as_table(self.read(table, version)) for version in (holds, made))
        return replace(made, says=", ".join(differing(before, after)))

    def anew(self, version: Version) -> Version | None:
        """An outdated proposal as one of the policy in force, not written down yet; None where it
        is the same.

        A file is proposed as a whole. Of any other proposal only its changes are laid over the
        policy in force, so that it undoes nothing that has changed since. Its proposer and time
        stay: somebody who could not agree to it before cannot now."""
        holds = self.in_force(version.table)
        if version.by != FILE:
            version = replace(version, policy=self._laid_over(version, holds), files=holds.files)
        before, after = (
            policy_as_table(self.read(version.table, each)) for each in (holds, version)
        )
        changed = (
            name
            for name, content in version.files.items()
            if holds.files.get(name, content) != content
        )
        says = ", ".join((*differing(before, after), *changed))
        number = len(self.all_of(version.table)) + 1
        again = replace(
            version, number=number, says=says, after=holds.number, renews=version.number
        )
        return again if says else None

    def _laid_over(self, version: Version, holds: Version) -> str:
        """The policy in force with the parts that a proposal changed; the proposal as it is where
        both do not fit."""
        table = version.table
        base = self.one(table, version.after)
        before, proposed, now = (
            policy_as_table(self.read(table, each)) for each in (base, version, holds)
        )
        place = self._settings.tables[table].policy
        try:
            laid = laid_over(now, changes_between(before, proposed))
            return policy_as_toml(policy_from_table(laid, folder=place.parent, name=place.stem))
        except PolicyError:
            return version.policy

    def renew(self, table: str) -> tuple[Version, ...]:
        """Propose again each waiting version that was made from a policy no longer in force."""
        out = []
        for version in self.all_of(table):
            if self._is_outdated(version):
                again = self.anew(version)
                self._write(replace(version, status=Status.REPLACED))
                if again is not None:
                    self._write(again)
                    out.append(again)
        return tuple(out)

    def follower(self, version: Version) -> Version | None:
        """The waiting version with the content of an outdated one."""
        found: Version | None = version
        renewed = {each.renews: each for each in self.all_of(version.table) if each.renews}
        while found is not None and found.status is Status.REPLACED:
            found = renewed.get(found.number)
        return found if found is not None and found.status is Status.PROPOSED else None

    def loosened(self, version: Version) -> tuple[str, ...]:
        """The parts in which a version is not provably as strict as the one that it was made
        from."""
        before = self.one(version.table, version.after)
        return loosened(self.read(version.table, before), self.read(version.table, version))

    def waiting(self) -> tuple[Version, ...]:
        """The versions that somebody could still agree to."""
        held = {table: self.in_force(table).number for table in self._settings.tables}
        versions = (version for table in held for version in self.all_of(table))
        return tuple(
            each
            for each in versions
            if each.status is Status.PROPOSED and each.after == held[each.table]
        )

    def put(self, version: Version) -> None:
        """Write a version down; the one that was in force before is replaced by one that is now."""
        if version.status is Status.IN_FORCE:
            for other in self.all_of(version.table):
                if other.status is Status.IN_FORCE and other.number != version.number:
                    self._write(replace(other, status=Status.REPLACED))
        if version.by == FILE:  # A file says one thing: what it said before waits no longer.
            for other in self.all_of(version.table):
                if (
                    other.by == FILE
                    and other.status is Status.PROPOSED
                    and other.number != version.number
                ):
                    self._write(replace(other, status=Status.REPLACED))
        self._write(version)

    def _write(self, version: Version) -> None:
        content = json.dumps(asdict(version), ensure_ascii=False)
        self._state.all(
            "INSERT OR REPLACE INTO policies VALUES (?, ?, ?)",
            version.table,
            version.number,
            content,
        )

    def read(self, table: str, version: Version) -> Policy:
        """The policy of a version; hierarchy files that it names are as they were when it was made,
        others are beside the table's own policy."""
        policy = self._parsed(table, version.policy)
        kept = {
            name: replace(
                each,
                hierarchy=CsvHierarchy.of(
                    version.files[spec.written_as].encode(), spec.path, written_as=spec.written_as
                ),
            )
            for name, each in policy.fields.items()
            if isinstance(spec := each.hierarchy, CsvHierarchy) and spec.written_as in version.files
        }
        return replace(policy, fields={**policy.fields, **kept}) if kept else policy

    def _parsed(self, table: str, text: str) -> Policy:
        place = self._settings.tables[table].policy
        return policy_from_table(as_table(text), folder=place.parent, name=place.stem)

    def _files(self, table: str, text: str) -> dict[str, str]:
        """The hierarchy files that a policy names, by name, as they are now."""
        specs = (each.hierarchy for each in self._parsed(table, text).fields.values())
        return {
            spec.written_as: _text(spec.path) for spec in specs if isinstance(spec, CsvHierarchy)
        }

    def was_shown(self, account: str) -> bool:
        """Whether anybody has been shown anything of the tables of an account."""
        seen = self._state.all("SELECT 1 FROM exposures WHERE holding = ? LIMIT 1", account)
        return bool(seen) or self._state.was_charged(f"everyone of {account}")


def as_table(text: str) -> dict[str, Any]:
    """A policy's text as a table."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = Problem(where="the policy", found=f"It is not TOML: {_place_of(error)}.")
        raise PolicyError([problem]) from None


def _place_of(error: tomllib.TOMLDecodeError) -> str:
    """The place of an error, and not the content there."""
    _, _, place = str(error).partition(" (at ")
    return f"see {place.rstrip(')')}" if place else "see its beginning"


def differing(one: Mapping[str, Any], other: Mapping[str, Any], *, deep: int = 3) -> Iterator[str]:
    """The parts in which two policies differ, as dotted names.

    Example:
        >>> list(differing({"require": {"k": 5}, "order": "keep"}, {"require": {"k": 9}, "order": "keep"}))
        ['require.k']
    """
    for name in dict.fromkeys((*one, *other)):
        left, right = one.get(name), other.get(name)
        if left == right:
            continue
        if deep > 1 and isinstance(left, Mapping) and isinstance(right, Mapping):
            yield from (f"{name}.{inner}" for inner in differing(left, right, deep=deep - 1))
        else:
            yield name


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The patch from one policy to another, as RFC 7396 has it: null removes something. A hierarchy
    is one part.

    Example:
        >>> changes_between({"require": {"k": 5, "l": 2}}, {"require": {"k": 9}})
        {'require': {'k': 9, 'l': None}}
    """
    out: dict[str, Any] = {}
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        inner = isinstance(old, Mapping) and isinstance(new, Mapping) and name != "hierarchy"
        out[name] = changes_between(old, new) if inner else new  # type: ignore[arg-type]
    return out


def laid_over(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Changes laid over a policy, as RFC 7396 does: null takes something away. A hierarchy is
    changed as a whole."""
    out = dict(old)
    for name, value in new.items():
        if value is None:
            out.pop(name, None)
        elif isinstance(value, Mapping) and name != "hierarchy":
            inner = out.get(name)
            out[name] = laid_over(inner if isinstance(inner, Mapping) else {}, value)
        else:
            out[name] = value
    return out


def _version(content: dict[str, Any]) -> Version:
    return Version(**{**content, "status": Status(content["status"])})


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise PolicyError(
            [Problem(where=path.name, found=f"It cannot be read: {error.strerror}.")]
        ) from None
    except UnicodeDecodeError:
        raise PolicyError([Problem(where=path.name, found="It is not UTF-8.")]) from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
