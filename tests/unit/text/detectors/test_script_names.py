"""Words in another script: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.script_names import ScriptNames

ARE = [
    ("The patient 王小明 was admitted with fever.", ["王小明"]),
    ("Seen with محمد الأحمد and his wife.", ["محمد الأحمد"]),
    ("नाम: राजेश कुमार, seen today with fever.", ["राजेश कुमार"]),
    ("Patient ნინო ბერიძე has asthma.", ["ნინო ბერიძე"]),
]
ARE_NOT = [
    "Started an α-blocker, 5 μg daily.",
    "β2-agonist and γ-GT were discussed.",
    "Пациентка поступила с болью в груди, BP 120/80.",
    "Temperature 37 °C, Ω 5.",
    "José Müller has naïve views.",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(ScriptNames(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(ScriptNames(), text) == []
