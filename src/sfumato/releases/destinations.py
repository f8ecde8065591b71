"""The destination of a release: files in a folder, or tables in a schema of a database. Nobody can
read a release before it is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from sfumato.engines import (
    ENGINES,
    USUAL,
    Database,
    Engine,
    TableView,
    Target,
    WritePlan,
    open_database,
    open_source,
    open_target,
    quote_file,
)
from sfumato.errors import Bug, TargetError
from sfumato.runs import claim

from .atomic_folder import MANIFEST, SIGNATURE, aside
from .documents import manifest_digest
from .inventory import digest_of, size_of
from .request import ReleaseRequest

MANIFEST_TABLE = "sfumato_manifest"
SIGNATURE_TABLE = "sfumato_signature"


def as_written(*, quoted: bool) -> dict[str, Any]:
    """Options for reading released CSV: encoding and separator are fixed, and never inferred."""
    return {"encoding": "utf-8", "separator": ",", **({"quoted_formulas": True} if quoted else {})}


class Destination(Protocol):
    """A place that tables are written to and read back from. `folder` is for manifest, report and
    policy."""

    folder: Path

    def write(self, engine: Engine, plan: WritePlan, name: str) -> int: ...

    def opened(self, name: str) -> AbstractContextManager[Engine]:
        """A table that was written, read afresh."""
        ...

    def database(self, names: tuple[str, ...]) -> AbstractContextManager[Database]:
        """All written tables, as one database."""
        ...

    def called(self, name: str) -> Path | str:
        """The place of a table once the release is finished."""
        ...

    def facts(self, name: str) -> dict[str, Any]:
        """The manifest's facts about the place of a table."""
        ...

    def digests(self, facts: Mapping[str, Any]) -> dict[str, str]:
        """The digests of files that a report shows."""
        ...

    def publish(self) -> str:
        """Publish a release that is written and counted; the digest of its manifest."""
        ...


@contextmanager
def destination(request: ReleaseRequest, source: Engine | Database) -> Iterator[Destination]:
    """Files beside their folder, or tables that only this transaction sees, until the block ends
    well."""
    if not request.address:
        with aside(request.target, replace=request.replace) as folder:
            yield Files(
                request,
                folder,
                suffix=_suffix(request, source),
                engine=reader(source.name),
                source=source,
            )
        return
    with (
        claim(request.target),
        open_target(
            request.address, schema=request.schema, source=request.source, opened=source
        ) as target,
        # The transaction is committed and the folder named together, when the documents are on
        # disk.
        aside(request.target, replace=request.replace, commit=target.publish) as folder,
    ):
        yield Schema(request, folder, target)


class WrittenTables:
    """Tables that were written, opened afresh. `folder` has what is written beside them."""

    def __init__(
        self, folder: Path, *, engine: Engine | None = None, database: Database | None = None
    ) -> None:
        self.folder, self._engine, self._database = folder, engine, database

    @property
    def database(self) -> Database:
        """All tables together."""
        if self._database is None:
            raise Bug("one table was opened, and several were asked for.")
        return self._database

    def table(self, name: str) -> Engine:
        """A table by itself."""
        return (
            self._engine if self._engine is not None else self.database.view(TableView(table=name))
        )


@contextmanager
def reopened(place: Destination, names: Sequence[str], *, joined: bool) -> Iterator[WrittenTables]:
    """The written tables, read back: all tables together where they are `joined`, else the only
    one."""
    if joined:
        with place.database(tuple(names)) as database:
            yield WrittenTables(place.folder, database=database)
    else:
        with place.opened(names[0]) as engine:
            yield WrittenTables(place.folder, engine=engine)


class Files:
    """A file for each table, or a folder of files where a cluster writes."""

    def __init__(
        self,
        request: ReleaseRequest,
        folder: Path,
        *,
        suffix: str,
        engine: str,
        source: Engine | Database | None = None,
    ) -> None:
        self.folder = folder
        self._target, self._suffix, self._engine = request.target, suffix, engine
        self._quoted = request.quote_formulas and suffix == ".csv"
        self._session = getattr(source, "session", None)
        self._options: dict[str, Any] | None = None

    def _reading(self) -> dict[str, Any]:
        """Reading back shares the memory of the source where that is counted, and the folder that
        the workers of a cluster see."""
        if self._options is None:
            shared = getattr(self._session, "shared_options", None)
            self._options = as_written(quoted=self._quoted) | ({} if shared is None else shared())
        return self._options

    def _file(self, name: str) -> Path:
        if name.startswith(".") or any(mark in name for mark in ("/", "\\", "\0")):
            # It would be written elsewhere, or not be found again.
            raise TargetError(
                f"No file can be called as table {name!r} is.",
                attempt="another name for it, by a view in the source.",
            )
        return self.folder / f"{name}{self._suffix}"

    def write(self, engine: Engine, plan: WritePlan, name: str) -> int:
        written = engine.write(plan, self._file(name))
        if self._quoted:
            quote_file(self._file(name))
        return written

    def opened(self, name: str) -> AbstractContextManager[Engine]:
        return open_source(self._file(name), engine=self._engine, **self._reading())

    def database(self, names: tuple[str, ...]) -> AbstractContextManager[Database]:
        return open_database(self.folder, engine=self._engine, tables=names, **self._reading())

    def called(self, name: str) -> Path | str:
        return self._target / self._file(name).name

    def facts(self, name: str) -> dict[str, Any]:
        path = self._file(name)
        return {"file": path.name, "sha256": digest_of(path), "bytes": size_of(path)}

    def digests(self, facts: Mapping[str, Any]) -> dict[str, str]:
        return {str(facts["file"]): str(facts["sha256"])}

    def publish(self) -> str:
        """The folder gets its name when the block ends."""
        return manifest_digest(self.folder)


class Schema:
    """A table for each, made in one transaction, with the manifest beside them."""

    def __init__(self, request: ReleaseRequest, folder: Path, target: Target) -> None:
        self.folder = folder
        self._schema, self._target = request.schema, target

    def write(self, engine: Engine, plan: WritePlan, name: str) -> int:
        return self._target.write(engine, plan, name)

    def opened(self, name: str) -> AbstractContextManager[Engine]:
        return self._target.opened(name)

    def database(self, names: tuple[str, ...]) -> AbstractContextManager[Database]:
        # Closing it would end the transaction in which the tables are.
        return nullcontext(self._target.database(names))

    def called(self, name: str) -> Path | str:
        return f"{self._schema}.{name}"

    def facts(self, name: str) -> dict[str, Any]:
        return {"schema": self._schema, "table": name}

    def digests(self, facts: Mapping[str, Any]) -> dict[str, str]:
        return {}

    def publish(self) -> str:
        """The manifest is a table too; all of them are committed when the block ends."""
        self._target.note(MANIFEST_TABLE, (self.folder / MANIFEST).read_text(encoding="utf-8"))
        signature = self.folder / SIGNATURE
        if signature.exists():
            self._target.note(SIGNATURE_TABLE, signature.read_text(encoding="utf-8"))
        return manifest_digest(self.folder)


def reader(engine: str) -> str:
    """The engine that counts what another wrote: on a cluster the same one, else DuckDB, which
    reads every file."""
    return engine if engine in ENGINES and ENGINES[engine].recounts else USUAL


def _suffix(request: ReleaseRequest, source: Engine | Database) -> str:
    """As the source; Parquet, which keeps types, where that is no file."""
    if request.file_format:
        return f".{request.file_format}"
    usual = ENGINES[source.name].usual_format if source.name in ENGINES else "parquet"
    if usual:
        return f".{usual}"
    given = request.source
    if not isinstance(given, str | os.PathLike):
        return ".csv" if not isinstance(given, Mapping) else ".parquet"
    path = Path(given)
    is_parquet = path.suffix == ".parquet" or (path.is_dir() and not any(path.glob("*.csv")))
    return ".parquet" if is_parquet else ".csv"
