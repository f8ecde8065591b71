"""A policy that bounds what a recipient knows is judged by that bound, and says what more would
give."""

from __future__ import annotations

from itertools import product

from sfumato.assessment import assess
from sfumato.policy import policy_from_table

NAMES = tuple("abcdef")


def test_the_chance_is_that_of_the_bounded_recipient(tmp_path):
    """Of six fields with two values, each row is alone over all of them, and 16 share any two."""
    path = tmp_path / "table.csv"
    rows = [",".join(row) for row in product("01", repeat=6)]
    path.write_text(",".join(NAMES) + "\n" + "\n".join(rows) + "\n")
    require = {"bounded_knowledge": {"k": 16, "m": 2}}
    policy = policy_from_table({"fields": dict.fromkeys(NAMES, "quasi"), "require": require})
    found = assess(path, policy=policy, attacks=False)
    one = next(one for one in found.judgements if one.question == "How easily is a person found?")
    assert one.outcome == "review"
    assert "At most 1 in 16" in one.answer
    assert "all 6 known fields" in one.answer
    assert "100\xa0%" in one.answer


def test_a_broken_bound_is_judged_by_all_known_fields(tmp_path):
    path = tmp_path / "table.csv"
    rows = [",".join(row) for row in product("01", repeat=6)]
    path.write_text(",".join(NAMES) + "\n" + "\n".join(rows) + "\n")
    require = {"bounded_knowledge": {"k": 17, "m": 2}}
    policy = policy_from_table({"fields": dict.fromkeys(NAMES, "quasi"), "require": require})
    found = assess(path, policy=policy, attacks=False)
    one = next(one for one in found.judgements if one.question == "How easily is a person found?")
    assert one.outcome == "fail"
