"""Charts of the fields: how far each climbed its ladder of levels, and how much of its precision is
left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from ..facts import FieldFacts
from ..markup import Html
from ..number_text import counted, percent
from ..readings import level_name, level_shares
from .svg_chart import AFTER, FAINT, INK, REACHED, SOFT, WIDTH, data, one_line, short_names, svg

_NAMES, _ROOM_FOR_WORDS, _ROOM_FOR_NUMBERS = 170, 92, 56


def ladder(fields: Sequence[FieldFacts]) -> Html | None:
    """Each field's levels as steps from the value itself to nothing; the deeper a step's colour,
    the more rows."""
    if not fields:
        return None
    step = (WIDTH - _NAMES) // max(len(field.rows_at_level) for field in fields)
    names = short_names([field.name for field in fields], limit=22)
    cells = [
        cell for name, field in zip(names, fields, strict=True) for cell in _cells(field, name)
    ]
    base = alt.Chart(data(cells)).encode(
        x=alt.X(
            "level:O",
            title="Level: 0 is the value itself, each step to the right says less",
            axis=_upright(),
        ),
        y=alt.Y(
            "field:N", sort=names, title=None, axis=alt.Axis(domain=False, labelLimit=_NAMES - 10)
        ),
    )
    reached = alt.Color(
        "share:Q", scale=alt.Scale(domain=[0, 1], range=[REACHED, AFTER]), legend=None
    )
    colour = alt.condition("datum.share > 0", reached, alt.value(FAINT))
    steps = base.mark_rect(cornerRadius=5, stroke="white", strokeWidth=4).encode(color=colour)
    said = "; ".join(f"{cell['field']}: {cell['said']}" for cell in cells if cell["share"])
    height = (62 if step >= _ROOM_FOR_WORDS else 40) * len(names) + 60
    layers = [steps, *_words(base, room=step)]
    return svg(layers, name="ladder", label=f"Levels chosen per field. {said}.", height=height)


def _upright() -> alt.Axis:
    return alt.Axis(labelAngle=0, domain=False, orient="top", labelColor=SOFT)


def _words(base: alt.Chart, *, room: int) -> list[alt.Chart]:
    """What is written on the steps: name and share where there is room, else the share, else
    nothing."""
    ink = alt.condition("datum.share > 0.7", alt.value("white"), alt.value(INK))
    limit = room - 12
    if room >= _ROOM_FOR_WORDS:
        names = base.mark_text(dy=-9, fontWeight="bold", fontSize=12, limit=limit).encode(
            text="name:N", color=ink
        )
        return [
            names,
            base.mark_text(dy=9, fontSize=12, limit=limit).encode(text="note:N", color=ink),
        ]
    if room >= _ROOM_FOR_NUMBERS:
        reached = base.transform_filter("datum.share > 0")
        return [reached.mark_text(fontSize=12, limit=limit).encode(text="reached:N", color=ink)]
    return []


def _cells(field: FieldFacts, name: str) -> list[dict[str, Any]]:
    """One step per level: its name, and the share of rows there or else how many labels it would
    leave."""
    cells = []
    for level, share in enumerate(level_shares(field)):
        called = one_line(level_name(field, level), limit=24)
        labels = field.labels_per_level[level] if level < len(field.labels_per_level) else 0
        reached = percent(share)
        cells.append(
            {
                "field": name,
                "level": level,
                "share": share,
                "name": called,
                "reached": reached,
                "note": f"{reached} of rows" if share else counted(labels, "value"),
                "said": f"{reached} at level {level}, {called}",
            }
        )
    return cells


def precision(per_field: Mapping[str, float], overall: float) -> Html | None:
    """How much of each field's precision is left, with the mean of all as a line."""
    if not per_field:
        return None
    rows = [
        {"field": name, "precision": value, "label": percent(value)}
        for name, value in zip(
            short_names(list(per_field), limit=32), per_field.values(), strict=True
        )
    ]
    ticks = alt.Axis(
        labelExpr="datum.value * 100 + ' %'",
        grid=True,
        domain=False,
        values=[0, 0.25, 0.5, 0.75, 1],
    )
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "precision:Q", scale=alt.Scale(domain=[0, 1.1]), title="Precision kept", axis=ticks
        ),
        y=alt.Y("field:N", sort=None, title=None, axis=alt.Axis(domain=False)),
    )
    bars = base.mark_bar(cornerRadiusEnd=2, color=AFTER, size=20)
    texts = base.mark_text(align="left", dx=8).encode(text="label:N")
    mean = alt.Chart(data([{"at": overall, "label": f"mean {percent(overall)}"}])).encode(x="at:Q")
    line = mean.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.6)
    named = mean.mark_text(align="left", dx=5, y=-8, color=SOFT).encode(text="label:N")
    said = "; ".join(f"{row['field']} {row['label']}" for row in rows)
    label = f"Precision kept per field: {said}; all fields {percent(overall)}."
    return svg(
        [bars, texts, line, named], name="precision", label=label, height=36 * len(rows) + 70
    )
