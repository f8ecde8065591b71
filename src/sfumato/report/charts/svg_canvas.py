"""Charts of the release report, drawn as SVG by hand: a canvas, scales, ticks and bars.

A report is written with every release, so that its charts must cost nothing: Vega-Lite takes 0.13
CPU s for each and 95 MB on the disk. The assessment's pages, which have dozens of kinds, are drawn
by it (`vega_chart.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import floor, log, log10

from ..markup import Html, html
from ..number_text import number, one_line

WIDTH = 896
BEFORE, AFTER, REACHED, FAINT = "#a3a9ae", "#1f5f7a", "#c3d7df", "#f0f1f0"
INK, SOFT, GRID, AXIS = "#22272b", "#555e65", "#e6e9ea", "#c9ced1"
FONT = "Helvetica Neue, Arial, Liberation Sans, sans-serif"
SIZE = 13

_SPOKEN = 900
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]-/ "), frozenset("mwMW@%")

Scale = Callable[[float], float]
Tick = tuple[float, str]


def short_names(names: Sequence[str], *, limit: int = 24) -> list[str]:
    """Names cut to one line each and still distinct, since a chart puts equal names on one place.

    Example:
        >>> short_names(["a", "b\\nb", "b b"])
        ['a', 'b b', 'b b (2)']
    """
    seen: dict[str, int] = {}
    out = []
    for name in names:
        short = one_line(name, limit=limit)
        seen[short] = seen.get(short, 0) + 1
        out.append(short if seen[short] == 1 else f"{short} ({seen[short]})")
    return out


def spoken(label: str) -> str:
    """The label of a chart, no longer than somebody would listen to."""
    if len(label) <= _SPOKEN:
        return label
    return label[:_SPOKEN] + "… All numbers are in the table that follows."


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """Values from `low` to `high` as places from `start` to `end`.

    Example:
        >>> linear(0, 10, 100, 200)(5)
        150.0
    """
    step = (end - start) / ((high - low) or 1)
    return lambda value: start + (value - low) * step


def logarithmic(low: float, high: float, start: float, end: float, *, plus: float = 0) -> Scale:
    """The same by logarithms; `plus` is added to each value first, so that 0 has a place.

    Example:
        >>> logarithmic(1, 100, 0, 20)(10)
        10.0
    """
    over = linear(log(low + plus), log(high + plus), start, end)
    return lambda value: over(log(value + plus))


def round_ticks(most: float, *, about: int = 5) -> list[float]:
    """Round numbers from 0 to at most `most`, for counts: 1, 2 or 5 times a power of ten apart.

    Example:
        >>> round_ticks(5612)
        [0, 1000, 2000, 3000, 4000, 5000]
        >>> round_ticks(2)
        [0, 1, 2]
    """
    rough = max(most / about, 1)
    power = 10 ** floor(log10(rough))
    step = next(digit * power for digit in (1, 2, 5, 10) if most / (digit * power) < about + 1)
    return [at * step for at in range(int(most / step) + 1)]


def counts(most: float) -> list[Tick]:
    """The ticks of an axis of counts, with their words."""
    return [(tick, number(int(tick))) for tick in round_ticks(most)]


def shares() -> list[Tick]:
    """The ticks of an axis of shares."""
    return [(quarter / 4, f"{quarter * 25} %") for quarter in range(5)]


def text_width(words: str, *, size: float = SIZE) -> float:
    """About how wide words are drawn, in pixels: fonts differ, and this is not less than most."""
    em = sum(
        0.34 if letter in _NARROW else 0.9 if letter in _WIDE or ord(letter) > 0x2E7F else 0.6
        for letter in words
    )
    return em * size


def fitted(words: str, room: float, *, size: float = SIZE) -> str:
    """Words cut with an ellipsis to what fits."""
    if text_width(words, size=size) <= room:
        return words
    kept = words
    while kept and text_width(kept + "…", size=size) > room:
        kept = kept[:-1]
    return kept + "…"


@dataclass(slots=True)
class Canvas:
    """Elements of one SVG, in the order in which they are drawn."""

    height: float
    width: float = WIDTH
    parts: list[str] = field(default_factory=list)

    def rect(
        self, x: float, y: float, wide: float, high: float, *, fill: str, round_by: float = 2
    ) -> None:
        self.parts.append(
            f'<rect x="{_px(x)}" y="{_px(y)}" width="{_px(max(wide, 0))}" '
            f'height="{_px(max(high, 0))}" rx="{_px(round_by)}" fill="{fill}"/>'
        )

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        ink: str,
        dashed: bool = False,
    ) -> None:
        dash = ' stroke-dasharray="4,3" opacity="0.7"' if dashed else ""
        self.parts.append(
            f'<line x1="{_px(start[0])}" y1="{_px(start[1])}" x2="{_px(end[0])}" '
            f'y2="{_px(end[1])}" stroke="{ink}"{dash}/>'
        )

    def path(self, places: Iterable[tuple[float, float]], *, ink: str, filled: bool) -> None:
        """A line through places, or the area that it encloses."""
        steps = "L".join(f"{_px(x)},{_px(y)}" for x, y in places)
        paint = (
            f'fill="{ink}" fill-opacity="0.15"'
            if filled
            else f'fill="none" stroke="{ink}" stroke-width="2"'
        )
        self.parts.append(f'<path d="M{steps}" {paint}/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "start",
        ink: str = INK,
        size: float = SIZE,
        bold: bool = False,
    ) -> None:
        """Words whose middle line is at `y`."""
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{_px(x)}" y="{_px(y + size * 0.35)}" text-anchor="{anchor}" fill="{ink}" '
            f'font-size="{_px(size)}"{weight}>{html(words)}</text>'
        )

    def upward(self, x: float, y: float, words: str) -> None:
        """The name of an upright axis, written from below to above."""
        self.parts.append(
            f'<text transform="translate({_px(x)},{_px(y)}) rotate(-90)" text-anchor="middle" '
            f'fill="{SOFT}" font-size="{SIZE}">{html(words)}</text>'
        )

    def legend(self, entries: Sequence[tuple[str, str]], *, x: float) -> None:
        """Names with their colours, in the first line of the chart."""
        for words, colour in entries:
            self.rect(x, 4, 12, 12, fill=colour, round_by=1)
            self.text(x + 18, 10, words)
            x += 18 + text_width(words) + 20

    def svg(self, *, label: str) -> Html:
        """The chart. `label` is read aloud."""
        size = f'width="{_px(self.width)}" height="{_px(self.height)}"'
        return Html(
            f'<svg role="img" aria-label="{html(spoken(label))}" font-family="{FONT}" {size} '
            f'viewBox="0 0 {_px(self.width)} {_px(self.height)}">{"".join(self.parts)}</svg>'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its line or place, its length, and the text beside it."""

    place: str
    value: float
    label: str
    colour: str = AFTER


def lying_bars(
    bars: Sequence[Bar],
    *,
    title: str,
    label: str,
    ticks: Sequence[Tick],
    line: float,
    legend: Sequence[tuple[str, str]] = (),
    mean: Tick | None = None,
    names_title: str = "",
    names: float = 280,
) -> Html:
    """Bars from left to right, those of one place together; `line` is the height of a place."""
    places = list(dict.fromkeys(bar.place for bar in bars))
    top = (26 if legend else 4) + (18 if mean else 0)
    left = min(max(map(text_width, places)), names) + 12 + (24 if names_title else 0)
    bottom = top + line * len(places)
    canvas = Canvas(bottom + 48)
    longest = max(bar.value for bar in bars)
    last = max(longest, ticks[-1][0])
    beside = max(text_width(bar.label) for bar in bars) + 16
    across = linear(0, last or 1, left, WIDTH - 8 - beside)
    canvas.legend(legend, x=left)
    for at, words in ticks:
        canvas.line((across(at), top), (across(at), bottom), ink=GRID)
        canvas.text(across(at), bottom + 14, words, anchor="middle")
    canvas.text((left + across(last)) / 2, bottom + 36, title, anchor="middle", ink=SOFT)
    if names_title:
        canvas.upward(12, (top + bottom) / 2, names_title)
    for at, place in enumerate(places):
        own = [bar for bar in bars if bar.place == place]
        thick = min(20, line * 0.82 / len(own))
        first = top + line * (at + 0.5) - thick * len(own) / 2
        canvas.text(left - 8, top + line * (at + 0.5), fitted(place, names), anchor="end")
        for index, bar in enumerate(own):
            y = first + index * thick
            canvas.rect(left, y, across(bar.value) - left, thick - 1, fill=bar.colour)
            canvas.text(across(bar.value) + 8, y + thick / 2, bar.label)
    if mean is not None:
        canvas.line((across(mean[0]), top - 4), (across(mean[0]), bottom), ink=INK, dashed=True)
        canvas.text(across(mean[0]) + 5, top - 8, mean[1], ink=SOFT)
    return canvas.svg(label=label)


def standing_bars(
    bars: Sequence[Bar],
    *,
    title: str,
    upright: str,
    label: str,
    legend: Sequence[tuple[str, str]],
    height: float,
) -> Html:
    """Bars from below to above, those of one place side by side."""
    places = list(dict.fromkeys(bar.place for bar in bars))
    ticks = counts(max(bar.value for bar in bars) or 1)
    top, bottom, right = 46, height - 48, WIDTH - 8
    left = 34 + max(text_width(words) for _, words in ticks)
    canvas = Canvas(height)
    up = linear(0, max(ticks[-1][0], *(bar.value for bar in bars)), bottom, top)
    canvas.legend(legend, x=left)
    canvas.upward(14, (top + bottom) / 2, upright)
    for tick, words in ticks:
        canvas.line((left, up(tick)), (right, up(tick)), ink=GRID)
        canvas.text(left - 8, up(tick), words, anchor="end")
    canvas.line((left, bottom), (right, bottom), ink=AXIS)
    canvas.text((left + right) / 2, height - 10, title, anchor="middle", ink=SOFT)
    room = (right - left) / len(places)
    for at, place in enumerate(places):
        own = [bar for bar in bars if bar.place == place]
        wide = min(60, room * 0.84 / len(own))
        middle = left + room * (at + 0.5)
        canvas.text(middle, bottom + 14, fitted(place, room - 4), anchor="middle")
        for index, bar in enumerate(own):
            x = middle - wide * len(own) / 2 + index * wide
            canvas.rect(x, up(bar.value), wide - 1, bottom - up(bar.value), fill=bar.colour)
            canvas.text(x + wide / 2, up(bar.value) - 9, bar.label, anchor="middle", size=12)
    return canvas.svg(label=label)


def _px(value: float) -> str:
    """A length in pixels, with no more digits than a screen shows."""
    return f"{value:.1f}".removesuffix(".0")
