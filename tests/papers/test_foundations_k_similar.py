"""Sweeney 2000, Fig. 28, 33 and 34: k-Similar at k = 2 on full birth dates, to the optimum."""

from __future__ import annotations

from functools import cache

import pytest
import tables

from sfumato.protection import KAnonymity
from sfumato.solvers import Datafly2
from sfumato.solvers.k_similar import KSimilar
from sfumato.solvers.mu_argus import MuArgus
from sfumato.solvers.mu_argus_session import MuArgusSession

HEIGHT = {"ethnicity": 1, "birth": 5, "sex": 1, "zip": 3}
YEARS = {4: 2, 7: 1, 10: 0}


@cache
def source():
    bins = tables.bins_of(tables.rows("foundations_fig28.csv"))
    return bins, tables.hierarchies(bins)


def precision(recoding) -> float:
    """Fig. 32 over the four fields and twelve rows; a dropped tuple is fully suppressed (Fig. 34 in
    golden/)."""
    bins, levels = source()
    found, rows = recoding.cell_levels(bins)
    lost = sum((found[:, f] / levels[name].height) @ rows for f, name in enumerate(bins.fields))
    return 1 - (lost + 4 * recoding.rows_suppressed(bins)) / 48


def printed(name: str) -> float:
    """The same for a printed table, level by level from its labels."""
    lost = 0.0
    for row in tables.rows(name):
        for field, height in HEIGHT.items():
            value = row[field]
            level = (
                height
                if value == "*"
                else YEARS[len(value)]
                if field == "birth"
                else value.count("*")
            )
            lost += level / height
    return 1 - lost / 48


@cache
def k_similar():
    bins, levels = source()
    return KSimilar(k=2).solve(bins, levels)


def test_the_release_is_k_anonymous_and_holds_every_row():
    bins, levels = source()
    released = k_similar().recoding.apply(bins, levels)
    assert released.rows == 12
    assert KAnonymity(k=2, fields=tables.QUASI).judge(released).outcome == "pass"


def test_precision_is_above_that_of_the_printed_table_and_the_optimum():
    assert printed("foundations_fig33_ksimilar.csv") == pytest.approx(0.80, abs=0.005)
    assert precision(k_similar().recoding) > printed("foundations_fig33_ksimilar.csv")
    assert "It is proven" in k_similar().notes[1]


def test_it_costs_no_more_than_pairing_the_two_odd_rows_of_the_printed_table():
    """golden/README.md: pairing the rows of 819491049 and 749201844 costs less than what is
    printed.

    Theirs is one of several optima: 10 years of birth, sex and one digit lost on two rows, the year
    of birth kept on the ten others."""
    paired = 1 - (2 * (4 / 5 + 1 + 1 / 3) + 10 * 2 / 5) / 48
    assert precision(k_similar().recoding) == pytest.approx(paired)


def test_the_order_of_figure_34():
    bins, levels = source()
    datafly = Datafly2(models=(KAnonymity(k=2, fields=tables.QUASI),), max_suppression=0.10).solve(
        bins, levels
    )
    session = MuArgusSession(
        bins, levels, MuArgus(k=2, ranks={"ethnicity": 1, "birth": 2, "sex": 2, "zip": 2})
    )
    session.recode("birth", 2)
    argus = session.solve()
    assert precision(argus.recoding) > precision(k_similar().recoding) > precision(datafly.recoding)
    released = [found.recoding.apply(bins, levels) for found in (argus, k_similar(), datafly)]
    outcomes = [KAnonymity(k=2, fields=tables.QUASI).judge(found).outcome for found in released]
    assert outcomes == ["fail", "pass", "pass"]
