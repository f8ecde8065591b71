"""A survey on one screen: which fields have which role, and what a person has to decide. It shows no
cell value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sfumato.policy import Role
from sfumato.wording import agreeing, counted, some_of

from .evidence import percent
from .records import ChecklistItem, Dependence, FieldSurvey, LooksLike, Presence, Survey, Uniqueness
from .survey_text import ROLE_STYLES
from .tables_records import TablesSurvey
from .tables_text import merged_checklist, tables_overview
from .twins import twin_sentence

GUESS = 0.6
"""Below this confidence a person should review the likeness of a field."""
MOST_NAMED, MOST_TWINS = 12, 3
_CERTAIN = (LooksLike.CONSTANT, LooksLike.EMPTY)
_OPEN = "open"

Fields = Mapping[str, FieldSurvey]


def print_summary(survey: Survey, console: Console) -> None:
    """Print the decisions that a steward has to make about one table; `print_survey` has the
    reasons."""
    console.print(
        f"[bold]{escape(survey.title)}[/bold]: {counted(survey.rows, 'row')}, "
        f"{counted(len(survey.fields), 'field')}",
        highlight=False,
    )
    _print_all(
        console,
        fields={item.name: item for item in survey.fields},
        twins=survey.twins,
        checklist=survey.safe_harbor,
        uniqueness=survey.uniqueness,
        entity=survey.entity,
        reading=survey.reading,
    )


def print_tables_summary(survey: TablesSurvey, console: Console) -> None:
    """The same about several tables."""
    people = survey.person.survey.rows
    console.print(
        f"[bold]{escape(survey.title)}[/bold]: {counted(len(survey.tables), 'table')}, "
        f"{counted(people, 'person', 'people')} by {escape(survey.entity)}",
        highlight=False,
    )
    console.print(tables_overview(survey))
    _print_all(
        console,
        fields={
            f"{table.name}.{item.name}": item for table in survey.released for item in table.fields
        },
        twins=[found for table in survey.released for found in table.survey.twins],
        checklist=merged_checklist(survey),
        uniqueness=survey.person.survey.uniqueness,
        entity=None,
        reading=survey.reading,
        linked=[
            f"{table}.{name} ({', '.join(told)})"
            for table, fields in survey.disclosed.items()
            for name, told in fields.items()
        ],
    )


def _print_all(
    console: Console,
    *,
    fields: Fields,
    twins: Sequence[Dependence],
    checklist: Sequence[ChecklistItem],
    uniqueness: Uniqueness,
    entity: str | None,
    reading: Sequence[str],
    linked: Sequence[str] = (),
) -> None:
    for each in reading:
        console.print(Text(each, style="dim"))
    console.print(_roles(fields))
    console.print(Text("To decide", style="bold"))
    decisions = [
        *_about_fields(fields, entity=entity),
        *_about_twins(twins),
        *_about_links(linked),
        *_about_people(checklist, uniqueness),
    ]
    for number, each in enumerate(decisions, start=1):
        console.print(Text(f"{number}. {each}"))
    console.print(
        Text("A survey proposes; a person decides. --reasons says why, field by field.", "italic")
    )


def _roles(fields: Fields) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("proposed", no_wrap=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("fields", overflow="fold", ratio=1)
    for role in (Role.DIRECT, Role.QUASI, Role.SENSITIVE, Role.TEXT, Role.INSENSITIVE):
        names = [
            name
            for name, item in fields.items()
            if item.proposal.role is role and not item.proposal.open
        ]
        style = ROLE_STYLES[role]
        if names:
            table.add_row(
                Text(role.value, style=style), str(len(names)), Text(some_of(names, MOST_NAMED))
            )
    unknown = [name for name, item in fields.items() if item.proposal.open]
    if unknown:
        table.add_row(
            Text(_OPEN, style="bold yellow"), str(len(unknown)), Text(some_of(unknown, MOST_NAMED))
        )
    return table


def _open_in_clear(fields: Fields) -> list[str]:
    return [
        name
        for name, item in fields.items()
        if item.proposal.open and item.proposal.role is Role.SENSITIVE
    ]


def _about_fields(fields: Fields, *, entity: str | None) -> Iterator[str]:
    unknown = [name for name, item in fields.items() if item.proposal.open]
    if unknown:
        count = len(unknown)
        yield (
            f"{counted(count, 'field is', 'fields are')} open: may someone outside know "
            f"{agreeing(count, 'it', 'them')}? No release passes until you decide."
        )
    clear = _open_in_clear(fields)
    if clear:
        yield (
            f"{counted(len(clear), 'open field is', 'open fields are')} proposed as sensitive by "
            f"{agreeing(len(clear), 'its', 'their')} neighbours, and so released as "
            f"{agreeing(len(clear), 'it is', 'they are')}: {some_of(clear, MOST_NAMED)}."
        )
    guesses = [
        f"{name} ({item.looks_like.value})"
        for name, item in fields.items()
        if not item.proposal.open and item.confidence < GUESS and item.looks_like not in _CERTAIN
    ]
    if guesses:
        yield f"{counted(len(guesses), 'field is a guess', 'fields are guesses')}: {some_of(guesses, MOST_NAMED)}."
    if entity is not None:
        yield f"Rows are not people: is {entity} the person? k then counts people by it."
    sensitive = sum(item.proposal.role is Role.SENSITIVE for item in fields.values())
    if sensitive:
        yield (
            f"{counted(sensitive, 'sensitive field is', 'sensitive fields are')} released as "
            f"{agreeing(sensitive, 'it is', 'they are')}: could someone know a value from elsewhere?"
        )
    texts = [name for name, item in fields.items() if item.proposal.role is Role.TEXT]
    if texts:
        yield f"Free text is removed: {some_of(texts, MOST_NAMED)}. Should it be scrubbed instead?"


def _about_twins(twins: Sequence[Dependence]) -> Iterator[str]:
    if twins:
        told = "; ".join(twin_sentence(found) for found in twins[:MOST_TWINS])
        more = f"; and {len(twins) - MOST_TWINS} more" if len(twins) > MOST_TWINS else ""
        yield f"Fields that determine each other are treated alike, or one is left out: {told}{more}."


def _about_links(linked: Sequence[str]) -> Iterator[str]:
    if linked:
        yield (
            f"{counted(len(linked), 'field discloses', 'fields disclose')} a treated field of "
            f"another table over the links: {some_of(linked, MOST_NAMED)}. May "
            f"{agreeing(len(linked), 'it', 'they')} (may_tell)?"
        )


def _about_people(checklist: Sequence[ChecklistItem], uniqueness: Uniqueness) -> Iterator[str]:
    most = next((each for each in uniqueness.counted if each.unique), None)
    if most is not None:
        alone = percent(most.unique_share)
        if len(most.fields) == 1:
            yield f"{most.fields[0]} alone identifies {alone} of the rows: who knows it?"
        else:
            names = " + ".join(most.fields)
            yield f"{names} together identify {alone} of the rows: who knows them?"
    found = sum(item.presence is Presence.FOUND for item in checklist)
    unclear = sum(item.presence is Presence.CANNOT_TELL for item in checklist)
    there = counted(found, "is", "are")
    yield f"Of the 18 identifiers of Safe Harbor, {there} there and {unclear} cannot be decided."
