"""The page's charts: Vega-Lite made with Altair, turned into SVG. Needs the extra "report"."""

from __future__ import annotations

from ..facts import ReportFacts
from ..markup import Html
from ..readings import recoded_fields
from .bin_charts import bin_sizes, chance
from .field_charts import ladder, precision
from .step_chart import steps
from .svg_chart import (
    AFTER,
    BEFORE,
    FAINT,
    INK,
    REACHED,
    SOFT,
    WIDTH,
    before_after,
    data,
    short_names,
    svg,
    svg_of,
)

__all__ = [
    "AFTER",
    "BEFORE",
    "FAINT",
    "INK",
    "REACHED",
    "SOFT",
    "WIDTH",
    "before_after",
    "data",
    "draw",
    "short_names",
    "svg",
    "svg_of",
]


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
