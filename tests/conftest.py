"""Doctests are collected from the package; in here only files called test_* are tests. Nothing is timed."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "services"))

settings.register_profile("sfumato", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sfumato")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if collection_path.suffix == ".py" and not collection_path.name.startswith("test_"):
        return True
    return None
