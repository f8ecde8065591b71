"""The figures and tables of the experiment: SVG files, and one page with all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt

import sfumato
from sfumato.report.charts.vega_chart import WIDTH, data, svg_of
from sfumato.report.markup import Html, figure, join, section, table, tag
from sfumato.report.page import whole_page

Rows = Sequence[Mapping[str, Any]]
COLOURS = ["#0b3c49", "#1f5f7a", "#3f88a5", "#7fb3c8", "#bcd6e0"]


def draw_all(results: Mapping[str, Rows], folder: Path) -> None:
    """figures/*.svg and report.html."""
    parts = [
        *_sweep(results["sweep"]),
        _table_4(results["candidates"]),
        *_trade_off(results["trade_off"]),
    ]
    (folder / "figures").mkdir(exist_ok=True)
    body = []
    for name, heading, said, chart, numbers in parts:
        if chart is not None:
            text = str(chart).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
            (folder / "figures" / f"{name}.svg").write_text(text + "\n", encoding="utf-8")
        body.append(section(name, heading, tag("p", said), figure(chart, said, numbers)))
    page = whole_page(
        join(body),
        title="Channel expansion",
        created="with the numbers of results.json",
        version=sfumato.__version__,
    )
    (folder / "report.html").write_text(page, encoding="utf-8")


Part = tuple[str, str, str, Html | None, Html]


def _sweep(rows: Rows) -> list[Part]:
    shown = (
        (
            "figure7",
            "Figure 7: information loss",
            "omega",
            "Omega by the share of subjects at risk.",
        ),
        (
            "figure8",
            "Figure 8: without those told nothing",
            "without_all",
            "Omega of subjects in other channels.",
        ),
        (
            "figure11",
            "Figure 11: input channels ascribed to a subject",
            "inputs_each",
            "Mean input channels each.",
        ),
    )
    out: list[Part] = []
    for name, heading, key, said in shown:
        kept = [row for row in rows if key != "inputs_each" or row["inputs_each"] > 0]
        out.append(
            (
                name,
                heading,
                said + " Lines are RT.",
                _lines(kept, key, said, name=name),
                _grid(rows, key, said),
            )
        )
    out.append(
        (
            "table5",
            "Table 5: subjects in the channel of all inputs",
            "Shares of subjects about whom nothing is told.",
            None,
            _grid(rows, "untold", "Table 5"),
        )
    )
    return out


def _lines(rows: Rows, key: str, title: str, *, name: str) -> Html:
    values = [
        {"at_risk": row["at_risk"], "y": row[key], "RT": f"{row['rt']:g}", "way": row["way"]}
        for row in rows
    ]
    base = (
        alt.Chart(data(values), width=(WIDTH - 180) // 2, height=260)
        .mark_line(point=False, strokeWidth=2)
        .encode(
            x=alt.X("at_risk:Q", title="Share of subjects at risk", axis=alt.Axis(format=".0%")),
            y=alt.Y("y:Q", title=title.rstrip("."), axis=alt.Axis(grid=True)),
            color=alt.Color("RT:N", scale=alt.Scale(range=COLOURS)),
        )
    )
    return svg_of(base.facet(column=alt.Column("way:N", title=None)), name=name, label=title)


def _grid(rows: Rows, key: str, caption: str) -> Html:
    """Every fifth share at risk by tolerance, priced and enumerated."""
    tolerances = sorted({row["rt"] for row in rows})
    found = {(row["way"], round(100 * row["at_risk"]), row["rt"]): row[key] for row in rows}
    heads = [
        "At risk",
        *(f"{way}, {rt:g}" for way in ("priced", "enumerated") for rt in tolerances),
    ]
    lines = [
        [
            f"{at} %",
            *(f"{found[way, at, rt]:.4g}" for way in ("priced", "enumerated") for rt in tolerances),
        ]
        for at in sorted({at for _, at, _ in found})
    ]
    return table(heads, lines, caption=caption, numeric=set(range(1, len(heads))))


def _table_4(rows: Rows) -> Part:
    lines = [
        [
            f"{row['count']:,}" if row["count"] else "priced, of all",
            f"{100 * row['omega']:.2f}",
            f"{100 * row['unused']:.1f}" if row["count"] else "",
            f"{row['used']:,}",
        ]
        for row in rows
    ]
    heads = ("Output channels", "Omega, %", "Unused, %", "Used")
    numbers = table(heads, lines, caption="Table 4", numeric={1, 2, 3})
    said = (
        "15 % at risk and RT = 1, with more and more candidates; last, the optimum over all "
        "output channels."
    )
    return "table4", "Table 4: the number of output channels", said, None, numbers


def _trade_off(rows: Rows) -> list[Part]:
    """Loss against the loss at the least tolerance, and what each per cent of tolerance brings."""
    total, each = [], []
    for at_risk in sorted({row["at_risk"] for row in rows}):
        mine = sorted((row for row in rows if row["at_risk"] == at_risk), key=lambda row: row["rt"])
        worst = mine[0]["omega"]
        name = f"{at_risk:.0%} at risk"
        total += [{"rt": row["rt"], "y": 1 - row["omega"] / worst, "data": name} for row in mine]
        each += [
            {"rt": b["rt"], "y": (a["omega"] - b["omega"]) / worst, "data": name}
            for a, b in pairwise(mine)
        ]
    out: list[Part] = []
    for name, heading, values in (
        ("figure9", "Figure 9: total increase in utility", total),
        ("figure10", "Figure 10: increase for each per cent of tolerance", each),
    ):
        chart = (
            alt.Chart(data(values), width=WIDTH - 120, height=260)
            .mark_line(strokeWidth=2)
            .encode(
                x=alt.X("rt:Q", title="Risk tolerance RT", scale=alt.Scale(zero=False)),
                y=alt.Y(
                    "y:Q",
                    title="Share of the loss at the least RT",
                    axis=alt.Axis(format=".1%", grid=True),
                ),
                color=alt.Color("data:N", scale=alt.Scale(range=[COLOURS[0], COLOURS[3]])),
            )
        )
        said = "What of the loss at the least tolerance is saved as the holder tolerates more."
        numbers = table(
            ("Data", "RT", "Saved"),
            [(v["data"], f"{v['rt']:.3f}", f"{v['y']:.4f}") for v in values],
            caption=heading,
        )
        out.append((name, heading, said, svg_of(chart, name=name, label=heading), numbers))
    return out
