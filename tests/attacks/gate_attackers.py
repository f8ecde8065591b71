"""Attackers who ask one question after the other and say what they believe of one target's test: 0,
1, or nothing.

Each gets a way to ask, and may not care what is behind it: a gate that counts to five, ours, or
ours through a client."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gate_world import Ask, Person, most, number

Attack = Callable[[Ask, Person], object]


def count(ask: Ask, condition: str = "") -> float | None:
    return number(
        ask(
            "SELECT COUNT(*) FROM people WHERE "
            + " AND ".join(c for c in (condition, "test = 1") if c)
        )
    )


def by_difference(with_one: float | None, without: float | None) -> int | None:
    return None if with_one is None or without is None else int(with_one - without > 0.5)


def near(target: Person) -> str:
    """A condition for people of about the target's age: more than five of them."""
    return f"age BETWEEN {target.age - 1} AND {target.age + 1}"


def difference(ask: Ask, target: Person) -> int | None:
    """Everybody, less everybody but the target."""
    return by_difference(count(ask), count(ask, f"NOT ({target.alone})"))


def difference_respelt(ask: Ask, target: Person) -> int | None:
    """The same with the target taken out in another spelling each time: the most frequent
    outcome."""
    out = (
        f"(age <> {target.age} OR town <> '{target.town}' OR sex <> '{target.sex}' OR "
        f"arrived <> {target.arrived})",
        f"NOT (age IN ({target.age}) AND town LIKE '{target.town}' AND sex = '{target.sex}' AND "
        f"arrived BETWEEN {target.arrived} AND {target.arrived})",
        f"(age < {target.age} OR age > {target.age} OR NOT town = '{target.town}' OR NOT "
        f"sex = '{target.sex}' OR "
        f"arrived < {target.arrived} OR arrived > {target.arrived})",
    )
    return most([by_difference(count(ask), count(ask, each)) for each in out])


def general_tracker(ask: Ask, target: Person) -> int | None:
    """Denning, Denning and Schwartz 1979: q(C) = q(C or T) + q(C or not T) - q(T) - q(not T)."""
    tracker = "(sex = 'F')"
    parts = [
        count(ask, f"(({target.alone}) OR {tracker})"),
        count(ask, f"(({target.alone}) OR NOT {tracker})"),
        count(ask, tracker),
        count(ask, f"NOT {tracker}"),
    ]
    told = [part for part in parts if part is not None]
    return int(told[0] + told[1] - told[2] - told[3] > 0.5) if len(told) == 4 else None


def individual_tracker(ask: Ask, target: Person) -> int | None:
    """Schlörer 1975: C = A and B, so q(C) = q(A) - q(A and not B)."""
    of_age = near(target)
    return by_difference(count(ask, of_age), count(ask, f"{of_age} AND NOT ({target.alone})"))


def successive_answers(ask: Ask, target: Person) -> int | None:
    """Rows of all people of the target's age, then of all but the target: the row that is
    missing."""
    one = ask(f"SELECT test, cost FROM people WHERE {near(target)}")
    other = ask(f"SELECT test, cost FROM people WHERE {near(target)} AND NOT ({target.alone})")
    if one is None or other is None:
        return None
    missing = list(one)
    for row in other:
        if row in missing:
            missing.remove(row)
    return int(missing[0][0]) if len(missing) == 1 else None


def averaging(ask: Ask, target: Person) -> int | None:
    """One difference in forty spellings, averaged."""
    seen = []
    for place in range(20):
        limit = 200 + place
        whole = count(ask, f"age < {limit}")
        without = count(ask, f"age < {limit} AND NOT ({target.alone} AND age < {limit + 1})")
        if whole is not None and without is not None:
            seen.append(whole - without)
    return None if not seen else int(np.mean(seen) > 0.5)


def other_functions(ask: Ask, target: Person) -> int | None:
    """Differences of sums, averages and distinct values: other numbers that a test goes into."""
    without = f" WHERE NOT ({target.alone})"
    for function in ("SUM(test)", "COUNT(DISTINCT cost)"):
        ends = (
            (" WHERE test = 1", f"{without} AND test = 1") if "cost" in function else ("", without)
        )
        whole, rest = (number(ask(f"SELECT {function} FROM people{end}")) for end in ends)
        if whole is not None and rest is not None and whole != rest:
            return 1
    mean, less = (number(ask(f"SELECT AVG(test) FROM people{end}")) for end in ("", without))
    size = number(ask("SELECT COUNT(*) FROM people"))
    return (
        None
        if mean is None or less is None or size is None
        else int(mean * size - less * (size - 1) > 0.5)
    )


def through_tied_fields(ask: Ask, target: Person) -> int | None:
    """Costs are nearly unique: find the target's among those of their age and of their town, then
    its test."""
    of_age = ask(f"SELECT cost FROM people WHERE {near(target)} AND sex = '{target.sex}'")
    of_town = ask(f"SELECT cost FROM people WHERE town = '{target.town}'")
    since = ask(f"SELECT cost FROM people WHERE arrived = {target.arrived}")
    tests = ask("SELECT cost, test FROM people")
    if of_age is None or of_town is None or since is None or tests is None:
        return None
    costs = {row[0] for row in of_age} & {row[0] for row in of_town} & {row[0] for row in since}
    return most([row[1] for row in tests if row[0] in costs])


def sorted_out(ask: Ask, target: Person) -> int | None:
    """Sorted so that the target is first, then cut after one row."""
    found = ask(
        f"SELECT test, age FROM people ORDER BY age = {target.age} DESC, town = "
        f"'{target.town}' DESC, "
        f"sex = '{target.sex}' DESC, arrived = {target.arrived} DESC LIMIT 1"
    )
    return int(found[0][0]) if found else None


def not_listed(ask: Ask, target: Person) -> int | None:
    """Ask who has a positive test, so that whoever is not there has a negative one."""
    found = ask("SELECT age, town, sex, arrived FROM people WHERE test = 1")
    return (
        None
        if found is None
        else int((target.age, target.town, target.sex, target.arrived) in found)
    )


ATTACKS: dict[str, Attack] = {
    each.__name__: each
    for each in (
        difference, difference_respelt, general_tracker, individual_tracker, successive_answers, averaging,
        other_functions, through_tied_fields, sorted_out, not_listed,
    )
}  # fmt: skip
