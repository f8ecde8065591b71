"""Devices: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.devices import Devices

ARE = [
    ("serial number PJN123456H", "PJN123456H"),
    ("S/N: 4471-88A", "4471-88A"),
    ("pacemaker serial no. 998877", "998877"),
    ("MAC 00:1B:44:11:3A:B7", "00:1B:44:11:3A:B7"),
    ("00-1b-44-11-3a-b7", "00-1b-44-11-3a-b7"),
    ("IMEI 490154203237518", "490154203237518"),
    ("49-015420-323751-8", "49-015420-323751-8"),
    ("(01)00844588003288(17)141120(10)7654321D", "(01)00844588003288(17)141120(10)7654321D"),
    ("Seriennummer 4711-0815", "4711-0815"),
]
ARE_NOT = [
    "serial troponins 3 times",
    "490154203237519",
    "the device was set to 70 bpm",
    "at 00:11:22",
    "model of 2012",
]


@pytest.mark.parametrize(("text", "number"), ARE)
def test_finds(found, text, number):
    assert found(Devices(), text) == [number]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Devices(), text) == []
