"""The continuum (Sweeney 2000, Fig. 20): each technique as a range of distortion, in order of the
medians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from sfumato.report import Html, percent
from sfumato.report.charts import AFTER, INK, REACHED, SOFT, data, svg

from ..continuum_order import ContinuumPlace

__all__ = ["draw"]

_KINDS = {"values": AFTER, "tuples": "#9a4a1c"}
_LINE = 34


def draw(places: Sequence[ContinuumPlace]) -> Html | None:
    """A bar from the least to the most distorting result, a dot for each result, a mark and a
    number at the median."""
    if not places:
        return None
    rows = [_row(place) for place in places]
    dots = [
        {"name": place.name, "kind": _kind(place), "lost": result.distortion}
        for place in places
        for result in place.results
    ]
    axis = alt.Axis(format=".0%", grid=True, domain=True, tickCount=6)
    whole = alt.Scale(domain=[0, 1.08])
    x = alt.X("lost:Q", title="Share of a cell's information that is lost", axis=axis, scale=whole)
    y = alt.Y(
        "name:N", title=None, sort=[place.name for place in places], axis=alt.Axis(labelLimit=280)
    )
    kinds = [kind for kind in _KINDS if any(row["kind"] == kind for row in rows)]
    scale = alt.Scale(domain=kinds, range=[_KINDS[kind] for kind in kinds])
    colour = alt.Color("kind:N", scale=scale, legend=alt.Legend() if len(kinds) > 1 else None)
    base = alt.Chart(data(rows)).encode(y=y)
    bars = base.mark_bar(height=14, color=REACHED).encode(
        x=alt.X("low:Q", scale=whole), x2="high:Q"
    )
    points = alt.Chart(data(dots)).mark_circle(size=26, opacity=0.45).encode(x=x, y=y, color=colour)
    marks = base.mark_tick(height=22, thickness=4).encode(x=x, color=colour)
    words = base.mark_text(align="left", dx=10, dy=-11, fontSize=11, color=SOFT).encode(
        x=x, text="told:N"
    )
    ends = (
        alt.Chart(data([{"lost": 0.0}, {"lost": 1.0}]))
        .mark_rule(color=INK, opacity=0.35)
        .encode(x=x)
    )
    said = "; ".join(f"{place.name} {percent(place.median)}" for place in places)
    label = f"Techniques by distortion, medians from least to most. {said}."
    return svg(
        [ends, bars, points, marks, words],
        name="continuum",
        label=label,
        height=_LINE * len(places) + 80,
    )


def _row(place: ContinuumPlace) -> dict[str, Any]:
    return {
        "name": place.name,
        "kind": _kind(place),
        "low": place.low,
        "high": place.high,
        "lost": place.median,
        "told": percent(place.median),
    }


def _kind(place: ContinuumPlace) -> str:
    return "tuples" if place.is_about_tuples else "values"
