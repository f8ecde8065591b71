"""From an Altair chart to SVG in a page of an assessment: one theme, no script, no address, no
clash of names. Needs the extra "assess"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from ..markup import Html, html
from .svg_canvas import AFTER, AXIS, BEFORE, FONT, GRID, INK, SOFT, WIDTH, spoken

THEME: dict[str, Any] = {
    "aria": False,  # the SVG as a whole carries one label; its numbers are in the table below it
    "background": None,
    "font": FONT,
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        "domainColor": AXIS,
        "grid": False,
        "gridColor": GRID,
        "labelColor": INK,
        "labelFontSize": 13,
        "labelLimit": 280,
        "ticks": False,
        "labelPadding": 8,
        "titleColor": SOFT,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 10,
    },
    "legend": {
        "orient": "top",
        "title": None,
        "labelFontSize": 13,
        "labelColor": INK,
        "symbolType": "square",
        "symbolSize": 140,
    },
    "text": {"fontSize": 13, "color": INK},
}

VALIDATED = False
"""Whether charts are checked against Vega-Lite's schema, which takes as long as drawing them.
Tests do it."""

_NAMESPACES = re.compile(r' xmlns(:xlink)?="[^"]*"')
_NAMED = re.compile(r'(<(?:clipPath|linearGradient) id="|="url\(#)')


def data(rows: Sequence[dict[str, Any]]) -> alt.InlineData:
    with debug_mode(VALIDATED):
        return alt.InlineData(values=list(rows))


def before_after(*, alone: bool = False) -> alt.Color:
    """Grey for the source, colour for the release, in every chart alike; without a legend where one
    is `alone`."""
    colour = alt.Color("when:N", scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]))
    return colour.legend(None) if alone else colour


def svg(layers: Sequence[alt.Chart], *, name: str, label: str, height: int) -> Html:
    """Draw one chart. `name` keeps its ids apart from the page's other charts; `label` is read
    aloud."""
    fitted = alt.AutoSizeParams(type="fit", contains="padding")
    chart = alt.LayerChart(layer=list(layers), width=WIDTH, height=height, autosize=fitted)
    return svg_of(chart, name=name, label=label)


def svg_of(chart: alt.TopLevelMixin, *, name: str, label: str) -> Html:
    """Draw a chart that is put together from several and knows its own size."""
    described = chart.to_dict(validate=VALIDATED)
    drawn: str = vl_convert.vegalite_to_svg(described, config=THEME, allowed_base_urls=[])
    drawn = _NAMED.sub(rf"\g<1>{name}-", _NAMESPACES.sub("", drawn, count=2))
    drawn = drawn.replace(f' font-family="{FONT}"', "")  # said once for all, which halves the size
    return Html(
        drawn.replace(
            "<svg ", f'<svg role="img" aria-label="{html(spoken(label))}" font-family="{FONT}" ', 1
        )
    )
