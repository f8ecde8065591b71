"""A survey of several tables for people to read, as tables on a console. It shows no cell value."""

from __future__ import annotations

from dataclasses import replace

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sfumato.wording import counted

from .records import ChecklistItem, Presence
from .survey_text import checklist_table, fields_table, twins_table, uniqueness_table
from .tables_records import RowOwner, TablesSurvey, TableSurvey

STYLES = {
    RowOwner.PEOPLE: "bold red",
    RowOwner.OF_PEOPLE: "yellow",
    RowOwner.REFERENCE: "green",
    RowOwner.LEFT_OUT: "dim",
}


def print_tables_survey(survey: TablesSurvey, console: Console) -> None:
    """Print the tables and their links, the fields of each, the Safe Harbor checklist, uniqueness
    and warnings."""
    rows = sum(item.survey.rows for item in survey.tables)
    people = survey.person.survey.rows
    console.print(
        f"[bold]{escape(survey.title)}[/bold]: {counted(len(survey.tables), 'table')}, "
        f"{counted(rows, 'row')}, {counted(people, 'person', 'people')} by {escape(survey.entity)}",
        highlight=False,
    )
    for sentence in survey.reading:
        console.print(Text(sentence, style="dim"))
    for warning in survey.warnings:
        console.print(Text(f"! {warning}", style="yellow"))
    console.print(tables_overview(survey))
    for item in survey.released:
        console.print(fields_table(item.fields, width=console.width, title=item.name))
        if item.survey.twins:
            console.print(twins_table(item.survey.twins))
    console.print(checklist_table(merged_checklist(survey)))
    console.print(
        uniqueness_table(
            survey.person.survey.uniqueness,
            title=f"How unique the rows of {survey.person.name} are",
        )
    )
    for note in survey.person.survey.uniqueness.not_counted:
        console.print(Text(f"Not counted: {note}", style="dim"))
    console.print(Text("A survey proposes; a person decides.", style="italic"))


def tables_overview(survey: TablesSurvey) -> Table:
    """The tables, whose rows they have, and how they are linked."""
    table = Table(title="Tables", title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("table", overflow="fold")
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("whose rows")
    table.add_column("key", overflow="fold")
    table.add_column("links", overflow="fold", ratio=1)
    for item in survey.tables:
        table.add_row(
            Text(item.name),
            f"{item.survey.rows:,}",
            Text(item.standing.value, style=STYLES[item.standing]),
            Text(item.key),
            Text(_links(item)),
        )
    return table


def _links(item: TableSurvey) -> str:
    return "\n".join(f"{link.field} → {link.table}" for link in item.links)


def merged_checklist(survey: TablesSurvey) -> tuple[ChecklistItem, ...]:
    """Each of the 18 identifiers over all tables: found where one has it, with fields as
    TABLE.FIELD."""
    order = (Presence.FOUND, Presence.CANNOT_TELL, Presence.NOT_FOUND)
    out: list[ChecklistItem] = []
    for items in zip(*(_named(item) for item in survey.tables), strict=True):
        worst = min(items, key=lambda item: order.index(item.presence))
        same = [item for item in items if item.presence is worst.presence]
        fields = tuple(field for item in same for field in item.fields)
        out.append(replace(worst, fields=fields))
    return tuple(out)


def _named(item: TableSurvey) -> tuple[ChecklistItem, ...]:
    return tuple(
        replace(entry, fields=tuple(f"{item.name}.{field}" for field in entry.fields))
        for entry in item.survey.safe_harbor
    )
