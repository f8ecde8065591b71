"""Charts of the bins: how many rows look alike, and the chance to pick the right one."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from ..facts import BinFacts
from ..markup import Html
from ..number_text import number, one_in, percent
from ..readings import chances, classes
from .svg_chart import before_after, data, svg

WHEN = ["before", "after"]


def bin_sizes(before: BinFacts, after: BinFacts) -> Html | None:
    """Rows by the size of the bin they are in; before and after side by side."""
    rows = [
        {"size": size, "when": when, "rows": count, "label": number(count)}
        for size, *counts in classes(before, after)
        for when, count in zip(WHEN, counts, strict=True)
    ]
    if not rows:
        return None
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "size:N",
            sort=None,
            title="Rows that share the same values",
            axis=alt.Axis(labelAngle=0),
        ),
        xOffset=alt.XOffset("when:N", sort=WHEN),
        y=alt.Y(
            "rows:Q",
            title="Rows of the table",
            axis=alt.Axis(format=",d", grid=True, domain=False, tickCount=5),
        ),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(color=before_after())
    texts = base.mark_text(dy=-8, fontSize=12).encode(text="label:N")
    return svg([bars, texts], name="bins", label=_said(rows), height=320)


def _said(rows: Sequence[dict[str, object]]) -> str:
    """The chart in words, for those who cannot see it."""
    spoken = "; ".join(
        f"{row['label']} rows {row['when']} with bin size {row['size']}" for row in rows
    )
    return f"Rows by bin size, before and after: {spoken}."


def chance(before: BinFacts, after: BinFacts) -> Html | None:
    """The highest and the average chance to pick the right row, before and after."""
    rows = [
        {
            "what": what,
            "when": when,
            "chance": 1 / size,
            "label": f"{one_in(size)}  ({percent(1 / size)})",
        }
        for what, *sizes in chances(before, after)
        for when, size in zip(WHEN, sizes, strict=True)
        if size
    ]
    if not rows:
        return None
    ticks = alt.Axis(
        labelExpr="datum.value * 100 + ' %'",
        grid=True,
        domain=False,
        values=[0, 0.25, 0.5, 0.75, 1],
    )
    room = alt.Scale(domain=[0, 1.25])  # so that the words beside a full bar fit
    base = alt.Chart(data(rows)).encode(
        x=alt.X("chance:Q", scale=room, title="Chance to pick the right row", axis=ticks),
        y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(domain=False)),
        yOffset=alt.YOffset("when:N", sort=WHEN),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(color=before_after())
    texts = base.mark_text(align="left", dx=8).encode(text="label:N")
    said = "; ".join(f"{row['what']} {row['when']}: {row['label']}" for row in rows)
    return svg(
        [bars, texts], name="chance", label=f"Chance to pick the right row. {said}.", height=210
    )
