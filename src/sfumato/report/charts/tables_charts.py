"""The charts of several tables: how many rows people have in each, and the bins of the person's
table."""

from __future__ import annotations

from math import exp, log1p

import altair as alt

from ..markup import Html, join
from ..number_text import counted, number
from ..tables_facts import RowCountFacts, TablesFacts
from ..tables_readings import RowCountRange, drawn_numbers, people_below
from .bin_charts import bin_sizes
from .svg_chart import AFTER, BEFORE, INK, SOFT, WIDTH, data, svg

TOO_FEW = "#c4873b"
_FLOOR, _AXIS, _THICKEST = 0.6, 56, 18.0
_TICKS = tuple(digit * 10**power for power in range(10) for digit in (1, 2, 5))


def draw_tables(facts: TablesFacts) -> dict[str, Html]:
    """Every chart that the facts give something to draw for, by name: `rows-1` is that of the first
    table."""
    drawn: dict[str, Html | None] = {}
    if facts.before is not None and facts.after is not None:
        drawn["bins"] = bin_sizes(facts.before, facts.after)
    for at, table in enumerate(facts.tables, start=1):
        if table.row_counts is not None:
            drawn[f"rows-{at}"] = row_counts(table.row_counts, name=f"rows-{at}")
    return {name: chart for name, chart in drawn.items() if chart is not None}


def row_counts(facts: RowCountFacts, *, name: str) -> Html | None:
    """People by how many rows they have, before above and after below, over one axis of numbers."""
    found = drawn_numbers(facts)
    if not found:
        return None
    most = max(max(line.people) for line in found)
    panels = []
    for side, when in enumerate(("before", "after")):
        layers = _panel(found, side, bin_size=facts.bin_size, most=most)
        label = _said(facts, when)
        panels.append(svg(layers, name=f"{name}-{when}", label=label, height=190 if side else 150))
    return join(panels)


def _said(facts: RowCountFacts, when: str) -> str:
    """One panel in words, for those who cannot see it."""
    numbers = facts.before if when == "before" else facts.after
    below = people_below(numbers, facts.bin_size)
    return (
        f"People by how many rows they have, {when}: {counted(len(numbers), 'different number')}; "
        f"{counted(below, 'person has', 'people have')} one that fewer than "
        f"{number(facts.bin_size)} have."
    )


def _panel(found: list[RowCountRange], side: int, *, bin_size: int, most: int) -> list[alt.Chart]:
    colours = (BEFORE, AFTER)
    largest = found[-1].last
    rows = [
        {
            "from": line.first - _half(line.first, largest),
            "to": line.last + _half(line.last, largest),
            "people": line.fewest[side],
            "floor": _FLOOR,
            "colour": TOO_FEW if line.fewest[side] < bin_size else colours[side],
        }
        for line in found
        if line.fewest[side]
    ]
    across = alt.Scale(
        type="symlog", constant=1, domain=[-0.5, _end(largest)], nice=False, zero=False
    )
    up = alt.Scale(type="log", domain=[_FLOOR, max(most, bin_size) * 1.4], nice=False)
    bars = (
        alt.Chart(data(rows))
        .mark_bar(stroke="#fdfcfa", strokeWidth=0.6, binSpacing=0)
        .encode(
            x=alt.X("from:Q", scale=across, title=_title(side), axis=_numbers(largest, side)),
            x2="to:Q",
            y=alt.Y(
                "people:Q",
                scale=up,
                title=f"People {('before', 'after')[side]}",
                axis=_people(most),
            ),
            y2="floor:Q",
            color=alt.Color("colour:N", scale=None, legend=None),
        )
    )
    return [bars, *_line(bin_size, largest)]


def _end(largest: int) -> float:
    """Where the axis ends: after the last bar, with room for the name of the line."""
    return exp(1.08 * log1p(largest + 0.5))


def _half(rows: int, largest: int) -> float:
    """Half the thickness of a bar, in rows: it fills its place, but where numbers are far apart it
    stays a bar."""
    pixels_per_row = (WIDTH - _AXIS) / log1p(largest + 1) / (rows + 1)
    return min(0.5, _THICKEST / 2 / pixels_per_row)


def _line(bin_size: int, largest: int) -> list[alt.Chart]:
    """b_tabf, with its name at the right end, where there is room for it."""
    base = alt.Chart(
        data([{"people": bin_size, "end": _end(largest), "label": f"{number(bin_size)} people"}])
    )
    rule = base.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.7).encode(y="people:Q")
    words = base.mark_text(align="right", dy=-8, color=SOFT, fontSize=12).encode(
        x="end:Q", y="people:Q", text="label:N"
    )
    return [rule, words]


def _title(side: int) -> str:
    return "Rows of a person in the table" if side else ""


def _numbers(largest: int, side: int) -> alt.Axis:
    return alt.Axis(
        values=[0, *(tick for tick in _TICKS if tick <= largest)],
        format=",d",
        labels=bool(side),
        labelAngle=0,
        labelOverlap="greedy",
        domain=True,
    )


def _people(most: int) -> alt.Axis:
    ticks = [tick for tick in _TICKS if tick <= most]
    if len(ticks) > 7:
        ticks = [tick for tick in ticks if str(tick)[0] == "1"]
    return alt.Axis(
        values=ticks, format=",d", grid=True, domain=False, minExtent=_AXIS, maxExtent=_AXIS
    )
