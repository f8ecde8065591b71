"""What the page of several tables reads off its facts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import tables_example
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report import RowCountFacts
from sfumato.report.charts.tables_charts import TOO_FEW, row_counts
from sfumato.report.tables_readings import (
    drawn_numbers,
    fates,
    kinds,
    listed_numbers,
    parents,
    people_below,
    person_table,
    spans,
)


def counts(before: dict[int, int], after: dict[int, int], *, bin_size: int = 5) -> RowCountFacts:
    return RowCountFacts(
        bin_size=bin_size,
        with_quasi=False,
        before=tuple(before.items()),
        after=tuple(after.items()),
        rows_dropped=0,
    )


def test_links_lead_to_the_table_whose_name_and_key_they_name():
    facts = tables_example.facts()
    assert parents(facts) == ((), (), (0, 1), (2,), (2,), (2,))


def test_names_with_dots_are_told_apart():
    first, second = tables_example.table("main", key="a.b"), tables_example.table("main.a", key="c")
    other = replace(
        tables_example.table("t"),
        links=(("x", "main.a.b"), ("y", "main.a.c"), ("z", "elsewhere.k")),
    )
    facts = replace(tables_example.facts(), tables=(first, second, other))
    assert parents(facts)[2] == (0, 1, None)


def test_the_person_is_the_table_named_else_the_first():
    facts = tables_example.facts()
    assert person_table(replace(facts, person="visits")) == 2
    assert person_table(replace(facts, person="")) == 0
    assert person_table(replace(facts, tables=())) is None
    assert kinds(replace(facts, person="visits")) == (
        "reference",
        "reference",
        "person",
        "people",
        "people",
        "people",
    )


def test_the_ways_of_the_rows_add_up_to_the_source():
    for table in tables_example.many().tables:
        found = fates(table)
        assert sum(fate.rows for fate in found) == table.rows_source
        assert "unknown" not in {fate.kind for fate in found}
    lost = replace(tables_example.facts().tables[0], by_bins=3)
    assert [(fate.kind, fate.rows) for fate in fates(lost)][-1] == ("unknown", 5)


def test_few_numbers_are_listed_one_by_one():
    found = listed_numbers(counts({0: 9, 3: 2, 700: 1}, {0: 12}))
    assert [(line.first, line.last, line.people, line.fewest) for line in found] == [
        (0, 0, (9, 12), (9, 12)),
        (3, 3, (2, 0), (2, 0)),
        (700, 700, (1, 0), (1, 0)),
    ]


def test_many_numbers_are_listed_in_classes_that_keep_everybody():
    facts = counts({rows: 1 + rows % 7 for rows in range(1, 3_000)}, {10: 40, 2_500: 60})
    found = listed_numbers(facts)
    assert len(found) <= 40
    assert sum(line.people[0] for line in found) == sum(people for _, people in facts.before)
    assert sum(line.people[1] for line in found) == 100
    assert found[-1].last == 2_999
    assert found[-1].fewest[0] == 1


@given(st.integers(0, 10**9), st.integers(5, 300))
def test_spans_follow_each_other_from_none_to_the_largest(largest: int, steps: int):
    found = spans(largest, steps=steps)
    assert found[0][0] == 0
    assert found[-1][0] <= largest <= found[-1][1]
    assert all(first[1] + 1 == second[0] for first, second in pairwise(found))
    assert len(found) <= 3 * steps + 60


@given(st.dictionaries(st.integers(0, 5_000), st.integers(1, 50)), st.integers(2, 20))
def test_a_class_is_as_low_as_its_rarest_number(before: dict[int, int], size: int):
    """So no bar stands above the line while a number in it is had by too few people."""
    found = drawn_numbers(counts(before, {}, bin_size=size))
    rare = {rows for rows, people in before.items() if people < size}
    low = [line for line in found if line.fewest[0] < size]
    assert all(any(line.first <= rows <= line.last for line in low) for rows in rare)
    assert bool(low) == bool(people_below(list(before.items()), size))


def test_numbers_that_too_few_share_are_drawn_in_their_own_colour():
    svg = row_counts(counts({1: 21, 2: 4, 31: 1}, {1: 21, 2: 5}))
    assert svg is not None
    before, after = (ElementTree.fromstring(part + "</svg>") for part in svg.split("</svg>")[:2])
    few = [
        [bar for bar in panel.iter("rect") if bar.get("fill") == TOO_FEW]
        for panel in (before, after)
    ]
    assert [len(found) for found in few] == [2, 0]
    texts = ["".join(item.itertext()) for item in after.iter("text")]
    assert {"5 people", "Rows of a person in the table", "0", "20"} <= set(texts)


def test_nobody_makes_no_chart():
    assert row_counts(counts({}, {})) is None
    assert listed_numbers(counts({}, {})) == []
