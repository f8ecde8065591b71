"""Counting people: coarser bins agree with counting from rows, and the search with brute force over
all nodes."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from random_tables import hierarchies

from sfumato.bins import CountedPeople, PeopleBins, people_bins
from sfumato.engines.engine import Witnesses
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.solvers.people import CountingPeople, TableBins, people_rollup

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
FIELDS = {"people": ("a", "b"), "visits": ("a", "b", "c"), "tests": ("a", "b", "c", "d")}
ABOVE = {"people": None, "visits": "people", "tests": "visits"}
OWN = {"people": ("a", "b"), "visits": ("c",), "tests": ("d",)}
cells = st.one_of(st.none(), st.sampled_from(["p", "q", "r"]))


class Row:
    """A row with its person, its values by field, and the row above it."""

    def __init__(self, person, values, above=None):
        self.person, self.values, self.above = person, values, above


@st.composite
def databases(draw):
    """Rows of people, their visits and the tests made there; as many visits and tests as it
    happens."""
    persons = [
        Row(number, {"a": draw(cells), "b": draw(cells)})
        for number in range(draw(st.integers(1, 8)))
    ]
    owners = st.sampled_from(persons)
    visits = [
        Row(owner.person, owner.values | {"c": draw(cells)}, owner)
        for owner in draw(st.lists(owners, min_size=1, max_size=14))
    ]
    tests = [
        Row(visit.person, visit.values | {"d": draw(cells)}, visit)
        for visit in draw(st.lists(st.sampled_from(visits), max_size=14))
    ]
    return {"people": persons, "visits": visits, "tests": tests}


def witnesses(rows, fields, k, order):
    """What an engine gives: the bins in some order, and of each only up to k people, whichever come
    first."""
    found = defaultdict(lambda: (defaultdict(int), [0]))
    for row in rows:
        whose, count = found[tuple(row.values[name] for name in fields)]
        whose[row.person] += 1
        count[0] += 1
    bins = list(found) if order < 2 else list(found)[::-1]
    values = [
        sorted({labels[f] for labels in bins}, key=lambda v: (v is None, v or ""))
        for f in range(len(fields))
    ]
    codes = [[values[f].index(labels[f]) for f in range(len(fields))] for labels in bins]
    some = [
        (b, who)
        for b, labels in enumerate(bins)
        for who in sorted(found[labels][0], reverse=order % 2)[:k]
    ]
    bin_of, person_of = np.array(some, np.int64).reshape(len(some), 2).T
    return Witnesses(
        fields=tuple(fields),
        values=tuple(tuple(column) for column in values),
        codes=np.array(codes, np.int32).reshape(len(bins), len(fields)),
        rows=np.array([found[labels][1][0] for labels in bins], np.int64),
        bin_of=bin_of,
        person_of=person_of * 1_000_003 - 17,
        k=k,
    )


def ladders(draw, database):
    """One ladder of labels for each value of each field, the same in every table."""
    out = {}
    for name in FIELDS["tests"]:
        values = dict.fromkeys(
            row.values[name] for rows in database.values() for row in rows if name in row.values
        )
        drawn = draw(hierarchies(tuple(values), top=draw(st.integers(0, 4)) > 0))
        columns = [[names[c] for c in up] for names, up in zip(drawn.labels, drawn.up, strict=True)]
        out[name] = {ladder[0]: ladder for ladder in zip(*columns, strict=True)}
    return out


def bound(found, ladder):
    """Hierarchies whose first values are those of one table, in its order, as a release binds
    them."""
    out = {}
    for name, values in zip(found.fields, found.values, strict=True):
        rest = [value for value in ladder[name] if value not in values]
        out[name] = Hierarchy.from_rows(
            [ladder[name][value] for value in (*values, *rest)] or [(None, "*")]
        )
    return out


@settings(max_examples=example_count(150), deadline=None)
@given(data=st.data())
def test_people_of_coarser_bins_are_those_of_their_rows(data):
    database = data.draw(databases())
    ladder = ladders(data.draw, database)
    rows, k = database["tests"] or database["visits"], data.draw(st.integers(1, 5))
    fields = FIELDS["tests"] if database["tests"] else FIELDS["visits"]
    found = witnesses(rows, fields, k, data.draw(st.integers(0, 3)))
    bounds = bound(found, ladder)
    levels = {name: data.draw(st.integers(0, bounds[name].height)) for name in fields}
    bins, groups = PeopleBins.from_witnesses(found).recoded(bounds, levels)
    expected = defaultdict(set)
    sizes = defaultdict(int)
    for row in rows:
        labels = tuple(ladder[name][row.values[name]][levels[name]] for name in fields)
        expected[labels].add(row.person)
        sizes[labels] += 1
    tuples = list(bins.by_rows().tuples())
    assert dict(zip(tuples, bins.people.tolist(), strict=True)) == {
        t: min(len(p), k) for t, p in expected.items()
    }
    assert dict(zip(tuples, bins.rows.tolist(), strict=True)) == sizes
    assert np.bincount(bins.bin_of, minlength=len(bins)).tolist() == [
        p if p < k else 0 for p in bins.people
    ]
    lifted = [
        tuple(
            bounds[n].labels[levels[n]][bounds[n].up[levels[n]][c]]
            for n, c in zip(fields, codes, strict=True)
        )
        for codes in found.codes.tolist()
    ]
    assert lifted == [tuples[g] for g in groups]


def within(rows, gone, limit, *, people):
    """Whether a table leaves out no more than it may: rows, or people who have none left."""
    if people and limit > 0:
        whose, left = {row.person for row in rows}, {row.person for row in rows if row not in gone}
        return len(whose - left) <= limit * len(whose) + 1e-9
    return len([row for row in rows if row in gone]) <= limit * len(rows) + 1e-9


def brute_force(database, ladder, k, limit, weights, *, people):
    """Every node within the limits, with its loss, from the rows themselves: no bins, no witnesses,
    no bound."""
    names = FIELDS["tests"]
    heights = [len(next(iter(ladder[name].values()))) if ladder[name] else 2 for name in names]
    for node in itertools.product(*(range(height) for height in heights)):
        levels = dict(zip(names, node, strict=True))
        gone = left_out(database, ladder, levels, k)
        if all(within(rows, gone, limit, people=people) for rows in database.values()):
            losses = [loss(database[t], OWN[t], ladder, levels, gone, weights) for t in database]
            yield node, sum(losses) / len(losses)


def left_out(database, ladder, levels, k):
    gone = set()
    for table, rows in database.items():
        rows = [row for row in rows if row.above not in gone]
        gone |= {row for row in database[table] if row.above in gone}
        whose = defaultdict(set)
        label = {
            row: tuple(ladder[n][row.values[n]][levels[n]] for n in FIELDS[table]) for row in rows
        }
        for row in rows:
            whose[label[row]].add(row.person)
        gone |= {row for row in rows if len(whose[label[row]]) < k}
    return gone


def loss(rows, own, ladder, levels, gone, weights):
    """The mean over rows and own fields of (leaves under the label - 1) / (leaves - 1), and 1 where
    left out."""
    total = 0.0
    for row, name in itertools.product(rows, own):
        label = ladder[name][row.values[name]][levels[name]]
        under = sum(other[levels[name]] == label for other in ladder[name].values())
        lost = 1.0 if row in gone else (under - 1) / max(len(ladder[name]) - 1, 1)
        total += lost * weights[name]
    return total / max(len(rows), 1) / sum(weights[name] for name in own)


def everybody(rows, fields, hierarchies):
    """All people of each bin, in the codes of the hierarchies."""
    found = CountedPeople.of_rows(
        fields, [(*(row.values[name] for name in fields), str(row.person)) for row in rows]
    )
    lifts = [
        np.array([hierarchies[name].labels[0].index(value) for value in values], np.int32)
        for name, values in zip(fields, found.labels, strict=True)
    ]
    return found.aligned(tuple(hierarchies[name].labels[0] for name in fields), lifts)


def as_tables(database, ladder, k, draw, *, people):
    out = []
    for table in draw(st.permutations(list(database))):
        found = witnesses(database[table], FIELDS[table], k, draw(st.integers(0, 3)))
        bins = PeopleBins.from_witnesses(found)
        bounds = bound(found, ladder)
        known = everybody(database[table], FIELDS[table], bounds) if people else None
        out.append(
            TableBins(name=table, bins=bins, hierarchies=bounds, above=ABOVE[table], counted=known)
        )
    return out


@settings(max_examples=example_count(120), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_the_search_is_what_brute_force_finds(data):
    database = data.draw(databases())
    ladder = ladders(data.draw, database)
    k, limit = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([0.0, 0.1, 0.3, 1.0]))
    weights = {name: data.draw(st.sampled_from([0.2, 1.0, 3.0])) for name in FIELDS["tests"]}
    people = data.draw(st.booleans())
    tables = as_tables(database, ladder, k, data.draw, people=people)
    nodes = dict(brute_force(database, ladder, k, limit, weights, people=people))
    solver = CountingPeople(k=k, max_suppression=limit, weights=weights)
    with pytest.MonkeyPatch.context() as patch:
        # As if the tables were large: through nodes on the way, and by a part of the entries first.
        patch.setattr(people_rollup, "LARGE", data.draw(st.sampled_from([0, 1_000])))
        patch.setattr(people_rollup, "SMALLER", data.draw(st.sampled_from([1, 4])))
        patch.setattr(people_bins, "PART", data.draw(st.sampled_from([1, 4])))
        if not nodes:
            with pytest.raises(NoRecodingFound):
                solver.solve(tables)
            return
        found = solver.solve(tables)
    node = tuple(found.levels[name] for name in FIELDS["tests"])
    assert found.loss == pytest.approx(min(nodes.values()), abs=1e-9)
    assert nodes[node] == pytest.approx(found.loss, abs=1e-9)
    assert found.bound == pytest.approx(found.loss, abs=1e-9)
    gone = left_out(database, ladder, found.levels, k)
    for table in tables:
        marked = set(
            itertools.compress(table.bins.by_rows().tuples(), found.suppressed[table.name])
        )
        rows = [
            row
            for row in database[table.name]
            if tuple(row.values[n] for n in table.bins.fields) in marked
        ]
        assert set(rows) == {row for row in database[table.name] if row in gone}
