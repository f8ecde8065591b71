"""Chart of the solver's steps: how many rows still fail after each."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts import StepFacts
from ..markup import Html
from ..number_text import number, one_line
from .svg_canvas import (
    AFTER,
    AXIS,
    GRID,
    SOFT,
    WIDTH,
    Bar,
    Canvas,
    counts,
    linear,
    lying_bars,
    text_width,
)

_WORDED, _HEIGHT, _TITLE = 14, 280, "Rows that still fail"


def steps(moves: Sequence[StepFacts]) -> Html | None:
    """Few steps are drawn as bars with their words, many as a line over their number."""
    if len(moves) < 2:
        return None
    said = (
        f"Rows that still fail after each of {len(moves)} steps: "
        f"{number(moves[0].rows_failing)} at the start, "
        f"{number(moves[-1].rows_failing)} at the end."
    )
    failing = [move.rows_failing for move in moves]
    if len(moves) > _WORDED:
        return _line(failing, label=said)
    bars = [
        Bar(
            place=f"{index}. {one_line(move.what, limit=48)}",
            value=move.rows_failing,
            label=number(move.rows_failing),
        )
        for index, move in enumerate(moves)
    ]
    ticks = counts(max(failing) or 1)
    return lying_bars(bars, title=_TITLE, label=said, ticks=ticks, line=28, names=380)


def _line(failing: Sequence[int], *, label: str) -> Html:
    """A line of stairs: each step's number holds until the next."""
    ticks = counts(max(failing) or 1)
    top, bottom, right = 12, _HEIGHT - 48, WIDTH - 24
    left = 34 + max(text_width(words) for _, words in ticks)
    canvas = Canvas(_HEIGHT)
    up = linear(0, max(*failing, ticks[-1][0]), bottom, top)
    across = linear(0, len(failing) - 1, left, right)
    for tick, words in ticks:
        canvas.line((left, up(tick)), (right, up(tick)), ink=GRID)
        canvas.text(left - 8, up(tick), words, anchor="end")
    for tick, words in counts(len(failing) - 1):
        canvas.text(across(tick), bottom + 14, words, anchor="middle")
    canvas.line((left, bottom), (right, bottom), ink=AXIS)
    canvas.upward(14, (top + bottom) / 2, _TITLE)
    canvas.text((left + right) / 2, _HEIGHT - 10, "Step", anchor="middle", ink=SOFT)
    stairs = [(across(0), up(failing[0]))]
    for index in range(1, len(failing)):
        stairs += [(across(index), up(failing[index - 1])), (across(index), up(failing[index]))]
    canvas.path([(left, bottom), *stairs, (right, bottom)], ink=AFTER, filled=True)
    canvas.path(stairs, ink=AFTER, filled=False)
    return canvas.svg(label=label)
