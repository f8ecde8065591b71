"""Lets the tests of the page import `report_example` by name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def validated_charts() -> Iterator[None]:
    """Every chart that is drawn here is held against Vega-Lite's schema."""
    from sfumato.report.charts import svg_chart

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(svg_chart, "VALIDATED", True)
        yield
