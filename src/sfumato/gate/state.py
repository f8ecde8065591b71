"""The memory of the gate: exposures, budgets, answers given, accounts. One SQLite file, every
change on disk.

A change is written in three steps: its line in the audit (`state_journal.py`), the change itself,
and the line of its answer. The answer is sent last. After a crash, exposure and budget may count an
answer that nobody got, never the other way round."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Protocol

from sfumato.errors import TargetError

from .anchor import Head

OWNER_ONLY: Final = 0o600
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS exposures (
    audience TEXT, holding TEXT, classes BLOB NOT NULL, PRIMARY KEY (audience, holding)
);
CREATE TABLE IF NOT EXISTS spent (
    scope TEXT PRIMARY KEY, epsilon REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS charged (
    scope TEXT PRIMARY KEY, rho TEXT NOT NULL, delta TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS records (
    asker TEXT, question TEXT, content TEXT NOT NULL, PRIMARY KEY (asker, question)
);
CREATE TABLE IF NOT EXISTS accounts (
    name TEXT PRIMARY KEY, content TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS tokens (
    digest TEXT PRIMARY KEY, account TEXT NOT NULL, kind TEXT NOT NULL, ends REAL NOT NULL, name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS policies (
    holding TEXT, version INTEGER, content TEXT NOT NULL, PRIMARY KEY (holding, version)
);
CREATE TABLE IF NOT EXISTS facts (
    name TEXT PRIMARY KEY, content TEXT NOT NULL
);
"""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "exposures": ("audience", "holding"),
    "spent": ("scope",),
    "charged": ("scope",),
    "records": ("asker", "question"),
    "accounts": ("name",),
    "tokens": ("digest",),
    "policies": ("holding", "version"),
    "facts": ("name",),
}
"""The keys of every table. Changes of all of them are in the journal, but for these:"""
_UNTOLD: Final = {
    "tokens": "{row}.kind = 'session'",
    "facts": "{row}.name IN ('audit', 'audit end')",
}
"""Sessions of browsers end by themselves; which line of the audit was seen and where it ended is
not in the journal."""
SEEN: Final = "audit"
END: Final = "audit end"
EARLIER: Final = "earlier"
"""The kind of a record of an answer about an earlier state of a table."""
Item = tuple[str, ...]
"""A table and the key of one of its rows."""
Changes = Mapping[Item, tuple[Any, ...] | None]
"""The rows after a change, without their keys; None where it takes one away."""


class Journal(Protocol):
    """Records each change before it is made."""

    def ahead_of(self, changes: Changes) -> AbstractContextManager[Head]: ...

    def sealed_end(self) -> tuple[Head, str]:
        """The end of the audit that is on disk, and the gate's seal of it."""
        ...


class GateState:
    """The gate's memory. Changes are made in `changing`, all of them or none."""

    def __init__(self, path: Path) -> None:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY))
            self._rows = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                self._rows.executescript(
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + _TABLES
                )
            except sqlite3.Error:
                self._rows.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise TargetError(
                f"The gate's state {path} cannot be opened.", found=f"{error}."
            ) from None
        self._lock = threading.RLock()
        self._journal: Journal | None = None

    def keep_journal(self, journal: Journal) -> None:
        """From now on every change has its line in a journal, whatever its author."""
        self._rows.executescript("PRAGMA temp_store = MEMORY; " + "".join(_triggers()))
        self._journal = journal

    def close(self) -> None:
        self._rows.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Everything inside becomes true together, and is on disk when it ends."""
        with self._lock:
            self._rows.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._commit()
            except sqlite3.Error as error:
                self._undo()
                raise _not_written(error) from None
            except BaseException:
                self._undo()
                raise

    def _commit(self) -> None:
        changes = self._touched() if self._journal is not None else {}
        if self._journal is None:
            self._rows.execute("COMMIT")
            return
        if not changes:
            self.write_end(self._journal)
            self._rows.execute("COMMIT")
            return
        with self._journal.ahead_of(changes) as head:
            self.see(head)
            self.write_end(self._journal)
            self._rows.execute("COMMIT")

    def _touched(self) -> dict[Item, tuple[Any, ...] | None]:
        """The rows that were changed since the last time, as they are now."""
        keys = self._rows.execute("DELETE FROM temp.touched RETURNING *").fetchall()
        out: dict[Item, tuple[Any, ...] | None] = {}
        for table, one, two in sorted(set(keys)):
            named = KEYS[table]
            given = (one, two)[: len(named)]
            where = " AND ".join(f"{name} = ?" for name in named)
            row = self._rows.execute(f"SELECT * FROM main.{table} WHERE {where}", given).fetchone()
            out[table, *map(str, given)] = None if row is None else row[len(named) :]
        return out

    def items(self) -> Iterator[tuple[Item, tuple[Any, ...]]]:
        """All that the journal is about."""
        for table, named in KEYS.items():
            told = f"WHERE NOT ({_UNTOLD[table].format(row=table)})" if table in _UNTOLD else ""
            for row in self.all(f"SELECT * FROM {table} {told}"):
                yield (table, *map(str, row[: len(named)])), row[len(named) :]

    def seen(self) -> Head | None:
        """The last line of the audit that belongs to a change of the state."""
        found = self.fact(SEEN)
        return None if found is None else Head(*json.loads(found))

    def see(self, head: Head) -> None:
        self.state_fact(SEEN, json.dumps([head.lines, head.digest]))

    def end(self) -> tuple[Head, str] | None:
        """Where the audit ended when something was last written here, and the seal of that."""
        found = self.fact(END)
        if found is None:
            return None
        lines, digest, seal = json.loads(found)
        return Head(lines, digest), seal

    def know_end(self) -> None:
        """Write down where the audit ends now."""
        with self.changing():
            pass

    def write_end(self, journal: Journal) -> None:
        """Write the end with every change, also one of sessions. A person who cuts off later lines
        must then do so here as well."""
        head, seal = journal.sealed_end()
        self.state_fact(END, json.dumps([head.lines, head.digest, seal]))

    def _undo(self) -> None:
        """SQLite may have undone it already, as it does where the disk is full."""
        if self._rows.in_transaction:
            self._rows.execute("ROLLBACK")

    def exposure(self, audience: str, holding: str) -> bytes | None:
        found = self._one(
            "SELECT classes FROM exposures WHERE audience = ? AND holding = ?", audience, holding
        )
        return None if found is None else bytes(found[0])

    def expose(self, audience: str, holding: str, classes: bytes) -> None:
        self._run("INSERT OR REPLACE INTO exposures VALUES (?, ?, ?)", audience, holding, classes)

    def charged(self, scope: str) -> tuple[Fraction, Fraction]:
        """The rho and the delta that were charged, exactly."""
        found = self._one("SELECT rho, delta FROM charged WHERE scope = ?", scope)
        return (
            (Fraction(0), Fraction(0))
            if found is None
            else (Fraction(found[0]), Fraction(found[1]))
        )

    def charge(self, scope: str, rho: Fraction, delta: Fraction) -> None:
        """Inside a change of the state."""
        before = self.charged(scope)
        total = str(before[0] + rho), str(before[1] + delta)
        self._run("INSERT OR REPLACE INTO charged VALUES (?, ?, ?)", scope, *total)

    def spent(self, scope: str) -> float:
        """Of gates before there was rho: a sum of pure epsilon, or of delta."""
        found = self._one("SELECT epsilon FROM spent WHERE scope = ?", scope)
        return 0.0 if found is None else float(found[0])

    def was_charged(self, scope: str) -> bool:
        """Whether anything was paid, in whichever unit."""
        return self.charged(scope)[0] > 0 or self.spent(scope) > 0

    def record(self, asker: str, question: str) -> dict[str, Any] | None:
        found = self._one(
            "SELECT content FROM records WHERE asker = ? AND question = ?", asker, question
        )
        return None if found is None else dict(json.loads(found[0]))

    def shown_to(self, asker: str) -> list[dict[str, Any]]:
        """The records of the answers without noise to somebody."""
        found = self.all("SELECT content FROM records WHERE asker = ? ORDER BY rowid", asker)
        return [
            each for (content,) in found if (each := json.loads(content)).get("kind") == "shown"
        ]

    def remember(self, asker: str, question: str, content: Mapping[str, Any]) -> None:
        self._run(
            "INSERT OR REPLACE INTO records VALUES (?, ?, ?)", asker, question, json.dumps(content)
        )

    def forget_shown(self, table: str) -> None:
        """Forget in which shapes a table was shown. Exposures stay, and so do noisy numbers."""
        self._run(
            "DELETE FROM records WHERE json_extract(content, '$.kind') IN ('shown', ?) "
            "AND json_extract(content, '$.table') = ?",
            EARLIER,
            table,
        )

    def fact(self, name: str) -> str | None:
        found = self._one("SELECT content FROM facts WHERE name = ?", name)
        return None if found is None else str(found[0])

    def state_fact(self, name: str, content: str) -> None:
        self._run("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, content)

    def _one(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        return next(iter(self.all(sql, *values)), None)

    def _run(self, sql: str, *values: Any) -> None:
        self.all(sql, *values)

    def all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; one that changes something is a change of its own unless it is inside
        `changing`."""
        with self._lock:
            if (
                self._journal is not None
                and not self._rows.in_transaction
                and not sql.startswith("SELECT")
            ):
                with self.changing():
                    return self._rows.execute(sql, values).fetchall()
            try:
                return self._rows.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise _not_written(error) from None


def _triggers() -> Iterator[str]:
    """Notes of every row that is changed, whatever statement changes it, until the change is in the
    journal."""
    yield "CREATE TEMP TABLE touched (name TEXT, one TEXT, two TEXT); "
    for table, named in KEYS.items():
        for event, rows in (("INSERT", ("NEW",)), ("UPDATE", ("OLD", "NEW")), ("DELETE", ("OLD",))):
            told = f"WHEN NOT ({_UNTOLD[table].format(row=rows[-1])}) " if table in _UNTOLD else ""
            notes = "".join(
                f"INSERT INTO touched VALUES ({_key(table, named, row)}); " for row in rows
            )
            yield (
                f"CREATE TEMP TRIGGER touched_{table}_{event} AFTER {event} ON main.{table} "
                f"{told}BEGIN {notes}END; "
            )


def _key(table: str, named: tuple[str, ...], row: str) -> str:
    return ", ".join(
        (f"'{table}'", *(f"{row}.{name}" for name in named), *("''" for _ in range(2 - len(named))))
    )


def _not_written(error: sqlite3.Error) -> TargetError:
    return TargetError("The gate's state could not be written.", found=f"{error}.")
