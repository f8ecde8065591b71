"""A table with more bins than can be searched: rolled up by the engine first, then released and
told rightly."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato.bins import Bins
from sfumato.datasets import HOSPITAL_POLICY, write_hospital
from sfumato.engines import open_source
from sfumato.policy import read_policy


@pytest.mark.long("a large search on each engine; one engine stays", but=("duckdb",))
@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_more_bins_than_can_be_searched(tmp_path: Path, engine: str) -> None:
    source = write_hospital(tmp_path / "patients.csv", rows=1_500)
    (tmp_path / "patients.policy.toml").write_text(
        HOSPITAL_POLICY + "max_bins = 300\n", encoding="utf-8"
    )
    made = sfumato.release(source, to=tmp_path / "out", engine=engine)
    assert made.outcome == "pass"
    assert any("too many to search" in warning for warning in made.manifest["warnings"])
    known = made.manifest["known_fields"]
    with open_source(made.table) as written, open_source(source) as rows:
        assert Bins.count(written, known).smallest >= (
            read_policy(tmp_path / "patients.policy.toml").require.k or 0
        )
        levels, words = (
            made.manifest["recoding"]["levels"],
            made.manifest["tables"]["release"]["fields"],
        )
        for name in known:
            unchanged = set(Bins.count(written, [name]).sizes()) <= set(
                Bins.count(rows, [name]).sizes()
            )
            assert unchanged == (levels[name] == 0) == (words[name] == "kept as it is"), name
    assert {check.outcome for check in sfumato.verify(tmp_path / "out")} == {"pass", "review"}


def test_the_limit_is_not_reached_by_few_bins(tmp_path: Path) -> None:
    source = write_hospital(tmp_path / "patients.csv", rows=500)
    (tmp_path / "patients.policy.toml").write_text(HOSPITAL_POLICY, encoding="utf-8")
    made = sfumato.release(source, to=tmp_path / "out")
    assert not any("too many to search" in warning for warning in made.manifest["warnings"])
