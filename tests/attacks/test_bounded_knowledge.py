"""Few known facts: the attacker knows someone's ZIP, age and sex, and any two of twelve answers.

A neighbour knows the register's fields of everybody. In a questionnaire of twelve harmless answers
the neighbour happens to know two of someone: that they smoke and have a dog. Two answers beside ZIP,
age and sex are enough to find many people where the answers are called insensitive. Under bounded
knowledge every pair of answers, whichever it is, leads to at least k people, and no diagnosis is
had by more than the given share of them.

The attacker takes every released row for a candidate whose labels cover what is known, also where
a cell is suppressed. Baseline: the same attacker against a release that is k-anonymous over ZIP, age
and sex alone."""

from __future__ import annotations

import csv
import random
from itertools import combinations

import pytest
from clinic import FIELDS, KNOWN, people

from sfumato.policy import policy_from_table
from sfumato.releases import outcome_of, release, verify

ANSWERS = tuple(f"q{number}" for number in range(12))
K, CONFIDENCE = 4, 0.9
BOUNDED = {"k": K, "m": 2, "register": list(KNOWN), "confidence": CONFIDENCE}


def questionnaire():
    """The clinic's patients with twelve answers, of which one of six is rare."""
    draw = random.Random(1789)
    out = []
    for person in people(400):
        kind = draw.randrange(3)
        answers = {
            name: draw.choices("abcdef", [8, 8 if kind else 2, 4, 2, 1, 0.5])[0] for name in ANSWERS
        }
        out.append(person | answers)
    return out


EVERYONE = questionnaire()


def released(folder, *, answers, require, solver):
    folder.mkdir()
    source = folder / "patients.csv"
    with source.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(EVERYONE[0]))
        writer.writeheader()
        writer.writerows(EVERYONE)
    fields = FIELDS | {name: {"role": answers} for name in ANSWERS}
    policy = policy_from_table({"fields": fields, "require": require, "solve": {"solver": solver}})
    made = release(source, policy, to=folder / "release")
    assert made.outcome == "pass"
    with made.table.open(newline="") as file:
        return folder / "release", list(csv.DictReader(file))


class Neighbour:
    """Knows of everyone the register's fields and two answers, and how labels are made."""

    def __init__(self, rows):
        self.rows = rows
        policy = policy_from_table({"fields": FIELDS, "require": {"k": 1}})
        self.covering = {}
        for name in (*KNOWN, *ANSWERS):
            values = sorted({person[name] for person in EVERYONE})
            for value in values:
                labels = {value, "*"}
                if name in KNOWN:
                    bound = policy.fields[name].hierarchy
                    if bound is not None:
                        ladder = bound.bind(values)
                        code = values.index(value)
                        labels |= {
                            str(ladder.labels[level][ladder.up[level][code]])
                            for level in range(ladder.height + 1)
                        }
                self.covering[name, value] = sum(
                    1 << number for number, row in enumerate(rows) if row[name] in labels
                )
        self.ill = {
            value: sum(1 << n for n, row in enumerate(rows) if row["diagnosis"] == value)
            for value in {row["diagnosis"] for row in rows}
        }

    def candidates(self, person, answers):
        found = (1 << len(self.rows)) - 1
        for name in (*KNOWN, *answers):
            found &= self.covering[name, person[name]]
        return found

    def searches(self):
        """For everyone and any two answers: how many could it be, and the commonest diagnosis'
        share."""
        for person in EVERYONE:
            for answers in combinations(ANSWERS, 2):
                found = self.candidates(person, answers)
                many = found.bit_count()
                most = max((found & ill).bit_count() for ill in self.ill.values())
                yield many, most / many if many else 0.0


@pytest.fixture(scope="module")
def bounded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bounded") / "release"
    return released(
        folder, answers="quasi", require={"bounded_knowledge": BOUNDED}, solver="greedy"
    )


def test_baseline_two_answers_find_many_where_they_are_called_insensitive(tmp_path):
    _, rows = released(
        tmp_path / "plain", answers="insensitive", require={"k": K}, solver="anytime"
    )
    alone = sum(many == 1 for many, _ in Neighbour(rows).searches())
    assert alone > 0.2 * len(EVERYONE) * 66


def test_nobody_is_among_fewer_than_k_and_no_diagnosis_is_inferred(bounded):
    _, rows = bounded
    assert len(rows) == len(EVERYONE)
    found = list(Neighbour(rows).searches())
    assert min(many for many, _ in found) >= K
    assert max(share for _, share in found) <= CONFIDENCE + 1e-9


def test_most_answers_are_still_there(bounded):
    """Protection by blanking everything would pass the attack."""
    _, rows = bounded
    shown = sum(row[name] != "*" for row in rows for name in ANSWERS)
    assert shown > 0.2 * len(rows) * len(ANSWERS)


def test_the_release_is_judged_again_by_verify(bounded):
    folder, _ = bounded
    checks = verify(folder)
    judged = [check for check in checks if check.requirement == "bounded_knowledge"]
    assert len(judged) == 2
    assert outcome_of(checks) == "pass"
