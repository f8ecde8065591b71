"""Short names of confidential fields: beginnings of words, and codes that a table about health
explains."""

from __future__ import annotations

import random

import pytest

from sfumato.policy import Role
from sfumato.surveys import LooksLike
from sfumato.surveys.detectors.abbreviated import ABBREVIATED
from sfumato.surveys.lexicons.abbreviations import SHORTENED

ROWS = 60
DRAW = random.Random(4)


def numbers(most):
    return [str(DRAW.randrange(most)) for _ in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("karnof", LooksLike.MEASUREMENT),
        ("tot_chol", LooksLike.MEASUREMENT),
        ("diab", LooksLike.CONDITION),
        ("hlthp", LooksLike.CONDITION),
        ("paro", LooksLike.CRIME),
        ("Alco", LooksLike.HABIT),
        ("npreg", LooksLike.CONDITION),
    ],
)
def test_the_beginning_of_a_word_is_read_as_the_word(survey_of, name, kind):
    (field,) = survey_of({name: numbers(5)}, max_combination=1).fields
    assert (field.looks_like, field.proposal.role) == (kind, Role.SENSITIVE)
    assert not field.proposal.open


@pytest.mark.parametrize(
    "name", ["car", "plat", "prog", "inc", "hosp_name", "chol_type", "mediana"]
)
def test_other_words_and_shorter_beginnings_are_not(evidence, name):
    found = evidence(name, numbers(5))
    assert not any(each.detect(found) for each in ABBREVIATED)


def test_no_beginning_is_that_of_two_kinds():
    meant = {}
    for kind, words in SHORTENED.items():
        for least, word in words:
            clash = [k for other, k in meant.items() if word.startswith(other) and k is not kind]
            assert not clash, word
            meant[least] = kind


def test_codes_are_read_in_a_table_about_health_alone(survey_of):
    codes = {"kps": numbers(50), "trt": numbers(2), "colour": numbers(3)}
    health = {"bilirubin": numbers(9), "albumin": numbers(9), "ascites": numbers(2)}
    found = {each.name: each for each in survey_of(health | codes, max_combination=1).fields}
    assert found["kps"].looks_like is LooksLike.MEASUREMENT
    assert found["trt"].looks_like is LooksLike.PROCEDURE
    assert found["colour"].proposal.open
    alone = {each.name: each for each in survey_of(codes, max_combination=1).fields}
    assert alone["kps"].proposal.open
    assert alone["trt"].proposal.open


def test_a_time_and_how_it_ended_are_an_outcome(survey_of):
    both = survey_of({"weeks": numbers(50), "event": numbers(2)}, max_combination=1)
    assert {each.looks_like for each in both.fields} == {LooksLike.OUTCOME}
    (alone,) = survey_of({"event": numbers(2)}, max_combination=1).fields
    assert alone.proposal.open


def test_limits_and_terms_are_amounts_in_a_table_about_money_alone(survey_of):
    odd = {"limit": numbers(50), "term": numbers(2)}
    money = {"balance": numbers(9), "loan amount": numbers(9), "income": numbers(20)}
    found = {each.name: each for each in survey_of(money | odd, max_combination=1).fields}
    assert {found[name].proposal.role for name in odd} == {Role.SENSITIVE}
    alone = survey_of(odd | {"colour": numbers(3)}, max_combination=1)
    assert all(each.proposal.open for each in alone.fields)


def test_a_time_to_something_and_whether_it_happened_are_outcomes(survey_of):
    table = {"time.to.gvhd": numbers(50), "gvhd": numbers(2), "colour": numbers(3)}
    found = {each.name: each for each in survey_of(table, max_combination=1).fields}
    assert {found[name].looks_like for name in ("time.to.gvhd", "gvhd")} == {LooksLike.OUTCOME}
    assert found["colour"].proposal.open


@pytest.mark.parametrize("name", ["read1", "SATV", "math score"])
def test_marks_in_a_subject_are_an_assessment(survey_of, name):
    (field,) = survey_of({name: [str(400 + n) for n in range(ROWS)]}, max_combination=1).fields
    assert field.looks_like is LooksLike.ASSESSMENT


def test_a_subject_with_few_small_numbers_is_no_mark(survey_of):
    (field,) = survey_of({"read": numbers(2)}, max_combination=1).fields
    assert field.proposal.open


def test_habits_and_outcomes_count_for_a_table_about_health(survey_of):
    health = {"bilirubin": numbers(9), "albumin": numbers(9), "ascites": numbers(2)}
    habits = {f"alcohol {n}": numbers(9) for n in range(3)}
    others = {f"colour {n}": numbers(3) for n in range(14)}
    table = health | habits | {"kps": numbers(50)} | others
    found = {each.name: each for each in survey_of(table, max_combination=1).fields}
    assert found["kps"].looks_like is LooksLike.MEASUREMENT
