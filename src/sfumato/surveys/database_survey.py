"""The survey of several tables: each by itself, then keys, links and the person, then a proposal
for every field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sfumato.engines import Database, TableView, reading_sentences
from sfumato.errors import SourceError
from sfumato.policy import Role
from sfumato.wording import counted

from .linked_proposals import agree_over_links
from .missing_values import null_words_of
from .records import Survey
from .safe_harbor import checklist
from .shifted_dates import without_telling_intervals
from .table_survey import survey_table, warnings_about
from .tables_arrangement import TableArrangement, arrange
from .tables_keys import Links, TableKey, candidate_keys, find_links
from .tables_people import choose_person, traits
from .tables_records import RowOwner, TablesSurvey, TableSurvey
from .tables_roles import FieldPlace, propose


def survey_tables(
    database: Database, *, max_combination: int = 3, progress: Callable[[str], None] | None = None
) -> TablesSurvey:
    """Report the owner of each table's rows and the links between tables, and propose a treatment
    for every field.

    `progress` is called with the table that is being surveyed. Raises SourceError where no table
    looks like one of people: the owner of the other rows could then only be guessed.

    Words for missing values that are found are null in the database from then on.

    Example:
        >>> from sfumato.engines import open_database
        >>> born = ["1980-01-02", "1985-11-30", "1991-05-17"]
        >>> patients = [{"patient_id": f"P{n}", "birth": day, "sex": "f"} for n, day in enumerate(born)]
        >>> visits = [{"visit_id": f"V{n}", "patient_id": f"P{n % 3}", "ward": "east"} for n in range(9)]
        >>> with open_database({"patients": patients, "visits": visits}, engine="reference") as rows:
        ...     found = survey_tables(rows)
        >>> found.entity, [(item.name, item.standing.value) for item in found.tables]
        ('patients.patient_id', [('patients', 'one row for each person'), ('visits', 'rows of people')])
    """
    told = progress or _say_nothing
    surveys: dict[str, Survey] = {}
    for name in database.tables():
        told(f"surveying {name}")
        view = database.view(TableView(table=name))
        surveys[name] = survey_table(view, max_combination=max_combination, table=name)
    database.read_as_null({name: null_words_of(_words(found)) for name, found in surveys.items()})
    told("looking for links")
    candidates = candidate_keys(surveys)
    links = find_links(database, surveys, candidates)
    keys = _chosen_keys(candidates, links)
    person = choose_person(
        surveys, keys, {name: [link.table for link in found] for name, found in links.items()}
    )
    if not person:
        raise _nobody(database, surveys)
    rows = {name: found.rows for name, found in surveys.items()}
    arranged = arrange(database, person, links, keys=keys, rows=rows)
    tables = tuple(
        _table(database, name, surveys[name], arranged, links) for name in arranged.order()
    )
    told("comparing dates")
    tables = without_telling_intervals(database, tables, arranged)
    told("looking for fields that determine those of other tables")
    tables, linked = agree_over_links(database, tables)
    return TablesSurvey(
        title=database.title,
        tables=tables,
        warnings=(*_warnings(tables, arranged), *linked.not_judged),
        reading=reading_sentences(database.snapshot().facts),
        linked=linked.found,
    )


def _words(found: Survey) -> dict[str, Mapping[str, int]]:
    return {item.name: item.null_words for item in found.fields if item.null_words}


def _say_nothing(what: str) -> None:
    pass


def _chosen_keys(candidates: tuple[TableKey, ...], links: Links) -> dict[str, str]:
    """One key for each table that has one: that which most links lead to, else the best."""
    incoming = [(link.table, link.key) for found in links.values() for link in found]
    out: dict[str, str] = {}
    possible = dict.fromkeys((*((key.table, key.field) for key in candidates), *incoming))
    for table, field in sorted(possible, key=lambda key: -incoming.count(key)):
        out.setdefault(table, field)
    return out


def _nobody(database: Database, surveys: Mapping[str, Survey]) -> SourceError:
    alike = [name for name, found in surveys.items() if traits(found)]
    return SourceError(
        f"No table of {database.title} looks like one with a row for each person.",
        found=f"{', '.join(alike)} is about people, but has no key that is different in every row."
        if alike
        else f"Nothing in {', '.join(surveys)} is what only people have, such as a birth date.",
        attempt="a policy of your own (docs/several-tables.md), or one table of it with --table.",
    )


def _table(
    database: Database, name: str, found: Survey, arranged: TableArrangement, links: Links
) -> TableSurvey:
    standing = arranged.standing(name)
    kept = arranged.links[name]
    key = arranged.keys.get(name, "") if name in arranged.linked else ""
    if standing is RowOwner.LEFT_OUT:
        reasons = ("no link leads from it to a person, and none from the others to it",)
        return TableSurvey(
            name=name, survey=found, standing=standing, key=key, links=kept, reasons=reasons
        )
    place = FieldPlace(
        standing=standing,
        key=key,
        links={link.field: link for link in kept},
        person=arranged.person,
        elsewhere={link.field: link.target for link in links[name] if link not in kept},
    )
    view = database.view(TableView(table=name))
    fields = tuple(propose(view, item, place) for item in found.fields)
    warnings = warnings_about(fields, key=None, rows=found.rows)
    found = replace(found, fields=fields, safe_harbor=checklist(fields), warnings=warnings)
    sets = tuple(
        item.name
        for item in fields
        if item.proposal.role is Role.SENSITIVE and item.proposal.hierarchy is not None
    )
    return TableSurvey(
        name=name,
        survey=found,
        standing=standing,
        key=key,
        links=kept,
        sets=sets,
        reasons=_reasons(name, found, arranged, standing),
        unused=tuple(link for link in links[name] if link not in kept),
    )


def _reasons(
    name: str, found: Survey, arranged: TableArrangement, standing: RowOwner
) -> tuple[str, ...]:
    if standing is RowOwner.OF_PEOPLE:
        way = " → ".join((name, *(link.table for link in arranged.paths[name])))
        return (f"{way}, by {arranged.links[name][0].field}",)
    if standing is RowOwner.REFERENCE:
        return ("others link to it, and no link leads from it to a person",)
    told = ", ".join(trait.value for trait in traits(found))
    leading = len(arranged.paths) - 1
    return (
        f"it has fields of people: {told}" if told else "its name says that it is about people",
        f"{counted(leading, 'other table leads', 'other tables lead')} to it",
    )


def _warnings(tables: tuple[TableSurvey, ...], arranged: TableArrangement) -> Iterator[str]:
    """Warnings to read before the proposals; the doubtful first."""
    for item in tables:
        if item.standing in (RowOwner.REFERENCE, RowOwner.LEFT_OUT) and traits(item.survey):
            yield (
                f"{item.name} looks like a table of people too, but {arranged.person} is "
                "taken for it."
            )
    yield from arranged.warnings
    left = [item.name for item in tables if item.standing is RowOwner.LEFT_OUT]
    if left:
        yield (
            f"Not released, because no link leads from there to {arranged.person} and none "
            "from the others to them: "
            f"{', '.join(left)}."
        )
    for item in tables:
        if item.orphans:
            yield (
                f"{item.orphans:,} of {item.survey.rows:,} rows of {item.name} belong to "
                f"nobody and are left out: {item.links[0].field} is missing, or leads to no "
                f"row of {item.links[0].table}."
            )
    for item in tables:
        if item.standing is not RowOwner.LEFT_OUT:
            yield from (f"{item.name}: {warning}" for warning in item.survey.warnings)
