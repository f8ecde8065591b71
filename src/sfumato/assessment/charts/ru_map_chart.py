"""The R-U map: each candidate by its risk and its utility, the dominated ones grey, the turning
point ringed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import altair as alt

from sfumato.report import Html, percent
from sfumato.report.charts import AFTER, BEFORE, INK, SOFT, data, svg

from ..utility.ru_map import RISKS, UTILITIES, RuMap

__all__ = ["draw"]

_COLOURS = (
    AFTER,
    "#9a4a1c",
    "#4c7a3f",
    "#6b4f8a",
    "#8a7a1f",
    "#2f7f8f",
    "#a33b5b",
    "#555e65",
    "#b07a3c",
)
_WORSE = "dominated"


def draw(found: RuMap) -> dict[str, Html]:
    """The map on its axes, and where those are others, the same over the average risk."""
    drawn = {"ru-map": ru_map(found, name="ru-map")}
    if found.risk != "average":
        drawn["ru-map-average"] = ru_map(replace(found, risk="average"), name="ru-map-average")
    return {name: chart for name, chart in drawn.items() if chart is not None}


def ru_map(found: RuMap, *, name: str) -> Html | None:
    """Points, a line along those that are not dominated, and a ring where returns diminish; None
    without a point."""
    rows = points(found)
    if not rows:
        return None
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    domain, colours = (
        [*solvers, _WORSE],
        [*(_COLOURS[n % len(_COLOURS)] for n in range(len(solvers))), BEFORE],
    )
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "risk:Q",
            title=f"Risk: {RISKS[found.risk]}",
            axis=_axis(),
            scale=alt.Scale(zero=True, nice=True),
        ),
        y=alt.Y(
            "utility:Q",
            title=f"Utility: {UTILITIES[found.utility]}",
            axis=_axis(),
            scale=_scale(rows),
        ),
    )
    shown = [*solvers, *([_WORSE] if any(row["kind"] == _WORSE for row in rows) else [])]
    legend = alt.Legend(values=shown, symbolType="circle") if len(shown) > 1 else None
    colour = alt.Color("kind:N", scale=alt.Scale(domain=domain, range=colours), legend=legend)
    own = alt.Color("solver:N", scale=alt.Scale(domain=domain, range=colours), legend=legend)
    line = base.mark_line(strokeWidth=2, opacity=0.4).encode(
        color=own, detail="solver:N", order="risk:Q"
    )
    dots = base.mark_circle(size=150, opacity=1).encode(color=colour)
    ring = base.transform_filter("datum.knee").mark_point(
        size=620, strokeWidth=2.5, color=INK, filled=False
    )
    words = base.mark_text(dy=-17, fontSize=12, color=SOFT).encode(text="label:N")
    best = base.transform_filter(f"datum.knee && datum.kind != '{_WORSE}'")
    turning = best.mark_text(align="left", dx=20, dy=12, fontSize=12)
    layers = [line, ring, dots, words, turning.encode(text=alt.value("diminishing return"))]
    said = "; ".join(
        f"{row['label']}: risk {percent(row['risk'])}, utility {percent(row['utility'])}"
        for row in rows
    )
    return svg(layers, name=name, label=f"Risk and utility of candidates. {said}.", height=430)


def points(found: RuMap) -> list[dict[str, Any]]:
    """The drawing of each candidate that has a place on the map."""
    knees, dominated = found.knees.values(), found.dominated
    places = ((number, point, found.on(point)) for number, point in enumerate(found.points))
    return [
        {
            "risk": place[0],
            "utility": place[1],
            "solver": point.solver,
            "kind": _WORSE if dominated[number] else point.solver,
            "knee": number in knees,
            "label": f"{point.setting:g}",
        }
        for number, point, place in places
        if place is not None
    ]


def _axis() -> alt.Axis:
    return alt.Axis(format=".0%", grid=True, domain=True, tickCount=6)


def _scale(rows: list[dict[str, Any]]) -> alt.Scale:
    """Utility from 0 where the candidates reach down there, else with room for their labels."""
    low, high = min(row["utility"] for row in rows), max(row["utility"] for row in rows)
    room = max((high - low) * 0.15, 0.02)
    return alt.Scale(domain=[max(low - room, 0.0), min(high + room, 1.02)], nice=False, zero=False)
