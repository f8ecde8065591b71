"""A made-up ward, its policy and a release of it, for all tests of assessing. Read only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import ward

from sfumato.releases import release


@dataclass(frozen=True)
class Made:
    source: Path
    policy: Path
    release: Path


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("ward")
    source = ward.write(folder / "ward.csv", ward.people())
    policy = folder / "reviewed.toml"
    policy.write_text(ward.POLICY, encoding="utf-8")
    release(source, policy, to=folder / "release")
    return Made(source, policy, folder / "release")


@pytest.fixture(scope="session", autouse=True)
def validated_charts() -> Iterator[None]:
    """Every chart that is drawn here is held against Vega-Lite's schema."""
    from sfumato.report.charts import vega_chart

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vega_chart, "VALIDATED", True)
        yield
