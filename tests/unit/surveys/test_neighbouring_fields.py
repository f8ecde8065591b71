"""What a field's neighbours say about it: flags between diseases, questions of one form, panels of
numbers. Such a field is proposed as its neighbours are, and stays an open question."""

from __future__ import annotations

import random

import pytest

from sfumato.policy import Role
from sfumato.surveys import LooksLike, proposed_toml
from sfumato.surveys.neighbouring_fields import answer_scale

ROWS = 80
DRAW = random.Random(11)
DISEASES = ("asthma", "bcs", "diabetes", "qfx", "hypertension")


def of(values):
    return [DRAW.choice(values) for _ in range(ROWS)]


def proposals(survey_of, table):
    return {item.name: item for item in survey_of(table, max_combination=1).fields}


@pytest.mark.parametrize("flag", ["01", ["no", "yes"], ["0_no", "1_yes"]])
def test_a_flag_between_diseases_is_sensitive_and_asks(survey_of, flag):
    found = proposals(survey_of, {name: of(flag) for name in DISEASES})
    for name in ("bcs", "qfx"):
        assert found[name].proposal.role is Role.SENSITIVE
        assert found[name].proposal.open
    assert not found["asthma"].proposal.open


def test_a_flag_beside_them_or_after_a_known_trait_is_not(survey_of):
    table = {name: of("01") for name in ("xrb", *DISEASES[:3], "female", "qfx", "hypertension")}
    found = proposals(survey_of, table)
    for name in ("xrb", "qfx"):
        assert (found[name].proposal.role, found[name].proposal.open) == (Role.QUASI, True)
    assert found["female"].proposal.role is Role.QUASI


def test_scales_in_a_row_are_the_questions_of_a_form(survey_of):
    table = {"sex": of("fm"), **{f"qx{n}b": of("12345") for n in range(4)}, "rooms": of("1234567")}
    found = proposals(survey_of, table)
    assert all(found[f"qx{n}b"].looks_like is LooksLike.OPINION for n in range(4))
    assert all(found[f"qx{n}b"].proposal.open for n in range(4))
    assert found["rooms"].proposal.role is Role.QUASI


def test_three_scales_are_none_unless_one_is_known_or_they_are_long(survey_of):
    short = proposals(survey_of, {f"qx{n}b": of("12345") for n in range(3)})
    assert {item.proposal.role for item in short.values()} == {Role.QUASI}
    known = {"free time": of("12345"), "qxb": of("12345"), "qxc": of("12345")}
    assert proposals(survey_of, known)["qxb"].looks_like is LooksLike.HABIT
    long = {f"qx{n}b": of([str(v) for v in range(11)]) for n in range(3)}
    assert proposals(survey_of, long)["qx1b"].proposal.role is Role.SENSITIVE


def test_codes_in_a_row_are_no_scale(survey_of):
    found = proposals(survey_of, {f"qx{n}b": of("abcd") for n in range(6)})
    assert {item.proposal.role for item in found.values()} == {Role.QUASI}


def test_a_number_between_measurements_is_one_but_no_count_of_years(survey_of):
    values = [str(n / 4) for n in range(100, 180)]
    names = ("albumin", "qxb", "years", "bilirubin")
    table = {name: DRAW.sample(values, ROWS) for name in names}
    found = proposals(survey_of, table)
    assert found["qxb"].looks_like is LooksLike.MEASUREMENT
    assert found["qxb"].proposal.open
    assert found["years"].proposal.role is Role.QUASI


def test_the_policy_says_that_it_would_be_released_as_it_is(survey_of):
    made = proposed_toml(survey_of({name: of("01") for name in DISEASES}, max_combination=1))
    assert " ".join(made.replace("#", "").split()).count("As sensitive, it is released as") == 2


@pytest.mark.parametrize(
    ("values", "is_scale"),
    [(("0", "1"), True), (("1", "2", "3"), False), (("2", "3", "4", "5"), False), (("1",), False)],
)
def test_what_is_a_scale(values, is_scale):
    assert (answer_scale(values) is not None) == is_scale
