"""The chart of the attacks: how often each is right, beside a guess and people who are not in the
release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from sfumato.report import Html, percent
from sfumato.report.charts import AFTER, BEFORE, data, short_names, svg

from ..attacks import AttackRun, Attacks, Rate

KINDS = {"attack": AFTER, "guess": BEFORE, "control group": "#b9822b"}


def draw(result: Attacks) -> dict[str, Html]:
    """The chart where some attack could be measured."""
    measured = [run for run in result if run.rate is not None]
    return {"attacks": rates(measured)} if measured else {}


def rates(runs: list[AttackRun]) -> Html:
    """One line for each attack: a mark for the rate, and a bar for its 95 % interval."""
    names = short_names([called(run) for run in runs], limit=34)
    rows = [
        {
            "attack": name,
            "kind": kind,
            "value": rate.value,
            "low": rate.low,
            "high": rate.high,
            "label": percent(rate.value),
        }
        for name, run in zip(names, runs, strict=True)
        for kind, rate in kinds(run)
    ]
    shown = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    ticks = alt.Axis(
        labelExpr="datum.value * 100 + ' %'",
        grid=True,
        domain=False,
        values=[0, 0.25, 0.5, 0.75, 1],
    )
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=shown, range=[KINDS[kind] for kind in shown])
    )
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("attack:N", sort=None, title=None, axis=alt.Axis(domain=False, labelLimit=320)),
        yOffset=alt.YOffset("kind:N", sort=shown),
    )
    across = alt.X(
        "low:Q", scale=alt.Scale(domain=[0, 1.16]), title="Attempts that are right", axis=ticks
    )
    bars = base.mark_rule(strokeWidth=7, opacity=0.35, strokeCap="round").encode(
        x=across, x2="high:Q", color=colour
    )
    marks = base.mark_point(filled=True, size=90, opacity=1).encode(
        x="value:Q", color=colour, shape=_shape(shown)
    )
    texts = base.mark_text(align="left", dx=10, fontSize=12).encode(x="high:Q", text="label:N")
    height = 26 * len(shown) * len(runs) + 90
    return svg([bars, marks, texts], name="attacks", label=_said(rows), height=height)


def called(run: AttackRun) -> str:
    """An attack's name as a line of the chart has it."""
    kind, _, about = run.name.partition(":")
    return f"{kind}, {about}" if about else kind


def kinds(run: AttackRun) -> Iterator[tuple[str, Rate]]:
    for kind, rate in zip(KINDS, (run.rate, run.baseline, run.control), strict=True):
        if rate is not None:
            yield kind, rate


def _shape(shown: list[str]) -> alt.Shape:
    """Different marks too, for those who do not see colours, and on paper."""
    shapes = dict(zip(KINDS, ("circle", "square", "triangle-up"), strict=True))
    return alt.Shape(
        "kind:N", scale=alt.Scale(domain=shown, range=[shapes[kind] for kind in shown])
    )


def _said(rows: list[dict[str, Any]]) -> str:
    """The chart in words, for those who cannot see it."""
    return "How often attacks are right. " + "; ".join(
        f"{row['attack']}, {row['kind']}: {row['label']}" for row in rows
    )
