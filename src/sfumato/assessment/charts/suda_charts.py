"""Charts of the minimal uniques: how few fields single rows out, how likely a match is right, which
fields do it."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from sfumato.report import Html, counted, number, percent
from sfumato.report.charts import AFTER, data, short_names, svg

from ..risk.suda2 import DIS_STEPS, Suda2

DIS_CLASSES = (
    "not singled out",
    *(f"up to {percent(step + 0.1)}" for step in DIS_STEPS[:-1]),
    "over 70\u00a0%",
)


def draw(result: Suda2) -> dict[str, Html]:
    """The charts that there is something to draw for; none where nobody is singled out."""
    if not result.singled_out:
        return {}
    return {
        "suda_sizes": sizes(result),
        "suda_scores": scores(result),
        "suda_fields": fields(result),
    }


def sizes(result: Suda2) -> Html:
    """Rows by the fewest fields that single them out."""
    rows = [
        {"class": str(size), "records": records, "label": number(records)}
        for size, records in enumerate(result.records_by_smallest, start=1)
    ]
    said = "; ".join(f"{row['label']} by {row['class']}" for row in rows)
    label = f"Rows by the fewest fields that single them out: {said}."
    return _columns(
        rows, x="Fields that suffice to single a row out", name="suda-sizes", label=label
    )


def scores(result: Suda2) -> Html:
    """Rows with a score, by how likely a match with them is right."""
    rows = [
        {"class": called, "records": records, "label": number(records)}
        for called, records in zip(DIS_CLASSES, result.dis_distribution, strict=True)
    ][1:]
    said = "; ".join(f"{row['label']} {row['class']}" for row in rows)
    label = f"Rows by the chance that a match with them is right: {said}."
    return _columns(rows, x="Chance that a match is the right one", name="suda-scores", label=label)


def _columns(rows: Sequence[dict[str, object]], *, x: str, name: str, label: str) -> Html:
    axis = alt.Axis(format=",d", grid=True, domain=False, tickCount=4, tickMinStep=1)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("class:N", sort=None, title=x, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("records:Q", title="Rows", axis=axis),
    )
    bars = base.mark_bar(cornerRadiusEnd=2, color=AFTER)
    texts = base.mark_text(dy=-8, fontSize=12).encode(text="label:N")
    return svg([bars, texts], name=name, label=label, height=280)


def fields(result: Suda2) -> Html:
    """Each field's part in the scores, the largest first."""
    named = sorted(result.contributions.items(), key=lambda pair: -pair[1])
    rows = [
        {"field": short, "share": share / 100, "label": percent(share / 100)}
        for short, (_, share) in zip(
            short_names([name for name, _ in named], limit=32), named, strict=True
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
            "share:Q",
            scale=alt.Scale(domain=[0, 1.12]),
            title="Share of all scores it has a part in",
            axis=ticks,
        ),
        y=alt.Y("field:N", sort=None, title=None, axis=alt.Axis(domain=False)),
    )
    bars = base.mark_bar(cornerRadiusEnd=2, color=AFTER, size=20)
    texts = base.mark_text(align="left", dx=8).encode(text="label:N")
    said = "; ".join(f"{row['field']} {row['label']}" for row in rows)
    label = f"{counted(len(rows), 'field')} by its part in singling rows out: {said}."
    return svg([bars, texts], name="suda-fields", label=label, height=36 * len(rows) + 70)
