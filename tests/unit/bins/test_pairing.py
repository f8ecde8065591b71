"""What lies under released labels, row by row: against counting by hand."""

from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import NOBODY, Bins, Pairing
from sfumato.hierarchies import Hierarchy

FIELDS = ("a", "b")
VALUES = ("p", "q", "r")
TREE = Hierarchy.from_rows([("p", "pq", "*"), ("q", "pq", "*"), ("r", "r", "*")])
TREES = {"a": TREE, "b": TREE}
COVERED = {"p": "p", "q": "q", "r": "r", "pq": "pq", "*": "pqr"}
tuples = st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES))
labels = st.tuples(st.sampled_from(tuple(COVERED)), st.sampled_from(tuple(COVERED)))


def covers(label, cells):
    return all(cell in COVERED[name] for name, cell in zip(label, cells, strict=True))


@settings(max_examples=example_count(80), deadline=None)
@given(
    subjects=st.lists(st.tuples(tuples, st.sampled_from("xyz")), min_size=1, max_size=6),
    released=st.lists(st.tuples(tuples, st.sampled_from("xyz"), st.integers(-1, 5)), max_size=6),
    bins=st.lists(labels, min_size=1, max_size=5, unique=True),
)
def test_against_counting_by_hand(subjects, released, bins):
    released = [
        (cells, said, own if own < len(subjects) else NOBODY) for cells, said, own in released
    ]
    pairing = Pairing.of(
        FIELDS,
        subjects=[cells for cells, _ in subjects],
        released=[cells for cells, _, _ in released],
        own=[own for _, _, own in released],
        collected=[value for _, value in subjects],
        said=[value for _, value, _ in released],
    )
    found = pairing.under(Bins.of(FIELDS, dict.fromkeys(bins, 1)), FIELDS, TREES)
    for place, label in enumerate(bins):
        people = [n for n, (cells, _) in enumerate(subjects) if covers(label, cells)]
        rows = [row for row in released if covers(label, row[0])]
        home = [own for _, _, own in rows if own in people]
        right = [said for _, said, _ in rows if len(people) == 1 and said == subjects[people[0]][1]]
        expected = [len(part) for part in (people, rows, home, right)]
        assert [
            int(part[place]) for part in (found.subjects, found.rows, found.home, found.right)
        ] == expected


def test_a_value_that_the_hierarchy_does_not_know_lies_under_no_wider_label():
    pairing = Pairing.of(("a",), subjects=[("s",), ("p",)], released=[("p",)], own=[0])
    found = pairing.under(Bins.of(("a",), {("*",): 1, ("s",): 1}), ("a",), {"a": TREE})
    assert found.subjects.tolist() == [1, 1]


def test_it_shows_no_value():
    assert repr(Pairing.of(("a",), subjects=[("s",)], released=[("p",)], own=[0])) == (
        "Pairing(fields=('a',), subjects=1, rows=1)"
    )
