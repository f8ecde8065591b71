"""The public names, frozen: adding one is a decision, taking one away breaks someone."""

from __future__ import annotations

import importlib

import pytest

import sfumato

NAMES = {
    "sfumato": (
        "Assessment Bins Intrusion Key Policy Release Sweep assess combine_estimates intrude open_source "
        "prepare propose_policy "
        "read_policy release scrub survey sweep synthesize tabulate verify"
    ),
    "sfumato.solvers": (
        "Anytime Datafly Datafly2 Given Guided KSimilar Local Microaggregation "
        "Minimal MuArgus MuArgusSession Optimal Solution Solver Step"
    ),
    "sfumato.bins": (
        "Bins GlobalRecoding LabelledRecoding LocalRecoding Recoding group match_counts "
        "population_counts wild_cells"
    ),
}


@pytest.mark.parametrize("module", NAMES)
def test_names_are_the_agreed_ones(module):
    names = importlib.import_module(module).__all__
    assert set(NAMES[module].split()) <= set(names)


def test_every_top_level_name_can_be_had_in_any_order():
    for name in reversed(sfumato.__all__):
        assert getattr(sfumato, name) is not None
    assert callable(sfumato.release)
    assert callable(sfumato.survey)
    assert callable(sfumato.assess)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'anonymise'"):
        sfumato.anonymise  # noqa: B018
