"""A survey for people to read, as tables on a console. It shows no cell value."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sfumato.policy.records import Role

from .evidence import percent, sentence
from .records import FieldSurvey, Presence, Survey

ROLE_STYLES = {
    Role.DIRECT: "bold red",
    Role.QUASI: "yellow",
    Role.SENSITIVE: "magenta",
    Role.TEXT: "cyan",
    Role.INSENSITIVE: "green",
}
PRESENCE_STYLES = {Presence.FOUND: "bold red", Presence.CANNOT_TELL: "yellow", Presence.NOT_FOUND: "green"}
SHOWN = 25
"""Combinations in the table; the dictionary has all of them."""


def print_survey(survey: Survey, console: Console) -> None:
    """Print fields, Safe Harbor checklist, uniqueness and warnings."""
    title = escape(survey.title)
    console.print(f"[bold]{title}[/bold]: {survey.rows:,} rows, {len(survey.fields)} fields", highlight=False)
    for warning in survey.warnings:
        console.print(Text(f"! {warning}", style="yellow"))
    console.print(_fields(survey))
    console.print(_checklist(survey))
    console.print(_uniqueness(survey))
    for note in survey.uniqueness.not_counted:
        console.print(Text(f"Not counted: {note}", style="dim"))
    console.print(Text("A survey proposes; a person decides.", style="italic"))


def _fields(survey: Survey) -> Table:
    table = Table(title="Fields", title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("field", overflow="fold")
    table.add_column("role", no_wrap=True)
    table.add_column("looks like")
    for heading in ("distinct", "missing", "unique"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("sure", no_wrap=True)
    table.add_column("because", ratio=1)
    for item in survey.fields:
        table.add_row(
            Text(item.name),
            Text(item.proposal.role.value, style=ROLE_STYLES[item.proposal.role]),
            item.looks_like.value,
            f"{item.distinct:,}",
            percent(item.missing_share),
            percent(item.unique_share),
            bar(item.confidence, width=5),
            Text(_because(item)),
        )
    return table


def _because(item: FieldSurvey) -> str:
    return f"{sentence(item.likeness.reasons)} {sentence(item.proposal.reasons)}"


def _checklist(survey: Survey) -> Table:
    table = Table(title="Safe Harbor: the 18 identifiers", title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("", justify="right")
    table.add_column("identifier")
    table.add_column("", no_wrap=True)
    table.add_column("fields", overflow="fold")
    table.add_column("note", ratio=1)
    for item in survey.safe_harbor:
        state = Text(item.presence.value, style=PRESENCE_STYLES[item.presence])
        table.add_row(str(item.number), item.identifier, state, Text(", ".join(item.fields)), item.note)
    return table


def _uniqueness(survey: Survey) -> Table:
    table = Table(title="How unique the rows are", title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("fields", overflow="fold")
    table.add_column("unique", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("rows per bin", justify="right", no_wrap=True)
    for found in survey.uniqueness.counted[:SHOWN]:
        name = Text(" + ".join(found.fields))
        table.add_row(name, percent(found.unique_share), bar(found.unique_share), f"{found.average_bin:,.1f}")
    hidden = len(survey.uniqueness.counted) - SHOWN
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
