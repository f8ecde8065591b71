"""The store of a register: signed moves in a chain and the parts that they name, in one SQLite file.

A move and its parts are written in one transaction, which waits for the disk. After a crash or a
kill the file holds all of it or nothing. One writer at a time has the end of the chain."""

from __future__ import annotations

import hashlib
import io
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import REGISTER_MARK, AccountBook, ReadCharges
from sfumato.errors import Mistake, ReleaseBroken, TargetError
from sfumato.files import check_owner_only
from sfumato.releases import PeopleRecord
from sfumato.runs import UNFINISHED, hidden_name, link_new

from .moves import ChainHead, Move

OWNER_ONLY: Final = 0o600
PATIENCE: Final = 60.0
"""The most seconds that a writer waits for another."""
_SCHEMA: Final = (
    "CREATE TABLE moves (number INTEGER PRIMARY KEY, payload BLOB NOT NULL, "
    "signature BLOB NOT NULL) STRICT",
    "CREATE TABLE parts (digest TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT",
)
_ANSWERS: Final = (
    "CREATE TABLE IF NOT EXISTS answers (scope TEXT PRIMARY KEY, digest TEXT NOT NULL) STRICT"
)
"""The digest of what a gate has shown to a group; made with the first answer."""
_MARK: Final = REGISTER_MARK
"""The application id by which a register's file is known."""


class RegisterStore:
    """An open store. Every method reads what is on disk now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise Mistake(
                f"A register was expected at {path}.",
                found="There is none.",
                attempt="sfumato register init.",
            )
        check_owner_only(path)
        with self._reading() as database:
            (mark,) = database.execute("PRAGMA application_id").fetchone()
        if mark != _MARK:
            raise broken_register(self.path, "It is not a register that this version reads.")

    @classmethod
    def create(
        cls,
        path: Path,
        first: Callable[[ChainHead], Move],
        *,
        then: Callable[[RegisterTransaction], None] = lambda _: None,
    ) -> Self:
        """Make a new file with its first move, there whole or not at all; an existing one is never
        overwritten. `then` writes what follows from the move."""
        draft = path.with_name(hidden_name(path, UNFINISHED))
        try:
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
            with closing(_connect(draft)) as database:
                database.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA:
                    database.execute(statement)
                _insert(database, first(ChainHead()))
                then(RegisterTransaction(path, database))
                database.execute(f"PRAGMA application_id = {_MARK}")
                database.execute("COMMIT")
            link_new(draft, path)
        except FileExistsError:
            raise TargetError(
                f"A register at {path} was asked for.",
                found="The file exists, and is not overwritten.",
                attempt="another folder.",
            ) from None
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or "SQLite refuses"
            raise TargetError(f"A register at {path} was asked for.", found=f"{why}.") from None
        finally:
            draft.unlink(missing_ok=True)
        return cls(path)

    def moves(self) -> Iterator[Move]:
        """All moves as stored, oldest first; ReleaseBroken at what is no move."""
        with self._reading() as database:
            rows = database.execute("SELECT number, payload, signature FROM moves ORDER BY number")
            yield from _read_moves(self.path, rows)

    def newest(self) -> int:
        """The number of the newest move, as stored."""
        with self._reading() as database:
            return int(database.execute("SELECT max(number) FROM moves").fetchone()[0] or 0)

    @contextmanager
    def writing(self) -> Iterator[RegisterTransaction]:
        """Hold the end of the chain: what is read here is what the next move follows."""
        try:
            with closing(_connect(self.path)) as database:
                database.execute("BEGIN IMMEDIATE")
                try:
                    _check_schema(self.path, database)
                    yield RegisterTransaction(self.path, database)
                    database.execute("COMMIT")
                except BaseException:
                    database.rollback()
                    raise
        except sqlite3.Error as error:
            raise TargetError(
                f"The register {self.path} cannot be written.",
                found=f"SQLite says {error.sqlite_errorname}."
                if hasattr(error, "sqlite_errorname")
                else "SQLite refuses.",
                attempt="again; nothing was recorded.",
            ) from None

    def part(self, digest: str) -> NDArray[Any]:
        """A part by its digest; ReleaseBroken where it is missing or another."""
        with self._reading() as database:
            return read_part(self.path, database, digest)

    def charges(self) -> ReadCharges | None:
        """The privacy account of the register's people; None where nothing was ever charged."""
        with self._reading() as database:
            return _charges(self.path, database)

    def answers(self) -> dict[str, str]:
        """Digests of what gates have shown, by gate and group."""
        with self._reading() as database:
            return _answers(database)

    def answer_record(self, digest: str) -> PeopleRecord:
        with self._reading() as database:
            return _answer_record(self.path, database, digest)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(_connect(self.path)) as database:
                _check_schema(self.path, database)
                yield database
        except sqlite3.Error:
            raise broken_register(self.path, "SQLite cannot read it.") from None


class RegisterTransaction:
    """The store while one writer holds it."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self._path, self._database = path, database
        self._checked: set[str] = set()

    @contextmanager
    def on_trial(self) -> Iterator[None]:
        """What is written here is seen here, and then undone."""
        self._database.execute("SAVEPOINT trial")
        try:
            yield
        finally:
            self._database.execute("ROLLBACK TO trial")
            self._database.execute("RELEASE trial")

    def moves(self) -> Iterator[Move]:
        rows = self._database.execute(
            "SELECT number, payload, signature FROM moves ORDER BY number"
        )
        yield from _read_moves(self._path, rows)

    def part(self, digest: str) -> NDArray[Any]:
        """A part by its digest, which is compared once: nobody else writes meanwhile."""
        found = read_part(self._path, self._database, digest, is_checked=digest in self._checked)
        self._checked.add(digest)
        return found

    def account(self) -> AccountBook:
        """The privacy account of the register's people."""
        return AccountBook(self._database, where=str(self._path.parent))

    def charges(self) -> ReadCharges | None:
        return _charges(self._path, self._database)

    def answers(self) -> dict[str, str]:
        return _answers(self._database)

    def answer_record(self, digest: str) -> PeopleRecord:
        return _answer_record(self._path, self._database, digest)

    def put_answers(self, line: str, record: PeopleRecord, *, keep: Collection[str]) -> None:
        """Write what a gate has shown to a group by now; what it had shown before is in it, and is
        removed unless a signed move names it."""
        content = record.content()
        digest = hashlib.sha256(content).hexdigest()
        self._database.execute(_ANSWERS)
        before = _answers(self._database).get(line)
        self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (line, digest))
        self._database.execute("INSERT OR IGNORE INTO parts VALUES (?, ?)", (digest, content))
        if before not in (None, digest, *keep, *_answers(self._database).values()):
            self.forget([str(before)])

    def append(self, move: Move, parts: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Write a move and the parts that it names."""
        for array in (parts or {}).values():
            content = part_content(array)
            self._database.execute(
                "INSERT OR IGNORE INTO parts VALUES (?, ?)",
                (hashlib.sha256(content).hexdigest(), content),
            )
        _insert(self._database, move)

    def forget(self, digests: Iterable[str]) -> None:
        """Remove parts that nothing names any more."""
        self._database.executemany(
            "DELETE FROM parts WHERE digest = ?", [(digest,) for digest in digests]
        )


def broken_register(path: Path, found: str) -> ReleaseBroken:
    return ReleaseBroken(
        f"The register {path} is not what was written.",
        found=found,
        attempt="restoring it from a backup, and sfumato register verify --anchor.",
    )


def _read_moves(path: Path, rows: Iterable[tuple[int, bytes, bytes]]) -> Iterator[Move]:
    for number, payload, signature in rows:
        try:
            move = Move.of(payload, signature)
            if move.number != number:
                raise ValueError("another number")
        except (ValueError, TypeError, RecursionError, AttributeError):
            raise broken_register(path, f"Move {number:,} is not what was written.") from None
        yield move


def _charges(path: Path, database: sqlite3.Connection) -> ReadCharges | None:
    book = AccountBook(database, where=str(path.parent))
    return book.read() if book.is_open else None


def _answers(database: sqlite3.Connection) -> dict[str, str]:
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'answers'"
    if database.execute(known).fetchone() is None:
        return {}
    return dict(database.execute("SELECT scope, digest FROM answers ORDER BY scope"))


def _answer_record(path: Path, database: sqlite3.Connection, digest: str) -> PeopleRecord:
    content = _content(path, database, digest, is_checked=False)
    return PeopleRecord.of_content(content, where=f"An answer in {path}")


def part_content(array: NDArray[Any]) -> bytes:
    """An array as the bytes of an .npy file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def part_digest(array: NDArray[Any]) -> str:
    """The digest by which a move names a part."""
    return hashlib.sha256(part_content(array)).hexdigest()


def read_part(
    path: Path, database: sqlite3.Connection, digest: str, *, is_checked: bool = False
) -> NDArray[Any]:
    content = _content(path, database, digest, is_checked=is_checked)
    array: NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
    return array


def _content(path: Path, database: sqlite3.Connection, digest: str, *, is_checked: bool) -> bytes:
    found = database.execute("SELECT content FROM parts WHERE digest = ?", (digest,)).fetchone()
    if found is None or (not is_checked and hashlib.sha256(found[0]).hexdigest() != digest):
        raise broken_register(path, "A part of the ledger is missing or was changed.")
    return bytes(found[0])


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def _check_schema(path: Path, database: sqlite3.Connection) -> None:
    """Refuse a file with triggers or views, or with other tables of moves and parts: they could
    drop a move that was reported as written."""
    found = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    made = {name: sql for kind, name, sql in found if kind == "table"}
    foreign = any(kind not in ("table", "index") for kind, _, _ in found)
    if foreign or (made.get("moves"), made.get("parts")) != _SCHEMA:
        raise broken_register(path, "Its tables are not those that this version makes.")


def _insert(database: sqlite3.Connection, move: Move) -> None:
    written = database.execute(
        "INSERT INTO moves VALUES (?, ?, ?)", (move.number, move.payload, move.signature)
    )
    if written.rowcount != 1:
        raise sqlite3.IntegrityError("The move was not written.")
