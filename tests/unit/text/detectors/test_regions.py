"""Regions: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.regions import Regions

ARE = [
    ("Boston, MA 02151", ["MA"]),
    ("from Springfield, Illinois", ["Illinois"]),
    ("in Bavaria", ["Bavaria"]),
    ("Worcester County", ["Worcester County"]),
    ("in Rostov Region", ["Rostov Region"]),
    ("County Cork", ["County Cork"]),
    ("moved to New South Wales", ["New South Wales"]),
    ("in Ontario", ["Ontario"]),
    ("Salem, OR", ["OR"]),
]
ARE_NOT = [
    "Ann Lee, MD",
    "in or out",
    "OK, he said",
    "Emergency Region",
    "the Pain District",
    "ME and OR",
    "Dr. Ohio",
    "an MI and a PE",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Regions(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Regions(), text) == []


@pytest.mark.parametrize("snippet", ["Worcester County "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Regions(), snippet) < 40
