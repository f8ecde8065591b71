"""Sensitive values that differ only in how they are written are warned of where a rule counts
values."""

from __future__ import annotations

import pytest

import sfumato

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
