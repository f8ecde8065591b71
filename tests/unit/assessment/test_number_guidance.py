"""Guidance for choosing k, l, t and A: contacts counted by hand, and words for each number."""

from __future__ import annotations

import json

import pytest

from sfumato.assessment.number_guidance import GUIDANCE, expected_contacts, guidance_for
from sfumato.bins import Bins
from sfumato.cli import main

POLICY = """
[fields.zip]
role = "quasi"
hierarchy = { prefix = [4, 3] }
[require]
k = 2
"""


def test_contacts_are_counted_over_people():
    """Three people of one bin answer as first, second or third; one is alone."""
    bins = Bins.of(("zip",), {("a",): 3, ("b",): 1})
    assert expected_contacts(bins) == (1 + 2 + 3 + 1) / 4


@pytest.mark.parametrize("over", ["k", "l_diversity.l", "t_closeness.t", "anonymity.level"])
def test_each_letter_has_its_words(over):
    assert guidance_for(over) in GUIDANCE.values()


def test_a_sweep_prints_contacts_and_what_is_left_open(tmp_path, capsys):
    rows = "zip\n" + "".join(f"021{n % 4}{n % 2}\n" for n in range(24))
    (tmp_path / "rows.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "rows.toml").write_text(POLICY, encoding="utf-8")
    words = ["sweep", str(tmp_path / "rows.csv"), "--policy", str(tmp_path / "rows.toml")]
    assert main([*words, "--over", "k=2,12", "--to", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "k defends against finding a person" in said
    assert "It leaves open" in said
    points = json.loads((tmp_path / "out" / "sweep.json").read_text())["points"]
    assert [point["contacts"] for point in points] == [3.5, 12.5]
