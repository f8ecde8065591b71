"""What the page reads off its facts."""

from __future__ import annotations

from sfumato.report import BinFacts, FieldFacts
from sfumato.report.readings import chances, classes, level_shares


def bins(
    rows: tuple[int, ...], edges: tuple[int, ...] = (1, 2, 5, 10), *, smallest: int = 1
) -> BinFacts:
    return BinFacts(
        count=4,
        smallest=smallest,
        average=2.5,
        edges=edges,
        bins=rows,
        rows=rows,
        unique_rows=rows[0],
    )


def test_classes_are_named_by_their_sizes_and_end_where_rows_end():
    assert classes(bins((3, 7, 0, 0)), bins((0, 4, 6, 0))) == [
        ("1", 3, 0),
        ("2 to 4", 7, 4),
        ("5 to 9", 0, 6),
    ]


def test_the_last_class_is_open():
    assert classes(bins((0, 0, 0, 9)), bins((0, 0, 0, 0)))[-1] == ("10 or more", 9, 0)


def test_edges_may_differ_before_and_after():
    found = classes(bins((3, 7, 0, 0)), bins((0, 10), (1, 5)))
    assert found == [
        ("1", 3, 0),
        ("1 to 4", 0, 0),
        ("2 to 4", 7, 0),
        ("5 to 9", 0, 0),
        ("5 or more", 0, 10),
    ]


def test_without_rows_there_is_no_class():
    assert classes(bins((0, 0, 0, 0)), bins((0, 0, 0, 0))) == []


def test_the_highest_chance_comes_from_the_smallest_bin():
    assert chances(bins((1, 0, 0, 0)), bins((0, 0, 5, 0), smallest=5)) == [
        ("Highest", 1, 5),
        ("Average", 2.5, 2.5),
    ]


def test_level_shares_add_up():
    assert level_shares(
        FieldFacts(name="a", role="quasi", treatment="", rows_at_level=(1, 3, 0))
    ) == [0.25, 0.75, 0]
