"""Hierarchies as the release built them: wider for a population, but never with other labels."""

from __future__ import annotations

import pytest

from sfumato.assessment.case_hierarchies import bound, check_labels, widened
from sfumato.bins import Bins
from sfumato.errors import PolicyError, SourceError
from sfumato.hierarchies import Prefix, Quantiles, Tree, hierarchy_from_table


def test_a_prefix_is_widened_and_keeps_its_codes():
    spec = Prefix(keep=(3,))
    narrow = spec.bind(("02138", "02141"))
    wide = widened(narrow, spec, ("94305", "02138", None))
    assert wide.labels[0] == ("02138", "02141", "94305", None)
    assert wide.labels[1][:1] == ("021**",)


def test_quantiles_of_the_source_stay_those_of_the_release():
    spec = Quantiles((2,))
    narrow = spec.bind(("20", "30", "50", "61"))
    assert widened(narrow, spec, ("1", "2", "3", "4", "5")) is narrow


def test_a_tree_that_does_not_know_a_value_stays_as_it_is():
    spec = hierarchy_from_table({"tree": {"lungs": ["asthma", "flu"], "joints": ["gout"]}})
    assert isinstance(spec, Tree)
    narrow = spec.bind(("asthma", "gout"))
    assert widened(narrow, spec, ("plague",)) is narrow


def test_all_holes_are_told_at_once_and_no_value():
    spec = hierarchy_from_table({"tree": {"lungs": ["asthma"]}})
    with pytest.raises(PolicyError) as error:
        bound(
            {"first": spec, "second": spec},
            {"first": ("plague",), "second": ("gout",)},
            name="policy",
        )
    assert len(error.value.problems) == 2
    assert "plague" not in str(error.value)


def test_labels_that_no_value_leads_to_are_another_source_or_another_recoding():
    released = Bins.of(("zip",), {("021**",): 3, ("943**",): 2, (None,): 1})
    hierarchies = {"zip": Prefix(keep=(3,)).bind(("02138", "02139"))}
    with pytest.raises(SourceError, match="1 of zip"):
        check_labels(released, hierarchies, made_by_levels=True)
    assert check_labels(released, hierarchies, made_by_levels=False)[0].startswith(
        "The labels of zip"
    )
    assert hierarchies == {}
