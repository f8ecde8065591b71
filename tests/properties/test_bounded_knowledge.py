"""Bounded knowledge against a count in plain Python: lists, sets and every combination, one at a
time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import CountedPeople
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.policy import CellReading, NullRule
from sfumato.protection import BoundedInference, BoundedKnowledge

FIELDS = ("a", "b", "c", "d")
CELLS = st.sampled_from(["p", "q", "*", None])
ROW = st.tuples(CELLS, CELLS, CELLS, CELLS, st.sampled_from(["flu", "cold", None]))
ROWS = st.one_of(
    st.lists(ROW, min_size=1, max_size=14),
    st.lists(ROW, min_size=1, max_size=4).map(lambda rows: rows * 3),
)
quick = settings(max_examples=example_count(60), deadline=None)


def shown(row, *, wildcard, nulls):
    """The places of a row whose cells say something."""
    silent = {"*"} if wildcard else set()
    silent |= {None} if nulls else set()
    return {place for place in range(4) if row[place] not in silent}


def groups_of(rows, register, m, *, wildcard=False, nulls=False):
    """Of each row, every set of rows in which somebody looks who knows the register and m
    others."""
    others = [place for place in range(4) if place not in register]
    for number, row in enumerate(rows):
        for size in range(min(m, len(others)) + 1):
            for chosen in combinations(others, size):
                says = shown(row, wildcard=wildcard, nulls=nulls)
                known = [place for place in (*register, *chosen) if place in says]
                yield number, [r for r in rows if all(r[p] == row[p] for p in known)]


def broken(rows, register, m, *, fails, **reading):
    return {rows[n][:4] for n, found in groups_of(rows, register, m, **reading) if fails(found)}


def marked(model, bins):
    return {labels for labels, bad in zip(bins.tuples(), model.failing(bins), strict=True) if bad}


@quick
@given(
    rows=ROWS,
    width=st.integers(0, 4),
    m=st.integers(1, 3),
    k=st.integers(1, 4),
    wildcard=st.booleans(),
    nulls=st.booleans(),
)
def test_the_same_rows_are_too_rare(rows, width, m, k, wildcard, nulls):
    asked = {
        "m": m,
        "register": FIELDS[:width],
        "others": FIELDS[width:],
        "reading": CellReading.WILDCARD if wildcard else CellReading.STRICT,
        "nulls": NullRule.MATCHES_ANYTHING if nulls else NullRule.VALUE,
    }
    how = {"wildcard": wildcard, "nulls": nulls}
    bins = bins_of_rows(FIELDS, rows, sensitive=("ill",))
    model = BoundedKnowledge(k=k, **asked)
    register = range(width)
    assert marked(model, bins) == broken(
        rows, register, m, fails=lambda found: len(found) < k, **how
    )
    smallest = min(len(found) for _, found in groups_of(rows, register, m, **how))
    assert model.judge(bins).smallest == smallest
    for values in ((), ("flu",)):
        inferred = BoundedInference(confidence=0.6, sensitive="ill", values=values, **asked)
        assert marked(inferred, bins) == broken(
            rows,
            register,
            m,
            fails=lambda found, values=values: any(
                sum(r[4] == value for r in found) > 0.6 * len(found)
                for value in values or ("flu", "cold", None)
            ),
            **how,
        )


@quick
@given(
    rows=st.lists(st.tuples(ROW, st.sampled_from("abcde")), min_size=1, max_size=16),
    width=st.integers(0, 3),
    m=st.integers(1, 2),
    k=st.integers(1, 3),
)
def test_people_are_counted_where_they_have_several_rows(rows, width, m, k):
    table = [(*row[:4], person, row[4]) for row, person in rows]
    bins = CountedPeople.of_rows(FIELDS, table, sensitive=("ill",))
    asked = {"m": m, "register": FIELDS[:width], "others": FIELDS[width:]}
    model = BoundedKnowledge(k=k, **asked)
    people = lambda found: {row[4] for row in found}  # noqa: E731
    assert marked(model, bins) == broken(
        table, range(width), m, fails=lambda found: len(people(found)) < k
    )
    inferred = BoundedInference(confidence=0.5, sensitive="ill", **asked)
    assert marked(inferred, bins) == broken(
        table,
        range(width),
        m,
        fails=lambda found: any(
            len(people(r for r in found if r[5] == value)) > 0.5 * len(people(found))
            for value in ("flu", "cold", None)
        ),
    )


def test_where_nothing_fits_into_one_array_keys_are_sorted():
    """Near-unique fields: keys of three fields are more than can be counted in an array."""
    rng = np.random.default_rng(7)
    rows = [(*(str(v) for v in rng.integers(0, 900, 4)), "flu") for _ in range(2000)]
    rows += [("1", "2", "3", "4", "flu")] * 3
    bins = bins_of_rows(FIELDS, rows, sensitive=("ill",))
    found = BoundedKnowledge(k=3, m=2, register=("a",), others=FIELDS[1:]).failing(bins)
    assert [t for t, bad in zip(bins.tuples(), found, strict=True) if not bad] == [
        ("1", "2", "3", "4")
    ]
