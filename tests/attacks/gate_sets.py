"""Attackers who put whole answers together and say what they believe of everybody at once.

They ask for all shapes of a question, know a few tests, share accounts, read the order of rows, or
bring records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from gate_world import Person, World, most

from sfumato.errors import Refused
from sfumato.gate.answers import Answer
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Terms

KNOWN = ("age", "town", "sex", "arrived")
Label = tuple[str, ...]
Guesses = list[int | None]
"""What is believed of each of the people, in the order of the table."""
Attacked = Callable[[World, Person], object]


def one(name: str = "eve") -> Iterator[Asker]:
    while True:
        yield Asker(name=name, profile="public")


def many() -> Iterator[Asker]:
    """A new account for every question, who shares with nobody: what a gate without memory is."""
    for number in range(10**9):
        yield Asker(name=f"eve {number}", profile="public")


def gained(guesses: Guesses, everybody: Sequence[Person]) -> float:
    """The confidence gained over the best guess, which is also made where nothing is believed."""
    tests = np.array([each.test for each in everybody])
    best = max(tests.mean(), 1 - tests.mean())
    usual = int(tests.mean() > 0.5)
    right = np.mean(
        [
            (usual if guess is None else guess) == test
            for guess, test in zip(guesses, tests, strict=True)
        ]
    )
    return float((right - best) / (1 - best))


def scored(
    attack: Callable[[GateKeeper, Sequence[Person], Iterator[Asker]], Guesses],
    world: World,
    who: Callable[[], Iterator[Asker]],
    *,
    terms: Terms,
) -> float:
    """What an attack gains at a gate that nobody has asked anything."""
    with world.ours(terms=terms) as keeper:
        return gained(attack(keeper, world.everybody, who()), world.everybody)


def answers(keeper: GateKeeper, sql: str, who: Iterator[Asker]) -> Iterator[Answer]:
    """The answers to a question in every shape that is offered, each asked by the next of some
    askers."""
    for shape in keeper.look(next(who), sql).shapes:
        try:
            yield keeper.ask(next(who), sql, shape=shape.name)
        except Refused:
            continue


def labels_of(answer: Answer, person: Person, keeper: GateKeeper) -> Label:
    """What the answer calls somebody, by the known fields that it shows."""
    holding = keeper.holdings["people"]
    out = []
    for name in (name for name in answer.columns if name in answer.levels):
        level, hierarchy = answer.levels[name], holding.hierarchies[name]
        code = holding.fields[name].values.index(person.record[name])
        out.append(str(hierarchy.labels[level][hierarchy.up[level][code]]))
    return tuple(out)


def rows_by_label(answer: Answer) -> dict[Label, Counter[tuple[object, ...]]]:
    """What is to be protected in an answer, for each tuple of labels."""
    shown = [place for place, name in enumerate(answer.columns) if name in answer.levels]
    rest = [place for place, name in enumerate(answer.columns) if name not in answer.levels]
    out: dict[Label, Counter[tuple[object, ...]]] = {}
    for row in answer.rows:
        label = tuple(str(row[place]) for place in shown)
        out.setdefault(label, Counter())[tuple(row[place] for place in rest)] += 1
    return out


def most_tests(rows: Counter[tuple[object, ...]]) -> int | None:
    return most([row[0] for row, times in rows.items() for _ in range(times)])


def minimal_nodes(keeper: GateKeeper, everybody: Sequence[Person], who: Iterator[Asker]) -> Guesses:
    """The rows that may be somebody's in every shape offered (Chiang et al. 2001, section 3.3: all
    of the MSCPA)."""
    left: list[Counter[tuple[object, ...]] | None] = [None] * len(everybody)
    for answer in answers(keeper, "SELECT age, town, sex, arrived, test, cost FROM people", who):
        rows = rows_by_label(answer)
        for place, person in enumerate(everybody):
            found, before = rows.get(labels_of(answer, person, keeper), Counter()), left[place]
            left[place] = found if before is None else before & found
    return [None if each is None else most_tests(each) for each in left]


def knowing(facts: int) -> Callable[[GateKeeper, Sequence[Person], Iterator[Asker]], Guesses]:
    """What most of somebody's group have, without a few others in it whose tests are known; 0 is
    homogeneity."""

    def attack(keeper: GateKeeper, everybody: Sequence[Person], who: Iterator[Asker]) -> Guesses:
        answer = next(
            answers(keeper, "SELECT age, town, sex, arrived, test FROM people", who), None
        )
        if answer is None:
            return [None] * len(everybody)
        rows, labels = (
            rows_by_label(answer),
            [labels_of(answer, each, keeper) for each in everybody],
        )
        alike: dict[Label, list[Person]] = {}
        for label, person in zip(labels, everybody, strict=True):
            alike.setdefault(label, []).append(person)
        out: Guesses = []
        for label, person in zip(labels, everybody, strict=True):
            others = [each for each in alike[label] if each is not person][:facts]
            known = Counter((each.test,) for each in others)
            out.append(most_tests(rows.get(label, Counter()) - known))
        return out

    return attack


def colluding(keeper: GateKeeper, everybody: Sequence[Person], who: Iterator[Asker]) -> Guesses:
    """Two ask, one by age and arrival, the other by town and sex, both with what is nearly
    everybody's own."""
    found = []
    for fields, asker in zip(("age, arrived", "town, sex"), who, strict=False):
        try:
            found.append(keeper.ask(asker, f"SELECT {fields}, test, cost FROM people"))
        except Refused:
            return [None] * len(everybody)
    rows = [rows_by_label(each) for each in found]
    out: Guesses = []
    for person in everybody:
        one, other = (
            of.get(labels_of(answer, person, keeper), Counter())
            for of, answer in zip(rows, found, strict=True)
        )
        out.append(most_tests(one & other))
    return out


def row_order(keeper: GateKeeper, everybody: Sequence[Person], who: Iterator[Asker]) -> Guesses:
    """The rows as they stand; everybody knows who is first in the table, and who is next."""
    return [int(row[0]) for row in keeper.ask(next(who), "SELECT test FROM people").rows]


def cut_short(keeper: GateKeeper, everybody: Sequence[Person], who: Iterator[Asker]) -> Guesses:
    """Sorted by what is known, and cut one row at a time: whoever is first in the table is first in
    what is cut."""
    sql = "SELECT test FROM people ORDER BY age, town, sex, arrived"
    out: Guesses = [int(row[0]) for row in keeper.ask(next(who), sql).rows]
    for place in range(0, len(everybody), 20):
        out[place] = int(keeper.ask(next(who), f"{sql} LIMIT 1 OFFSET {place}").rows[0][0])
    return out


def made_up(target: Person, count: int) -> list[dict[str, str | None]]:
    """Records of nobody: as the target's, but for an age that nobody has."""
    return [{**target.record, "age": str(200 + number)} for number in range(count)]


def near_duplicates(target: Person, everybody: Sequence[Person]) -> list[dict[str, str | None]]:
    """The target, and records that differ from theirs in one field and are nobody's."""
    there = {tuple(each.record.values()) for each in everybody}
    close = ({**target.record, "arrived": str(year)} for year in range(1990, 2015))
    return [target.record, *(each for each in close if tuple(each.values()) not in there)]


def all_but(target: Person, everybody: Sequence[Person]) -> list[dict[str, str | None]]:
    return [each.record for each in everybody if each.place != target.place]


def linked(
    world: World, target: Person, records: Sequence[dict[str, str | None]], *, ours: bool
) -> list[int] | None:
    """The tests that come back for some records: from ours, or from one that answers whoever brings
    five."""
    if ours:
        with world.ours() as keeper:
            try:
                answer = keeper.link(next(one()), "people", records, on=KNOWN, show=["test"])
            except Refused:
                return None
            rows = rows_by_label(answer).get(labels_of(answer, target, keeper), Counter())
            return [int(str(row[0])) for row, times in rows.items() for _ in range(times)]
    tests = {tuple(each.record.values()): each.test for each in world.everybody}
    found = [tests[key] for record in records if (key := tuple(record.values())) in tests]
    return found if len(records) >= 5 else None


def probing(kind: str, *, ours: bool) -> Attacked:
    """One target among made-up fillers, near-duplicates of the target, or everybody but the
    target."""

    def attacked(world: World, target: Person) -> object:
        if kind == "left out":
            whole = linked(world, target, [each.record for each in world.everybody], ours=ours)
            rest = linked(world, target, all_but(target, world.everybody), ours=ours)
            return None if whole is None or rest is None else int(sum(whole) - sum(rest) > 0.5)
        fillers = (
            made_up(target, 9)
            if kind == "fillers"
            else near_duplicates(target, world.everybody)[1:]
        )
        return most(linked(world, target, [target.record, *fillers], ours=ours) or [])

    return attacked
