"""The hierarchies as folding trees, without the values of the data and without labels of one
value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sfumato.hierarchies import Hierarchy, Node, outline

from ..facts import ReportFacts
from ..markup import Html, folded, section, tag
from ..number_text import counted, number

# How many children of a label are drawn: fewer where the tree would be larger than a reader would
# open.
_WIDTHS = (12, 8, 5, 3, 2)
_NUMBERS = re.compile(r"([0-9]+)")
_NODES, _ON_PAPER = 300, 60


def hierarchies(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    drawn = [_drawn(name, found) for name, found in facts.hierarchies.items()]
    return section(
        "hierarchies",
        "The hierarchies",
        tag(
            "p",
            "What the values of a field become, level by level. The values themselves are "
            "not shown, nor any label "
            "that covers a single value.",
        )
        if drawn
        else tag("p", "No field has a hierarchy."),
        *drawn,
    )


def _title(name: str, hierarchy: Hierarchy) -> str:
    sizes = " → ".join(number(len(labels)) for labels in hierarchy.labels)
    return f"{name}: {counted(hierarchy.height + 1, 'level')}, {sizes} different values"


def _drawn(name: str, hierarchy: Hierarchy) -> Html:
    """A tree under its title; a long one stays closed on paper too."""
    roots = _fitting(hierarchy)
    tree = tag("ul", _branches(roots, 0), class_="hierarchy")
    return folded(
        _title(name, hierarchy), tree, class_="long" if sum(map(_size, roots)) > _ON_PAPER else ""
    )


def _fitting(hierarchy: Hierarchy) -> tuple[Node, ...]:
    """The widest drawing that is not too large to read."""
    roots: tuple[Node, ...] = ()
    for width in _WIDTHS:
        roots = outline(hierarchy, max_children=width, values=False)
        if sum(map(_size, roots)) <= _NODES:
            return roots
    return roots


def _size(node: Node) -> int:
    return 1 + sum(map(_size, node.children))


def _branches(nodes: Sequence[Node], more: int) -> Html:
    """Siblings: those of several values by name, the others only counted.

    A label over a single value may be that value, which is a cell of the source.
    """
    named = sorted((node for node in nodes if node.values > 1), key=_as_read)[:_NODES]
    single = sum(node.values <= 1 for node in nodes)
    items = [_item(node) for node in named]
    if single:
        items.append(tag("li", f"… {number(single)} with one value", class_="fine"))
    rest = more + len(nodes) - len(named) - single
    if rest:
        items.append(tag("li", f"… {number(rest)} more", class_="fine"))
    return Html("".join(items))


def _as_read(node: Node) -> list[tuple[int, str]]:
    """The order a reader expects: numbers within labels by size, so that 5–9 is before 10–14."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part)
        for part in _NUMBERS.split(node.label)
        if part
    ]


def _item(node: Node) -> Html:
    if not node.children:
        return tag("li", node.caption)
    return tag("li", folded(node.caption, tag("ul", _branches(node.children, node.more))))
