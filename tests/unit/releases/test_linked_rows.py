"""Forms of linked rows: the same for two people exactly if their rows and keys can be exchanged."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np

from sfumato.keys import Key
from sfumato.releases.linked_rows import LinkedForms, LinkedRow
from sfumato.releases.people_record import TableRows, record_tables

KEY = Key(b"0123456789abcdef0123456789abcdef")
Rows = list[LinkedRow]


def exchanged(rows: Rows, chance: random.Random) -> Rows:
    """The same rows in another order, under other keys."""
    keys = sorted({key for row in rows for _, key in row.keys})
    other = dict(zip(keys, chance.sample(range(1_000), len(keys)), strict=True))
    out = [LinkedRow(row.labels, tuple((c, other[key]) for c, key in row.keys)) for row in rows]
    chance.shuffle(out)
    return out


def least(rows: Rows) -> object:
    """The least spelling over all numberings of the keys."""
    keys = sorted({key for row in rows for _, key in row.keys})
    numberings = (dict(zip(keys, each, strict=True)) for each in permutations(range(len(keys))))
    return min(
        tuple(sorted((row.labels, tuple((c, number[k]) for c, k in row.keys)) for row in rows))
        for number in numberings
    )


def drawn(chance: random.Random) -> Rows:
    """Up to five rows with up to two keys each; labels include which keys are there."""
    labels, columns = chance.choice((1, 2)), chance.choice((1, 2, 2))
    return [
        LinkedRow(
            3 * chance.randrange(labels) + columns,
            tuple((c, 10 * c + chance.randrange(3)) for c in range(columns)),
        )
        for _ in range(chance.randrange(1, 6))
    ]


def test_forms_are_those_of_all_numberings_of_the_keys():
    chance, forms = random.Random(1), LinkedForms()
    form_of: dict[object, int] = {}
    for _ in range(1_000):
        rows = drawn(chance)
        form = forms.number(rows)
        assert forms.number(exchanged(rows, chance)) == form
        assert form_of.setdefault(least(rows), form) == form
    assert len(set(form_of.values())) == len(form_of) > 100


def test_two_triangles_are_no_hexagon():
    def circle(rows: int, start: int) -> Rows:
        return [
            LinkedRow(0, ((0, start + at), (1, 100 + start + (at + step) % rows)))
            for at in range(rows)
            for step in (0, 1)
        ]

    chance, forms = random.Random(2), LinkedForms()
    two, one = circle(3, 0) + circle(3, 10), circle(6, 0)
    assert forms.number(two) != forms.number(one)
    assert forms.number(two) == forms.number(exchanged(two, chance))
    assert forms.number(one) == forms.number(exchanged(one, chance))


def test_rows_that_take_too_long_to_compare_are_like_nobodys():
    forms = LinkedForms()
    grid = [LinkedRow(0, ((0, at), (1, 100 + to))) for at in range(12) for to in range(12)]
    assert forms.number(grid) != forms.number(grid)


def table(name: str, columns: dict[str, list[str | None]], person: str = "", **more: object):
    batch = {each: np.array(cells, object) for each, cells in columns.items()}
    fields = tuple(each for each in columns if each == "label")
    return TableRows(batches=[batch], person=person, name=name, fields=fields, **more)  # type: ignore[arg-type]


def test_links_over_tables_are_compared_and_pseudonyms_are_not():
    """Both have two visits and two tests; Ben and Cy have both tests in one visit."""
    visits = {"pid": [*"aabbcc"], "vid": [*"123456"]}
    tests = {"pid": [*"aabbcc"], "vid": [*"123366"]}
    keys = {"vid": "visits.vid"}
    record = record_tables(
        [table("visits", visits, "pid", keys=keys), table("tests", tests, "pid", keys=keys)],
        key=KEY,
    )
    assert sorted(np.bincount(record.bin_of).tolist()) == [1, 2]
    unlinked = record_tables(
        [table("visits", visits, "pid"), table("tests", tests, "pid")], key=KEY
    )
    assert np.bincount(unlinked.bin_of).tolist() == [3]


def test_links_to_reference_rows_are_compared_by_what_these_share():
    """Everybody sees two doctors; Ann's and Ben's are of one hospital, Cy's of two."""
    visits = {"pid": [*"aabbcc"], "doc": [*"121213"]}
    doctors = {"doc": [*"123"], "hospital": [*"xxy"]}
    clinics: dict[str, list[str | None]] = {"hospital": [*"xy"], "label": ["small", "small"]}
    rows = [
        table("visits", visits, "pid", keys={"doc": "doctors.doc"}),
        table(
            "doctors",
            doctors,
            keys={"doc": "doctors.doc", "hospital": "clinics.hospital"},
            own_key="doc",
        ),
        table("clinics", clinics, keys={"hospital": "clinics.hospital"}, own_key="hospital"),
    ]
    record = record_tables(rows, key=KEY)
    assert sorted(np.bincount(record.bin_of).tolist()) == [1, 2]
    assert record.fields == ()
    assert record.not_judged == ()


def test_a_missing_link_is_seen():
    visits: dict[str, list[str | None]] = {"pid": [*"abc"], "doc": ["1", "2", None]}
    other = table("people", {"pid": [*"abc"]}, "pid")
    rows = [other, table("visits", visits, "pid", keys={"doc": "doctors.doc"})]
    assert sorted(np.bincount(record_tables(rows, key=KEY).bin_of).tolist()) == [1, 2]
