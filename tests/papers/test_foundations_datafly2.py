"""Sweeney 2000, Fig. 28 and 29: Datafly II at k = 2 with at most 10 % of the tuples dropped."""

from __future__ import annotations

from collections import Counter

import tables

from sfumato.protection import KAnonymity
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
