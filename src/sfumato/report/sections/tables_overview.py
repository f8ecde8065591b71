"""The tables at a glance: a drawing of them and their links, and their rows in numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..markup import Html, figure, section, table, tag
from ..number_text import number, percent, share_of
from ..tables_diagram import linked_tables
from ..tables_facts import TableFacts, TablesFacts


def overview(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    """Nothing where there is only one table: it has no links."""
    if len(facts.tables) < 2:
        return Html("")
    numbers = table(
        ("Table", "Rows in the source", "Rows released", "Share", "Links"),
        [_line(at, found) for at, found in enumerate(facts.tables, start=1)],
        caption="Tables of the release",
        numeric={1, 2, 3},
    )
    caption = (
        "Arrows lead from a field to the row that it names. The bar in a box is the share "
        "of its rows that is "
        "released. A click on a box leads to what happened to it."
    )
    return section(
        "tables",
        "The tables and their links",
        tag(
            "p",
            "The person's table is framed in colour; a row of any other belongs to the "
            "person that its links lead to. Tables with a dashed frame are not about people: "
            "other tables refer to their rows.",
        ),
        figure(linked_tables(facts), caption, numbers),
    )


def _line(at: int, found: TableFacts) -> tuple[str, ...]:
    return (
        tag("a", found.name, href=f"#table-{at}"),
        number(found.rows_source),
        number(found.rows_released),
        percent(share_of(found.rows_released, found.rows_source)) if found.rows_source else "–",
        ", ".join(f"{own} → {target}" for own, target in found.links) or "–",
    )
