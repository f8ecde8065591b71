"""The policy that a survey of several tables proposes, as a record and as a commented file for a
person to review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.engines import Database
from sfumato.policy import Policy, Role, SourceFormat, policy_as_toml, policy_from_table
from sfumato.wording import counted

from .database_survey import survey_tables
from .evidence import sentence
from .proposed_policy import (
    MAX_SUPPRESSION,
    WHY_KEPT,
    K,
    check_people,
    fields_table,
    reasons_of,
    source_section,
    wanted_fields,
    wrapped,
)
from .tables_records import RowOwner, TablesSurvey, TableSurvey

MANY_PEOPLE, FEW_PEOPLE = 5_000, 1_000
"""The least people for which pairs of values are proposed to be shared; with few people, hardly any
single value will be."""


def propose_tables(database: Database) -> str:
    """Survey a database and propose a policy for it, as the text of a file."""
    return proposed_tables_toml(survey_tables(database))


def propose_tables_policy(
    survey: TablesSurvey,
    *,
    name: str = "policy",
    folder: Path = Path(),
    source: SourceFormat | None = None,
) -> Policy:
    """The proposed policy. It is marked as proposed: nobody has decided anything yet. Raises
    SourceError where there are fewer people than must share what is released."""
    check_people(survey.title, survey.person.survey.rows)
    return policy_from_table(_table(survey) | source_section(source), name=name, folder=folder)


def proposed_tables_toml(survey: TablesSurvey, *, source: SourceFormat | None = None) -> str:
    """The proposed policy as the text of a file, with the reasons as comments."""
    policy = propose_tables_policy(survey, source=source)
    comments = {
        "entity": [
            "The person key, to which every link leads in the end: k counts people, not rows."
        ],
        "release_to": [
            "Anyone, who may know every quasi-identifier. Name another profile for a known "
            "recipient."
        ],
        "keep": [WHY_KEPT],
        "require": _why_these_requirements(survey),
        "solve": ["best: the recoding that loses least, or the best that 60 seconds find."],
    }
    comments |= {item.name: _why_table(item) for item in survey.released}
    comments |= {
        f"{item.name}.{name}": lines
        for item in survey.released
        for name, lines in reasons_of(
            item.fields, item.survey.dependences, linked=survey.disclosed.get(item.name, {})
        ).items()
    }
    return policy_as_toml(policy, comments=comments, header=_header(survey))


def _table(survey: TablesSurvey) -> dict[str, object]:
    require: dict[str, object] = {"k": K, "max_suppression": MAX_SUPPRESSION}
    sets = [
        {"table": item.name, "field": field, "k": K, "m": _m(survey)}
        for item in survey.released
        for field in item.sets
    ]
    wanted = [
        f"{item.name}.{name}" for item in survey.released for name in wanted_fields(item.fields)
    ]
    return {
        "proposed": True,
        "entity": survey.entity,
        "release_to": "public",
        **({"keep": wanted} if wanted else {}),
        "tables": {
            item.name: _one(item, survey.disclosed.get(item.name, {})) for item in survey.released
        },
        "require": require | ({"k_m": sets} if sets else {}),
        "solve": {"solver": "best"},
    }


def _one(item: TableSurvey, linked: Mapping[str, Sequence[str]]) -> dict[str, object]:
    out: dict[str, object] = {"key": item.key} if item.key else {}
    if item.links:
        out["links"] = {link.field: link.target for link in item.links}
    if item.orphans:
        out["orphans"] = "remove"
    return out | {"fields": fields_table(item.fields, item.survey.dependences, linked=linked)}


def _m(survey: TablesSurvey) -> int:
    """Pairs are rarer than values: among few people, keeping them shared would leave nothing of
    either."""
    return 2 if survey.person.survey.rows >= MANY_PEOPLE else 1


def _header(survey: TablesSurvey) -> list[str]:
    rows = sum(item.survey.rows for item in survey.tables)
    return [
        f"Proposed by sfumato survey from {survey.title}: {counted(len(survey.tables), 'table')}, "
        f"{counted(rows, 'row')}.",
        "",
        "A survey proposes; a person decides. It knows names, patterns and counts. It does "
        "not know what others",
        "know about these people, so it cannot find every quasi-identifier, and it finds "
        "links by names and values",
        "where none are declared. Go through every table and field below, change what is "
        "wrong, and then delete",
        "the line proposed = true. A field with open = true was not understood: no",
        "release passes before a person has decided about it.",
        *wrapped(line for warning in survey.warnings for line in ("", warning)),
    ]


def _why_table(item: TableSurvey) -> list[str]:
    lines = [
        f"{counted(item.survey.rows, 'row')}. {_WHOSE[item.standing]} {sentence(item.reasons)}"
    ]
    if item.standing is RowOwner.OF_PEOPLE:
        lines.append(
            "At least k people share each number of rows: where they do not, rows chosen at "
            "random are left out (row_counts)."
        )
    return wrapped(lines)


_WHOSE = {
    RowOwner.PEOPLE: "One for each person.",
    RowOwner.OF_PEOPLE: "Each belongs to a person.",
    RowOwner.REFERENCE: "They belong to nobody, so nothing is counted here, and fields that "
    "could be about someone are removed.",
}


def _why_these_requirements(survey: TablesSurvey) -> list[str]:
    lines = [
        f"k = {K}: any known quasi-identifiers of a person fit at least {K} people, in each "
        "table. For data",
        "that anyone may have, 5 is a common minimum, 11 stricter.",
        f"max_suppression = {MAX_SUPPRESSION}: the share of rows that may be suppressed, so "
        "that a few outliers do not coarsen everyone.",
    ]
    if any(item.sets for item in survey.released):
        known = "any two values" if _m(survey) == 2 else "any one value"
        lines.append(f"k_m: at least k people have {known} that a recipient may know of a person.")
        if survey.person.survey.rows < FEW_PEOPLE:
            lines.append(
                "With so few people, k_m may suppress all values: a hierarchy with fewer "
                "groups keeps more."
            )
    if not any(
        field.proposal.role is Role.QUASI for item in survey.released for field in item.fields
    ):
        lines.append("No field was recognised as a quasi-identifier: check that this is right.")
    return lines
