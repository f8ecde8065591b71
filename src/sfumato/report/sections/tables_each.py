"""Table by table: where its rows went, what was done to its fields, and what its rows and sets no
longer tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..markup import Html, folded, section, table, tag
from ..number_text import counted, listed
from ..tables_diagram import bar_of_rows
from ..tables_facts import TableFacts, TablesFacts
from ..tables_readings import Kind, kinds
from .tables_rows import CHARTS, NUMBERS, row_counts
from .tables_sets import LOSS, sets

_OPEN = 16


def each(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    return section(
        "each",
        "Table by table",
        tag(
            "p",
            "Rows leave a table in four ways: with the row they hang on, so that no link "
            "leads nowhere; because too "
            "few people share their quasi-identifiers; because the number of rows that "
            "someone has would tell who it "
            "is; or because nobody knows whose they are.",
        ),
        *_how_to_read(facts, charts),
        *(
            _one(found, charts.get(f"rows-{at}"), at=at, whose=_whose(found, kind))
            for at, (found, kind) in enumerate(
                zip(facts.tables, kinds(facts), strict=True), start=1
            )
        ),
        tag(
            "p",
            "Roles: direct names a person; quasi may be known from elsewhere and, with "
            "others, point to one; sensitive "
            "is what must not be learned of a person; insensitive is neither; text is free text.",
            class_="fine",
        ),
    )


def _how_to_read(facts: TablesFacts, charts: Mapping[str, Html]) -> list[Html]:
    """What is the same for every table is said once, and only where a table has it."""
    said = []
    if any(found.row_counts is not None for found in facts.tables):
        said.append(NUMBERS + (CHARTS if charts else ""))
    if any(found.sets for found in facts.tables):
        said.append(LOSS)
    return [tag("p", words) for words in said]


def _whose(found: TableFacts, kind: Kind) -> str:
    if kind == "person":
        return (
            "The person's table, one row for each"
            if found.key
            else "The person's table, several rows for each"
        )
    return "Rows of people" if kind == "people" else "Rows of nobody, to look things up in"


def _one(found: TableFacts, chart: Html | None, *, at: int, whose: str) -> Html:
    facts = [whose, f"released as {found.file}"]
    facts += [f"key {found.key}"] if found.key else []
    facts += [f"{own} links to {target}" for own, target in found.links]
    parts = [
        tag("h3", found.name),
        tag("p", " · ".join(facts), class_="fine"),
        *_rows(found),
        _fields(found),
    ]
    if found.row_counts is not None:
        parts.append(row_counts(found.row_counts, chart))
    if found.sets:
        parts.append(sets(found.sets))
    return tag("div", *parts, class_="each", id=f"table-{at}")


def _rows(found: TableFacts) -> list[Html]:
    if not found.rows_source:
        return [tag("p", "The source holds no row of it.")]
    if found.rows_released == found.rows_source:
        return [tag("p", f"All of its {counted(found.rows_source, 'row')} are released.")]
    return [tag("h4", "Where its rows went"), bar_of_rows(found)]


def _fields(found: TableFacts) -> Html:
    """Every field with what was done to it; a long list is closed, under how many there are of each
    role."""
    if not found.fields:
        return tag("p", "It has no field.")
    shown = table(
        ("Field", "Role", "What was done"), found.fields, caption=f"Fields of {found.name}"
    )
    if len(found.fields) <= _OPEN:
        return tag("div", shown, class_="fields")
    roles = Counter(role for _, role, _ in found.fields)
    how_many = listed([f"{count} {role}" for role, count in roles.items()])
    return folded(
        f"Show the {counted(len(found.fields), 'field')}: {how_many}", shown, class_="fields"
    )
