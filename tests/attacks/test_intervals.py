"""Intervals: the attacker was there twice, and knows both days.

Dates of one patient move together by a number of days that nobody knows, so that no date in the
release is true. But the days between two visits are as they were, and few patients came 113 days
after they had come before. The attacker looks for a patient of the release with two visits that far
apart, neither more than the largest shift from the days they know.

Where dates are generalised under k^m-anonymity instead, any two labels that somebody has are those
of k patients. The baseline is 1/k; the control is the same attack on the dates as they were, which
finds nearly everyone."""

from __future__ import annotations

import random
from datetime import date, timedelta
from itertools import combinations

import pytest

from hospital import DATES, K, chances, hospital, labels_of, mean, policy, read, release_of, rows_by

DAYS = 30
MOVED = {"visits.fields.admitted": {"role": "insensitive", "shift": {"days": DAYS}}}
LABELLED = {"visits.fields.admitted": {"role": "sensitive", "hierarchy": DATES}}


def sets_of(**more):
    return {"k_m": {"table": "visits", "field": "admitted", "k": K} | more}


@pytest.fixture(scope="module")
def tables():
    return hospital()


@pytest.fixture(scope="module")
def met_twice(tables):
    """Whom the attacker met twice: the patient, and the two days."""
    draw, out = random.Random(113), []
    for person in tables["patients"]:
        days = sorted(
            {visit["admitted"] for visit in tables["visits"] if visit["pid"] == person["pid"]}
        )
        if len(days) > 1:
            out.append(
                person | dict(zip(("first", "second"), sorted(draw.sample(days, 2)), strict=True))
            )
    return out


def dates_of(rows):
    return {
        who: [visit["admitted"] for visit in visits]
        for who, visits in rows_by(rows["visits"], "pid").items()
    }


def by_interval(rows, most):
    """Two visits as far apart as the known days, both moved by one number of days up to `most`."""
    there = {who: {date.fromisoformat(day) for day in days} for who, days in dates_of(rows).items()}

    def fits(known, person):
        first, second = (date.fromisoformat(known[name]) for name in ("first", "second"))
        mine = there.get(person["pid"], set())
        return any(
            day + (second - first) in mine
            for day in mine
            if abs(day - first) <= timedelta(days=most)
        )

    return fits


def test_control_two_days_name_nearly_everyone(tables, met_twice):
    found = chances(met_twice, tables["patients"], by_interval(tables, 0))
    assert len(found) > 100
    assert mean(found) > 0.95


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_moved_dates_are_found_by_what_lies_between_and_the_manifest_says_so(
    tables, met_twice, tmp_path, engine
):
    """Won by the attacker, and documented: shifting alone does not protect from who knows two
    dates."""
    made = release_of(tables, tmp_path, policy(MOVED), engine=engine)
    rows = read(made)
    true = {(visit["mark"], visit["admitted"]) for visit in tables["visits"]}
    assert sum((visit["mark"], visit["admitted"]) in true for visit in rows["visits"]) < 0.05 * len(
        rows["visits"]
    )
    found = chances(met_twice, rows["patients"], by_interval(rows, DAYS))
    assert mean(found) > 0.5
    assert max(found) == 1
    [warning] = [said for said in made.manifest["warnings"] if "days between" in said]
    assert "visits.admitted" in warning
    assert "k^m-anonymity" in warning


def test_dates_of_one_patient_move_together_over_all_tables(tables, tmp_path):
    """So that the order of events stays, and so that a visit is not before the patient was
    registered."""
    moved = {"role": "insensitive", "shift": {"days": DAYS}}
    days = {person["pid"]: person | {"since": "2019-12-31"} for person in tables["patients"]}
    rows = read(
        release_of(
            tables | {"patients": list(days.values())},
            tmp_path,
            policy(MOVED | {"patients.fields.since": moved}),
        )
    )
    by = {
        person["pid"]: date.fromisoformat(person["since"]) - date(2019, 12, 31)
        for person in rows["patients"]
    }
    was = {visit["charges"]: date.fromisoformat(visit["admitted"]) for visit in tables["visits"]}
    assert all(
        date.fromisoformat(v["admitted"]) - was[v["charges"]] == by[v["pid"]]
        for v in rows["visits"]
    )
    assert len({moved.days for moved in by.values()}) > DAYS  # and not everyone by as many


# ------------------------------------------------------------------------------------------- dates
# under k^m-anonymity


def by_labels(rows, tables):
    """Some label of each known day is among those of a patient."""
    above = labels_of(DATES, (visit["admitted"] for visit in tables["visits"]))
    there = {who: frozenset(labels) for who, labels in dates_of(rows).items()}

    def fits(known, person):
        mine = there.get(person["pid"], frozenset())
        return all(above[known[name]] & mine for name in ("first", "second"))

    return fits


@pytest.mark.long("a large release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_labels_of_two_days_are_those_of_enough_people(tables, met_twice, tmp_path, engine):
    rows = read(release_of(tables, tmp_path, policy(LABELLED, require=sets_of(m=2)), engine=engine))
    found = chances(met_twice, rows["patients"], by_labels(rows, tables))
    assert max(found) <= 1 / K
    assert mean(found) > 1 / len(rows["patients"])  # it still helps, by as much as was allowed
    assert (
        len({visit["admitted"] for visit in rows["visits"]}) > 4
    )  # and dates are still worth something


def test_labels_hold_where_rows_are_dropped_to_share_numbers(tables, met_twice, tmp_path):
    """Dates are generalised after rows were dropped: what was true of all rows need not be true of
    those that stay."""
    decided = policy(
        LABELLED | {"visits.row_counts": {"linking": 1.0}},
        require=sets_of(m=2) | {"max_suppression": 0.3},
    )
    rows = read(release_of(tables, tmp_path, decided))
    assert len(rows["visits"]) < 0.9 * len(tables["visits"])
    assert max(chances(met_twice, rows["patients"], by_labels(rows, tables))) <= 1 / K


def test_known_limit_one_day_is_protected_and_two_are_not(tables, met_twice, tmp_path):
    """Not protected, and documented: with m = 1 the attacker may know one date."""
    rows = read(release_of(tables, tmp_path, policy(LABELLED, require=sets_of(m=1))))
    once = [known | {"second": known["first"]} for known in met_twice]
    assert max(chances(once, rows["patients"], by_labels(rows, tables))) <= 1 / K
    assert max(chances(met_twice, rows["patients"], by_labels(rows, tables))) == 1


def test_known_limit_two_days_under_one_label_are_counted_once(tables, tmp_path):
    """Not protected, and documented: a set does not say how often. Who knows all visits of a busy
    year finds whose."""
    rows = read(release_of(tables, tmp_path, policy(LABELLED, require=sets_of(m=2))))
    there = dates_of(rows)
    often = [(label, found.count(label)) for found in there.values() for label in set(found)]
    label, times = max(often, key=lambda pair: pair[1])
    assert times > 2
    assert sum(found.count(label) >= times for found in there.values()) < K


def test_any_two_labels_together(tables, tmp_path):
    """What the model says, counted plainly: every pair that somebody has is had by enough."""
    rows = read(release_of(tables, tmp_path, policy(LABELLED, require=sets_of(m=2))))
    sets = [frozenset(found) for found in dates_of(rows).values()]
    pairs = {pair for found in sets for pair in combinations(sorted(found), 2)}
    assert pairs
    assert all(sum(set(pair) <= found for found in sets) >= K for pair in pairs)
