"""Attacks on the gate. Each is shown to win against a gate that only counts to five, and must not against ours.

Ours is asked under the default policy (k = 5, confidence gain 0.1 with two facts) with all its ways of answering: exact,
noisy, and generalised. The score is confidence gained over the best guess without any gate, on average over targets.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gate_world import POLICY, Ask, Person, World, asking, best_guess, improvement, number, people

from sfumato.gate.settings import Audience, Mode, Terms

EVERYBODY = people()
TARGETS = EVERYBODY[:40]
LIMIT = 0.1


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(EVERYBODY, tmp_path_factory.mktemp("gate"))


def by_difference(with_one: float | None, without: float | None, target: Person, ask: Ask) -> int | None:
    if with_one is None or without is None:
        return None
    return int(with_one - without > 0.5)


def count(ask: Ask, condition: str = "") -> float | None:
    return number(ask("SELECT COUNT(*) FROM people WHERE " + " AND ".join(c for c in (condition, "test = 1") if c)))


# Each attack takes a way to ask and a target, and says what it believes of the target's test, or None.


def difference(ask: Ask, target: Person) -> int | None:
    return by_difference(count(ask), count(ask, f"NOT ({target.alone})"), target, ask)


def difference_respelt(ask: Ask, target: Person) -> int | None:
    """The same with the target taken out in another spelling each time: the most frequent outcome."""
    out = (
        f"NOT ({target.alone})",
        f"(age <> {target.age} OR town <> '{target.town}' OR sex <> '{target.sex}' OR arrived <> {target.arrived})",
        f"NOT (age IN ({target.age}) AND town LIKE '{target.town}' AND sex = '{target.sex}' AND "
        f"arrived BETWEEN {target.arrived} AND {target.arrived})",
        f"(age < {target.age} OR age > {target.age} OR NOT town = '{target.town}' OR NOT sex = '{target.sex}' OR "
        f"arrived < {target.arrived} OR arrived > {target.arrived})",
    )
    found = [by_difference(count(ask), count(ask, each), target, ask) for each in out]
    told = [each for each in found if each is not None]
    return None if not told else int(np.mean(told) > 0.5)


def general_tracker(ask: Ask, target: Person) -> int | None:
    """Denning, Denning and Schwartz 1979: q(C) = q(C or T) + q(C or not T) - q(T) - q(not T)."""
    tracker = "(sex = 'F')"
    parts = [
        count(ask, f"(({target.alone}) OR {tracker})"),
        count(ask, f"(({target.alone}) OR NOT {tracker})"),
        count(ask, tracker),
        count(ask, f"NOT {tracker}"),
    ]
    if any(part is None for part in parts):
        return None
    return int(parts[0] + parts[1] - parts[2] - parts[3] > 0.5)


def individual_tracker(ask: Ask, target: Person) -> int | None:
    """Schlörer 1975: C = A and B, so q(C) = q(A) - q(A and not B)."""
    a, b = f"age = {target.age}", f"town = '{target.town}' AND sex = '{target.sex}' AND arrived = {target.arrived}"
    return by_difference(count(ask, a), count(ask, f"{a} AND NOT ({b})"), target, ask)


def successive_answers(ask: Ask, target: Person) -> int | None:
    """Rows of all people of the target's age, then of all but the target: the row that is missing."""
    one = ask(f"SELECT test, cost FROM people WHERE age = {target.age}")
    other = ask(f"SELECT test, cost FROM people WHERE age = {target.age} AND NOT ({target.alone})")
    if one is None or other is None:
        return None
    missing = list(one)
    for row in other:
        if row in missing:
            missing.remove(row)
    return int(missing[0][0]) if len(missing) == 1 else None


def isolated(ask: Ask, target: Person) -> int | None:
    """Ask about the target alone; take a refusal for an answer as well."""
    found = count(ask, target.alone)
    return None if found is None else int(found > 0.5)


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


def through_tied_fields(ask: Ask, target: Person) -> int | None:
    """Costs are nearly unique: find the target's among people of their age and of their town, then its test."""
    of_age = ask(f"SELECT cost FROM people WHERE age = {target.age} AND arrived = {target.arrived}")
    of_town = ask(f"SELECT cost FROM people WHERE town = '{target.town}' AND sex = '{target.sex}'")
    tests = ask("SELECT cost, test FROM people")
    if of_age is None or of_town is None or tests is None:
        return None
    costs = {row[0] for row in of_age} & {row[0] for row in of_town}
    found = [row[1] for row in tests if row[0] in costs]
    return int(np.mean([int(each) for each in found]) > 0.5) if found else None


def homogeneity(ask: Ask, target: Person) -> int | None:
    """Of the people of the target's age, town and sex: what most of them have."""
    found = ask(f"SELECT test FROM people WHERE age = {target.age} AND town = '{target.town}'")
    return None if not found else int(np.mean([int(row[0]) for row in found]) > 0.5)


ATTACKS: dict[str, Callable[[Ask, Person], int | None]] = {
    each.__name__: each
    for each in (
        difference, difference_respelt, general_tracker, individual_tracker, successive_answers, averaging,
        through_tied_fields,
    )
}  # fmt: skip


def guesses(attack: Callable[[Ask, Person], int | None], target: Person, ask: Ask) -> bool:
    """Whether the attacker is right, who falls back on the best guess where the attack tells nothing."""
    usual = int(sum(person.test for person in EVERYBODY) * 2 > len(EVERYBODY))
    found = attack(ask, target)
    return (usual if found is None else found) == target.test


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "through_tied_fields"])
def test_the_attacker_wins_against_a_gate_that_counts_to_five(world, name):
    with world.plain() as ask:
        right = [guesses(ATTACKS[name], target, ask) for target in TARGETS]
    assert improvement(right, EVERYBODY) > 0.9


@pytest.mark.parametrize("mode", [Mode.EXACT, Mode.EITHER, Mode.NOISY])
@pytest.mark.parametrize("name", ATTACKS)
def test_the_attacker_does_not_win_against_ours(world, name, mode):
    right = []
    for target in TARGETS:
        with world.ours(terms=Terms(mode=mode)) as keeper:
            right.append(guesses(ATTACKS[name], target, asking(keeper)))
    assert improvement(right, EVERYBODY) < LIMIT + two_deviations()


def two_deviations() -> float:
    """How far an attacker who guesses may come above 0 by luck, with so many targets."""
    best = best_guess(EVERYBODY)
    return 2 * (best * (1 - best) / len(TARGETS)) ** 0.5 / (1 - best)
