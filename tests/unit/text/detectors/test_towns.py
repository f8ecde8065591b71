"""Towns: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.towns import Towns

ARE = [
    ("Boston, MA 02151", ["Boston"]),
    ("moved from Springfield, Illinois", ["Springfield"]),
    ("in North Zulch, TX 77872", ["North Zulch"]),
    ("born in Strasbourg", ["Strasbourg"]),
    ("flew to London", ["London"]),
    ("from New York", ["New York"]),
    ("lives in Reading", ["Reading"]),
    ("80331 München", ["München"]),
    ("a lawyer practising in Ankara", ["Ankara"]),
    ("at Qzxby, TX 77000", ["Qzxby"]),
    ("she lives in chicago now", ["chicago"]),
]
ARE_NOT = [
    "The Nice man.",
    "He had a mobile phone.",
    "Best regards",
    "Much better",
    "Mr. Boston came",
    "Most of them",
    "Asthma and Angina",
    "Monday, PA visit",
    "Long story",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Towns(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Towns(), text) == []


@pytest.mark.parametrize("snippet", ["Boston, "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Towns(), snippet) < 40
