"""Charts of the fields: how far each was generalised, and how much of its precision is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..facts import FieldFacts
from ..markup import Html
from ..number_text import counted, one_line, percent
from ..readings import level_name, level_shares
from .svg_canvas import (
    AFTER,
    FAINT,
    INK,
    REACHED,
    SOFT,
    WIDTH,
    Bar,
    Canvas,
    fitted,
    lying_bars,
    shares,
    short_names,
)

_NAMES, _ROOM_FOR_WORDS, _ROOM_FOR_NUMBERS, _TOP = 170, 92, 56, 48
_TITLE = "Level: 0 is the value itself, each step to the right is coarser"


def ladder(fields: Sequence[FieldFacts]) -> Html | None:
    """Each field's levels as steps from the value itself to nothing; the deeper a step's colour,
    the more rows."""
    if not fields:
        return None
    deepest = max(len(field.rows_at_level) for field in fields)
    room = (WIDTH - _NAMES) / deepest
    high = 62 if room >= _ROOM_FOR_WORDS else 40
    canvas = Canvas(_TOP + high * len(fields) + 8)
    middle = _NAMES + (WIDTH - _NAMES) / 2
    canvas.text(middle, 10, _TITLE, anchor="middle", ink=SOFT)
    for level in range(deepest):
        canvas.text(_NAMES + room * (level + 0.5), 34, str(level), anchor="middle", ink=SOFT)
    said = []
    names = short_names([field.name for field in fields], limit=22)
    for line, (name, field) in enumerate(zip(names, fields, strict=True)):
        y = _TOP + high * line
        canvas.text(_NAMES - 10, y + high / 2, fitted(name, _NAMES - 12), anchor="end")
        for step in _steps(field):
            x = _NAMES + room * step.level
            colour = _shade(step.share) if step.share else FAINT
            canvas.rect(x + 2, y + 2, room - 4, high - 4, fill=colour, round_by=5)
            _write(canvas, step, x + room / 2, y + high / 2, room=room)
            if step.share:
                said.append(f"{name}: {step.reached} at level {step.level}, {step.name}")
    return canvas.svg(label=f"Levels chosen per field. {'; '.join(said)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One level of a field: its name, and the share of rows there or else how many labels it would
    leave."""

    level: int
    share: float
    name: str
    reached: str
    note: str


def _steps(field: FieldFacts) -> Iterator[_Step]:
    for level, share in enumerate(level_shares(field)):
        labels = field.labels_per_level[level] if level < len(field.labels_per_level) else 0
        reached = percent(share)
        yield _Step(
            level=level,
            share=share,
            name=one_line(level_name(field, level), limit=24),
            reached=reached,
            note=f"{reached} of rows" if share else counted(labels, "value"),
        )


def _write(canvas: Canvas, step: _Step, x: float, y: float, *, room: float) -> None:
    """The text on a step: name and share where there is room, else the share, else nothing."""
    ink = "white" if step.share > 0.7 else INK
    if room >= _ROOM_FOR_WORDS:
        name = fitted(step.name, room - 12, size=12)
        canvas.text(x, y - 9, name, anchor="middle", ink=ink, size=12, bold=True)
        canvas.text(x, y + 9, step.note, anchor="middle", ink=ink, size=12)
    elif room >= _ROOM_FOR_NUMBERS and step.share:
        canvas.text(x, y, step.reached, anchor="middle", ink=ink, size=12)


def _shade(share: float) -> str:
    """The colour of a step that this share of the rows reached."""
    pairs = [(int(REACHED[at : at + 2], 16), int(AFTER[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in pairs)


def precision(per_field: Mapping[str, float], overall: float) -> Html | None:
    """How much of each field's precision is kept, with the mean of all as a line."""
    if not per_field:
        return None
    names = short_names(list(per_field), limit=32)
    bars = [
        Bar(place=name, value=value, label=percent(value))
        for name, value in zip(names, per_field.values(), strict=True)
    ]
    said = "; ".join(f"{bar.place} {bar.label}" for bar in bars)
    return lying_bars(
        bars,
        title="Precision kept",
        label=f"Precision kept per field: {said}; all fields {percent(overall)}.",
        ticks=shares(),
        line=32,
        mean=(overall, f"mean {percent(overall)}"),
    )
