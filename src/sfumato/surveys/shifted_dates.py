"""Dates of linked tables: a shift keeps the days between a person's dates, so it is proposed only
where these single out hardly anybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sfumato.engines import Database, Engine, TableView
from sfumato.policy import Role

from .evidence import gather, percent
from .hierarchy_choice import propose_hierarchy
from .people_dates import DateEvents, Interval, PersonDates, date_events
from .records import SUPPRESS, FieldSurvey, LooksLike, Proposal
from .tables_arrangement import TableArrangement, person_view
from .tables_records import TableSurvey

FOUND = 0.05
"""An assessment is amber where one interval finds more people than this."""
MOST_ROWS = 5_000_000
"""The dates of more rows are not compared, and are assumed to single people out."""
MOST_PEOPLE = 100_000
"""The most people who are compared: fewer people have fewer equals, which overstates the share."""
FINEST = "month"


def without_telling_intervals(
    database: Database, tables: Sequence[TableSurvey], arranged: TableArrangement
) -> tuple[TableSurvey, ...]:
    """The tables; where one interval between shifted dates singles out too many people, their dates
    are generalised in place of shifted."""
    dated = [item for item in tables if item.name in arranged.paths and _shifted(item)]
    if not dated:
        return tuple(tables)
    why = _why_not_shifted(database, dated, arranged)
    if not why:
        return tuple(tables)
    return tuple(_generalised(database, item, why) if item in dated else item for item in tables)


def _shifted(item: TableSurvey) -> tuple[str, ...]:
    return tuple(one.name for one in item.fields if one.proposal.shift is not None)


def _why_not_shifted(
    database: Database, dated: Sequence[TableSurvey], arranged: TableArrangement
) -> str:
    """What the days between a person's dates disclose, in words; empty where that is little."""
    if sum(item.survey.rows for item in dated) > MOST_ROWS:
        return "so many dates were not compared, and the days between two usually single people out"
    events = date_events(_person_dates(database, item, arranged) for item in dated)
    share = found_by_one(events)
    if share <= FOUND:
        return ""
    return f"the days between two dates of a person, which a shift keeps, find {percent(share)}"


def _person_dates(database: Database, item: TableSurvey, arranged: TableArrangement) -> PersonDates:
    """The shifted dates of a table, with the person that its links lead to."""
    view, person = person_view(database, item.name, arranged)
    found = view.frequencies((person, *_shifted(item)))
    return PersonDates(table=item.name, person=person, frequencies=found)


def found_by_one(events: DateEvents) -> float:
    """The share of people whom a random interval between two of their dates singles out."""
    people = events.have_two
    if not len(people):
        return 0.0
    if len(people) > MOST_PEOPLE:
        people = people[np.linspace(0, len(people) - 1, MOST_PEOPLE).astype(int)]
    held = [events.intervals(person) for person in people.tolist()]
    owners: Counter[Interval] = Counter(one for intervals in held for one in intervals)
    alone = sum(sum(owners[one] == 1 for one in own) / len(own) for own in held)
    return alone / len(held) * len(events.have_two) / max(events.people, 1)


def _generalised(database: Database, item: TableSurvey, why: str) -> TableSurvey:
    view = database.view(TableView(table=item.name))
    fields = tuple(
        one if one.proposal.shift is None else _as_quasi(view, one, why) for one in item.fields
    )
    return replace(item, survey=replace(item.survey, fields=fields))


def _as_quasi(view: Engine, item: FieldSurvey, why: str) -> FieldSurvey:
    table, how = propose_hierarchy(view, gather(view, item.name), LooksLike.DATE)
    finest = None if table == SUPPRESS else FINEST
    reasons = ("someone may know when it happened", f"{why}: {how}, and no whole day is released")
    proposal = Proposal(
        role=Role.QUASI,
        reasons=reasons,
        hierarchy=table,
        finest=finest,
        open=item.proposal.open,
    )
    return replace(item, proposal=proposal)
