"""Chart of the solver's steps: how many rows still fail after each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from ..facts import StepFacts
from ..markup import Html
from ..number_text import number
from .svg_chart import AFTER, data, one_line, svg

_WORDED = 14


def steps(moves: Sequence[StepFacts]) -> Html | None:
    """Few steps stand as bars with their words, many as a line over their number."""
    if len(moves) < 2:
        return None
    rows = [
        {
            "step": index,
            "what": f"{index}. {one_line(move.what, limit=48)}",
            "rows": move.rows_failing,
        }
        for index, move in enumerate(moves)
    ]
    said = (
        f"Rows that still fail after each of {len(moves)} steps: "
        f"{number(moves[0].rows_failing)} at the start, "
        f"{number(moves[-1].rows_failing)} at the end."
    )
    if len(moves) > _WORDED:
        return svg(_line(rows), name="steps", label=said, height=280)
    return svg(_bars(rows), name="steps", label=said, height=30 * len(rows) + 50)


def _bars(rows: Sequence[dict[str, Any]]) -> list[alt.Chart]:
    labelled = [{**row, "label": number(row["rows"])} for row in rows]
    most = max(row["rows"] for row in rows) or 1
    base = alt.Chart(data(labelled)).encode(
        x=alt.X(
            "rows:Q",
            scale=alt.Scale(domain=[0, most * 1.12], nice=False),
            title="Rows that still fail",
            axis=_axis(),
        ),
        y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(domain=False, labelLimit=380)),
    )
    bars = base.mark_bar(cornerRadiusEnd=2, color=AFTER, size=18)
    return [bars, base.mark_text(align="left", dx=8).encode(text="label:N")]


def _line(rows: Sequence[dict[str, Any]]) -> list[alt.Chart]:
    base = alt.Chart(data(rows)).encode(
        x=alt.X("step:Q", title="Step", axis=alt.Axis(format=",d", tickMinStep=1)),
        y=alt.Y("rows:Q", title="Rows that still fail", axis=_axis()),
    )
    area = base.mark_area(color=AFTER, opacity=0.15, interpolate="step-after")
    return [area, base.mark_line(color=AFTER, interpolate="step-after", strokeWidth=2)]


def _axis() -> alt.Axis:
    return alt.Axis(format=",d", grid=True, domain=False, tickCount=5)
