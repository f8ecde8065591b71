"""The places from which recipients read their views: a DuckDB file for each profile, or schemas of
PostgreSQL."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from sfumato.engines import RoleView, is_postgres, open_views, write_database_file
from sfumato.errors import Mistake
from sfumato.policy import Policy
from sfumato.releases import ONE_TABLE, Release

from .history import ShownRelease, ViewHistory

MANIFEST_TABLE = "sfumato_manifest"
LONGEST_PROFILE = 40
"""A schema of PostgreSQL has 63 bytes for the profile and the number of its release."""


class ViewPlace(Protocol):
    """A place to which releases are written, unseen, and from which each profile reads its own."""

    def check(self, policy: Policy, profiles: Sequence[str]) -> None:
        """Refuse what cannot be shown there, before anything is read."""
        ...

    def target(self, profile: str, number: int) -> dict[str, Any]:
        """The place of a new release, as keywords of `release`."""
        ...

    def discard(self, profile: str, number: int) -> None:
        """Remove a release that nobody saw."""
        ...

    def change_over(self, made: Mapping[str, Release], number: int) -> None:
        """Let every profile read its new release."""
        ...

    def tables(self, release: Release) -> dict[str, str]:
        """The tables of a release by the names under which recipients read them."""
        ...

    def called(self, profile: str) -> str:
        """The place from which a profile reads, in words."""
        ...


def view_place(
    to: str | Path,
    history: ViewHistory,
    *,
    name: str,
    table: str,
    roles: Mapping[str, str],
    schema: str,
) -> ViewPlace:
    """`name` is that of the only view; `schema` has the tables of the source in PostgreSQL, of
    which `table` is read, or any where none is named."""
    if is_postgres(to):
        return PostgresPlace(str(to), history, name=name, table=table, roles=roles, schema=schema)
    if roles:
        raise Mistake(
            "Roles were named for views.",
            found=f"{to} is a folder of DuckDB files, which have no roles.",
            attempt="no roles: who may read a file is for the system to say.",
        )
    return FilePlace(Path(to), history, name=name)


class FilePlace:
    """A DuckDB file for each profile in one folder. Releases are kept beside the history."""

    def __init__(self, folder: Path, history: ViewHistory, *, name: str) -> None:
        self._folder, self._history, self._name = folder, history, name

    def check(self, policy: Policy, profiles: Sequence[str]) -> None:
        if self._history.folder.resolve().is_relative_to(self._folder.resolve()):
            raise Mistake(
                f"Views were asked for in {self._folder}.",
                found=f"The history, which is private, would be in {self._history.folder}.",
                attempt="--state with a folder elsewhere.",
            )
        files = [p for p in profiles if Path(self.called(p)).exists()]
        _check_remembered(self._history, files, where=str(self._folder))

    def target(self, profile: str, number: int) -> dict[str, Any]:
        place = self._history.releases / f"{profile}-{number}"
        return {"to": place, "file_format": "parquet", "replace": True}

    def discard(self, profile: str, number: int) -> None:
        shutil.rmtree(self._history.releases / f"{profile}-{number}", ignore_errors=True)

    def change_over(self, made: Mapping[str, Release], number: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        for profile, release in made.items():
            write_database_file(
                Path(self.called(profile)),
                {name: self._file(release, t) for name, t in self.tables(release).items()},
                notes={MANIFEST_TABLE: json.dumps(release.manifest)},
            )
            for old in range(1, number):
                self.discard(profile, old)

    def tables(self, release: Release) -> dict[str, str]:
        return released_tables(release, self._name)

    def _file(self, release: Release, table: str) -> Path:
        assert release.folder is not None
        return release.folder / str(release.manifest["tables"][table]["file"])

    def called(self, profile: str) -> str:
        return str(self._folder / f"{profile}.duckdb")


class PostgresPlace:
    """Views in a schema of each profile, over a release in a schema that only its owner may use."""

    def __init__(
        self,
        address: str,
        history: ViewHistory,
        *,
        name: str,
        table: str,
        roles: Mapping[str, str],
        schema: str,
    ) -> None:
        self._address, self._history, self._table = address, history, table
        self._name, self._roles, self._schema = name, roles, schema or "public"

    def _role(self, profile: str) -> str:
        return self._roles.get(profile, profile)

    def check(self, policy: Policy, profiles: Sequence[str]) -> None:
        long = [each for each in profiles if len(each.encode()) > LONGEST_PROFILE]
        if long:
            raise Mistake(
                f"Views were asked for of {', '.join(long)}.",
                found=f"A profile in PostgreSQL has at most {LONGEST_PROFILE} bytes.",
                attempt="a shorter name.",
            )
        tables = tuple(policy.tables) or ((self._table,) if self._table else ())
        views = open_views(self._address)
        try:
            there = [p for p in profiles if views.has_view(p, MANIFEST_TABLE)]
            _check_remembered(self._history, there, where=views.title)
            views.check_roles([self._role(p) for p in profiles], schema=self._schema, tables=tables)
        finally:
            views.close()

    def _release(self, profile: str, number: int) -> str:
        return f"{profile}_release_{number}"

    def target(self, profile: str, number: int) -> dict[str, Any]:
        views = open_views(self._address)
        try:
            views.make_release_schema(self._release(profile, number))
        finally:
            views.close()
        documents = self._history.releases / f"{profile}-{number}"
        to = f"{self._address}#{self._release(profile, number)}"
        return {"to": to, "documents": documents, "replace": True}

    def discard(self, profile: str, number: int) -> None:
        shutil.rmtree(self._history.releases / f"{profile}-{number}", ignore_errors=True)
        views = open_views(self._address)
        try:
            views.drop_release_schema(self._release(profile, number))
        finally:
            views.close()

    def change_over(self, made: Mapping[str, Release], number: int) -> None:
        every, before = [], []
        for profile, release in made.items():
            tables = self.tables(release)
            shown = [s for s in self._history.shown if s.profile == profile and s.number < number]
            before += [self._release(profile, each.number) for each in shown]
            every.append(
                RoleView(
                    role=self._role(profile),
                    schema=profile,
                    release=self._release(profile, number),
                    tables={**tables, MANIFEST_TABLE: MANIFEST_TABLE},
                    gone=_gone(shown, tables),
                )
            )
        views = open_views(self._address)
        try:
            views.change_over(every, before=before)
        finally:
            views.close()

    def tables(self, release: Release) -> dict[str, str]:
        return released_tables(release, self._name)

    def called(self, profile: str) -> str:
        return f"schema {profile}, for role {self._role(profile)}"


def _check_remembered(history: ViewHistory, there: Sequence[str], *, where: str) -> None:
    """Refuse views that somebody has read and that the history does not know."""
    forgotten = [profile for profile in there if history.last(profile) is None]
    if forgotten:
        raise Mistake(
            f"Views were asked for in {where}.",
            found=f"{', '.join(forgotten)} has views there of which {history.folder} knows "
            "nothing, so nobody can judge what recipients have seen.",
            attempt="--state with the folder of these views; or, where it is lost, another place "
            "and other recipients.",
        )


def released_tables(release: Release, name: str) -> dict[str, str]:
    """The tables of a release by the names of their views: `name`, where there is only one."""
    tables = list(release.manifest["tables"])
    return {name: ONE_TABLE} if tables == [ONE_TABLE] else {each: each for each in tables}


def _gone(shown: Sequence[ShownRelease], tables: Collection[str]) -> tuple[str, ...]:
    """Tables that earlier releases had and the new one has not."""
    earlier = dict.fromkeys(name for each in shown for name in each.tables)
    return tuple(name for name in earlier if name not in tables)
