"""Tables stand apart, parents to the left, and every arrow goes from its field to the table that it
names."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest
import tables_example
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report import TablesFacts
from sfumato.report.tables_diagram import bar_of_rows, linked_tables
from sfumato.report.tables_layout import Layout, laid_out

HOSPITAL = ((), (), (0, 1), (2,), (2,), (2,))


def check(layout: Layout, parents: tuple[tuple[int | None, ...], ...]) -> None:
    for (left, top, height), (other_left, other_top, other_height) in combinations(layout.boxes, 2):
        aside = left + layout.box <= other_left or other_left + layout.box <= left
        assert aside or top + height <= other_top or other_top + other_height <= top
    arrows = iter(layout.arrows)
    for at, links in enumerate(parents):
        assert sorted(layout.lines[at]) == list(range(len(links)))
        for parent in links:
            if parent is None:
                continue
            arrow = next(arrows)
            left, top, height = layout.boxes[at]
            to_left, to_top, to_height = layout.boxes[parent]
            assert arrow[0][0] == left
            assert top < arrow[0][1] < top + height
            assert arrow[-1][0] == to_left + layout.box < left
            assert to_top < arrow[-1][1] < to_top + to_height
    assert next(arrows, None) is None


def test_the_hospital_stands_in_three_columns():
    layout = laid_out(HOSPITAL, person=0)
    check(layout, HOSPITAL)
    lefts = [left for left, _, _ in layout.boxes]
    assert lefts == [lefts[0]] * 2 + [lefts[2]] + [lefts[3]] * 3
    assert layout.width <= 896


def test_a_table_for_reference_stands_beside_the_one_that_looks_it_up():
    parents = ((), (0,), (1,), (), (2, 3))
    layout = laid_out(parents, person=0)
    check(layout, parents)
    assert layout.boxes[3][0] == layout.boxes[2][0]


def test_an_arrow_over_several_columns_goes_around_the_boxes_between():
    parents = ((), (0,), (1,), (2, 0))
    layout = laid_out(parents, person=0)
    check(layout, parents)
    level = layout.arrows[-1][1:-1]
    assert len(level) == 4
    for x, y in level:
        for left, top, height in layout.boxes:
            assert not (left <= x <= left + layout.box and top <= y <= top + height)


def test_many_tables_on_one_share_a_tip():
    parents = ((), *((0,) for _ in range(11)))
    layout = laid_out(parents, person=0)
    check(layout, parents)
    assert len({arrow[-1] for arrow in layout.arrows}) == 1


@given(
    st.lists(st.lists(st.integers(-3, 8), max_size=3), min_size=1, max_size=9).map(
        lambda found: tuple(
            tuple(link if 0 <= link < at else None for link in links)
            for at, links in enumerate(found)
        )
    )
)
def test_whatever_links_there_are_boxes_do_not_overlap(parents: tuple[tuple[int | None, ...], ...]):
    check(laid_out(parents, person=0), parents)


@pytest.mark.parametrize(
    "facts", [tables_example.facts(), tables_example.many()], ids=["few", "many"]
)
def test_the_drawing_is_well_formed_and_marks_the_person(facts: TablesFacts):
    root = ElementTree.fromstring(linked_tables(facts))
    kinds = [item.attrib["class"] for item in root.iter("g")]
    assert len(kinds) == len(facts.tables)
    assert kinds.count("person") == 1
    assert kinds[:3] == ["person", "reference", "people"]
    texts = [item.text for item in root.iter("text")]
    assert {"One row per person", "visits", "6,660 of 7,486 rows", "↖ physician_id"} <= set(texts)
    arrows = [item for item in root.iter("path") if item.attrib["class"] == "arrow"]
    assert len(arrows) == sum(len(table.links) for table in facts.tables)


def test_names_and_numbers_too_long_for_a_box_are_shortened():
    facts = tables_example.many()
    texts = [item.text or "" for item in ElementTree.fromstring(linked_tables(facts)).iter("text")]
    assert not [text for text in texts if text.startswith("laboratory_results_of")]
    assert [text for text in texts if text.startswith("labor") and "…" in text]
    assert "2.99 of 3.14 million" in texts


def test_even_a_single_row_can_be_seen_in_the_bar():
    table = replace(
        tables_example.facts().tables[0], rows_source=1_000_000, rows_released=999_999, by_bins=1
    )
    drawn = ElementTree.fromstring(bar_of_rows(table))
    wide = [float(item.attrib["width"]) for item in drawn.iter("rect")]
    assert len(wide) == 2
    assert sum(wide) == pytest.approx(1000, abs=0.2)
    assert wide[1] > 5
