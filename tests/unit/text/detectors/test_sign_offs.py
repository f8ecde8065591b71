"""Sign-offs: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.sign_offs import SignOffs

ARE = [
    ("Dictated by: RB/tlm 03/04/2020", ["RB/tlm"]),
    ("Will follow up in 2 weeks. /kpm", ["kpm"]),
    ("Plan discussed.\nJRT/abk\n", ["JRT/abk"]),
    ("Dictated CT, typed mlw 04.03.23", ["CT", "mlw"]),
    ("D: 5/9/24 T: 5/10/24 BQ/slh", ["BQ/slh"]),
    ("Entered by M.K. at 10:30.", ["M.K."]),
]
ARE_NOT = [
    "TAH/BSO in 2005.",
    "BP 120/80 mmHg, rate 80/min.",
    "Give 5 mg/kg. q6h",
    "Seen by the team. /hr",
    "N/V and SOB w/o fever.",
    "a DKP/GKB meeting",
    "Stable. - MD",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(SignOffs(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(SignOffs(), text) == []
