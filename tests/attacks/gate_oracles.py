"""Attackers who look for another way round: what is offered, budgets, histories, records, ties,
nulls, many rows.

Most of them write down what every answer says of which people and solve all of it together (least
squares): whatever exact numbers can be combined to, this finds. What they believe of everybody is
scored as in gate_sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from gate_sets import KNOWN, Guesses, labels_of, one, rows_by_label
from gate_world import TOWNS, Ask, Person, number
from numpy.typing import NDArray

from sfumato.errors import NotAnswered, Refused
from sfumato.gate.answers import Answer
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker


@dataclass(eq=False)
class Equations:
    """For sets of people, how many of them have a positive test."""

    everybody: Sequence[Person]
    sets: list[NDArray[np.bool_]] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)

    def add(self, who: NDArray[np.bool_], positive: float) -> None:
        self.sets.append(who)
        self.sums.append(positive)

    def add_answer(self, answer: Answer, keeper: GateKeeper) -> None:
        """One equation for each label; the first column that is not known is the test."""
        rows = rows_by_label(answer)
        labels = [labels_of(answer, each, keeper) for each in self.everybody]
        for label, found in rows.items():
            positive = sum(times for row, times in found.items() if str(row[0]) == "1")
            self.add(np.array([each == label for each in labels]), positive)

    def solved(self) -> Guesses:
        """What everybody's test is, as far as the numbers say."""
        if not self.sets:
            return [None] * len(self.everybody)
        found = np.linalg.lstsq(np.array(self.sets, float), np.array(self.sums), rcond=None)[0]
        usual = sum(self.sums) / max(1, sum(each.sum() for each in self.sets))
        moved = np.abs(found - usual) > 1e-6
        return [
            int(value > max(usual, 0.5)) if tells else None
            for value, tells in zip(found, moved, strict=True)
        ]


# ---------------------------------------------------------------------- (a) records, brought again
# and again


def uploads(
    keeper: GateKeeper, everybody: Sequence[Person], who: Iterator[Asker], *, times: int = 100
) -> Guesses:
    """Link mode, once and again: the first is the target, others come and go, and what to bring
    next depends on what was told: where an answer was widened, fewer are brought next time. Every
    answer is an equation."""
    draw = np.random.default_rng(4)
    told, share = Equations(everybody), 0.5
    for turn in range(times):
        chosen = draw.random(len(everybody)) < share
        chosen[0] = turn % 2 == 0
        if chosen.sum() < 5:
            continue
        on = KNOWN if turn % 3 else tuple(draw.permutation(KNOWN)[: draw.integers(1, 4)].tolist())
        brought = [
            {name: each.record[name] for name in on}
            for each, take in zip(everybody, chosen, strict=True)
            if take
        ]
        try:
            answer = keeper.link(next(who), "people", brought, on=on, show=["test"])
        except Refused:
            share = min(0.9, share * 1.3)
            continue
        share = max(0.02, share * (0.7 if answer.widened else 1.1))
        told.add_answer(answer, keeper)
    return told.solved()


def uploads_to_plain(everybody: Sequence[Person], *, times: int = 1000) -> Guesses:
    """The same where whoever brings five records gets the sum of their tests."""
    draw = np.random.default_rng(4)
    told = Equations(everybody)
    tests = np.array([each.test for each in everybody])
    for _ in range(times):
        chosen = draw.random(len(everybody)) < 0.5
        told.add(chosen, float(tests[chosen].sum()))
    return told.solved()


# ---------------------------------------------------------------------- (h) ties


def tied_then_finer(ask: Ask, target: Person) -> int | None:
    """Tests beside costs of everybody, and then costs alone in ever finer groups, down to the
    target's."""
    tests = ask("SELECT cost, test FROM people")
    costs: set[object] | None = None
    for condition in (
        f"age BETWEEN {target.age - 1} AND {target.age + 1} AND sex = '{target.sex}'",
        f"town = '{target.town}'",
        f"arrived = {target.arrived}",
    ):
        found = ask(f"SELECT cost FROM people WHERE {condition}")
        if found is not None:
            costs = (
                {row[0] for row in found} if costs is None else costs & {row[0] for row in found}
            )
    if tests is None or not costs:
        return None
    fitting = [int(row[1]) for row in tests if row[0] in costs]
    return None if not fitting else int(np.mean(fitting) > 0.5)


# ---------------------------------------------------------------------- (i) other functions,
# exactly


def extremes(ask: Ask, target: Person) -> int | None:
    """The extremes, the sum and the number of different costs of those near the target who are
    positive, with the target and without."""
    near = f"age BETWEEN {target.age - 1} AND {target.age + 1}"
    for function in ("MAX(cost)", "MIN(cost)", "COUNT(DISTINCT cost)", "SUM(cost)"):
        whole, rest = (
            number(ask(f"SELECT {function} FROM people WHERE {condition} AND test = 1"))
            for condition in (near, f"{near} AND NOT ({target.alone})")
        )
        if whole is not None and rest is not None and whole != rest:
            return 1
    return 0


def having_groups(ask: Ask, target: Person) -> int | None:
    """Which groups have a positive test in them, where everybody is a group of their own."""
    found = ask(
        "SELECT age, town, sex, arrived FROM people GROUP BY age, town, sex, arrived "
        "HAVING MAX(test) = 1"
    )
    if found is None:
        return None
    return int((target.age, target.town, target.sex, target.arrived) in found)


# ---------------------------------------------------------------------- (j) what is missing, and
# what is rare


def neither_nor(ask: Ask, target: Person) -> int | None:
    """Nobody knows whether a town that is missing is Aberdeen: who is neither in it nor outside it
    is the target."""
    whole, inside, outside = (
        number(ask(f"SELECT COUNT(*) FROM people WHERE {condition}test = 1"))
        for condition in ("", "town = 'Aberdeen' AND ", "NOT (town = 'Aberdeen') AND ")
    )
    return (
        None
        if whole is None or inside is None or outside is None
        else int(whole - inside - outside > 0.5)
    )


def rare_value(ask: Ask, target: Person) -> int | None:
    """A town that nobody else lives in: everybody, less all towns that are on the map."""
    whole = number(ask("SELECT COUNT(*) FROM people WHERE test = 1"))
    names = ", ".join(f"'{town}'" for town in TOWNS)
    rest = number(ask(f"SELECT COUNT(*) FROM people WHERE town IN ({names}) AND test = 1"))
    return None if whole is None or rest is None else int(whole - rest > 0.5)


# ---------------------------------------------------------------------- (c), (f) what is offered,
# and what is left


def features(keeper: GateKeeper, target: Person) -> dict[str, float]:
    """All that is told beside answers, and the answers: which shapes are offered, before and after
    an answer and for records that are brought; which numbers are exact; how many questions are
    left; how the target's group is made."""
    eve, out = next(one()), {}
    full = "SELECT age, town, sex, arrived, test FROM people"

    def looks(word: str, sql: str) -> None:
        for shape in keeper.look(eve, sql).shapes:
            out[f"{word} {shape.name} {shape.rows} {shape.withheld}"] = 1.0

    looks("first", full)
    for name in KNOWN:
        looks(f"by {name}", f"SELECT {name}, test FROM people WHERE NOT ({target.alone})")
    for place, by in enumerate(("sex", "town", "age", "arrived")):
        try:
            answer = keeper.ask(
                eve, f"SELECT {by}, COUNT(*) FROM people WHERE test = 1 GROUP BY {by}"
            )
        except NotAnswered:
            out[f"refused by {by}"] = 1.0
            continue
        out[f"exact by {by}"] = float(not answer.noise)
        out[f"left {place}"] = float(
            keeper.look(eve, "SELECT COUNT(*) FROM people WHERE test = 1").left
        )
        _of_group(out, f"share by {by}", answer, target, keeper)
    looks("then", f"{full} WHERE NOT ({target.alone})")
    return out


def _of_group(
    out: dict[str, float], word: str, answer: Answer, target: Person, keeper: GateKeeper
) -> None:
    """The positive tests of the target's group: exactly, or with noise."""
    mine = (
        labels_of(answer, target, keeper) if answer.levels else (target.record[answer.columns[0]],)
    )
    for row in answer.rows:
        if tuple(map(str, row[:1])) == tuple(map(str, mine)) and row[1] is not None:
            out[word] = float(row[1]) / 20


Attack = Callable[[Ask, Person], object]
BY_TARGET: dict[str, Attack] = {
    each.__name__: each for each in (tied_then_finer, extremes, having_groups)
}


# ---------------------------------------------------------------------- (e) other policies, other
# openings


def all_answers(
    keepers: Sequence[GateKeeper], everybody: Sequence[Person], who: Iterator[Asker]
) -> Guesses:
    """The same questions of one gate under one policy after the other; every answer is an
    equation."""
    told = Equations(everybody)
    for keeper in keepers:
        for sql in (
            "SELECT age, town, sex, arrived, test FROM people",
            "SELECT age, test FROM people",
            "SELECT arrived, test FROM people",
            "SELECT town, sex, test FROM people",
        ):
            try:
                answer = keeper.ask(next(who), sql)
            except Refused:
                continue
            told.add_answer(answer, keeper)
    return told.solved()
