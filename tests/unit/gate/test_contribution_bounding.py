"""Numbers added up beforehand are those that counting rows gives, and nobody adds more than the
terms allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.accounting import ChargedMeasurement, Measurement, charge_first
from sfumato.bins.tuple_groups import group
from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted
from sfumato.gate.decide.protected_table import HeldField, ProtectedTable
from sfumato.gate.noise import contribution_bounding as reckoning_module
from sfumato.gate.noise import noisy_rows as rows_module
from sfumato.gate.noise.contribution_bounding import BoundedRows, Measure, _first_in_group
from sfumato.gate.noise.noisy_query import check_noisy, noisy
from sfumato.gate.noise.noisy_rows import NoisyTable, noisy_rows
from sfumato.gate.settings import Terms
from sfumato.gate.sql import admit
from sfumato.gate.sql.admission import QueryableTable
from sfumato.hierarchies import Suppression
from sfumato.policy import Domain, Field, Policy, Role
from sfumato.techniques.keyed_random import KeyedRandom

VALUES = {
    "age": (Role.QUASI, FieldKind.INTEGER, ("30", "31", "40", None)),
    "town": (Role.QUASI, FieldKind.TEXT, ("A", "B")),
    "test": (Role.SENSITIVE, FieldKind.INTEGER, ("0", "1", None)),
    "cost": (Role.INSENSITIVE, FieldKind.REAL, ("-7.5", "0", "12", "900", None)),
}
CATALOGUE = {"people": QueryableTable(known=("age", "town"), unknown=("test", "cost"))}
TERMS = Terms(
    least=1, rows_per_person=2, bounds={"cost": (-5, 100), "age": (31, 35)}, steps={"cost": 0.5}
)
CONDITIONS = (
    "age > 30",
    "NOT age = 31",
    "town = 'B'",
    "test = 1",
    "cost < 100",
    "test IS NULL",
    "cost IN (0, 12)",
)
NUMBERS = (
    "COUNT(*)",
    "COUNT(cost)",
    "SUM(cost)",
    "SUM(age)",
    "AVG(cost)",
    "COUNT(DISTINCT person)",
)


def policy_of(
    *, entity: str = "who", constant: tuple[str, ...] = (), domains: dict[str, Domain] | None = None
) -> Any:
    """As much of a policy as noisy numbers go by."""
    fields = {
        name: Field(
            name=name,
            role=role,
            constant_per_person=name in constant,
            domain=(domains or {}).get(name),
        )
        for name, (role, *_) in VALUES.items()
    }
    return Policy(fields=fields, entity=entity or None)


def holding_of(
    rows: list[tuple[int, ...]], people: list[int], policy: Any = None
) -> ProtectedTable:
    codes = np.array(rows, np.int32)
    fields = {
        name: HeldField(
            name=name,
            role=role,
            kind=kind,
            values=values,
            codes=np.ascontiguousarray(codes[:, column]),
        )
        for column, (name, (role, kind, values)) in enumerate(VALUES.items())
    }
    bin_of, first = group(codes[:, :2], [4, 2])
    return ProtectedTable(
        name="people",
        policy=policy or policy_of(),
        fields=fields,
        hierarchies={name: Suppression().bind(fields[name].values) for name in ("age", "town")},
        person_of=np.unique(people, return_inverse=True)[1].astype(np.int64),
        bin_of=bin_of,
        bins=codes[first, :2],
    )


def reckoning_of(holding: ProtectedTable) -> BoundedRows:
    return BoundedRows.of(holding, most=TERMS.rows_per_person, chance=KeyedRandom(b"of a test"))


tables = st.lists(
    st.tuples(
        *(st.integers(0, len(values) - 1) for *_, values in VALUES.values()), st.integers(0, 6)
    ),
    min_size=1,
    max_size=40,
)
queries = st.builds(
    lambda shown, where, groups: (
        f"SELECT {', '.join((*groups, *shown))} FROM people"
        + (f" WHERE {' AND '.join(where)}" if where else "")
        + (f" GROUP BY {', '.join(groups)}" if groups else "")
    ),
    st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=3),
    st.lists(st.sampled_from(CONDITIONS), max_size=3),
    st.sampled_from(((), ("town",), ("age", "town"))),
)


def unpaid(lines: Sequence[Measurement]) -> tuple[ChargedMeasurement, ...]:
    return charge_first(lines, lambda _: None)


@settings(max_examples=example_count(150), deadline=None)
@given(tables, queries, st.booleans())
def test_noisy_numbers_are_made_from_those_of_the_rows(table, sql, one_each):
    people = list(range(len(table))) if one_each else [row[-1] for row in table]
    holding = holding_of(
        [row[:-1] for row in table], people, policy_of(entity="" if one_each else "who")
    )
    question = admit(sql, CATALOGUE)
    reckoning = reckoning_of(holding)
    with mock.patch.object(ChargedMeasurement, "add_noise", lambda _, numbers: numbers):
        found = noisy(question, reckoning, TERMS, protected=False, charge=unpaid)
    counted = _counted(question, holding, _rows(reckoning))
    keys = list(zip(*found.labels.values(), strict=True)) if found.labels else [()]
    if question.groups:
        assert set(keys) == set(counted)
    elif not counted:
        return  # Nobody is meant, and nothing is told.
    for name, numbers in found.numbers.items():
        assert dict(zip(keys, numbers.tolist(), strict=True)) == {
            key: each[name] for key, each in counted.items()
        }


def _rows(reckoning: BoundedRows) -> list[int]:
    return (
        list(range(len(reckoning.holding))) if reckoning.rows is None else reckoning.rows.tolist()
    )


def _counted(
    question: Any, holding: ProtectedTable, rows: list[int]
) -> dict[tuple[Any, ...], Counter[str]]:
    """The same, one row after the other."""
    codes = {name: held.codes for name, held in holding.fields.items()}
    everyone = np.ones(len(holding), bool)
    about, having = (
        each.marks(holding.fields, codes) if each else everyone
        for each in (question.about, question.having)
    )
    groups = [name for name in holding.known if name in question.groups]
    out: dict[tuple[Any, ...], Counter[str]] = {}
    seen = set()
    for row in rows:
        cells = {name: held.values[held.codes[row]] for name, held in holding.fields.items()}
        key = tuple(
            int(cells[name]) if name == "age" and cells[name] else cells[name] for name in groups
        )
        if not about[row]:
            continue
        told = out.setdefault(key, Counter())
        if not having[row]:
            continue
        told["count(*)"] += 1
        if (key, holding.person_of[row]) not in seen and key != ():
            told["count(distinct person)"] += 1
            seen.add((key, holding.person_of[row]))
        for name, (low, high) in TERMS.bounds.items():
            if cells[name] is not None:
                told[f"count({name})"] += 1
                told[f"sum({name})"] += min(high, max(low, float(cells[name])))
    if () in out and not groups:  # Without groups everybody is counted, by any of their rows.
        meant = {
            int(holding.person_of[row]) for row in range(len(holding)) if about[row] and having[row]
        }
        out.setdefault((), Counter())["count(distinct person)"] = len(meant)
    return out


@given(tables)
def test_nobody_has_more_rows_than_the_terms_allow(table):
    holding = holding_of([row[:-1] for row in table], [row[-1] for row in table])
    rows = _rows(reckoning_of(holding))
    times = Counter(holding.person_of.tolist())
    most = TERMS.rows_per_person
    assert Counter(holding.person_of[rows].tolist()) == {
        who: min(most, each) for who, each in times.items()
    }
    assert rows == sorted(set(rows))


def test_what_one_person_may_add_does_not_depend_on_what_they_have():
    few = reckoning_of(holding_of([(0, 0, 0, 0)] * 3, [0, 1, 1]))
    many = reckoning_of(holding_of([(0, 0, 0, 0)] * 5, [0, 1, 1, 1, 1]))
    assert few.most == many.most == TERMS.rows_per_person
    assert few.rows is None
    assert many.rows is not None


def test_room_is_bounded_and_what_made_room_is_counted_again():
    reckoning = reckoning_of(holding_of([(0, 0, 0, 0), (1, 1, 1, 1), (2, 0, 2, 2)], [0, 1, 2]))
    whole = reckoning.entries(("age",), ("test",)).number.tolist()
    with mock.patch.object(reckoning_module, "ROOM", 4):
        for names in ((), ("test",), ("cost",), ("cost", "test")):
            reckoning.entries(("age", "town"), names)
            assert sum(len(each.number) for each in reckoning._kept.values()) <= 4
        assert reckoning.entries(("age",), ("test",)).number.tolist() == whole


def test_sums_that_could_not_be_exact_are_not_made():
    holding = holding_of([(0, 0, 0, 0)] * 2, [0, 1])
    question = admit("SELECT AVG(cost) FROM people", CATALOGUE)
    check_noisy(question, holding, Terms(bounds={"cost": (0, 2.0**24)}))
    with pytest.raises(NotAdmitted, match="bounds too far apart"):
        check_noisy(
            question, holding, Terms(bounds={"cost": (0, 2.0**25)})
        )  # However many rows there are.


@given(
    st.tuples(st.floats(-50, 50), st.floats(-50, 50)).map(sorted),
    st.sampled_from((0.1, 0.5, 1.0, 3.0)),
    st.data(),
)
def test_a_measure_says_what_one_row_adds_at_the_most(bounds, step, data):
    values = data.draw(st.lists(st.floats(-99, 99).map(repr), min_size=1, max_size=5))
    held = HeldField(
        name="cost",
        role=Role.INSENSITIVE,
        kind=FieldKind.REAL,
        values=(*values, *map(repr, bounds)),
        codes=np.zeros(0, "i4"),
    )
    measure = Measure(field="cost", between=tuple(bounds), step=step)
    worth = measure.worth(held)
    assert np.ptp(worth) <= measure.reach
    assert np.abs(worth).max() <= measure.reach


def test_what_is_not_there_adds_nothing():
    held = holding_of([(0, 0, 0, 0)], [0]).fields["cost"]
    assert Measure(field="cost").worth(held).tolist() == [1, 1, 1, 1, 0]
    assert Measure(field="cost", between=(3, 100), step=0.5).worth(held).tolist() == [
        6,
        6,
        24,
        200,
        0,
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM people",
        "SELECT COUNT(*), AVG(cost), SUM(cost) FROM people",
        "SELECT age, town, AVG(cost) AS a, COUNT(cost) FROM people GROUP BY age, town",
    ],
)
def test_rows_that_are_shown_as_they_come_are_those_the_query_gives(sql):
    question = admit(sql, CATALOGUE)
    count = 3 if question.groups else 1
    labels = {"age": [30, None, 40], "town": ["A", "B", None]} if question.groups else {}
    numbers = {name: [7.0, -2.0, 0.0][:count] for name in ("count(*)", "sum(cost)", "count(cost)")}
    table = NoisyTable(
        question=question, labels=labels, numbers=numbers, within=dict.fromkeys(numbers, 3.0)
    )
    quickly = noisy_rows(table, suppressed=2)
    with mock.patch.object(rows_module, "_as_they_are", return_value=None):
        whole = noisy_rows(table, suppressed=2)
    assert repr(quickly) == repr(whole)
    assert quickly[2].notes == whole[2].notes
    assert quickly[2].within == whole[2].within
    with mock.patch.object(rows_module, "run_over") as asked:
        noisy_rows(table)
    assert not asked.called


@pytest.mark.parametrize("most", [1, 3, 40])
def test_people_are_counted_once_in_each_group(most: int) -> None:
    """Compared with each other where they have few rows, sorted where they have many."""
    draw = np.random.default_rng(most)
    person = np.sort(draw.integers(0, 200, 200 * most))
    group = draw.integers(0, 4, len(person))
    first = _first_in_group(person, group)
    pairs = list(zip(person[first].tolist(), group[first].tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == set(zip(person.tolist(), group.tolist(), strict=True))
