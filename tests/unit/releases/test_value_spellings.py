"""Sensitive values that differ only in how they are written are warned of where a rule counts
values."""

from __future__ import annotations

import pytest

import sfumato
from sfumato.errors import PolicyError

POLICY = """
[fields]
sex = "quasi"
problem = "sensitive"
[require]
k = 5
{rule}
"""
RULE = "l_diversity = { l = 2 }"
HOW = "differs from another one only in case, blanks or invisible characters"


def warned(tmp_path, values, rule=RULE):
    rows = [f"{'fm'[number % 2]},{values[number // 2 % len(values)]}" for number in range(40)]
    source = tmp_path / "people.csv"
    source.write_text("\n".join(["sex,problem", *rows, ""]), encoding="utf-8")
    return [
        line
        for line in sfumato.release(source, POLICY.format(rule=rule)).manifest["warnings"]
        if HOW in line
    ]


@pytest.mark.parametrize("other", ["hiv ", "HIV", "h\u200biv", "ｈｉｖ"])
def test_another_spelling_is_no_other_value(tmp_path, other):
    (line,) = warned(tmp_path, ["hiv", other])
    assert line.startswith("1 value of problem differs")
    assert "hiv" not in line.casefold()


def test_other_values_and_rules_that_count_no_values_are_not_warned_of(tmp_path):
    assert not warned(tmp_path, ["hiv", "flu"])
    assert not warned(tmp_path, ["hiv", "HIV"], rule="")


@pytest.mark.parametrize(
    ("named", "cells"),
    [("HIV", ["HIV ", "flu"]), ("True", ["true", "false"]), ("250.0", ["250", "401"])],
)
def test_a_rule_about_another_spelling_is_refused(tmp_path, named, cells):
    rule = f'alpha_k = {{ alpha = 0.6, k = 3, values = ["{named}"] }}'
    with pytest.raises(
        PolicyError, match=r"alpha_k\.values: 1 named value occurs in no cell"
    ) as refused:
        warned(tmp_path, cells, rule)
    assert not any(cell in str(refused.value) for cell in cells)


def test_a_rule_about_values_that_nobody_has_is_warned_of(tmp_path):
    source = tmp_path / "people.csv"
    source.write_text("sex,problem\n" + "f,flu\nm,gout\nf,gout\nm,flu\n" * 10)
    rule = 'alpha_k = { alpha = 0.6, k = 3, values = ["flu", "scurvy"] }'
    made = sfumato.release(source, POLICY.format(rule=rule))
    assert "alpha_k limits 2 values, and 1 of them occurs in no cell of problem" in "".join(
        made.manifest["warnings"]
    )
