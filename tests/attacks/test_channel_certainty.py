"""Certain claims about a release by channels: the attacker reads the whole release and claims what
must be so.

Eve knows the policy, the method and every file of the release: which input channels each output
channel names, and how many of its subjects come from each. A member from which nobody comes hides
nothing from her. She claims for certain

- that a subject comes from a risky input channel, where no subject of its output channel comes from
  another;
- that a subject has some risky value, where every subject of every input channel behind it has one;
- that a field has one value, where the release shows a set of several for it and only one of them
  has subjects;
- that a rule of the holder is broken for a subject, where the members that keep it have no
  subjects.

By the default reading none of her claims is certain. By the reading of Garfinkel, Gopal and
Thompson (2007), which counts members, some are: the test can fail."""

from __future__ import annotations

import csv
import json
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.errors import NoRecodingFound
from sfumato.policy import policy_from_table

LIMITS = {"flu": 0.5, "cold": 0.5}
BOUND = 0.6


def policy(reading, **more):
    fields = {"name": "direct", "crp": "quasi", "bp": "quasi", "diagnosis": "sensitive"}
    channels = {
        "fields": ["crp", "bp"],
        "confidential": "diagnosis",
        "identifiers": ["name"],
        "tolerance": LIMITS,
        "bound": BOUND,
        "reading": reading,
        "seconds": 5.0,
        **more,
    }
    return policy_from_table({"entity": "name", "fields": fields, "channels": channels})


def people(*groups):
    """Groups of (crp, bp, people with flu, with a cold, with neither)."""
    rows = []
    for crp, bp, flu, cold, neither in groups:
        ill = ["flu"] * flu + ["cold"] * cold + [None] * neither
        rows += [{"crp": crp, "bp": bp, "diagnosis": diagnosis} for diagnosis in ill]
    return [{"name": f"P{i}", **row} for i, row in enumerate(rows)]


# Flu here and colds there protect each other: within each tolerance, and both risky. N is large, so
# that its subjects would cost much in a channel, and the paper's reading needs none of them.
EACH_OTHER = people(
    ("H", "high", 11, 0, 9), ("H", "low", 0, 11, 9), ("N", "low", 1, 1, 20), ("N", "high", 0, 0, 40)
)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_risky(row):
    shares = [Fraction(int(row[f"diagnosis={value}"]), int(row["subjects"])) for value in LIMITS]
    over = any(
        share > Fraction(str(limit)) for share, limit in zip(shares, LIMITS.values(), strict=True)
    )
    return over or sum(shares) > Fraction(str(BOUND))


def certain_claims(folder, *, no_gaps=()):
    """What Eve can claim with certainty, one line for each channel and kind of claim."""
    statistics = {row["input"]: row for row in read(folder / "statistics.csv")}
    channels = {}
    for row in read(folder / "channels.csv"):
        channels.setdefault(row["channel"], []).append(row)
    claims = []
    for number, members in channels.items():
        behind = [row for row in members if int(row["subjects"]) > 0]
        inputs = [statistics[row["input"]] for row in behind]
        if all(is_risky(row) for row in inputs):
            claims.append((number, "risky"))
        if all(
            sum(int(row[f"diagnosis={v}"]) for v in LIMITS) == int(row["subjects"])
            for row in inputs
        ):
            claims.append((number, "ill"))
        claims += [
            (number, field)
            for field in ("crp", "bp")
            if len({row[field] for row in members}) > 1 == len({row[field] for row in behind})
        ]
        places = sorted({no_gaps.index(row["crp"]) for row in behind if row["crp"] in no_gaps})
        if len(members) < len(statistics) and places != list(
            range(places[0], places[-1] + 1) if places else []
        ):
            claims.append((number, "gap"))
    return claims


def released(rows, asked, folder):
    sfumato.release(rows, asked, to=folder, engine="reference")
    return folder


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "rounded"])
@pytest.mark.parametrize("candidates", ["priced", "enumerated"])
def test_nothing_is_certain_by_the_default_reading(tmp_path, whole, candidates):
    asked = policy("subjects", whole_subjects=whole, candidates=candidates)
    assert certain_claims(released(EACH_OTHER, asked, tmp_path / "out")) == []


def test_the_papers_reading_lets_her_claim_with_certainty(tmp_path):
    """The control: the same people, and members from which nobody comes."""
    folder = released(EACH_OTHER, policy("garfinkel-2007"), tmp_path / "out")
    claims = certain_claims(folder)
    assert "risky" in {kind for _, kind in claims}
    assert any(
        "Garfinkel" in warning
        for warning in json.loads((folder / "manifest.json").read_text())["warnings"]
    )


def test_verify_by_the_default_reading_fails_the_papers_release(tmp_path):
    """A release made by the paper's reading and relabelled as one of the default reading is found
    out."""
    folder = released(EACH_OTHER, policy("garfinkel-2007"), tmp_path / "out")
    assert all(check.outcome != "fail" for check in sfumato.verify(folder))
    for name in ("manifest.json", "policy.toml"):
        path = folder / name
        path.write_text(path.read_text().replace("garfinkel-2007", "subjects"))
    failing = {check.claim for check in sfumato.verify(folder) if check.outcome == "fail"}
    assert any("(5)" in claim for claim in failing)


GAPS = {"field": "crp", "rule": "no-gaps", "values": ["L", "N", "H"]}


@settings(max_examples=example_count(25))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["L", "N", "H"]),
            st.sampled_from(["low", "high"]),
            st.integers(0, 6),
            st.integers(0, 6),
            st.integers(0, 12),
        ).filter(lambda group: sum(group[2:]) > 0),
        min_size=3,
        max_size=8,
        unique_by=lambda group: group[:2],
    ),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["priced", "enumerated"]),
)
def test_nothing_is_certain_whatever_the_table(groups, has_rule, whole, candidates):
    more = {"rules": [GAPS]} if has_rule else {}
    asked = policy("subjects", whole_subjects=whole, candidates=candidates, **more)
    with tempfile.TemporaryDirectory() as name:
        try:
            folder = released(people(*groups), asked, Path(name) / "out")
        except NoRecodingFound:
            return
        order = (
            [value for value in GAPS["values"] if value in {group[0] for group in groups}]
            if has_rule
            else ()
        )
        claims = certain_claims(folder, no_gaps=order)
        assert [claim for claim in claims if claim[1] in ("risky", "ill", "gap")] == []
        assert has_rule or claims == []
        assert all(check.outcome != "fail" for check in sfumato.verify(folder))
