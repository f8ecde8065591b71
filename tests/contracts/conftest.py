"""Engines for the contracts: each main way into one, or every way there is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ways import MAIN, WAYS, Open, opening


@pytest.fixture(params=MAIN)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens rows in one main way into an engine."""
    yield from opening(request, tmp_path)


SECOND_OF_SPARK = pytest.mark.long("a second way into Spark; spark-parquet stays")
EACH = [pytest.param(way, marks=SECOND_OF_SPARK) if way == "spark-csv" else way for way in WAYS]


@pytest.fixture(params=EACH)
def opened_each(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens rows in every way there is: for what may depend on how they came in."""
    yield from opening(request, tmp_path)
