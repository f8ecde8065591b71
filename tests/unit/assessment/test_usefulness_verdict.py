"""The verdict on usefulness: red where a kept field is constant or gone, amber where it nearly is."""

import pytest

import sfumato
from sfumato.policy import policy_as_toml, policy_from_table

ROWS = "".join(f"{20 + place % 2 * 30},{'FM'[place % 2]},{place % 3}\n" for place in range(12))


def judged(tmp_path, released, keep=(), source="age,sex,ill\n" + ROWS):
    """What is said of a table that was released under a policy with `keep`."""
    fields = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    policy = policy_from_table({"fields": fields, "require": {"k": 2}, "keep": list(keep)})
    (tmp_path / "policy.toml").write_text(policy_as_toml(policy))
    (tmp_path / "released.csv").write_text(released)
    (tmp_path / "source.csv").write_text(source)
    found = sfumato.assess(
        tmp_path / "released.csv",
        policy=tmp_path / "policy.toml",
        source=tmp_path / "source.csv",
        attacks=False,
    )
    asked = "Can the release still be used?"
    return next((one for one in found.judgements if one.question == asked), None)


def table(age="50", many=12):
    rows = [f"{age if place < many else 20},{'FM'[place % 2]},{place % 3}" for place in range(12)]
    return "age,sex,ill\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("released", "outcome"),
    [
        (table("*"), "fail"),
        (table("50", many=11), "review"),
        ("age,sex,ill\n" + ROWS, "pass"),
    ],
)
def test_a_kept_field_decides(tmp_path, released, outcome):
    found = judged(tmp_path, released, keep=["age"])
    assert (found.outcome, "age" in found.answer) == (outcome, True)


def test_what_was_constant_in_the_source_is_not_held_against_the_release(tmp_path):
    found = judged(tmp_path, table("50"), keep=["age"], source=table("50"))
    assert found.outcome == "pass"
    assert found.answer == "Yes: age still distinguishes rows."


def test_nothing_is_asked_where_nothing_is_kept_and_few_fields_are_known(tmp_path):
    assert judged(tmp_path, table("*")) is None
