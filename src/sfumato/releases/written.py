"""A finished release as a third party finds it: a folder of files, or a schema of a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from sfumato.errors import ReleaseBroken, SourceError
from sfumato.sources import Database, Engine, is_postgres, name_of_address, open_database, open_source

from .aside import MANIFEST
from .checks import Check, same_as_said
from .destinations import AS_WRITTEN, MANIFEST_TABLE
from .manifest import digest_of


class Written(Protocol):
    """`title` is what it is called in errors, without anything that is secret; `folder` where it is, if it is files."""

    title: str
    folder: Path

    def manifest(self) -> str:
        """The text of its manifest."""
        ...

    def check(self, facts: Mapping[str, Any]) -> Iterator[Check]:
        """Whether a table is where the manifest says, and the one that was written."""
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
        try:
            return (self.folder / MANIFEST).read_text(encoding="utf-8")
        except OSError as error:
            raise ReleaseBroken(
                f"{self.folder} is not a release.",
                found=f"{MANIFEST}: {error.strerror}.",
                attempt="the folder given as --to.",
            ) from None

    def _file(self, facts: Mapping[str, Any]) -> Path:
        path = self.folder / str(facts["file"])
        if not path.exists():
            raise ReleaseBroken(f"{self.folder} has no {path.name}, which its manifest names.")
        return path

    def check(self, facts: Mapping[str, Any]) -> Iterator[Check]:
        path = self._file(facts)
        yield same_as_said(f"digest of {path.name}", facts["sha256"], digest_of(path))

    def opened(self, facts: Mapping[str, Any]) -> AbstractContextManager[Engine]:
        return open_source(self._file(facts), **AS_WRITTEN)

    def database(self, tables: tuple[str, ...]) -> AbstractContextManager[Database]:
        return open_database(self.folder, tables=tables, **AS_WRITTEN)


class _InSchema:
    def __init__(self, address: str, schema: str) -> None:
        self._address, self._schema = address, schema
        self.folder, self.title = Path(), f"schema {schema} of {name_of_address(address)}"

    def manifest(self) -> str:
        try:
            with open_source(self._address, table=f"{self._schema}.{MANIFEST_TABLE}") as engine:
                return str(next(iter(engine.distinct(("manifest",))))["manifest"][0])
        except StopIteration:
            raise ReleaseBroken(f"{self.title} has a manifest that says nothing.") from None
        except SourceError as error:
            raise ReleaseBroken(f"{self.title} is not a release.", found=error.asked) from None

    def check(self, facts: Mapping[str, Any]) -> Iterator[Check]:
        """A table of a database has no digest; its rows are counted all the same."""
        yield Check(
            claim=f"digest of {facts['table']}",
            outcome="review",
            found="tables of a database have none; what is in it is counted",
        )

    def opened(self, facts: Mapping[str, Any]) -> AbstractContextManager[Engine]:
        return open_source(self._address, table=f"{self._schema}.{facts['table']}")

    def database(self, tables: tuple[str, ...]) -> AbstractContextManager[Database]:
        return open_database(self._address, schema=self._schema, tables=tables)
