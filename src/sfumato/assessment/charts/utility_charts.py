"""Charts of a release's utility: fields before and after, pairs of fields, random queries,
models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from sfumato.report import Html, counted, percent
from sfumato.report.charts import (
    AFTER,
    BEFORE,
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

from ..utility import Associations, FieldChange, ModelAccuracy, QueryError, Usefulness
from .pair_charts import heat_maps

__all__ = ["draw"]

MOST_DISTRIBUTIONS = 12
_COLUMNS, _NAMES, _GAP = 3, 118, 22
_WHEN = ["before", "after"]


def draw(result: Usefulness) -> dict[str, Html]:
    """Every chart that the result gives something to draw for, by name."""
    drawn = {
        "field-change": field_change(result.fields),
        "distributions": distributions(shown_fields(result.fields)),
        "associations": _pairs(result.associations),
        "queries": _queries(result.queries),
        "models": _models(result.models),
    }
    return {name: chart for name, chart in drawn.items() if chart is not None}


def shown_fields(fields: Sequence[FieldChange]) -> tuple[FieldChange, ...]:
    """The fields whose distributions are drawn: those that changed most, in the table's order."""
    able = [found for found in fields if found.classes]
    most = sorted(able, key=lambda found: -(found.distance or 0))[:MOST_DISTRIBUTIONS]
    return tuple(found for found in able if found in most)


def _axis() -> alt.Axis:
    values = [0, 0.25, 0.5, 0.75, 1]
    return alt.Axis(labelExpr="datum.value * 100 + ' %'", grid=True, domain=False, values=values)


def field_change(fields: Sequence[FieldChange]) -> Html | None:
    """How far each field's distribution moved, the worst as it was spread over values and as it was
    released."""
    known = [found for found in fields if found.distance is not None]
    if not known:
        return None
    names = short_names([found.name for found in known], limit=32)
    rows = [
        {"field": name, "share": found.distance, "label": percent(found.distance or 0)}
        for name, found in zip(names, known, strict=True)
    ]
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "share:Q",
            scale=alt.Scale(domain=[0, 1.16]),
            title="Distance between before and after",
            axis=_axis(),
        ),
        y=alt.Y("field:N", sort=None, title=None, axis=alt.Axis(domain=False)),
    )
    bars = base.mark_bar(cornerRadiusEnd=2, color=AFTER, size=18)
    texts = base.mark_text(align="left", dx=8).encode(text="label:N")
    said = "; ".join(f"{row['field']} {row['label']}" for row in rows)
    return svg(
        [bars, texts],
        name="field-change",
        label=f"Change per field: {said}.",
        height=32 * len(rows) + 60,
    )


def distributions(fields: Sequence[FieldChange]) -> Html | None:
    """One small chart a field: the share of rows in each class, before and after."""
    if not fields:
        return None
    small = [_distribution(found, name) for found, name in zip(fields, _short(fields), strict=True)]
    rows = [
        alt.HConcatChart(hconcat=small[start : start + _COLUMNS], spacing=_GAP)
        for start in range(0, len(small), _COLUMNS)
    ]
    said = "; ".join(
        f"{found.name}: {counted(len(found.classes), 'class', 'classes')}" for found in fields
    )
    chart = alt.VConcatChart(vconcat=rows, spacing=_GAP)
    return svg_of(chart, name="distributions", label=f"Shares of rows before and after. {said}.")


def _short(fields: Sequence[FieldChange]) -> list[str]:
    return short_names([found.name for found in fields], limit=30)


def _distribution(found: FieldChange, title: str) -> alt.Chart:
    names = short_names([one.name for one in found.classes], limit=19)
    rows = [
        {"class": name, "when": when, "share": share}
        for name, one in zip(names, found.classes, strict=True)
        for when, share in zip(_WHEN, (one.before, one.after), strict=True)
    ]
    width = (WIDTH - 8 - _GAP * (_COLUMNS - 1)) // _COLUMNS - _NAMES
    axis = alt.Axis(
        format="%", tickCount=3, grid=True, domain=False, labelFontSize=11, labelPadding=4
    )
    names_axis = alt.Axis(
        domain=False,
        labelFontSize=11,
        labelLimit=_NAMES - 8,
        minExtent=_NAMES,
        maxExtent=_NAMES,
        labelPadding=6,
    )
    bars = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title=None, axis=axis),
            y=alt.Y("class:N", sort=None, title=None, axis=names_axis),
            yOffset=alt.YOffset("when:N", sort=_WHEN),
            color=before_after().legend(None),
        )
    )
    heading = alt.TitleParams(title, anchor="start", fontSize=13, color=INK, offset=6)
    out: alt.Chart = bars.properties(width=width, height=20 * len(names), title=heading)
    return out


def _pairs(found: Associations | None) -> Html | None:
    return heat_maps(found) if found is not None else None


def _queries(found: QueryError | None) -> Html | None:
    """The usual error of a count, by how many fields it asks about; beside it, from single fields
    alone."""
    if found is None:
        return None
    who = ["from the release", "from totals of single fields"]
    rows: list[dict[str, Any]] = [
        {"what": counted(one.fields, "field"), "who": name, "error": share, "label": percent(share)}
        for one in found.by_fields
        for name, share in zip(who, (one.median, one.baseline_median), strict=True)
    ]
    most = max(1.15 * max(row["error"] for row in rows), 0.05)
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "error:Q",
            scale=alt.Scale(domain=[0, most]),
            title="Median error of a count",
            axis=alt.Axis(format="%", grid=True, domain=False, tickCount=5),
        ),
        y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(domain=False)),
        yOffset=alt.YOffset("who:N", sort=who),
    )
    colour = alt.Color(
        "who:N",
        scale=alt.Scale(domain=who, range=[AFTER, BEFORE]),
        legend=alt.Legend(labelLimit=320),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(color=colour)
    texts = base.mark_text(align="left", dx=8).encode(text="label:N")
    said = "; ".join(f"{row['what']} {row['who']}: {row['label']}" for row in rows)
    height = 56 * len(found.by_fields) + 70
    return svg(
        [bars, texts], name="queries", label=f"Median error of counts. {said}.", height=height
    )


def _models(models: Sequence[ModelAccuracy]) -> Html | None:
    """For each target the accuracy of a model from the source, from the release, and of no model at
    all."""
    rows = [
        row
        for name, model in zip(_targets(models), models, strict=True)
        for row in _bars(name, model)
    ]
    if not rows:
        return None
    who = ["trained on the source", "trained on the release", "always the commonest"]
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("target:N", sort=None, title=None, axis=alt.Axis(domain=False)),
        yOffset=alt.YOffset("who:N", sort=who),
    )
    room = alt.Scale(domain=[0, 1.16])
    colour = alt.Color(
        "who:N", scale=alt.Scale(domain=who, range=[BEFORE, AFTER, REACHED]), sort=who
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(
        x=alt.X("share:Q", scale=room, title="Right answers", axis=_axis()), color=colour
    )
    spans = base.mark_rule(color=INK, strokeWidth=1.5).encode(x="low:Q", x2="high:Q")
    texts = base.mark_text(align="left", dx=8, color=SOFT).encode(x="high:Q", text="label:N")
    said = "; ".join(f"{row['target']} {row['who']}: {row['label']}" for row in rows)
    height = 90 * (len(rows) // 3) + 70
    return svg(
        [bars, spans, texts], name="models", label=f"Accuracy of models. {said}.", height=height
    )


def _targets(models: Sequence[ModelAccuracy]) -> list[str]:
    return short_names([model.target for model in models], limit=30)


def _bars(name: str, model: ModelAccuracy) -> Iterator[dict[str, Any]]:
    if model.from_source is None or model.from_release is None or model.majority is None:
        return
    for who, share, low, high in (
        (
            "trained on the source",
            model.from_source.value,
            model.from_source.low,
            model.from_source.high,
        ),
        (
            "trained on the release",
            model.from_release.value,
            model.from_release.low,
            model.from_release.high,
        ),
        ("always the commonest", model.majority, model.majority, model.majority),
    ):
        yield {
            "target": name,
            "who": who,
            "share": share,
            "low": low,
            "high": high,
            "label": percent(share),
        }
