"""The fuzzer's package is found from the root of the repository, also where pytest is started by
its own command."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


@pytest.fixture(autouse=True)
def long_cells() -> Iterator[None]:
    """Cells of any length may be recounted."""
    before = csv.field_size_limit(sys.maxsize)
    yield
    csv.field_size_limit(before)
