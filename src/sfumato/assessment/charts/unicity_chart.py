"""The chart of unicity: the share of people found by the number of values known."""

from __future__ import annotations

import altair as alt

from sfumato.report import Html, percent
from sfumato.report.charts import AFTER, BEFORE, SOFT, data, svg

from ..risk.unicity import Unicity

EVERYTHING, KNOWN, KNOWABLE = "everything released", "known fields", "with insensitive ones"
_PERCENT = "datum.value * 100 + ' %'"


def draw(result: Unicity) -> dict[str, Html]:
    """One line for everything released, and where rows are not linked one for the known fields and
    one for these and the insensitive ones."""
    curves = {EVERYTHING: result.everything}
    if not result.linked:
        curves |= {KNOWN: result.known, KNOWABLE: result.knowable}
    rows = [
        {"known": m, "which": which, "share": rate.value, "low": rate.low, "high": rate.high}
        for which, curve in curves.items()
        for m, rate in enumerate(curve.rates, 1)
    ]
    axis = alt.Axis(labelExpr=_PERCENT, grid=True, domain=False, values=[0, 0.25, 0.5, 0.75, 1])
    colour = alt.Color(
        "which:N",
        scale=alt.Scale(domain=[EVERYTHING, KNOWN, KNOWABLE], range=[AFTER, BEFORE, SOFT]),
    )
    if result.linked:
        colour = colour.legend(None)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("known:O", title="Random values known of a person", axis=alt.Axis(labelAngle=0)),
        color=colour,
    )
    share = alt.Y("share:Q", title="People found", scale=alt.Scale(domain=[0, 1]), axis=axis)
    lines = base.mark_line(point=True, strokeWidth=2).encode(y=share)
    spans = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q"), y2="high:Q")
    said = "; ".join(
        f"{m}, {which}: {percent(rate.value)}"
        for which, curve in curves.items()
        for m, rate in enumerate(curve.rates, 1)
    )
    return {
        "unicity": svg(
            [lines, spans],
            name="unicity",
            label=f"People found by the number of values known. {said}.",
            height=320,
        )
    }
