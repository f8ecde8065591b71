"""A made-up hospital and a policy for it, for tests that go from a source to a release."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sfumato.datasets import HOSPITAL_POLICY, write_hospital

GATE = Path(__file__).parents[1] / "unit" / "gate"
sys.path[:0] = [str(Path(__file__).parent), str(GATE), str(GATE / "wire")]


@pytest.fixture(scope="session")
def hospital(tmp_path_factory) -> Path:
    """1,000 made-up patients. Read only: tests copy it where they want to write beside it."""
    return write_hospital(tmp_path_factory.mktemp("hospital") / "patients.csv", rows=1_000)


@pytest.fixture(scope="session")
def hospital_policy(hospital) -> Path:
    path = hospital.parent / "reviewed.toml"
    path.write_text(HOSPITAL_POLICY, encoding="utf-8")
    return path
