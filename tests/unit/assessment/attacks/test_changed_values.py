"""Attacks on rows whose values were changed: nobody lies under such a row, and it is somebody's all
the same."""

from __future__ import annotations

import numpy as np
import pytest
from village import table

from sfumato.assessment.attacks import set_scene
from sfumato.assessment.attacks.attack_run import BEATS, HOLDS
from sfumato.assessment.attacks.fuzzy_linkage import fuzzy_linkage
from sfumato.assessment.attacks.linkage import linkage
from sfumato.assessment.attacks.register_linkage import intruder, register_linkage_with_errors
from sfumato.measures.subject import Subject

MEASURED = ("height", "weight", "pulse")


def measured(seed: int, many: int = 300) -> list[dict[str, str]]:
    chance = np.random.default_rng(seed)
    numbers = chance.normal((170, 75, 70), (15, 15, 10), (many, 3))
    return [
        {name: f"{number:.1f}" for name, number in zip(MEASURED, row, strict=True)}
        | {"problem": "flu gout cold".split()[place % 3], "name": f"person {seed} {place}"}
        for place, row in enumerate(numbers)
    ]


def noisy(people: list[dict[str, str]], by: float) -> list[dict[str, str]]:
    chance = np.random.default_rng(5)
    rows = [
        {name: f"{float(person[name]) + chance.normal(0, by):.1f}" for name in MEASURED}
        | {"problem": person["problem"]}
        for person in people
    ]
    return [rows[place] for place in chance.permutation(len(rows))]


def scene(release, people, others=None):
    control = None if others is None else table(others)
    return set_scene(
        Subject(
            release=table(release),
            source=table(people),
            control=control,
            known=MEASURED,
            sensitive=("problem",),
        )
    )


def test_a_little_noise_does_not_hide_whose_a_row_is():
    """Nearly everyone is nearest to their own row, and no row has the true numbers of anybody."""
    people = measured(1)
    run = fuzzy_linkage(scene(noisy(people, 0.2), people, measured(2)))
    assert run.outcome == BEATS
    assert run.rate.successes > 0.9 * run.claims > 100
    assert run.control.value < 0.05
    assert any("No person of the source is covered by" in note for note in run.notes)


def test_rows_that_are_nobodys_are_found_no_better_than_by_people_outside():
    """Rows drawn anew from the same distribution: who is nearest to one is so by chance, inside or
    outside."""
    run = fuzzy_linkage(scene(noisy(measured(3), 0.2), measured(1), measured(2)))
    assert run.outcome == HOLDS


def test_a_changed_problem_does_not_hide_whose_the_row_is():
    people = measured(1)
    changed = [{**row, "problem": "other"} for row in noisy(people, 0.0)]
    run = linkage(scene(changed, people))
    assert run.outcome == BEATS
    assert run.rate.successes == run.claims


@pytest.mark.parametrize(("by", "least"), [(0.0, 0.95), (0.2, 0.9)])
def test_a_register_beside_noisy_rows(by, least):
    people = measured(1)
    register = table([{name: person[name] for name in ("name", *MEASURED)} for person in people])
    subject = scene(noisy(people, by), people).subject
    run = register_linkage_with_errors(intruder(subject, register))
    assert run.outcome == BEATS
    assert run.rate.successes > least * run.claims > 100
