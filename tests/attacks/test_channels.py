"""Releases with names: the attacker knows who everyone is, and wants to know what they have.

Eve gets a release by channels: names, and for each name an output channel. She has its statistics,
how many subjects of each input channel are in each output channel, and the method. She works out by
formula (1) of Garfinkel et al. 2007 how likely each value is for each name, and claims the
likeliest. Without channels, from the same names with their true values of the fields, she would be
right where an input channel tells much.

Then she tries whether who was put where depends on what they have: if it did, the formula would be
too low."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict

import numpy as np
import pytest

import sfumato
from sfumato.bins import Bins
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.engines import open_source
from sfumato.policy import policy_from_table
from sfumato.releases.channels.assignment import drawn
from sfumato.solvers.channels import ChannelPlan, Inputs

LIMIT = 0.25
SHARES = {"H": 0.7, "V": 0.5, "N": 0.1, "L": 0.05, "M": 0.0}
SIZES = {"H": 60, "V": 40, "N": 200, "L": 150, "M": 150}
POLICY = policy_from_table(
    {
        "entity": "name",
        "fields": {"name": "direct", "crp": "quasi", "diagnosis": "sensitive"},
        "channels": {
            "fields": ["crp"],
            "confidential": "diagnosis",
            "identifiers": ["name"],
            "tolerance": {"flu": LIMIT},
            "whole_subjects": False,
        },
    }
)


def people():
    rows = []
    for crp, size in SIZES.items():
        ill = round(SHARES[crp] * size)
        rows += [{"crp": crp, "diagnosis": "flu" if i < ill else None} for i in range(size)]
    order = np.random.default_rng(5).permutation(len(rows))
    return [{"name": f"P{i}", **rows[j]} for i, j in enumerate(order.tolist())]


EVERYONE = people()
ILL = {person["name"] for person in EVERYONE if person["diagnosis"] == "flu"}


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("channels") / "out"
    sfumato.release(EVERYONE, POLICY, to=target, engine="reference")
    return target


def beliefs(folder):
    """For each name, how likely the value is by formula (1)."""
    statistics = {
        row["input"]: int(row["diagnosis=flu"]) / int(row["subjects"])
        for row in read(folder / "statistics.csv")
    }
    expected, subjects = defaultdict(float), Counter()
    for row in read(folder / "channels.csv"):
        expected[row["channel"]] += statistics[row["input"]] * int(row["subjects"])
        subjects[row["channel"]] += int(row["subjects"])
    return {
        row["name"]: expected[row["channel"]] / subjects[row["channel"]]
        for row in read(folder / "release.csv")
    }


def hits(claimed):
    return sum(name in ILL for name in claimed) / max(len(claimed), 1)


def test_without_channels_many_are_found_out():
    """The control: true values beside names."""
    claimed = [person["name"] for person in EVERYONE if SHARES[person["crp"]] > LIMIT]
    assert len(claimed) == 100
    assert hits(claimed) > 0.6


def test_no_belief_is_above_the_tolerance(folder):
    assert max(beliefs(folder).values()) <= LIMIT + 1e-12


def test_her_best_claims_are_right_as_often_as_is_tolerated(folder):
    """The hundred she is surest of: one in four is ill, as chance has it; 0.62 of those were,
    without channels."""
    believed = beliefs(folder)
    claimed = sorted(believed, key=believed.get, reverse=True)[:100]
    assert hits(claimed) < LIMIT + 3 * np.sqrt(LIMIT * (1 - LIMIT) / 100)


def test_the_table_tells_nothing_else(folder):
    rows = read(folder / "release.csv")
    assert set(rows[0]) == {"name", "channel", "crp"}
    assert len({(row["channel"], row["crp"]) for row in rows}) == len(
        {row["channel"] for row in rows}
    )
    places = [int(row["name"][1:]) for row in rows]
    assert places != sorted(places)


ROWS = [
    {"name": f"P{i}", "crp": "H" if i < 40 else "N", "diagnosis": "flu" if i < 20 else None}
    for i in range(80)
]


@pytest.mark.long("many releases on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_who_is_put_where_does_not_depend_on_what_they_have(engine, tmp_path):
    """Half of H is ill, and they come first in the file. Over many draws the ill are in the channel
    of 10 as often as the well are, and no name is there more often than another."""
    path = tmp_path / "people.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ROWS[0])
        writer.writeheader()
        writer.writerows(ROWS)
    bins = bins_of_rows(
        ("crp",), [(row["crp"], row["diagnosis"]) for row in ROWS], sensitive=("diagnosis",)
    )
    inputs = Inputs.of(bins, "diagnosis", ("flu",))
    plan = ChannelPlan.of(inputs, {(0, 1): {0: 10, 1: 30}})
    few = str(plan.channels.index((0,)) + 1)
    draws = 40
    ill, names = 0, Counter()
    with open_source(path, engine=engine) as source:
        for _ in range(draws):
            with drawn(source, plan, POLICY.channels, ("name", "diagnosis")) as stage:
                found = Bins.count(stage, ("name", "crp", "diagnosis", "channel"))
                alone = [t for t in found.tuples() if t[1] == "H" and t[3] != few]
            assert len(alone) == 10
            ill += sum(t[2] == "flu" for t in alone)
            names.update(t[0] for t in alone)
    expected, spread = (
        draws * 5,
        np.sqrt(draws * 10 * 0.25 * 30 / 39),
    )  # hypergeometric: 10 of 40, 20 of them ill
    assert abs(ill - expected) < 4.5 * spread
    each, deviation = draws / 4, np.sqrt(draws * 0.25 * 0.75)
    assert len(names) == 40
    assert max(abs(count - each) for count in names.values()) < 5 * deviation
