"""A finished release as a third party finds it: a folder of files, or a schema of a database."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from sfumato.engines import (
    Database,
    Engine,
    is_postgres,
    name_of_address,
    open_database,
    open_source,
)
from sfumato.engines.formats import released_suffixes
from sfumato.errors import ReleaseBroken, SourceError

from .atomic_folder import MANIFEST, POLICY, REPORT, SIGNATURE
from .checks import Check, same_as_said
from .destinations import MANIFEST_TABLE, SIGNATURE_TABLE, as_written
from .inventory import file_checks, inside, size_of
from .signed_manifest import read_envelope

LARGEST = 256 * 2**20
"""Bytes of a manifest: that of a million scrubbed letters is smaller."""


class Written(Protocol):
    """`title` is what it is called in errors, without anything that is secret; `folder` where it
    is, if it is files."""

    title: str
    folder: Path

    def manifest(self) -> str:
        """The text of its manifest."""
        ...

    def signature(self) -> str | None:
        """The text of the envelope that signs the manifest; None where nobody signed it."""
        ...

    def check(
        self, facts: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[Check]:
        """Whether everything is at the place in the manifest, as it was written, and nothing else
        is there.

        `tables` are the manifest's facts about each table, by its name.
        """
        ...

    def policy_text(self) -> str | None:
        """The text of the policy file beside the tables; None where there is no such file."""
        ...

    def opened(self, facts: Mapping[str, Any]) -> AbstractContextManager[Engine]: ...

    def database(self, tables: tuple[str, ...]) -> AbstractContextManager[Database]: ...


def written(place: str | Path) -> Written:
    """The release in a folder, or at postgresql://host/database#schema."""
    if is_postgres(place):
        address, _, schema = place.partition("#")
        return _InSchema(address, schema)
    return _InFolder(Path(place))


class _InFolder:
    def __init__(self, folder: Path) -> None:
        self.folder, self.title = folder, str(folder)

    def manifest(self) -> str:
        path = self.folder / MANIFEST
        try:
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode):
                raise ReleaseBroken(
                    f"{self.folder} is not a release.", found=f"Its {MANIFEST} is no plain file."
                )
            if found.st_size > LARGEST:
                raise ReleaseBroken(
                    f"The manifest of {self.folder} is too large to be read.",
                    found=f"It has {found.st_size / 2**20:,.0f} MiB; at most {LARGEST // 2**20} "
                    "are read.",
                )
            return path.read_bytes().decode("utf-8")
        except OSError as error:
            raise ReleaseBroken(
                f"{self.folder} is not a release.",
                found=f"{MANIFEST}: {error.strerror}.",
                attempt="the folder given as --to.",
            ) from None

    def signature(self) -> str | None:
        return read_envelope(self.folder / SIGNATURE, largest=LARGEST)

    def _format(self) -> dict[str, Any]:
        """How the files were written, by the manifest."""
        try:
            policy = json.loads(self.manifest())["policy"]
            return as_written(quoted=policy.get("quote_formulas") is True)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return as_written(quoted=False)

    def _file(self, facts: Mapping[str, Any]) -> Path:
        if "schema" in facts:
            raise ReleaseBroken(
                f"{self.folder} has the documents of a release whose tables are in a database.",
                attempt="postgresql://host/database#SCHEMA in place of the folder.",
            )
        path = inside(self.folder, facts["file"])
        if not path.exists():
            raise ReleaseBroken(f"{self.folder} has no {path.name}, which its manifest names.")
        return path

    def check(
        self, facts: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[Check]:
        for name, said in tables.items():
            path = self._file(said)
            if path.name not in {f"{name}{suffix}" for suffix in released_suffixes()}:
                raise ReleaseBroken(
                    f"The manifest of {self.folder} has another file in place of the table {name}."
                )
        for name, said in tables.items():
            yield same_as_said(f"bytes of {name}", said["bytes"], size_of(self._file(said)))
        whole = {str(said["file"]): str(said["sha256"]) for said in tables.values()}
        yield from file_checks(
            self.folder, facts["files"], expected=(POLICY, REPORT, *whole), whole=whole
        )

    def policy_text(self) -> str | None:
        path = inside(self.folder, POLICY)
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_bytes().decode("utf-8")

    def opened(self, facts: Mapping[str, Any]) -> AbstractContextManager[Engine]:
        return open_source(self._file(facts), **self._format())

    def database(self, tables: tuple[str, ...]) -> AbstractContextManager[Database]:
        return open_database(self.folder, tables=tables, **self._format())


class _InSchema:
    def __init__(self, address: str, schema: str) -> None:
        self._address, self._schema = address, schema
        self.folder, self.title = Path(), f"schema {schema} of {name_of_address(address)}"

    def manifest(self) -> str:
        return self._note(MANIFEST_TABLE, "manifest")

    def signature(self) -> str | None:
        with open_database(self._address, schema=self._schema) as database:
            if SIGNATURE_TABLE not in database.tables():
                return None
        return self._note(SIGNATURE_TABLE, "signature")

    def _note(self, table: str, what: str) -> str:
        """The only text of a table that the release made for it."""
        try:
            with open_source(self._address, table=f"{self._schema}.{table}") as engine:
                found = [
                    str(text)
                    for batch in engine.distinct(("manifest",))
                    for text in batch["manifest"]
                ]
        except SourceError as error:
            raise ReleaseBroken(f"{self.title} is not a release.", found=error.asked) from None
        if len(found) != 1:
            raise ReleaseBroken(f"{self.title} has {len(found)} {what}s in place of one.")
        if len(found[0]) > LARGEST:
            raise ReleaseBroken(f"The {what} of {self.title} is too large to be read.")
        return found[0]

    def check(
        self, facts: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[Check]:
        """A table of a database has no digest; its rows are counted all the same."""
        with open_database(self._address, schema=self._schema) as database:
            there = set(database.tables()) - {MANIFEST_TABLE, SIGNATURE_TABLE}
        said = {str(one["table"]) for one in tables.values()}
        yield same_as_said(
            "the schema holds the tables of the release and no others", sorted(said), sorted(there)
        )
        for name in sorted(said):
            yield Check(
                claim=f"digest of {name}",
                outcome="review",
                found="tables of a database have none; what is in it is counted",
            )

    def policy_text(self) -> str | None:
        return None

    def opened(self, facts: Mapping[str, Any]) -> AbstractContextManager[Engine]:
        return open_source(self._address, table=f"{self._schema}.{facts['table']}")

    def database(self, tables: tuple[str, ...]) -> AbstractContextManager[Database]:
        return open_database(self._address, schema=self._schema, tables=tables)
