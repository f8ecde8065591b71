"""Sums of money and large quantities: found with low scores; positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.quantities import Quantities

ARE = [
    ("an award of EUR 5,000 for", "EUR 5,000"),
    ("425,000 pounds sterling (GBP)", "425,000 pounds sterling (GBP)"),
    ("TRL 1,000,000,000", "TRL 1,000,000,000"),
    ("approximately 200 euros (EUR)", "approximately 200 euros (EUR)"),
    ("$5 million", "$5 million"),
    ("€ 12.50", "€ 12.50"),
    ("1,500 Polish zlotys (PLN)", "1,500 Polish zlotys (PLN)"),
    ("153,864.47 GBP", "153,864.47 GBP"),
    ("measuring 11,400 sq. m", "11,400 sq. m"),
    ("25 hectares", "25 hectares"),
    ("his three children", "three children"),
    ("722 other defendants", "722 other defendants"),
]
ARE_NOT = [
    "5 mg",
    "120/80",
    "37.5 degrees",
    "ALL 5 patients are well",
    "3 tablets",
    "BMI 31",
    "pounds of flesh",
    "9 x 3 cm",
]


@pytest.mark.parametrize(("text", "sum_"), ARE)
def test_finds_with_a_low_score(found, text, sum_):
    assert found(Quantities(), text, least=0.2) == [sum_]
    assert found(Quantities(), text) == []


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Quantities(), text, least=0.1) == []
