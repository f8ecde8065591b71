"""Releases that no assessment measures are refused, and not taken for tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato as sf
from sfumato.assessment import is_measured
from sfumato.errors import Mistake

COUNTS = {"method": "round", "base": 3, "fields": ["sex"], "domains": {"sex": ["f", "m"]}}


def test_counts_are_not_assessed(tmp_path: Path):
    source = tmp_path / "s.csv"
    source.write_text("sex\n" + "f\nm\n" * 20)
    made = sf.tabulate(source, {"tables_of_counts": COUNTS}, to=tmp_path / "made")
    assert made.folder is not None
    assert is_measured(source)
    assert not is_measured(made.folder)
    with pytest.raises(Mistake, match="letters or tables of counts"):
        sf.assess(made.folder)
