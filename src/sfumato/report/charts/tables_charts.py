"""The charts of several tables: how many rows people have in each, and the bins of the person's
table."""

from __future__ import annotations

from math import exp, log1p

from ..markup import Html, join
from ..number_text import counted, number
from ..tables_facts import RowCountFacts, TablesFacts
from ..tables_readings import RowCountRange, drawn_numbers, people_below
from .bin_charts import bin_sizes
from .svg_canvas import (
    AFTER,
    AXIS,
    BEFORE,
    GRID,
    INK,
    SOFT,
    WIDTH,
    Canvas,
    Scale,
    logarithmic,
    text_width,
)

TOO_FEW = "#c4873b"
_FLOOR, _AXIS, _THICKEST = 0.6, 56, 18.0
_WHEN = ("before", "after")
_TICKS = tuple(digit * 10**power for power in range(10) for digit in (1, 2, 5))


def draw_tables(facts: TablesFacts) -> dict[str, Html]:
    """Every chart that the facts give something to draw for, by name: `rows-1` is that of the first
    table."""
    drawn: dict[str, Html | None] = {}
    if facts.before is not None and facts.after is not None:
        drawn["bins"] = bin_sizes(facts.before, facts.after)
    for at, table in enumerate(facts.tables, start=1):
        if table.row_counts is not None:
            drawn[f"rows-{at}"] = row_counts(table.row_counts)
    return {name: chart for name, chart in drawn.items() if chart is not None}


def row_counts(facts: RowCountFacts) -> Html | None:
    """People by how many rows they have, before above and after below, over one axis of numbers."""
    found = drawn_numbers(facts)
    if not found:
        return None
    most = max(max(line.people) for line in found)
    return join(_panel(facts, found, side, most=most) for side in (0, 1))


def _panel(facts: RowCountFacts, found: list[RowCountRange], side: int, *, most: int) -> Html:
    """One panel. Both axes are logarithms: one person beside a thousand is what matters here."""
    height, bottom = (190, 142) if side else (150, 142)
    largest, least = found[-1].last, facts.bin_size
    top, left, right = 8, _AXIS + 24, WIDTH - 8
    canvas = Canvas(height)
    up = logarithmic(_FLOOR, max(most, least) * 1.4, bottom, top)
    across = logarithmic(-0.5, _end(largest), left, right, plus=1)
    for tick in _people(most):
        canvas.line((left, up(tick)), (right, up(tick)), ink=GRID)
        canvas.text(left - 8, up(tick), number(tick), anchor="end")
    canvas.upward(14, (top + bottom) / 2, f"People {_WHEN[side]}")
    for line in found:
        if line.fewest[side]:
            start = across(line.first - _half(line.first, largest))
            end = across(line.last + _half(line.last, largest))
            y = up(line.fewest[side])
            colour = TOO_FEW if line.fewest[side] < least else (BEFORE, AFTER)[side]
            canvas.rect(start, y, max(end - start - 0.6, 0.4), bottom - y, fill=colour, round_by=0)
    canvas.line((left, bottom), (right, bottom), ink=AXIS)
    canvas.line((left, up(least)), (right, up(least)), ink=INK, dashed=True)
    words = f"{number(least)} people"
    canvas.text(right, up(least) - 9, words, anchor="end", ink=SOFT, size=12)
    if side:
        _numbers(canvas, across, largest, y=bottom + 14)
        title = "Rows of a person in the table"
        canvas.text((left + right) / 2, height - 10, title, anchor="middle", ink=SOFT)
    return canvas.svg(label=_said(facts, _WHEN[side]))


def _said(facts: RowCountFacts, when: str) -> str:
    """One panel in words, for those who cannot see it."""
    numbers = facts.before if when == "before" else facts.after
    below = people_below(numbers, facts.bin_size)
    return (
        f"People by how many rows they have, {when}: {counted(len(numbers), 'different number')}; "
        f"{counted(below, 'person has', 'people have')} one that fewer than "
        f"{number(facts.bin_size)} have."
    )


def _end(largest: int) -> float:
    """Where the axis ends: after the last bar, with room for the name of the line."""
    return exp(1.08 * log1p(largest + 0.5))


def _half(rows: int, largest: int) -> float:
    """Half the thickness of a bar, in rows: it fills its place, but it is limited where numbers are
    far apart."""
    pixels_per_row = (WIDTH - _AXIS) / log1p(largest + 1) / (rows + 1)
    return min(0.5, _THICKEST / 2 / pixels_per_row)


def _numbers(canvas: Canvas, across: Scale, largest: int, *, y: float) -> None:
    """The numbers of rows below the bars, as many as do not touch each other."""
    free = 0.0
    for tick in (0, *(tick for tick in _TICKS if tick <= largest)):
        words, x = number(tick), across(tick)
        half = text_width(words) / 2
        if x - half >= free:
            canvas.text(x, y, words, anchor="middle")
            free = x + half + 6


def _people(most: int) -> list[int]:
    ticks = [tick for tick in _TICKS if tick <= most]
    return ticks if len(ticks) <= 7 else [tick for tick in ticks if str(tick)[0] == "1"]
