"""Coordinates: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.coordinates import Coordinates

ARE = [
    ("at 51.5074, -0.1278 there", "51.5074, -0.1278"),
    ("-33.8688, 151.2093", "-33.8688, 151.2093"),
    ("40° 26′ 46″ N 79° 58′ 56″ W", "40° 26′ 46″ N 79° 58′ 56″ W"),
    ("40.446° N, 79.982° W", "40.446° N, 79.982° W"),
    ("lat: 40.446", "40.446"),
    ("longitude -79.982", "-79.982"),
    ("TQ 123 456", "TQ 123 456"),
    ("33T 500000 4649776", "33T 500000 4649776"),
    ("9C3XGV4C+XV", "9C3XGV4C+XV"),
    ("///filled.count.soap", "///filled.count.soap"),
    ("geo:51.5,-0.12", "geo:51.5,-0.12"),
]
ARE_NOT = [
    "95.123, 10.123",
    "1.25, 3.50",
    "37.5 °C",
    "flat 40.44",
    "0.125 0.250",
    "http:///a.b.c",
    "lateral 3.5 cm",
]


@pytest.mark.parametrize(("text", "place"), ARE)
def test_finds(found, text, place):
    assert found(Coordinates(), text) == [place]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Coordinates(), text) == []
