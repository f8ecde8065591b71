"""The page of a sweep: one HTML file that loads and runs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.report import can_draw, counted, join, listed, tag, whole_page

from ..utility.ru_map import RuMap
from .ru_map_part import part


def render_ru_map(
    found: RuMap, *, title: str, created: str, version: str, rows: int, known: Sequence[str]
) -> str:
    """The page as text. Charts need the extra "assess"; without it their numbers are tables."""
    charts = {}
    if can_draw():
        from ..charts.ru_map_chart import draw

        charts = draw(found)
    opening = tag(
        "p",
        f"{counted(rows, 'row')}, of which the recipient may know "
        f"{listed(known, most=8) or 'nothing'}. "
        f"{counted(len(found.points), 'candidate')} over {found.over}.",
        class_="lead",
    )
    when = created.replace("T", " ").replace("+00:00", " UTC")
    body = join([opening, part(found, charts)])
    return whole_page(body, title=title, created=when, version=version, kind="Risk-utility map")
