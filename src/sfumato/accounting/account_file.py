"""The account on disk: every charge of every run about the same people, in an SQLite file or in
that of a register.

A charge is in the file, whole and on the disk, before any noise is drawn. A run that is killed in
between has paid and got nothing. One run at a time charges, and others wait for it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sfumato.errors import Mistake, TargetError
from sfumato.runs import UNFINISHED, hidden_name, link_new

from .account_book import AccountBook, ReadCharges, broken_account
from .measurement import Measurement

REGISTER: Final = "register.db"
"""The file of a register: its folder can be named in place of an account's file."""
_MARK: Final = 0x5FD10002
REGISTER_MARK: Final = 0x5FD10001
"""The application ids of an account's file and of a register's."""
_PATIENCE: Final = 60.0
"""Seconds that a run waits for another."""


class AccountFile:
    """An account at a path: a file of its own, made when it is first charged, or the folder of a
    register. Lines are read once, as long as the file only grows."""

    def __init__(self, path: Path, *, delta: float) -> None:
        self.is_register = path.is_dir()
        self.path = path / REGISTER if self.is_register else path
        self._where, self._delta = str(path), delta
        self._known: ReadCharges | None = None

    def read(self) -> ReadCharges:
        """All charges; none where there is no account yet."""
        if not self.path.exists():
            if self.is_register:
                raise Mistake(
                    f"The privacy account {self._where} was asked for.",
                    found="The folder is not that of a register.",
                    attempt="a file, or the folder of a register.",
                )
            return ReadCharges(delta=self._delta)
        with self._opened() as database:
            return self._read(database)

    def read_any(self) -> ReadCharges | None:
        """All charges, whatever the delta is; None where there is no account yet."""
        if self.is_register and not self.path.exists():
            return self.read()
        with self._opened() as database:
            book = AccountBook(database, where=self._where)
            return book.read() if book.is_open else None

    def _read(self, database: sqlite3.Connection) -> ReadCharges:
        book = AccountBook(database, where=self._where)
        if not book.is_open:
            if self._known is not None and self._known.lines:
                raise broken_account(self._where, "It has lost all its lines.")
            return ReadCharges(delta=self._delta)
        self._known = book.read(delta=self._delta, known=self._known)
        return self._known

    @contextmanager
    def charging(self) -> Iterator[tuple[AccountBook, ReadCharges]]:
        """Hold the end of the account: the next charge follows the one that is read here. All
        charges are on the disk when this ends, or none."""
        if not self.path.parent.is_dir():
            raise Mistake(
                f"The privacy account {self._where} was asked for.",
                found="Its folder does not exist.",
                attempt="making the folder, or another path.",
            )
        if not self.path.exists():
            if self._known is not None and self._known.lines:
                raise broken_account(self._where, "Its file is gone.")
            self._create()
        with self._opened() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                book = AccountBook(database, where=self._where)
                if not book.is_open:
                    book.open(delta=self._delta)
                yield book, self._read(database)
                database.execute("COMMIT")
            except BaseException:
                self._known = None
                database.rollback()
                raise

    def _create(self) -> None:
        """A new file, there whole or not at all; one that another run has just made is as good."""
        draft = self.path.with_name(hidden_name(self.path, UNFINISHED))
        try:
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            with closing(_connected(draft)) as database:
                database.execute("BEGIN IMMEDIATE")
                AccountBook(database, where=self._where).open(delta=self._delta)
                database.execute(f"PRAGMA application_id = {_MARK}")
                database.execute("COMMIT")
            link_new(draft, self.path)
        except FileExistsError:
            pass
        except (OSError, sqlite3.Error) as error:
            raise self._refused(error) from None
        finally:
            draft.unlink(missing_ok=True)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(_connected(self.path)) as database:
                (mark,) = database.execute("PRAGMA application_id").fetchone()
                if mark != (REGISTER_MARK if self.is_register else _MARK):
                    raise broken_account(
                        self._where, "It is not a privacy account of this version."
                    )
                yield database
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise self._refused(error) from None
            raise broken_account(self._where, "It cannot be read.") from None

    def _refused(self, error: Exception) -> TargetError:
        why = getattr(error, "strerror", None) or getattr(error, "sqlite_errorname", "")
        return TargetError(
            f"The privacy account {self._where} cannot be written.",
            found=f"{why or 'SQLite refuses'}.",
            attempt="again; nothing was charged.",
        )


def read_terms(file: Path) -> ReadCharges | None:
    """The terms of an account: its delta, and its limit where a charter sets one. None where it is
    not there yet."""
    account = AccountFile(file, delta=0.0)
    if not account.path.exists() and not account.is_register:
        return None
    return account.read_any()


def read_lines(file: Path, *, delta: float) -> tuple[Measurement, ...]:
    """All lines of an account, each checked against its cost and its chain; none where the file is
    not there yet."""
    return tuple(AccountFile(file, delta=delta).read().lines)


def _connected(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA trusted_schema = OFF")
    return database
