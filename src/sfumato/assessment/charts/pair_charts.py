"""Heat maps of how strongly fields go together: before, after, and what changed."""

from __future__ import annotations

from math import isfinite
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from sfumato.report import Html
from sfumato.report.charts import AFTER, FAINT, INK, WIDTH, data, short_names, svg_of

from ..utility import Associations

_NAMES, _GAP = 128, 14
_WARM = "#9a4a1c"
_ROOM_FOR_NUMBERS = 25


def heat_maps(found: Associations) -> Html:
    """Three squares side by side; a cell with a cross could not be computed."""
    names = short_names(list(found.fields), limit=18)
    side = (WIDTH - _NAMES - 2 * _GAP - 10) // 3
    signed = bool((np.nan_to_num(found.before) < 0).any() or (np.nan_to_num(found.after) < 0).any())
    squares = [
        _square(found.before, names, title="before", side=side, first=True, signed=signed),
        _square(found.after, names, title="after", side=side, first=False, signed=signed),
        _square(
            found.difference, names, title="after minus before", side=side, first=False, signed=True
        ),
    ]
    change = found.mean_change
    said = "undecided" if change is None else f"{change:.2f} on average"
    chart = alt.HConcatChart(hconcat=squares, spacing=_GAP).resolve_scale(color="independent")
    return svg_of(
        chart,
        name="associations",
        label=f"Associations of fields, before and after; the change is {said}.",
    )


def _square(
    matrix: NDArray[np.float64],
    names: list[str],
    *,
    title: str,
    side: int,
    first: bool,
    signed: bool,
) -> alt.LayerChart:
    rows: list[dict[str, Any]] = [
        {
            "row": one,
            "column": other,
            "value": value if isfinite(value) else None,
            "label": _label(value),
        }
        for one, line in zip(names, matrix.tolist(), strict=True)
        for other, value in zip(names, line, strict=True)
    ]
    domain, colours = (
        ([-1, 0, 1], [_WARM, "#ffffff", AFTER]) if signed else ([0, 1], ["#ffffff", AFTER])
    )
    axis = alt.Axis(domain=False, labels=first, labelFontSize=11, labelLimit=_NAMES, labelPadding=6)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("column:N", sort=names, title=None, axis=_slanted()),
        y=alt.Y("row:N", sort=names, title=None, axis=axis),
    )
    colour = alt.Color(
        "value:Q", scale=alt.Scale(domain=domain, range=colours, interpolate="rgb"), legend=None
    )
    cells = base.mark_rect(stroke="#e6e9ea", strokeWidth=1).encode(
        color=alt.condition("isValid(datum.value)", colour, alt.value(FAINT))
    )
    layers = [cells]
    cell = side / len(names)
    dark = alt.condition("abs(datum.value) > 0.6", alt.value("white"), alt.value(INK))
    if cell >= _ROOM_FOR_NUMBERS:
        layers.append(
            base.mark_text(fontSize=min(11, int(cell / 2.6))).encode(text="label:N", color=dark)
        )
    heading = alt.TitleParams(title, anchor="start", fontSize=13, color=INK, offset=8)
    return alt.LayerChart(layer=layers, width=side, height=side, title=heading)


def _slanted() -> alt.Axis:
    return alt.Axis(
        domain=False,
        orient="bottom",
        labelAngle=-50,
        labelFontSize=11,
        labelLimit=110,
        labelPadding=4,
    )


def _label(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1).replace("-.00", ".00") if isfinite(value) else "×"
