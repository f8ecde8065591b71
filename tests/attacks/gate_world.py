"""A town that is asked through two gates: ours, and a plain one that only counts to five.

Everybody's age, town, sex and year of arrival are known to the attacker; the test is what they want
to know. An attack gets `ask`, a function from SQL to rows (or None where it is refused), and says
what it believes of one target.

Every attack is made twice on the same target, in two worlds that differ in this one test. What
counts is how much more often the attacker says 1 in the world where it is 1: (right - 1/2) / (1/2),
the confidence gained over guessing, where half of the people have 1. What would be said anyway
falls out of it, so that few targets are enough."""

from __future__ import annotations

import itertools
import shutil
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from sfumato.engines import open_source
from sfumato.errors import Mistake, Refused
from sfumato.gate.audit import Audit
from sfumato.gate.decide.confidentiality import Conditions
from sfumato.gate.decide.protected_table import ProtectedTable
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Mode, Settings, Terms
from sfumato.gate.state import GateState
from sfumato.policy.toml_file import policy_from_table

Rows = list[tuple[Any, ...]]
Ask = Callable[[str], Rows | None]
TOWNS = ("Aberdeen", "Bergen", "Cadiz", "Delphi")
FIELDS: dict[str, Any] = {
    "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10, 30]}}},
    "town": {"role": "quasi", "hierarchy": {"tree": {"north": TOWNS[:2], "south": TOWNS[2:]}}},
    "sex": {"role": "quasi"},
    "arrived": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 25]}}},
    "test": {"role": "sensitive"},
    "cost": {"role": "insensitive"},
}
POLICY = {"fields": FIELDS, "require": {"k": 5, "confidence_gain": {"gain": 0.1, "facts": 2}}}
"""The default: what `sfumato demo gate` asks for."""
ONLY_K = {"fields": FIELDS, "require": {"k": 5}}


@dataclass(frozen=True, slots=True)
class Person:
    age: int
    town: str
    sex: str
    arrived: int
    test: int
    cost: int
    place: int = 0
    """Where they stand in the table, which is sorted by what is known."""

    @property
    def alone(self) -> str:
        """A condition that means this person."""
        return (
            f"age = {self.age} AND town = '{self.town}' AND sex = '{self.sex}' AND arrived = "
            f"{self.arrived}"
        )

    @property
    def record(self) -> dict[str, str | None]:
        """What others may know of them, as it is brought to be linked."""
        return {
            "age": str(self.age),
            "town": self.town,
            "sex": self.sex,
            "arrived": str(self.arrived),
        }


def people(count: int = 400, *, seed: int = 3, share: float = 0.5) -> list[Person]:
    """Everybody differs from everybody else in what is known of them; cost is nearly everybody's
    own."""
    draw = np.random.default_rng(seed)
    bins = list(itertools.product(range(20, 80), TOWNS, "FM", range(1990, 2015)))
    chosen = draw.choice(len(bins), count, replace=False)
    tests, costs = draw.random(count) < share, draw.integers(0, 10_000, count)
    known = [bins[which] for which in sorted(chosen)]
    return [
        Person(*bin, int(test), int(cost), place)
        for place, (bin, test, cost) in enumerate(zip(known, tests, costs, strict=True))
    ]


class World:
    """Both gates over the same people, opened afresh for every attack."""

    def __init__(
        self, everybody: Sequence[Person], folder: Path, *, policy: Mapping[str, Any] = POLICY
    ) -> None:
        self.everybody, self.policy, self._folder = list(everybody), policy, folder
        self._count = itertools.count()
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "people.csv"
        names = list(FIELDS)
        lines = [
            ",".join(names),
            *(",".join(str(getattr(each, name)) for name in names) for each in everybody),
        ]
        self.path.write_text("\n".join(lines) + "\n")
        self.holding = held(self.path, policy)

    def swapped(self, target: Person) -> World:
        """The same world, but for this one test; its rows are in the same order."""
        changed = [
            replace(each, test=1 - each.test) if each is target else each for each in self.everybody
        ]
        out = World(changed, self._folder / "swapped", policy=self.policy)
        test = self.holding.fields["test"]
        codes = test.codes.copy()
        codes[self.row_of(target)] = test.values.index(str(1 - target.test))
        out.holding = replace(
            self.holding, fields={**self.holding.fields, "test": replace(test, codes=codes)}
        )
        return out

    def row_of(self, target: Person) -> int:
        """The target's row in the holding."""
        fields = ((self.holding.fields[name], value) for name, value in target.record.items())
        return int(
            np.flatnonzero(
                np.logical_and.reduce([h.codes == h.values.index(v) for h, v in fields])
            )[0]
        )

    @cached_property
    def conditions(self) -> Conditions:
        """Counted once for all gates of this world."""
        return Conditions(holding=self.holding, policy=self.holding.policy)

    @contextmanager
    def ours(self, *, terms: Terms | None = None) -> Iterator[GateKeeper]:
        """A gate of ours that nobody has asked anything yet."""
        with keeping(self.holding, self._folder / str(next(self._count)), terms=terms) as keeper:
            keeper.tables.__dict__["conditions"] = {"people": self.conditions}
            yield keeper

    @contextmanager
    def plain(self, *, k: int = 5) -> Iterator[Ask]:
        """A gate that hands to its database every question about five people or more, as many
        do."""
        with duckdb.connect(config={"threads": 1}) as rows:
            rows.execute(f"CREATE TABLE people AS FROM '{self.path}'")

            def ask(sql: str) -> Rows | None:
                where = (
                    sql.partition(" WHERE ")[2]
                    .partition(" GROUP BY ")[0]
                    .partition(" ORDER BY ")[0]
                )
                about = (
                    where.replace("AND test = 1", "")
                    .replace("test = 1 AND", "")
                    .replace("test = 1", "TRUE")
                )
                meant = rows.execute(
                    f"SELECT COUNT(*) FROM people WHERE {about or 'TRUE'}"
                ).fetchone()
                try:
                    return rows.execute(sql).fetchall() if meant and meant[0] >= k else None
                except duckdb.Error:
                    return [("error",)]

            yield ask


@contextmanager
def keeping(
    holding: ProtectedTable, folder: Path, *, terms: Terms | None = None
) -> Iterator[GateKeeper]:
    """A gate of ours over a holding, whose folder is gone afterwards."""
    folder.mkdir()
    state, audit = GateState(folder / "state.db"), Audit(folder / "audit.jsonl")
    settings = Settings(folder=folder, tables={}, terms={"public": terms} if terms else {})
    try:
        yield GateKeeper(
            settings=settings,
            holdings={"people": holding},
            state=state,
            audit=audit,
            secret=bytes(32),
        )
    finally:
        state.close()
        audit.close()
        shutil.rmtree(folder)


def held(path: Path, policy: Mapping[str, Any]) -> ProtectedTable:
    """A table under a policy."""
    with open_source(path) as engine:
        return ProtectedTable.of(engine, policy_from_table(dict(policy)), name="people")


@dataclass(frozen=True, eq=False)
class Pair:
    """A target, and the two worlds in which their test is 0 and 1."""

    target: Person
    worlds: tuple[World, World]


def pairs(
    everybody: Sequence[Person], count: int, folder: Path, *, policy: Mapping[str, Any] = POLICY
) -> list[Pair]:
    """Some people of a town as targets."""
    out = []
    for place, target in enumerate(everybody[:: len(everybody) // count][:count]):
        one = World(everybody, folder / f"{place}", policy=policy)
        other = one.swapped(target)
        out.append(Pair(target, (one, other) if target.test == 0 else (other, one)))
    return out


def improvement(attacked: Callable[[World, Person], object], over: Sequence[Pair]) -> float:
    """The confidence that an attack gains: 0 for guessing, 1 for knowing. It says 0, 1, or anything
    else it sees.

    What else it sees, a refusal for instance, is taken for whichever it goes with more often.
    """
    seen = [tuple(attacked(world, pair.target) for world in pair.worlds) for pair in over]
    others = {each for both in seen for each in both} - {0, 1}
    gained = [int(when_one == 1) - int(when_none == 1) for when_none, when_one in seen]
    for other in others:
        leans = [int(when_one == other) - int(when_none == other) for when_none, when_one in seen]
        gained.append(max(0, sum(leans)))
    return sum(gained) / len(over)


def against_plain(attack: Callable[[Ask, Person], object]) -> Callable[[World, Person], object]:
    """An attack on the plain gate."""

    def attacked(world: World, target: Person) -> object:
        with world.plain() as ask:
            return attack(ask, target)

    return attacked


def against_ours(
    attack: Callable[[Ask, Person], object], *, terms: Terms | None = None
) -> Callable[[World, Person], object]:
    """An attack on ours."""

    def attacked(world: World, target: Person) -> object:
        with world.ours(terms=terms) as keeper:
            return attack(asking(keeper), target)

    return attacked


def asking(
    keeper: GateKeeper, name: str = "eve", *, mode: Mode | None = None, shape: str = ""
) -> Ask:
    """The attacker's way to the gate."""

    def ask(sql: str) -> Rows | None:
        try:
            return keeper.ask(Asker(name=name, profile="public"), sql, mode=mode, shape=shape).rows
        except (Refused, Mistake):
            return None

    return ask


def number(rows: Rows | None) -> float | None:
    return None if not rows or rows[0][0] is None else float(rows[0][0])


def most(values: Sequence[object]) -> int | None:
    """What most of them are."""
    told = [int(str(value)) for value in values if value is not None]
    return None if not told else int(statistics.mean(told) > 0.5)
