"""Linkage, exact and with errors, and linkability: they find people in a copy and nobody in a
protected release."""

from __future__ import annotations

import numpy as np
import pytest
from village import KNOWN, copied, everyone, inside, protected, scene, table

from sfumato.assessment.attacks.attack_run import BEATS, HOLDS, UNDECIDED
from sfumato.assessment.attacks.attacker_errors import blurred
from sfumato.assessment.attacks.fuzzy_linkage import fuzzy_linkage
from sfumato.assessment.attacks.linkability import linkability
from sfumato.assessment.attacks.linkage import linkage
from sfumato.assessment.attacks.register_linkage import (
    intruder,
    register_linkage,
    register_linkage_with_errors,
)
from sfumato.errors import Mistake, SourceError

ATTACKS = (linkage, fuzzy_linkage, linkability)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_copy_gives_people_away(attack):
    run = attack(scene(copied(inside()), control=True))
    assert run.outcome == BEATS
    assert run.rate.value > 0.5
    assert run.baseline.value < 0.05
    assert run.risk.low > 0.4


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_protected_release_gives_nobody_away(attack):
    run = attack(scene(protected(), control=True))
    assert run.outcome == HOLDS
    assert run.claims == 0
    assert run.rate.successes == 0


@pytest.mark.parametrize("attack", ATTACKS)
def test_without_the_source_nothing_is_said(attack):
    run = attack(scene(copied(inside()), source=None))
    assert run.outcome == UNDECIDED
    assert run.rate is None
    assert "source" in run.reason


def test_everyone_who_is_alone_is_linked_and_nobody_else():
    rows = copied(inside())
    run = linkage(scene(rows))
    seen = [tuple(row[name] for name in KNOWN) for row in rows]
    assert run.claims == run.rate.successes == sum(seen.count(one) == 1 for one in seen)


def test_a_row_that_could_be_that_of_several_people_is_right_for_one_of_them():
    """One row is left of a bin of ten: whose it is nobody can say, and a claim is right one time in
    ten."""
    people = [{"age": "30", "problem": "flu"} for _ in range(1_000)] + [
        {"age": "31", "problem": "flu"}
    ] * 10
    release = [{"age": "30", "problem": "flu"}]
    from sfumato.assessment.attacks import set_scene
    from sfumato.measures.subject import Subject

    here = set_scene(
        Subject(
            release=table(release), source=table(people), known=("age",), sensitive=("problem",)
        )
    )
    run = linkage(here)
    assert run.claims == 1_000
    assert run.rate.successes < 20


def test_a_row_that_says_something_else_is_not_hers():
    """Of each age one person has the flu and one the gout, and the rows of those with the gout are
    released."""
    people = [
        {"age": str(age), "problem": problem} for age in range(50) for problem in ("flu", "gout")
    ]
    release = [{"age": str(age), "problem": "gout"} for age in range(50)]
    from sfumato.assessment.attacks import set_scene
    from sfumato.measures.subject import Subject

    here = set_scene(
        Subject(
            release=table(release), source=table(people), known=("age",), sensitive=("problem",)
        )
    )
    run = linkage(here)
    assert (run.claims, run.rate.successes) == (100, 50)


def test_one_field_of_each_person_is_written_down_wrongly():
    here = scene(copied(inside()))
    wrong = blurred(here.targets, KNOWN, chance=np.random.default_rng(3))
    columns = [here.targets.fields.index(name) for name in KNOWN]
    before = [
        [here.targets.labels[c][code[c]] for c in columns] for code in here.targets.codes.tolist()
    ]
    after = [[wrong.labels[c][code[c]] for c in columns] for code in wrong.codes.tolist()]
    changed = [
        sum(a != b for a, b in zip(*pair, strict=True)) for pair in zip(before, after, strict=True)
    ]
    assert set(changed) == {1}


def test_halves_of_different_people_are_the_baseline_of_linkability():
    """In a release of two fields that go with nobody, one row fits both halves of anybody: that is
    no link."""
    rows = [{"a": str(a), "b": str(b), "problem": "flu"} for a in range(20) for b in range(20)]
    from sfumato.assessment.attacks import set_scene
    from sfumato.measures.subject import Subject

    run = linkability(set_scene(Subject(release=table(rows), source=table(rows), known=("a", "b"))))
    assert run.rate.value == run.baseline.value == 1
    assert run.outcome == HOLDS


def test_one_known_field_has_no_halves():
    assert linkability(scene(copied(inside()), known=("zip",))).outcome == UNDECIDED


def register(rows):
    return table([{name: row[name] for name in ("name", *KNOWN)} for row in rows])


@pytest.mark.parametrize("attack", [register_linkage, register_linkage_with_errors])
def test_a_register_names_the_rows_of_a_copy(attack):
    here = intruder(scene(copied(inside())).subject, register(everyone()))
    run = attack(here)
    assert run.outcome == BEATS
    assert 0.45 < run.rate.value <= 0.5  # Half of the register is in the release.


@pytest.mark.parametrize("attack", [register_linkage, register_linkage_with_errors])
def test_a_register_names_no_row_of_a_protected_release(attack):
    run = attack(intruder(scene(protected()).subject, register(everyone())))
    assert run.outcome == HOLDS
    assert run.claims == 0


def test_claims_about_people_who_are_not_in_the_source_are_wrong():
    """The register knows only people outside, with the values of people inside."""
    strangers = [row | {"name": f"stranger {n}"} for n, row in enumerate(inside())]
    run = register_linkage(intruder(scene(copied(inside())).subject, register(strangers)))
    assert run.claims > 400
    assert run.rate.successes == 0


def test_typing_errors_in_a_register_do_not_help_much():
    draw = np.random.default_rng(5)
    wrong = [row | {"birth": f"{row['birth'][:8]}{draw.integers(1, 29):02}"} for row in inside()]
    here = intruder(scene(copied(inside())).subject, register(wrong))
    exact, fuzzy = register_linkage(here), register_linkage_with_errors(here)
    assert exact.rate.value < 0.1
    assert fuzzy.rate.value > 0.6


def test_people_who_look_alike_in_the_register_are_not_named():
    """A row that fits two people of the register may be either's (k-map)."""
    twins = [*everyone(), *(row | {"name": f"twin of {row['name']}"} for row in everyone())]
    run = register_linkage(intruder(scene(copied(inside())).subject, register(twins)))
    assert run.claims == 0


def test_without_the_source_claims_are_counted_and_not_judged():
    run = register_linkage(
        intruder(scene(copied(inside()), source=None).subject, register(everyone()))
    )
    assert run.outcome == UNDECIDED
    assert run.claims > 400
    assert run.rate is None


def test_a_register_that_shares_no_field_is_refused():
    with pytest.raises(SourceError, match="shares no field"):
        intruder(scene(protected()).subject, table([{"name": "somebody", "shoe": "44"}]))
    with pytest.raises(Mistake, match="shoe cannot be linked on"):
        intruder(scene(protected()).subject, register(everyone()), on=("shoe",))


def test_an_empty_register_is_refused():
    with pytest.raises(SourceError, match="holds no row"):
        intruder(scene(protected()).subject, table([]))
