"""The drawing of the tables and the bars of their rows: SVG made by hand, coloured by the page's
style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from unicodedata import east_asian_width

from .markup import Html, join, tag
from .number_text import counted, number, one_line, percent, share_of
from .tables_facts import TableFacts, TablesFacts
from .tables_layout import LINE, TITLE, Layout, laid_out
from .tables_readings import Kind, fates, kinds, parents, person_table

_MARGIN, _SIDE, _LETTER = 6.0, 14.0, 7.4
_BAR, _LEAST = 1000.0, 6.0


def linked_tables(facts: TablesFacts) -> Html:
    """A box for each table and an arrow for each link, from the field that has it to the row that
    it names."""
    layout = laid_out(parents(facts), person=person_table(facts))
    boxes = [
        _box(table, layout, at, kind=kind)
        for at, (table, kind) in enumerate(zip(facts.tables, kinds(facts), strict=True))
    ]
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    return tag(
        "svg",
        *(_arrow(points) for points in layout.arrows),
        *boxes,
        class_="links",
        role="img",
        aria_label=_said(facts),
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        style=f"width: {width:.0f}px",
        viewBox=f"{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}",
    )


def _said(facts: TablesFacts) -> str:
    """The drawing in words, for those who cannot see it; the numbers are in the table below it."""
    links = [
        f"{table.name} links to {target}" for table in facts.tables for _, target in table.links
    ]
    return f"{counted(len(facts.tables), 'table')}. {'; '.join(links[:40])}"


def _box(table: TableFacts, layout: Layout, at: int, *, kind: Kind) -> Html:
    """The content of a box: the owner of the table, its name, how many of its rows are released,
    and its links."""
    left, top, height = layout.boxes[at]
    room = int((layout.box - 2 * _SIDE) / _LETTER)
    full = layout.box - 2 * _SIDE
    inside = [
        tag(
            "rect",
            x="1",
            y="1",
            width=_px(layout.box - 2),
            height=_px(height - 2),
            rx="8",
            class_="frame",
        ),
        _text(_kind(table, kind), y=20, class_="kind"),
        _text(_fitting(table.name, room=room * 0.8), y=38, class_="name"),
        _text(_rows(table, limit=room), y=54, class_="rows"),
        tag("rect", x=_px(_SIDE), y="61", width=_px(full), height="4", rx="2", class_="all"),
        tag(
            "rect",
            x=_px(_SIDE),
            y="61",
            width=_px(full * _share(table)),
            height="4",
            rx="2",
            class_="released",
        ),
        *(
            _text(
                f"↖ {_fitting(table.links[link][0], room=room - 2)}",
                y=TITLE + LINE * (line + 0.45),
                class_="link",
            )
            for line, link in enumerate(layout.lines[at])
        ),
    ]
    drawn = tag("g", *inside, transform=f"translate({_px(left)} {_px(top)})", class_=kind)
    return tag("a", drawn, href=f"#table-{at + 1}", aria_label=f"{table.name}: what happened to it")


def _kind(table: TableFacts, kind: Kind) -> str:
    if kind == "person":
        return "One row per person" if table.key else "Several rows per person"
    return "Rows of people" if kind == "people" else "Rows of nobody"


def _rows(table: TableFacts, *, limit: int) -> str:
    """Rows released of those in the source, shorter where a box is too small for all digits."""
    released, source = table.rows_released, table.rows_source
    size, name = (10**9, "billion") if source >= 10**9 else (10**6, "million")
    ways = [
        f"{number(released)} of {counted(source, 'row')}",
        f"{number(released)} of {number(source)}",
    ]
    if source >= size:
        ways += [
            f"{released / size:.2f} of {source / size:.2f} {name}",
            f"{released / size:.1f} of {source / size:.1f} {name}",
        ]
    return next((words for words in ways if len(words) <= limit), ways[-1])


def _fitting(name: str, *, room: float) -> str:
    """A name cut to so many letters of usual width; capitals are wider, and letters of some scripts
    twice as wide."""
    widths = [
        2.0 if east_asian_width(letter) in "WF" else 1.4 if letter.isupper() else 1.0
        for letter in name
    ]
    return one_line(name, limit=max(int(room / fmean(widths or [1.0])), 4))


def _text(words: str, *, y: float, class_: str) -> Html:
    return tag("text", words, x=_px(_SIDE), y=_px(y), class_=class_)


def _share(table: TableFacts) -> float:
    return min(share_of(table.rows_released, table.rows_source), 1.0)


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _arrow(points: Sequence[tuple[float, float]]) -> Html:
    """A line that starts at its box to the left and ends level, with a tip; between columns it
    bends."""
    tip = 9.0
    (x, y), *others = points
    line = [f"M{_px(x)} {_px(y)}"]
    for at, (to_x, to_y) in enumerate(others):
        end = to_x + (tip - 1 if at == len(others) - 1 else 0)
        half = (x + end) / 2
        line.append(f"C{_px(half)} {_px(y)} {_px(half)} {_px(to_y)} {_px(end)} {_px(to_y)}")
        x, y = to_x, to_y
    head = f"M{_px(x)} {_px(y)}l{_px(tip)} -4.5v9z"
    return join([tag("path", d="".join(line), class_="arrow"), tag("path", d=head, class_="tip")])


def bar_of_rows(table: TableFacts) -> Html:
    """One bar for the rows of a table, divided by their fates; even the shortest part can be
    seen."""
    found = fates(table)
    whole = sum(fate.rows for fate in found)
    wide = [max(_BAR * share_of(fate.rows, whole), _LEAST) for fate in found]
    scale = _BAR / sum(wide) if wide else 1.0
    parts, at = [], 0.0
    for fate, width in zip(found, wide, strict=True):
        parts.append(
            tag("rect", x=_px(at), y="0", width=_px(width * scale), height="20", class_=fate.kind)
        )
        at += width * scale
    spoken = "; ".join(f"{number(fate.rows)} {fate.words}" for fate in found)
    bar = tag(
        "svg",
        *parts,
        role="img",
        aria_label=f"Rows of {table.name}: {spoken}.",
        viewBox=f"0 0 {_BAR:.0f} 20",
        preserveAspectRatio="none",
    )
    legend = [
        tag(
            "li",
            tag("span", "", class_=f"swatch {fate.kind}"),
            tag("strong", number(fate.rows)),
            f" {fate.words} ",
            tag("span", f"({percent(share_of(fate.rows, whole))})", class_="fine"),
        )
        for fate in found
    ]
    return tag("div", bar, tag("ul", *legend), class_="bar")
