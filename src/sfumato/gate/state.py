"""What the gate must not forget: exposures, budgets, answers given, accounts. One SQLite file, every change on disk.

A change that belongs to an answer is committed before the answer's line in the audit, and that before the answer
leaves: after a crash, exposure and budget may count an answer that nobody got, never the other way round.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sfumato.errors import TargetError

OWNER_ONLY: Final = 0o600
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS exposures (
    audience TEXT, holding TEXT, classes BLOB NOT NULL, PRIMARY KEY (audience, holding)
);
CREATE TABLE IF NOT EXISTS spent (
    scope TEXT PRIMARY KEY, epsilon REAL NOT NULL
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


class State:
    """The gate's memory. Changes are made in `changing`, all of them or none."""

    def __init__(self, path: Path) -> None:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY))
            self._rows = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._rows.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + _TABLES)
        except (OSError, sqlite3.Error) as error:
            raise TargetError(f"The gate's state {path} cannot be opened.", found=f"{error}.") from None
        self._lock = threading.RLock()

    def close(self) -> None:
        self._rows.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Everything inside becomes true together, and is on disk when it ends."""
        with self._lock:
            self._rows.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._rows.execute("COMMIT")
            except sqlite3.Error as error:
                self._undo()
                raise _not_written(error) from None
            except BaseException:
                self._undo()
                raise

    def _undo(self) -> None:
        """SQLite may have undone it already, as it does where the disk is full."""
        if self._rows.in_transaction:
            self._rows.execute("ROLLBACK")

    def exposure(self, audience: str, holding: str) -> bytes | None:
        found = self._one("SELECT classes FROM exposures WHERE audience = ? AND holding = ?", audience, holding)
        return None if found is None else bytes(found[0])

    def expose(self, audience: str, holding: str, classes: bytes) -> None:
        self._run("INSERT OR REPLACE INTO exposures VALUES (?, ?, ?)", audience, holding, classes)

    def spent(self, scope: str) -> float:
        found = self._one("SELECT epsilon FROM spent WHERE scope = ?", scope)
        return 0.0 if found is None else float(found[0])

    def spend(self, scope: str, epsilon: float) -> None:
        self._run(
            "INSERT INTO spent VALUES (?, ?) ON CONFLICT (scope) DO UPDATE SET epsilon = epsilon + excluded.epsilon",
            scope,
            epsilon,
        )

    def record(self, asker: str, question: str) -> dict[str, Any] | None:
        found = self._one("SELECT content FROM records WHERE asker = ? AND question = ?", asker, question)
        return None if found is None else dict(json.loads(found[0]))

    def remember(self, asker: str, question: str, content: Mapping[str, Any]) -> None:
        self._run("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", asker, question, json.dumps(content))

    def forget_shown(self, table: str) -> None:
        """Forget in which shapes a table was shown. Exposures stay, and so do noisy numbers."""
        self._run(
            "DELETE FROM records WHERE json_extract(content, '$.kind') = 'shown' "
            "AND json_extract(content, '$.table') = ?",
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
        with self._lock:
            try:
                return self._rows.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise _not_written(error) from None


def _not_written(error: sqlite3.Error) -> TargetError:
    return TargetError("The gate's state could not be written.", found=f"{error}.")
