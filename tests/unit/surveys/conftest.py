"""Made-up fields and tables for the survey's tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sfumato.engines import open_source
from sfumato.surveys import Survey, survey
from sfumato.surveys.evidence import Evidence, gather

sys.path.insert(0, str(Path(__file__).parent))  # So that tests can import `table_rows` by name.

MakeEvidence = Callable[[str, Sequence[object]], Evidence]
MakeSurvey = Callable[..., Survey]


@pytest.fixture(scope="session")
def evidence() -> MakeEvidence:
    """Evidence about one field: `evidence("zip", ["02138", "02139"])`."""

    def make(name: str, values: Sequence[object]) -> Evidence:
        with open_source([{name: value} for value in values], engine="reference") as engine:
            return gather(engine, name)

    return make


@pytest.fixture(scope="session")
def survey_of() -> MakeSurvey:
    """A survey of columns, by the reference engine: `survey_of({"zip": [...], "sex": [...]})`."""

    def make(columns: dict[str, Sequence[object]], **options: object) -> Survey:
        names = list(columns)
        rows = [
            dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
        ]
        with open_source(rows, engine="reference") as engine:
            return survey(engine, **options)  # type: ignore[arg-type]

    return make
