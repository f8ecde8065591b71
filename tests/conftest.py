"""Doctests are collected from the package; in here only files called test_* are tests."""

from __future__ import annotations

from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if collection_path.suffix == ".py" and not collection_path.name.startswith("test_"):
        return True
    return None
