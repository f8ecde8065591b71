"""The attacks of an assessment know what the policy's recipient may know: no more, and no less.

A wide release keeps k over the register fields and any 2 others. Somebody who knows all 11 fields
at once finds people in it, as the policy says; attacks that assume that much say nothing about the
policy's promise. Attacks that assume less would miss a table that breaks it.
"""

from __future__ import annotations

import random

import pytest

from sfumato.assessment import assess
from sfumato.assessment.attacks import attack_setup, bounded_attacker
from sfumato.policy import policy_as_table, policy_from_table
from sfumato.releases.pipeline import release

OTHERS = [f"item{n}" for n in range(9)]
NAMES = ["sex", "age", *OTHERS, "problem"]
POLICY = policy_from_table(
    {
        "fields": {
            "sex": "quasi",
            "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10, 20]}}},
            **dict.fromkeys(OTHERS, "quasi"),
            "problem": "sensitive",
        },
        "require": {
            "bounded_knowledge": [{"k": 5, "m": 2, "register": ["sex", "age"]}],
            "max_suppression": 0.1,
        },
        "solve": {"solver": "greedy"},
    }
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    draw = random.Random(7)
    path = tmp_path_factory.mktemp("wide") / "table.csv"
    rows = [
        [
            draw.choice("fm"),
            draw.randrange(20, 60),
            *(draw.choice("abc") for _ in OTHERS),
            draw.choice(["flu", "cold", "gout"]),
        ]
        for _ in range(300)
    ]
    lines = [NAMES, *rows]
    path.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    return path


def attacked(subject, **asked):
    found = assess(subject, **asked)
    return found.results["attacks"]


@pytest.mark.long("a whole assessment; the other attack stays in this file")
def test_attacks_know_what_the_policy_says(table, tmp_path):
    release(table, POLICY, to=tmp_path / "out")
    within = attacked(tmp_path / "out", source=table)
    assert "sex, age and any 2 of 9 other fields" in within["linkage"].story.knows
    assert within["linkage"].certain == within["fuzzy linkage"].certain == 0
    assert within["linkability"].claims == within["singling out:several fields"].claims == 0
    everything = attacked(tmp_path / "out", source=table, known=["sex", "age", *OTHERS])
    assert "all 11 fields" in everything["linkage"].story.knows


def test_a_table_that_breaks_the_bound_is_found_out(table):
    found = attacked(table, source=table, policy=POLICY)
    assert found["linkage"].certain > 0
    assert found["linkage"].outcome == "beats its baseline"


def test_people_are_compared_with_rows_once_for_all_sensitive_fields(table, monkeypatch):
    """Inference of each of 20 fields compared the same people with the same rows."""
    asked = []
    real = attack_setup.nearness
    monkeypatch.setattr(
        attack_setup, "nearness", lambda *given: asked.append(given[1]) or real(*given)
    )
    written = policy_as_table(POLICY)
    written["fields"]["item8"] = "sensitive"
    attacked(table, source=table, policy=policy_from_table(written))
    assert len(asked) == len({id(people) for people in asked}) == bounded_attacker.SETS


ITEMS = [f"item{n}" for n in range(5)]
TABLES = policy_from_table(
    {
        "entity": "people.id",
        "tables": {
            "people": {
                "key": "id",
                "fields": {"id": {"role": "direct", "replace": "number"}, "sex": "quasi"},
            },
            "visits": {
                "key": "number",
                "links": {"person": "people.id"},
                "row_counts": {"bin_size": 3},
                "fields": {
                    "number": {"role": "direct", "replace": "number"},
                    "person": {"role": "direct", "replace": "number"},
                    **dict.fromkeys(ITEMS, "quasi"),
                },
            },
        },
        "require": {
            "bounded_knowledge": [{"k": 3, "m": 1, "register": ["sex"]}],
            "max_suppression": 0.3,
        },
    }
)


def test_attacks_over_linked_tables_know_what_the_policy_says(tmp_path):
    draw, folder = random.Random(5), tmp_path / "source"
    folder.mkdir()
    people = ["id,sex", *(f"{n},{draw.choice('fm')}" for n in range(120))]
    heads = ["number", "person", *ITEMS]
    visits = [
        [1000 + n, n % 120, *(draw.choice("abcde" if n % 40 else "xyz") for _ in ITEMS)]
        for n in range(240)
    ]
    (folder / "people.csv").write_text("\n".join(people) + "\n")
    lines = [",".join(map(str, line)) for line in (heads, *visits)]
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    release(folder, TABLES, to=tmp_path / "out")
    within = attacked(tmp_path / "out", source=folder, table="visits")["linkage"]
    assert "people.sex and any 1 of 5 other fields" in within.story.knows
    assert within.certain == 0
    assert within.outcome == "does not beat its baseline"
    every = ["people.sex", *ITEMS]
    beyond = attacked(tmp_path / "out", source=folder, table="visits", known=every)["linkage"]
    assert beyond.certain > 0
