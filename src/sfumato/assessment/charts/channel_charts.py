"""Figures 7 to 11 of Garfinkel, Gopal and Thompson 2007, for one table: each a line over the
tolerance."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from sfumato.report import Html, percent
from sfumato.report.charts import AFTER, INK, SOFT, data, svg

from ..channel_trade_off import ChannelTradeOff

__all__ = ["draw_trade_off"]


def draw_trade_off(found: ChannelTradeOff) -> dict[str, Html]:
    """The figures that there is something to draw for, by name."""
    points = found.solved
    if len(points) < 2:
        return {}
    settings = [point.setting for point in points]
    columns = {
        "loss": ("Loss (omega)", [point.loss for point in points], True),
        "loss-informed": (
            "Loss of the others",
            [point.loss_informed for point in points],
            True,
        ),
        "saved": ("Share of the first loss saved", list(found.saved), True),
        "rate": ("Saved by one more per cent", [*found.rates], True),
        "inputs": ("Input channels per subject", [point.inputs_each for point in points], False),
    }
    return {
        name: _line(found, settings[: len(values)], values, name=name, title=title, share=share)
        for name, (title, values, share) in columns.items()
        if len(values) > 1
    }


def _line(
    found: ChannelTradeOff,
    settings: Sequence[float],
    values: Sequence[float],
    *,
    name: str,
    title: str,
    share: bool,
) -> Html:
    knee = found.diminishing_return
    rows = [
        {"x": setting, "y": value, "knee": setting == knee}
        for setting, value in zip(settings, values, strict=True)
    ]
    base = alt.Chart(data(rows)).encode(
        x=alt.X("x:Q", title=found.over, scale=alt.Scale(zero=False), axis=alt.Axis(grid=True)),
        y=alt.Y("y:Q", title=title, axis=alt.Axis(format=".2~%" if share else ".1f", grid=True)),
    )
    line = base.mark_line(strokeWidth=2, color=AFTER)
    dots = base.mark_circle(size=80, color=AFTER, opacity=1)
    ring = base.transform_filter("datum.knee").mark_point(
        size=420, strokeWidth=2.5, color=INK, filled=False
    )
    at = settings.index(knee) if knee in settings else 0
    is_last, rises = at == len(values) - 1, at < len(values) - 1 and values[at + 1] > values[at]
    words = base.transform_filter("datum.knee").mark_text(
        align="right" if is_last else "left",
        dx=-16 if is_last else 16,
        dy=18 if rises else -14,
        color=SOFT,
    )
    said = "; ".join(
        f"{setting:g}: {percent(value) if share else format(value, '.2f')}"
        for setting, value in zip(settings, values, strict=True)
    )
    layers = [line, ring, dots, words.encode(text=alt.value("diminishing return"))]
    return svg(
        layers, name=f"channels-{name}", label=f"{title} by {found.over}. {said}.", height=260
    )
