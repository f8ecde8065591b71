"""A survey of several tables for programs: plain dicts and lists for JSON. They hold no cell
value."""

from __future__ import annotations

from .survey_dict import survey_as_dict
from .tables_records import FoundLink, TablesSurvey, TableSurvey


def tables_survey_as_dict(survey: TablesSurvey) -> dict[str, object]:
    """The survey as plain dicts, lists, texts and numbers, for JSON."""
    return {
        "title": survey.title,
        "entity": survey.entity,
        "people": survey.person.survey.rows,
        "reading": list(survey.reading),
        "warnings": list(survey.warnings),
        "linked_twins": [
            {"table": each.table, "fields": list(each.fields), "determine": each.target}
            for each in survey.linked
        ],
        "tables": [_table_as_dict(item) for item in survey.tables],
    }


def _table_as_dict(item: TableSurvey) -> dict[str, object]:
    found = survey_as_dict(item.survey)
    del found["title"], found["entity"], found["reading"]
    return {
        "name": item.name,
        "standing": item.standing.value,
        "reasons": list(item.reasons),
        "key": item.key,
        "links": [_link_as_dict(link) for link in item.links],
        "sets": list(item.sets),
        "orphans": item.orphans,
        **found,
    }


def _link_as_dict(link: FoundLink) -> dict[str, object]:
    return {
        "field": link.field,
        "table": link.table,
        "key": link.key,
        "loose": link.loose,
        "missing": link.missing,
        "reasons": list(link.reasons),
    }
