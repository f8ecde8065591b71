"""Names in other scripts: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.foreign_names import ForeignNames

ARE = [
    ("Пациент Иван Петров жалуется", ["Иван Петров"]),
    ("г-н Зорблатов пришёл", ["Зорблатов"]),
    ("患者：王小明。", ["王小明"]),
    ("田中さんは", ["田中"]),
    ("환자: 김민수", ["김민수"]),
    ("Γιώργος Παπαδόπουλος", ["Γιώργος Παπαδόπουλος"]),
]
ARE_NOT = [
    "The patient is well.",
    "пациент жалуется на боль",
    "今日は",
    "é à ü",
    "α-fetoprotein and β-blockers",
    "5 µg",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(ForeignNames(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(ForeignNames(), text) == []


@pytest.mark.parametrize("snippet", ["王先", "κ. "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(ForeignNames(), snippet) < 40
