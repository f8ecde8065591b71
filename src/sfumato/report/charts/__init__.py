"""Charts: those of the release report, drawn here as SVG, and the frame of those that Vega-Lite
draws for assessments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.lazy_names import lazy_names

from ..facts import ReportFacts
from ..markup import Html
from ..readings import recoded_fields
from .bin_charts import bin_sizes, chance
from .field_charts import ladder, precision
from .step_chart import steps
from .svg_canvas import (
    AFTER,
    BEFORE,
    FAINT,
    INK,
    REACHED,
    SOFT,
    WIDTH,
    Bar,
    counts,
    lying_bars,
    short_names,
)

if TYPE_CHECKING:
    from .vega_chart import before_after, data, svg, svg_of

__all__ = [
    "AFTER",
    "BEFORE",
    "FAINT",
    "INK",
    "REACHED",
    "SOFT",
    "WIDTH",
    "Bar",
    "before_after",
    "counts",
    "data",
    "draw",
    "lying_bars",
    "short_names",
    "svg",
    "svg_of",
]

# Altair and Vega-Lite take a second to start, and a release needs neither.
__getattr__ = lazy_names(
    __name__, dict.fromkeys(("before_after", "data", "svg", "svg_of"), "vega_chart")
)


def draw(facts: ReportFacts) -> dict[str, Html]:
    """Every chart that the facts give something to draw for, by name."""
    drawn = {
        "bins": bin_sizes(facts.before, facts.after),
        "chance": chance(facts.before, facts.after),
        "ladder": ladder(recoded_fields(facts)),
        "precision": precision(facts.utility.per_field, facts.utility.precision),
        "steps": steps(facts.steps),
    }
    return {name: chart for name, chart in drawn.items() if chart is not None}
