"""A rule that counts values of a number which nobody shares protects nobody, and is refused."""

from __future__ import annotations

import pytest

from sfumato.assessment import assess
from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.policy import policy_from_table
from sfumato.protection import MODELS
from sfumato.releases.pipeline import release

ASKED = {
    "l_diversity": {"l": 3},
    "p_sensitive": {"p": 3, "k": 5},
    "alpha_k": {"alpha": 0.5, "k": 5},
    "non_uniqueness": True,
    "confidence_gain": {"gain": 0.5},
    "bounded_knowledge": {"k": 5, "m": 1, "confidence": 0.5},
}
FIELDS = {"sex": "quasi", "pay": "sensitive"}


@pytest.fixture
def table(tmp_path):
    """60 people in two bins; within each, all pay is within three of each other."""
    path = tmp_path / "table.csv"
    rows = [f"{'fm'[n % 2]},{(50_000 if n % 2 else 20_000) + n * 0.05:.2f}" for n in range(60)]
    path.write_text("sex,pay\n" + "\n".join(rows) + "\n")
    return path


def asked_of(key):
    return policy_from_table({"fields": FIELDS, "require": {"k": 5, key: ASKED[key]}})


def test_every_model_that_counts_values_is_tried():
    assert {key for key in MODELS if MODELS[key].counts_values} == set(ASKED)


@pytest.mark.parametrize("key", ASKED)
def test_a_rule_that_any_release_meets_is_refused(table, tmp_path, key):
    with pytest.raises(PolicyError) as refused:
        release(table, asked_of(key), to=tmp_path / "out")
    assert "number of its own in pay" in str(refused.value)
    assert 't_closeness with distance = "ordered"' in str(refused.value)
    assert not (tmp_path / "out").exists()


WRITTEN = {
    "one word": lambda pay, row: "n/a" if row == 7 else pay,
    "a tenth of words": lambda pay, row: "unknown" if row % 10 == 0 else pay,
    "decimal commas": lambda pay, row: f'"{pay.replace(".", ",")}"',
    "blanks": lambda pay, row: f"{pay} ",
    "a unit": lambda pay, row: f"{pay} EUR",
    "groups of digits": lambda pay, row: f'"{float(pay):,.2f}"',
}


@pytest.mark.parametrize("form", WRITTEN)
def test_words_and_forms_of_numbers_hide_no_number(table, tmp_path, form):
    head, *rows = table.read_text().splitlines()
    cells = [line.split(",") for line in rows]
    table.write_text(
        "\n".join(
            [head, *(f"{sex},{WRITTEN[form](pay, row)}" for row, (sex, pay) in enumerate(cells))]
        )
    )
    with pytest.raises(PolicyError, match="number of its own in pay"):
        release(table, asked_of("l_diversity"), to=tmp_path / "out")
    if form == "one word":
        require = {"k": 5, "value_spread": {"width": 0.01}}
        with pytest.raises(PolicyError, match=r"farther apart than 0\.01"):
            release(
                table,
                policy_from_table({"fields": FIELDS, "require": require}),
                to=tmp_path / "out",
            )


def test_an_interval_that_holds_no_two_numbers_is_refused(table, tmp_path):
    def asked(width):
        require = {"k": 5, "value_spread": {"width": width}}
        return policy_from_table({"fields": FIELDS, "require": require})

    with pytest.raises(PolicyError, match=r"farther apart than 0\.01"):
        release(table, asked(0.01), to=tmp_path / "out")
    assert release(table, asked(1.0), to=tmp_path / "out").outcome == "pass"
    with pytest.raises(NoRecodingFound):  # All pay of a bin is within three.
        release(table, asked(40_000), to=tmp_path / "wide")


def test_an_assessment_of_such_a_table_is_red(table):
    found = assess(table, policy=asked_of("l_diversity"), attacks=False)
    one = next(one for one in found.judgements if one.question.startswith("Does it keep"))
    assert one.outcome == "fail"
    assert "l_diversity, which any release would meet" in one.answer


def test_numbers_that_people_share_are_counted(table, tmp_path):
    rows = [f"{'fm'[n % 2]},{n % 7}" for n in range(60)]
    table.write_text("sex,pay\n" + "\n".join(rows) + "\n")
    assert release(table, asked_of("l_diversity"), to=tmp_path / "out").outcome == "pass"


def test_numbers_of_people_with_several_rows_are_looked_at_too(tmp_path):
    path = tmp_path / "readings.csv"
    rows = [f"{n // 3},{'fm'[n // 3 % 2]},{n * 1.37:.2f}" for n in range(90)]
    path.write_text("who,sex,pay\n" + "\n".join(rows) + "\n")
    fields = FIELDS | {"who": {"role": "direct", "replace": "number"}}
    require = {"k": 5, "l_diversity": {"l": 3}}
    policy = policy_from_table({"fields": fields, "entity": "who", "require": require})
    with pytest.raises(PolicyError, match="number of its own in pay"):
        release(path, policy, to=tmp_path / "out")
