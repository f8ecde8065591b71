"""A survey in one line, and as a table for a notebook. Neither shows a cell value."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.policy import Role
from sfumato.wording import counted, some_of

from .evidence import percent, sentence
from .records import FieldSurvey, Survey
from .tables_records import TablesSurvey

SHOWN = 5
"""The most names of fields in a line, and of combinations below the table."""


def summarise_survey(survey: Survey) -> str:
    """Rows, fields and proposed roles."""
    rows, fields = counted(survey.rows, "row"), counted(len(survey.fields), "field")
    return f"Survey of {survey.title}: {rows}, {fields}: {_roles(survey.fields)}"


def _roles(fields: Sequence[FieldSurvey]) -> str:
    named = {role: [item.name for item in fields if item.proposal.role is role] for role in Role}
    said = (
        f"{len(names)} {role.value} ({some_of(names, SHOWN)})"
        for role, names in named.items()
        if names
    )
    return ", ".join(said) or "none"


def summarise_tables(survey: TablesSurvey) -> str:
    """The tables, and how many rows each has."""
    said = (f"{item.name} ({counted(item.survey.rows, 'row')})" for item in survey.tables)
    tables = counted(len(survey.tables), "table")
    return f"Survey of {survey.title}: {tables}: {', '.join(said)}; person key {survey.entity}"


def survey_markup(survey: Survey) -> str:
    """One line for each field, then the most identifying combinations, then the warnings."""
    title = f"<b>{escape(survey.title)}</b>: {counted(survey.rows, 'row')}"
    return (
        f"<div>{title}{_field_table(survey.fields)}{_combinations(survey)}"
        f"{_warnings(survey.warnings)}<p>A survey proposes; a person decides.</p></div>"
    )


def tables_markup(survey: TablesSurvey) -> str:
    """The same for each of several tables."""
    parts = "".join(
        f"<p><b>{escape(item.name)}</b>: {counted(item.survey.rows, 'row')}, "
        f"{item.standing.value}</p>{_field_table(item.fields)}"
        for item in survey.tables
    )
    return (
        f"<div>{parts}{_warnings(survey.warnings)}<p>A survey proposes; a person decides.</p></div>"
    )


def _field_table(fields: Sequence[FieldSurvey]) -> str:
    headings = "field", "role", "looks like", "distinct", "missing", "unique", "because"
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, fields))}</tbody></table>"
    )


def _row(item: FieldSurvey) -> str:
    cells = (
        item.name,
        item.proposal.role.value,
        item.looks_like.value,
        f"{item.distinct:,}",
        percent(item.missing_share),
        percent(item.unique_share),
        sentence(item.proposal.reasons),
    )
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _combinations(survey: Survey) -> str:
    found = survey.uniqueness.counted[:SHOWN]
    if not found:
        return ""
    said = "".join(
        f"<li>{escape(', '.join(each.fields))}: {percent(each.unique_share)} of rows have a unique "
        "combination</li>"
        for each in found
    )
    return f"<p>Most identifying:</p><ul>{said}</ul>"


def _warnings(warnings: Sequence[str]) -> str:
    return (
        f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in warnings)}</ul>" if warnings else ""
    )
