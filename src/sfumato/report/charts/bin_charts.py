"""Charts of the bins: their sizes, and the chance to pick the right row."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts import BinFacts
from ..markup import Html
from ..number_text import number, one_in, percent
from ..readings import chances, classes
from .svg_canvas import AFTER, BEFORE, Bar, lying_bars, shares, standing_bars

WHEN = (("before", BEFORE), ("after", AFTER))


def bin_sizes(before: BinFacts, after: BinFacts) -> Html | None:
    """Rows by the size of the bin they are in; before and after side by side."""
    bars = [
        Bar(place=size, value=count, label=number(count), colour=colour)
        for size, *counts in classes(before, after)
        for (_, colour), count in zip(WHEN, counts, strict=True)
    ]
    if not bars:
        return None
    return standing_bars(
        bars,
        title="Rows that share the same values",
        upright="Rows of the table",
        label=_said(bars),
        legend=WHEN,
        height=320,
    )


def _said(bars: Sequence[Bar]) -> str:
    """The chart in words, for those who cannot see it."""
    when = {colour: name for name, colour in WHEN}
    spoken = "; ".join(
        f"{bar.label} rows {when[bar.colour]} with bin size {bar.place}" for bar in bars
    )
    return f"Rows by bin size, before and after: {spoken}."


def chance(before: BinFacts, after: BinFacts) -> Html | None:
    """The highest and the average chance to pick the right row, before and after."""
    found = [
        (name, Bar(place=what, value=1 / size, label=_words(size), colour=colour))
        for what, *sizes in chances(before, after)
        for (name, colour), size in zip(WHEN, sizes, strict=True)
        if size
    ]
    if not found:
        return None
    said = "; ".join(f"{bar.place} {when}: {bar.label}" for when, bar in found)
    return lying_bars(
        [bar for _, bar in found],
        title="Chance to pick the right row",
        label=f"Chance to pick the right row. {said}.",
        ticks=shares(),
        line=60,
        legend=WHEN,
    )


def _words(size: float) -> str:
    return f"{one_in(size)}  ({percent(1 / size)})"
