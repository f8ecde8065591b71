"""Every chart that is drawn here is held against Vega-Lite's schema."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def validated_charts() -> Iterator[None]:
    from sfumato.assess.report.charts import drawing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "VALIDATED", True)
        yield
