"""Sweeney 2000, Fig. 28 and 29: Datafly II at k = 2 with at most 10 % of the tuples dropped."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
import tables

from sfumato.policy import policy_from_table
from sfumato.protection import KAnonymity, level_changes_nothing
from sfumato.protection.anonymity_level import sizes_asked
from sfumato.releases import level_warnings
from sfumato.solvers import Datafly2


def solved():
    bins = tables.bins_of(tables.rows("foundations_fig28.csv"))
    levels = tables.hierarchies(bins)
    solver = Datafly2(models=(KAnonymity(k=2, fields=tables.QUASI),), max_suppression=0.10)
    return bins, levels, solver.solve(bins, levels)


def test_the_release_is_the_printed_one_as_a_multiset():
    bins, levels, solution = solved()
    printed = Counter(
        tuple(row[name] for name in tables.QUASI)
        for row in tables.rows("foundations_fig29_datafly.csv")
    )
    assert solution.recoding.apply(bins, levels).sizes() == printed


def test_only_the_caucasian_female_of_1965_is_dropped():
    bins, _, solution = solved()
    dropped = [
        t for t, gone in zip(bins.tuples(), solution.recoding.suppressed, strict=True) if gone
    ]
    assert dropped == [("Caucasian", "1965-03-15", "f", "02139")]


def test_birth_goes_to_the_year_before_zip_loses_a_digit():
    _, _, solution = solved()
    order = [step.what.split()[1] for step in solution.steps[1:]]
    assert order == ["birth", "birth", "zip"]


def under(solver, **anonymity):
    fields = dict.fromkeys(("birth", "sex", "zip"), "quasi")
    require = {"anonymity": {"level": 0.5, "r2": "N/100"} | anonymity}
    decided = policy_from_table({"fields": fields, "require": require, "solve": {"solver": solver}})
    return decided, decided.require.one("anonymity"), tuple(fields)


@pytest.mark.parametrize(
    ("level", "k"),
    list(zip(range(1, 10), (54, 109, 164, 219, 274, 328, 383, 438, 493), strict=True)),
)
def test_the_level_is_the_k_of_figure_27(level, k):
    decided, asked, known = under("datafly2", level=level / 10)
    found = sizes_asked(decided, asked, known, 54_805)
    assert (found.per_field, found.concatenated, found.together) == ({}, known, k)
    assert level_changes_nothing(decided, asked, known, 54_805) is None


def test_the_effort_of_1997_outweighs_every_level_unless_it_is_given():
    decided, asked, known = under("datafly")
    assert level_changes_nothing(decided, asked, known, 54_805) == 548
    decided, asked, known = under("datafly", e=0)
    assert level_changes_nothing(decided, asked, known, 54_805) is None
    assert sizes_asked(decided, asked, known, 54_805).together == 274


def test_a_level_that_asks_for_no_bin_of_two_is_warned_of():
    """r2 of 2 at level 0.4 is 0.8 rows, and no bin is smaller than 1."""
    decided, _, known = under("datafly2", level=0.4, r2=2)
    (warning,) = level_warnings(decided, known, 300)
    assert "protects nobody: of 300 rows" in warning
    decided, _, known = under("datafly2", level=1.0, r2=2)
    assert not [*level_warnings(decided, known, 300)]
    decided, _, known = under("datafly")
    assert ["changes nothing" in each for each in level_warnings(decided, known, 54_805)] == [True]


def test_as_a_bound_distortion_keeps_a_field_from_being_suppressed_first():
    bins = tables.bins_of(tables.rows("foundations_fig28.csv"))
    levels = tables.hierarchies(bins)
    tolerated = {"birth": 0.75, "zip": 0.5, "ethnicity": 0.1, "sex": 0.0}
    models = (KAnonymity(k=2, fields=tables.QUASI),)
    asked = Datafly2(
        models=models, max_suppression=0.5, distortion=tolerated, distortion_as="bound"
    )
    found = asked.solve(bins, levels).recoding.levels
    assert all(found[name] <= tolerated[name] * levels[name].height for name in found)
    paper = Datafly2(models=models, max_suppression=0.0, distortion={"birth": 1.0})
    assert paper.solve(bins, levels).recoding.levels["birth"] == levels["birth"].height


def test_as_a_weight_distortion_lets_fields_climb_in_proportion_to_it():
    bins = tables.bins_of(tables.rows("foundations_fig28.csv"))
    levels = tables.hierarchies(bins)
    tolerated = {"birth": 0.8, "zip": 0.4, "ethnicity": 0.1, "sex": 0.0}

    def climbed(distortion_as):
        solver = Datafly2(models=(), distortion=tolerated, distortion_as=distortion_as)
        reached = [dict(at) for _, at in solver.climb(bins, levels)]
        return [next(n for n in a if a[n] != b[n]) for a, b in pairwise(reached)]

    birth, zips = levels["birth"].height, levels["zip"].height
    assert climbed("order")[: birth + zips] == ["birth"] * birth + ["zip"] * zips
    assert climbed("weight").index("zip") < birth
    assert climbed("weight")[-1] == "sex"
    assert sorted(climbed("weight")) == sorted(climbed("order"))
