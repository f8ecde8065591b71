"""A town that is asked through two gates: ours, and a plain one that only counts to five. Attackers know who lives there.

Everybody's age, town, sex and year of arrival are known to the attacker; the test is what they want to know. An attack gets
`ask`, a function from SQL to rows (or None where it is refused), and says what it believes of one target. What counts is the
confidence gained over the best guess without any gate: (share of right guesses - best guess) / (1 - best guess).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from sfumato.errors import Refused
from sfumato.gate.audit import Audit
from sfumato.gate.holding import Holding
from sfumato.gate.keeper import Keeper
from sfumato.gate.settings import Asker, Mode, Settings, Terms
from sfumato.gate.state import State
from sfumato.policy.toml_file import policy_from_table
from sfumato.sources import open_source

Rows = list[tuple[Any, ...]]
Ask = Callable[[str], Rows | None]
TOWNS = ("Aberdeen", "Bergen", "Cadiz", "Delphi")
POLICY = {
    "fields": {
        "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10, 30]}}},
        "town": {"role": "quasi", "hierarchy": {"tree": {"north": TOWNS[:2], "south": TOWNS[2:]}}},
        "sex": {"role": "quasi"},
        "arrived": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 25]}}},
        "test": {"role": "sensitive"},
        "cost": {"role": "insensitive"},
    },
    "require": {"k": 5, "confidence_gain": {"gain": 0.1, "facts": 2}},
}
"""The default: what `sfumato demo gate` asks for."""


@dataclass(frozen=True, slots=True)
class Person:
    age: int
    town: str
    sex: str
    arrived: int
    test: int
    cost: int

    @property
    def alone(self) -> str:
        """A condition that means this person."""
        return f"age = {self.age} AND town = '{self.town}' AND sex = '{self.sex}' AND arrived = {self.arrived}"

    @property
    def known(self) -> tuple[Any, ...]:
        return self.age, self.town, self.sex, self.arrived


def people(count: int = 800, *, seed: int = 7, share: float = 0.5) -> list[Person]:
    """Everybody differs from everybody else in what is known of them."""
    draw = np.random.default_rng(seed)
    corners = list(itertools.product(range(20, 80), TOWNS, "FM", range(1990, 2015)))
    chosen = draw.choice(len(corners), count, replace=False)
    return [
        Person(*corners[place], int(test), int(cost))
        for place, test, cost in zip(chosen, draw.random(count) < share, draw.integers(0, 10_000, count), strict=True)
    ]


def best_guess(everybody: Sequence[Person]) -> float:
    share = sum(person.test for person in everybody) / len(everybody)
    return max(share, 1 - share)


def improvement(right: Sequence[bool], everybody: Sequence[Person]) -> float:
    """The confidence gained over the best guess: 0 for guessing, 1 for knowing."""
    best = best_guess(everybody)
    return (sum(right) / len(right) - best) / (1 - best)


class World:
    """Both gates over the same people, opened afresh for every attack on every target."""

    def __init__(self, everybody: Sequence[Person], folder: Path, *, policy: dict[str, Any] = POLICY) -> None:
        self.everybody, self._folder, self._count = everybody, folder, itertools.count()
        path = folder / "people.csv"
        names = Person.__dataclass_fields__
        lines = [",".join(names), *(",".join(str(getattr(each, name)) for name in names) for each in everybody)]
        path.write_text("\n".join(lines) + "\n")
        with open_source(path) as engine:
            self._holding = Holding.of(engine, policy_from_table(policy), name="people")

    @contextmanager
    def ours(self, *, terms: Terms | None = None) -> Iterator[Keeper]:
        """A gate of ours that nobody has asked anything yet."""
        number = next(self._count)
        state, audit = State(self._folder / f"{number}.db"), Audit(self._folder / f"{number}.jsonl")
        chosen = {"public": terms} if terms else {}
        settings = Settings(folder=self._folder, tables={}, terms=chosen)
        secret = number.to_bytes(32, "big")
        try:
            yield Keeper(settings=settings, holdings={"people": self._holding}, state=state, audit=audit, secret=secret)
        finally:
            state.close()
            audit.close()

    @contextmanager
    def plain(self, *, k: int = 5) -> Iterator[Ask]:
        """A gate that answers everything about five people or more, as many do."""
        with duckdb.connect() as rows:
            rows.execute(f"CREATE TABLE people AS FROM '{self._folder / 'people.csv'}'")

            def ask(sql: str) -> Rows | None:
                where = sql.partition(" WHERE ")[2].partition(" GROUP BY ")[0].partition(" ORDER BY ")[0]
                about = where.replace("AND test = 1", "").replace("test = 1 AND", "").replace("test = 1", "TRUE")
                meant = rows.execute(f"SELECT COUNT(*) FROM people WHERE {about or 'TRUE'}").fetchone()
                return rows.execute(sql).fetchall() if meant and meant[0] >= k else None

            yield ask


def asking(keeper: Keeper, name: str = "eve", *, mode: Mode | None = None, shape: str = "") -> Ask:
    """The attacker's way to the gate."""

    def ask(sql: str) -> Rows | None:
        try:
            return keeper.ask(Asker(name=name, profile="public"), sql, mode=mode, shape=shape).rows
        except Refused:
            return None

    return ask


def number(rows: Rows | None) -> float | None:
    return None if not rows or rows[0][0] is None else float(rows[0][0])


def swapped(person: Person) -> Person:
    """The same person with the other outcome, for tests that compare two worlds."""
    return replace(person, test=1 - person.test)
