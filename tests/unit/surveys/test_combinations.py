"""Uniqueness of combinations: the paper's voter list, bounds that hold, and nothing left out in
silence."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sfumato.engines import open_source
from sfumato.surveys import combinations as module
from sfumato.surveys import survey
from sfumato.surveys.combinations import most_alone


def voter_list() -> pd.DataFrame:
    """As many made-up voters as the list of Sweeney 2000, with birth dates over 72 years and five
    ZIP codes."""
    random, voters = np.random.default_rng(1997), 54_805
    young = random.random(voters) < 0.25
    days = np.where(
        young, random.integers(0, 3650, voters), 3650 + random.integers(0, 365 * 62, voters)
    )
    zips = random.choice(
        ["02138", "02139", "02140", "02141", "02142"], voters, p=[0.28, 0.27, 0.2, 0.15, 0.1]
    )
    weights = 1 / np.arange(1, 2001) ** 0.9
    blocks = random.choice(2000, voters, p=weights / weights.sum())
    born = np.datetime64("1979-06-30") - days.astype("timedelta64[D]")
    return pd.DataFrame(
        {
            "birth date": born.astype(str),
            "gender": random.choice(["M", "F"], voters),
            "zip": zips,
            "postal code": [
                f"{five}-{block:04d}" for five, block in zip(zips, blocks, strict=True)
            ],
            "name": random.choice(["Ann Smith", "Bob Jones", "Carl Brown"], voters),
            "notes": random.choice(
                ["met at the door and was asked to vote", "nobody was at home when we came"], voters
            ),
            "list": "1997",
        }
    )


def test_uniqueness_as_in_the_papers_voter_list():
    """Sweeney 2000, Fig. 13: birth date 12 %, with gender 29 %, with ZIP 69 %, with the full postal
    code 97 %."""
    with open_source(voter_list()) as source:
        found = survey(source, max_combination=2)
    shares = {item.fields: item.unique_share for item in found.uniqueness.counted}
    birth = shares[("birth date",)]
    with_gender = shares[("birth date", "gender")]
    with_zip = shares[("birth date", "zip")]
    with_full_code = shares[("birth date", "postal code")]
    assert birth == pytest.approx(0.12, abs=0.1)
    assert with_gender == pytest.approx(0.29, abs=0.1)
    assert with_zip == pytest.approx(0.69, abs=0.1)
    assert with_full_code == pytest.approx(0.97, abs=0.05)
    assert birth < with_gender < with_zip < with_full_code
    assert found.uniqueness.counted[0].fields == ("birth date", "postal code")
    assert not {"name", "notes", "list"} & {
        name for item in found.uniqueness.counted for name in item.fields
    }


def test_counts_are_those_of_a_plain_count(survey_of):
    random = np.random.default_rng(3)
    columns = {f"x{n}": random.integers(0, 9, 60).astype(str).tolist() for n in range(4)}
    columns["x0"][7] = None
    found = survey_of(columns)
    counted = {item.fields: item for item in found.uniqueness.counted}
    for size in (1, 2, 3):
        for names in combinations(columns, size):
            _, sizes = np.unique(
                list(zip(*(map(str, columns[name]) for name in names), strict=True)),
                axis=0,
                return_counts=True,
            )
            assert (counted[names].bins, counted[names].unique) == (
                len(sizes),
                int((sizes == 1).sum()),
            )
            assert counted[names].average_bin == 60 / len(sizes)
    shares = [item.unique_share for item in found.uniqueness.counted]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_holds(seed):
    random = np.random.default_rng(seed)
    bins, parts, rows = random.integers(2, 30), int(random.integers(1, 8)), 100
    of_bin, of_part = random.integers(0, bins, rows), random.integers(0, parts, rows)
    sizes = np.bincount(np.bincount(of_bin), minlength=rows + 2)
    _, finer = np.unique(np.stack([of_bin, of_part]), axis=1, return_counts=True)
    assert (finer == 1).sum() <= most_alone(sizes, parts)


def test_a_combination_is_not_extended_once_nearly_every_row_is_unique(survey_of):
    rows = range(60)
    found = survey_of(
        {
            "qa": [f"x{row % 8}y" for row in rows],
            "qb": [f"x{row // 8}y" for row in rows],
            "qc": [f"x{row % 3}y" for row in rows],
        }
    ).uniqueness
    assert ("qa", "qb") in {item.fields for item in found.counted}
    assert ("qa", "qb", "qc") not in {item.fields for item in found.counted}
    assert any(
        note.startswith("1 combination with a smaller one inside") for note in found.not_counted
    )


def test_what_cannot_single_out_anyone_is_not_counted_and_told(survey_of):
    flags = [str(row % 2) for row in range(5000)]
    found = survey_of({"fa": flags, "fb": flags}).uniqueness
    assert [item.fields for item in found.counted] == [("fa",), ("fb",)]
    assert found.not_counted == ("1 combination that cannot single out more than 0.1 % of rows.",)


def test_what_the_budget_leaves_out_is_told(survey_of, monkeypatch):
    monkeypatch.setattr(module, "MOST_GROUP_BYS", 4)
    monkeypatch.setattr(module, "LEAST_GROUP_BYS", 1)
    monkeypatch.setattr(module, "MOST_FIELDS", 4)
    random = np.random.default_rng(5)
    columns = {f"x{n}": random.integers(0, 9 + n, 80).astype(str).tolist() for n in range(5)}
    found = survey_of(columns).uniqueness
    assert sum(len(item.fields) > 1 for item in found.counted) == 4
    assert any(
        note.startswith("4 combinations of 2 fields, because 4 counts")
        for note in found.not_counted
    )
    assert any("of 3 fields" in note for note in found.not_counted)
    assert any(note.startswith("Combinations with x0: 4 fields") for note in found.not_counted)


def test_a_field_that_is_unique_alone_takes_no_place(survey_of):
    found = survey_of(
        {"qa": [f"v{row}.{row * row}" for row in range(50)], "qb": ["m", "n"] * 25}
    ).uniqueness
    assert found.counted[0].fields == ("qa",)
    assert found.not_counted[0] == "Combinations with qa: each alone singles out nearly every row."
