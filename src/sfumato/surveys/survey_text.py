"""A survey for people to read, as tables on a console. It shows no cell value."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sfumato.policy import Role
from sfumato.wording import counted

from .evidence import percent, sentence
from .records import ChecklistItem, Dependence, FieldSurvey, Presence, Survey, Uniqueness
from .twins import twin_sentence

ROLE_STYLES = {
    Role.DIRECT: "bold red",
    Role.QUASI: "yellow",
    Role.SENSITIVE: "magenta",
    Role.TEXT: "cyan",
    Role.INSENSITIVE: "green",
}
PRESENCE_STYLES = {
    Presence.FOUND: "bold red",
    Presence.CANNOT_TELL: "yellow",
    Presence.NOT_FOUND: "green",
}
WIDE = 110
"""Columns of a console that has room for counts beside the reasons."""
SHOWN = 25
"""Combinations in the table; the dictionary has all of them."""


def print_survey(survey: Survey, console: Console) -> None:
    """Print fields, Safe Harbor checklist, uniqueness and warnings."""
    title = escape(survey.title)
    console.print(
        f"[bold]{title}[/bold]: {counted(survey.rows, 'row')}, "
        f"{counted(len(survey.fields), 'field')}",
        highlight=False,
    )
    for sentence_ in survey.reading:
        console.print(Text(sentence_, style="dim"))
    for warning in survey.warnings:
        console.print(Text(f"! {warning}", style="yellow"))
    console.print(fields_table(survey.fields, width=console.width))
    if survey.twins:
        console.print(twins_table(survey.twins))
    console.print(checklist_table(survey.safe_harbor))
    console.print(uniqueness_table(survey.uniqueness))
    for note in survey.uniqueness.not_counted:
        console.print(Text(f"Not counted: {note}", style="dim"))
    console.print(Text("A survey proposes; a person decides.", style="italic"))


def fields_table(fields: Sequence[FieldSurvey], *, width: int, title: str = "Fields") -> Table:
    """One line for each field; where the console is narrow, counts give way to reasons."""
    wide = width >= WIDE
    table = Table(title=escape(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("field", overflow="fold")
    table.add_column("role", no_wrap=True)
    table.add_column("looks like")
    for heading in ("distinct", "missing", "unique") if wide else ():
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("sure", no_wrap=True)
    table.add_column("because", ratio=1)
    for item in fields:
        table.add_row(
            Text(item.name),
            Text(item.proposal.role.value, style=ROLE_STYLES[item.proposal.role]),
            item.looks_like.value,
            *(
                (f"{item.distinct:,}", percent(item.missing_share), percent(item.unique_share))
                if wide
                else ()
            ),
            bar(item.confidence, width=5),
            Text(_because(item)),
        )
    return table


def _because(item: FieldSurvey) -> str:
    return f"{sentence(item.likeness.reasons)} {sentence(item.proposal.reasons)}"


def twins_table(twins: Sequence[Dependence]) -> Table:
    """Fields that determine each other: protecting one has no effect while the other is in
    clear."""
    table = Table(
        title="Fields that determine each other",
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
    )
    table.add_column("kind", no_wrap=True)
    table.add_column("fields", overflow="fold", ratio=1)
    for found in twins[:SHOWN]:
        table.add_row(found.kind.value, Text(twin_sentence(found)))
    if len(twins) > SHOWN:
        table.caption = f"and {len(twins) - SHOWN} more"
    return table


def checklist_table(items: Sequence[ChecklistItem]) -> Table:
    table = Table(
        title="Safe Harbor: the 18 identifiers",
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
    )
    table.add_column("", justify="right")
    table.add_column("identifier")
    table.add_column("", no_wrap=True)
    table.add_column("fields", overflow="fold")
    table.add_column("note", ratio=1)
    for item in items:
        state = Text(item.presence.value, style=PRESENCE_STYLES[item.presence])
        table.add_row(
            str(item.number), item.identifier, state, Text(", ".join(item.fields)), item.note
        )
    return table


def uniqueness_table(found: Uniqueness, *, title: str = "How unique the rows are") -> Table:
    table = Table(title=escape(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("fields", overflow="fold")
    table.add_column("unique", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("rows per bin", justify="right", no_wrap=True)
    for each in found.counted[:SHOWN]:
        name = Text(" + ".join(each.fields))
        table.add_row(
            name, percent(each.unique_share), bar(each.unique_share), f"{each.average_bin:,.1f}"
        )
    hidden = len(found.counted) - SHOWN
    if hidden > 0:
        table.caption = f"and {hidden} more that are less unique"
    return table


def bar(share: float, *, width: int = 10) -> Text:
    """A little bar.

    Example:
        >>> bar(0.5, width=4).plain
        '██░░'
    """
    full = round(max(0.0, min(1.0, share)) * width)
    style = "red" if share >= 0.8 else "yellow" if share >= 0.2 else "green"
    return Text("█" * full + "░" * (width - full), style=style if width > 5 else "blue")
