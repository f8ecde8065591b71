"""Charts of risk: the chance to be found before and after, unique people, fields that single out,
and inference."""

from __future__ import annotations

from typing import Any

import altair as alt

from sfumato.report import Html, percent, risk_classes
from sfumato.report.charts import AFTER, BEFORE, SOFT, before_after, data, short_names, svg

from ..risk import Probability, Risks, UniquesEstimate
from ..risk.probabilities import EDGES
from ..risk.uniqueness_table import set_words

WHEN = ["before", "after"]
FIELDS_SHOWN = 12
ROOM = 1.16
"""The end of an axis of shares, so that "over 99.9 %" fits beside the longest bar."""
_PERCENT = "datum.value * 100 + ' %'"


def draw(result: Risks) -> dict[str, Html]:
    """Every chart that there is something to draw for, by name; none where the release is empty."""
    if not result.after.rows:
        return {}
    drawn = {
        "risk_known": _distribution(result, "kirp", "known"),
        "risk_population": _distribution(result, "rmp", "population"),
        "risk_uniqueness": _uniqueness(result),
        "risk_fields": _fields(result),
        "risk_inference": _inference(result),
    }
    return {name: chart for name, chart in drawn.items() if chart is not None}


def _distribution(result: Risks, name: str, chart: str) -> Html | None:
    """Rows by the chance that theirs is found; before and after side by side."""
    tables = {"before": result.before, "after": result.after}
    found: dict[str, Probability] = {
        when: getattr(table, name) for when, table in tables.items() if table is not None
    }
    rows = [
        {
            "class": called,
            "when": when,
            "share": count / sum(one.within),
            "label": percent(count / sum(one.within)),
        }
        for when, one in found.items()
        if one.average is not None
        for called, count in zip(risk_classes(EDGES), one.within, strict=True)
    ]
    if not rows:
        return None
    axis = alt.Axis(labelExpr=_PERCENT, grid=True, domain=False, tickCount=5)
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "class:N",
            sort=None,
            title="Chance that the person is found",
            axis=alt.Axis(labelAngle=0),
        ),
        xOffset=alt.XOffset("when:N", sort=WHEN),
        y=alt.Y("share:Q", title="Share of the rows", axis=axis),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(color=before_after(alone=result.before is None))
    texts = base.mark_text(dy=-8, fontSize=10).encode(text="label:N")
    said = "; ".join(f"{row['class']} {row['when']}: {row['label']}" for row in rows)
    return svg(
        [bars, texts],
        name=f"risk-{chart}",
        label=f"Rows by the chance to be found. {said}.",
        height=300,
    )


def _uniqueness(result: Risks) -> Html | None:
    """Each estimate of how many people are unique, with its interval, before and after."""
    tables = {"before": result.before, "after": result.after}
    found: list[tuple[str, UniquesEstimate]] = [
        (when, one)
        for when, table in tables.items()
        if table is not None
        for one in table.uniqueness
    ]
    rows = [_bar(when, one) for when, one in found if one.value is not None]
    if not rows:
        return None
    ticks = alt.Axis(labelExpr=_PERCENT, grid=True, domain=False, tickCount=5)
    scale = alt.Scale(
        domain=[0, min(1.0, 1.25 * max(float(row["high"]) for row in rows) + 0.01)], clamp=True
    )
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("estimator:N", sort=None, title=None, axis=alt.Axis(domain=False)),
        yOffset=alt.YOffset("when:N", sort=WHEN),
    )
    title = "Share of the population with a unique combination"
    spans = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, title=title, axis=ticks),
        x2="high:Q",
        color=before_after(alone=result.before is None),
    )
    points = base.mark_point(size=80, filled=True, opacity=1).encode(
        x="value:Q", color=before_after(alone=result.before is None)
    )
    texts = base.mark_text(align="left", dx=8, fontSize=11).encode(x="high:Q", text="label:N")
    said = "; ".join(f"{row['estimator']} {row['when']}: {row['label']}" for row in rows)
    height = 60 + 46 * len({row["estimator"] for row in rows})
    return svg(
        [spans, points, texts], name="risk-uniqueness", label=f"{title}. {said}.", height=height
    )


def _bar(when: str, one: UniquesEstimate) -> dict[str, Any]:
    value = one.value or 0.0
    low, high = one.interval or (value, value)
    label = percent(value) + (f" ({percent(low)} to {percent(high)})" if one.interval else "")
    return {
        "estimator": one.estimator,
        "when": when,
        "value": value,
        "low": low,
        "high": high,
        "label": label,
    }


def _fields(result: Risks) -> Html | None:
    """The combinations that single out the most rows, of the source where there is one."""
    table = result.before or result.after
    lines = [line for line in table.table if line.unique]
    lines = sorted(lines, key=lambda line: (-line.share_unique, len(line.fields)))[:FIELDS_SHOWN]
    if not lines:
        return None
    names = short_names([set_words(line.fields, result.known) for line in lines], limit=44)
    rows = [
        {"fields": name, "share": line.share_unique, "label": percent(line.share_unique)}
        for name, line in zip(names, lines, strict=True)
    ]
    ticks = alt.Axis(labelExpr=_PERCENT, grid=True, domain=False, values=[0, 0.25, 0.5, 0.75, 1])
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "share:Q",
            scale=alt.Scale(domain=[0, ROOM]),
            title="Rows with a unique combination",
            axis=ticks,
        ),
        y=alt.Y("fields:N", sort=None, title=None, axis=alt.Axis(domain=False, labelLimit=330)),
    )
    colour = AFTER if result.before is None else BEFORE
    bars = base.mark_bar(cornerRadiusEnd=2, color=colour)
    texts = base.mark_text(align="left", dx=6).encode(text="label:N")
    said = "; ".join(f"{row['fields']}: {row['label']}" for row in rows)
    return svg(
        [bars, texts],
        name="risk-fields",
        label=f"Rows with a unique combination. {said}.",
        height=50 + 26 * len(rows),
    )


def _inference(result: Risks) -> Html | None:
    """For each sensitive field how surely it is inferred on average, and how surely anyone guesses
    it."""
    tables = {"before": result.before, "after": result.after}
    names = dict(zip(result.sensitive, short_names(result.sensitive), strict=True))
    rows = [
        {
            "field": names[one.field],
            "when": when,
            "share": one.average,
            "label": percent(one.average),
        }
        for when, table in tables.items()
        if table is not None and table.rows
        for one in table.attributes
    ]
    if not rows:
        return None
    guesses = [
        {"field": names[one.field], "guess": one.baseline} for one in result.after.attributes
    ]
    ticks = alt.Axis(labelExpr=_PERCENT, grid=True, domain=False, values=[0, 0.25, 0.5, 0.75, 1])
    where = alt.Y("field:N", sort=None, title=None, axis=alt.Axis(domain=False))
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "share:Q",
            scale=alt.Scale(domain=[0, ROOM]),
            title="How surely the value is inferred",
            axis=ticks,
        ),
        y=where,
        yOffset=alt.YOffset("when:N", sort=WHEN),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(color=before_after(alone=result.before is None))
    texts = base.mark_text(align="left", dx=6, fontSize=11).encode(text="label:N")
    marks = (
        alt.Chart(data(guesses))
        .mark_tick(color=SOFT, thickness=3, height=34)
        .encode(x="guess:Q", y=where)
    )
    said = "; ".join(f"{row['field']} {row['when']}: {row['label']}" for row in rows)
    height = 70 + 60 * len(names)
    return svg(
        [bars, marks, texts],
        name="risk-inference",
        label=f"How surely values are inferred. {said}.",
        height=height,
    )
