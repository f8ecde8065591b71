"""Releases by channels of random tables: (5), (7) and (9) hold by the release alone, and it is
inclusive."""

from __future__ import annotations

import csv
import json
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

from example_counts import example_count
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.errors import NoRecodingFound
from sfumato.policy import policy_from_table
from sfumato.releases.channels.subject_queries import subjects_where

VALUES = ("flu", "cold")
LIMITS = st.sampled_from([0.15, 0.25, 1 / 3, 0.4, 0.5])


@st.composite
def tables(draw):
    """Rows with a name, two fields and a confidential value, common or not by the first field."""
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["L", "N", "H"]),
                st.sampled_from(["low", "high", None]),
                st.sampled_from([None, None, None, "none", "flu", "cold"]),
            ),
            min_size=8,
            max_size=40,
        )
    )
    return [
        {"name": f"P{i}", "crp": a, "bp": b, "diagnosis": c} for i, (a, b, c) in enumerate(rows)
    ]


@st.composite
def policies(draw):
    channels = {
        "fields": ["crp", "bp"],
        "confidential": "diagnosis",
        "identifiers": ["name"],
        "none": ["none"],
        "tolerance": {value: draw(LIMITS) for value in VALUES},
        "whole_subjects": draw(st.booleans()),
        "candidates": draw(st.sampled_from(["priced", "enumerated"])),
        "seconds": 5.0,
    }
    if draw(st.booleans()):
        channels |= {"bound": draw(st.sampled_from([0.3, 0.5, 0.8])), "weights": {"cold": 0.5}}
    if draw(st.booleans()):
        channels["max_inputs"] = draw(st.integers(2, 4))
    if draw(st.booleans()):
        rule = draw(st.sampled_from(["no-gaps", "apart"]))
        channels["rules"] = [
            {
                "field": "crp",
                "rule": rule,
                "values": ["L", "N", "H"] if rule == "no-gaps" else ["L", "H"],
            }
        ]
    fields = {"name": "direct", "crp": "quasi", "bp": "quasi", "diagnosis": "sensitive"}
    return policy_from_table({"entity": "name", "fields": fields, "channels": channels})


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shares(channels, statistics, asked):
    """P(v | channel) by formula (1), in fractions, from the two tables alone; and whether a subject
    is harmless."""
    inputs = {row["input"]: row for row in statistics}

    def having(row, value):
        return Fraction(int(row[f"diagnosis={value}"]), int(row["subjects"]))

    def is_risky(row):
        total = sum(
            Fraction(asked.weights.get(v, 1)).limit_denominator() * having(row, v) for v in VALUES
        )
        over = any(
            having(row, v) > Fraction(asked.tolerance[v]).limit_denominator() for v in VALUES
        )
        return over or (
            asked.bound is not None and total > Fraction(asked.bound).limit_denominator()
        )

    for number in {row["channel"] for row in channels}:
        members = [row for row in channels if row["channel"] == number]
        subjects = sum(int(row["subjects"]) for row in members)
        mixed = {
            v: sum(having(inputs[row["input"]], v) * int(row["subjects"]) for row in members)
            / subjects
            for v in VALUES
        }
        yield (
            mixed,
            any(not is_risky(inputs[row["input"]]) for row in members if int(row["subjects"]) > 0),
        )


@settings(max_examples=example_count(25))
@given(tables(), policies())
def test_every_channel_keeps_its_tolerance_and_holds_its_subjects(rows, policy):
    asked = policy.channels
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out"
        try:
            made = sfumato.release(rows, policy, to=target, engine="reference")
        except NoRecodingFound:
            assume(False)
        released, channels = read(made.table), read(target / "channels.csv")
        for mixed, is_harmless in shares(channels, read(target / "statistics.csv"), asked):
            assert is_harmless
            assert all(mixed[v] <= Fraction(asked.tolerance[v]).limit_denominator() for v in VALUES)
            if asked.bound is not None:
                total = sum(
                    Fraction(asked.weights.get(v, 1)).limit_denominator() * mixed[v] for v in VALUES
                )
                assert total <= Fraction(asked.bound).limit_denominator()
        own = {row["name"]: (row["crp"], row["bp"]) for row in rows}
        inside = {(row["channel"], row["crp"], row["bp"] or None) for row in channels}
        assert Counter(row["name"] for row in released) == Counter(list(own))
        for row in released:
            assert (row["channel"], *own[row["name"]]) in inside
            assert own[row["name"]][0] in json.loads(row["crp"])
            assert own[row["name"]][1] in json.loads(row["bp"])
        assert "diagnosis" not in released[0]
        assert all(check.outcome != "fail" for check in sfumato.verify(target))
        wanted = {"crp": ("H",), "bp": ("high", None)}
        true = {name for name, (crp, bp) in own.items() if crp == "H" and bp in wanted["bp"]}
        assert true <= {name for (name,) in subjects_where(target, wanted)}
