"""The book of an account: its charges in a database, each chained to the one before it.

A book is a pair of tables of an SQLite file. The file is its own, or that of a register, whose
people then have one account for releases, synthetic tables and gate answers."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from sfumato.errors import Mistake, ReleaseBroken

from .measurement import Measurement

KIND: Final = "sfumato privacy account"
VERSION: Final = 2
SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS account (one INTEGER PRIMARY KEY CHECK (one = 1), "
    "delta REAL NOT NULL, epsilon REAL, size INTEGER NOT NULL, end TEXT NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS charges (number INTEGER PRIMARY KEY, run TEXT NOT NULL, "
    "measurement TEXT NOT NULL, chain TEXT NOT NULL) STRICT",
)


@dataclass(frozen=True, kw_only=True)
class AccountHead:
    """The end of an account: how many charges it has, and the digest that chains the last."""

    size: int
    end: str

    def line(self) -> str:
        """The head as one line, to be kept elsewhere."""
        return f"{self.size}:{self.end}"


@dataclass(eq=False, kw_only=True)
class ReadCharges:
    """Charges that were read and checked: their number, chain and sum; `lines` are all of them."""

    delta: float
    epsilon: float | None = None
    lines: list[Measurement] = field(default_factory=list)
    chains: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    rho: Fraction = Fraction(0)
    selected: Fraction = Fraction(0)

    @property
    def head(self) -> AccountHead:
        end = self.chains[-1] if self.chains else _first(self.delta)
        return AccountHead(size=len(self.lines), end=end)

    def add(self, line: Measurement, *, run: str, chain: str) -> None:
        self.lines.append(line)
        self.runs.append(run)
        self.chains.append(chain)
        self.rho += line.rho
        self.selected += line.delta

    def charged_in(self, run: str) -> tuple[Measurement, ...]:
        """The lines of one run."""
        return tuple(line for line, of in zip(self.lines, self.runs, strict=True) if of == run)

    def has(self, head: AccountHead) -> bool:
        """Whether an earlier end of the account is still in it."""
        if head.size == 0:
            return True
        return head.size <= len(self.chains) and self.chains[head.size - 1] == head.end


class AccountBook:
    """The account in an open database. `where` names it in messages."""

    def __init__(self, database: sqlite3.Connection, *, where: str) -> None:
        self._database, self._where = database, where

    @property
    def is_open(self) -> bool:
        """Whether the database has an account."""
        found = self._database.execute(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('account', 'charges')"
        ).fetchone()[0]
        if found == 1:
            raise self._broken("A part of it is missing.")
        if not found:
            return False
        return bool(self._database.execute("SELECT count(*) FROM account").fetchone()[0])

    def open(self, *, delta: float, epsilon: float | None = None) -> None:
        """Begin an account, or change the limit of the one that is there; its delta stays."""
        for statement in SCHEMA:
            self._database.execute(statement)
        if self.is_open:
            self.read(delta=delta)
            self._database.execute("UPDATE account SET epsilon = ?", (epsilon,))
        else:
            if self._database.execute("SELECT count(*) FROM charges").fetchone()[0]:
                raise self._broken("It has charges, and lost what they are charged to.")
            self._database.execute(
                "INSERT INTO account VALUES (1, ?, ?, 0, ?)", (delta, epsilon, _first(delta))
            )

    def read(self, *, delta: float | None = None, known: ReadCharges | None = None) -> ReadCharges:
        """All charges, each checked against its cost and its chain. Those that are `known` to this
        process are not checked again."""
        terms = self._database.execute("SELECT delta, epsilon, size, end FROM account").fetchone()
        if terms is None:
            raise self._broken("It has no terms.")
        own, epsilon, size, end = terms
        if delta is not None and own != delta:
            raise Mistake(
                f"The privacy account {self._where} was asked to be charged at delta {delta:g}.",
                found="It was opened with another delta, and a person has one.",
                attempt="the delta of the account.",
            )
        if known is not None and not self._goes_on(known):
            raise self._broken("An older copy of it was put back.")
        known = known or ReadCharges(delta=own)
        known.epsilon = epsilon
        rows = self._database.execute(
            "SELECT number, run, measurement, chain FROM charges WHERE number > ? ORDER BY number",
            (len(known.lines),),
        )
        for number, run, text, chain in rows:
            if number != len(known.lines) + 1:
                raise self._broken("A line is missing.")
            known.add(self._line(text), run=run, chain=self._chain(known, run, text, chain))
        if known.head != AccountHead(size=size, end=end):
            raise self._broken("Lines are missing at its end.")
        return known

    def _goes_on(self, known: ReadCharges) -> bool:
        """Whether the charges that were read before are still there."""
        if not known.lines:
            return True
        found = self._database.execute(
            "SELECT chain FROM charges WHERE number = ?", (len(known.lines),)
        ).fetchone()
        return found is not None and found[0] == known.chains[-1]

    def _line(self, text: str) -> Measurement:
        try:
            return Measurement.from_dict(json.loads(text))
        except (ValueError, TypeError, AttributeError):
            raise self._broken("A line states another cost than its noise has.") from None

    def _chain(self, known: ReadCharges, run: str, text: str, chain: str) -> str:
        if chain != _next(known.head.end, run, text):
            raise self._broken("A line was changed after it was written.")
        return chain

    def append(self, lines: Iterable[Measurement], *, run: str, after: ReadCharges) -> None:
        """Write charges after those that were read; `after` has them too then."""
        for line in lines:
            text = json.dumps(line.as_dict(), sort_keys=True)
            chain = _next(after.head.end, run, text)
            after.add(line, run=run, chain=chain)
            self._database.execute(
                "INSERT INTO charges VALUES (?, ?, ?, ?)", (len(after.lines), run, text, chain)
            )
        self._database.execute("UPDATE account SET size = ?, end = ?", _columns(after.head))

    def _broken(self, found: str) -> ReleaseBroken:
        return broken_account(self._where, found)


def broken_account(where: str, found: str) -> ReleaseBroken:
    return ReleaseBroken(
        f"The privacy account {where} does not hold together.",
        found=found,
        attempt="the last whole copy; without it, no more may be measured of these people.",
    )


def read_head(text: str) -> AccountHead:
    """The end of an account from its line; ValueError where it is none."""
    size, _, end = text.strip().partition(":")
    if not size.isdigit() or len(bytes.fromhex(end)) != 32:
        raise ValueError("no end of an account")
    return AccountHead(size=int(size), end=end)


def _columns(head: AccountHead) -> Sequence[int | str]:
    return head.size, head.end


def _first(delta: float) -> str:
    return hashlib.sha256(f"{KIND} {VERSION} {delta!r}".encode()).hexdigest()


def _next(chain: str, run: str, text: str) -> str:
    return hashlib.sha256(f"{chain} {run} {text}".encode()).hexdigest()
