"""The released facts about people: the tables whose rows can be linked to one person, and the
fields of them that somebody may know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import Mistake
from sfumato.policy import Field, Policy, Role
from sfumato.releases.tables import Sight, raw_view, sights
from sfumato.surveys import date_events

from .attacks import AttackRun
from .attacks.interval_linkage import interval_linkage
from .case import Case
from .risk.date_intervals import IntervalFindings, interval_findings
from .risk.group_risk import GroupRisks, group_risks
from .risk.identifying_sets import (
    WORK,
    IdentifyingSets,
    identifying_sets,
    linked_identifying_sets,
)
from .risk.linked_group_risk import linked_group_risks
from .risk.person_facts import FactTable, person_facts
from .risk.unicity import TRIALS, Unicity, unicity

USUAL_M = 2
"""How many values a recipient is taken to know where the policy names no number."""
MOST_CELLS = 300_000_000
"""Beyond so many cells, people are not compared in memory."""
FEW_VALUES = 64
"""A field with at most so many values is one that a neighbour could know."""
QUICK_TRIALS, QUICK_WORK = 500, 5_000_000
REPLACED = "replaced or removed identifiers are known to nobody"
FREE_TEXT = "free text is not a value that somebody knows by chance"


@dataclass(frozen=True, kw_only=True)
class ReleasedFields:
    """Tables with the fields about people, those of them that are counted as known, and these with
    the harmless ones (`knowable`). It also has the omitted released fields, each with the reason.
    `source_tables` are the same tables of the source; none where it is not at hand."""

    tables: tuple[FactTable, ...]
    source_tables: tuple[FactTable, ...]
    known: tuple[str, ...]
    knowable: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def case_unicity(case: Case, released: ReleasedFields) -> Unicity:
    """How many released values single out the people of a case."""
    _check_size(released)
    m = policy_m(case.opened.policy)
    return unicity(
        person_facts(released.tables),
        known=released.known,
        knowable=released.knowable,
        m=USUAL_M if m is None else m,
        m_is_named=m is not None,
        chance=case.subject.generator("unicity"),
        trials=QUICK_TRIALS if case.asked.quick else TRIALS,
        left_out=released.left_out,
    )


def case_identifying_sets(case: Case, released: ReleasedFields) -> IdentifyingSets:
    """The smallest sets of released fields that single out rows, or people, of a case."""
    _check_size(released)
    work = QUICK_WORK if case.asked.quick else WORK
    if all(table.person is not None for table in released.tables):
        return linked_identifying_sets(released.tables, work=work)
    if len(released.tables) != 1:
        raise Mistake(
            "Sets of fields are counted in one table, or in several whose rows are linked to people.",
            found="Nothing in this release says whose a row is.",
        )
    return identifying_sets(released.tables[0], work=work)


def case_group_risks(released: ReleasedFields) -> GroupRisks:
    """The people who are easier to find than others by the known and the insensitive fields."""
    if any(table.person is not None for table in released.tables):
        return linked_group_risks(released.tables, released.knowable)
    if len(released.tables) != 1:
        raise Mistake(
            "Groups are compared in one table, or in several whose rows are linked to people.",
            found="Nothing in this release says whose a row is.",
        )
    rows = Bins.from_frequencies(released.tables[0].frequencies)
    return group_risks(rows.project(released.knowable))


def case_intervals(case: Case, released: ReleasedFields) -> IntervalFindings | None:
    """How many people the days between two of their dates single out; None without such dates."""
    _check_size(released)
    return interval_findings(
        date_events(released.tables),
        known=released.known,
        knowable=released.knowable,
        linked=any(table.person is not None for table in released.tables),
        chance=case.subject.generator("intervals between dates"),
    )


def attack_by_intervals(case: Case, released: ReleasedFields) -> AttackRun:
    """Look for people of the source by the days between two of their dates."""
    release = date_events(released.tables)
    source = [
        replace(table, fields=dates)
        for table in released.source_tables
        if (dates := tuple(one for one in table.fields if table.called(one) in release.kinds))
    ]
    return interval_linkage(
        release,
        date_events(source),
        chance=case.subject.generator("attack by intervals"),
    )


def few_valued_fields(case: Case, released: ReleasedFields) -> tuple[str, ...]:
    """Released fields with few values that are counted as unknown, though anybody might know
    them."""
    if len(released.tables) != 1 or released.tables[0].person is not None:
        return ()
    found = released.tables[0].frequencies
    values = dict(zip(found.fields, found.values, strict=True))
    others = (name for name in released.knowable if name not in case.subject.known)
    return tuple(name for name in others if 1 < len(values[name]) <= FEW_VALUES)


def policy_m(policy: Policy | None) -> int | None:
    """The m of the policy's requirements: how many values a recipient may know; None where none has
    one."""
    if policy is None:
        return None
    named = [getattr(asked, "m", None) for _, asked in policy.require.items()]
    return max((m for m in named if isinstance(m, int)), default=None)


def released_fields(case: Case) -> ReleasedFields:
    """One table with a row for each person, or all tables whose rows are linked to a person."""
    opened, seen = case.opened, case.opened.seen
    policy = opened.policy
    if seen.sight is None or policy is None or not policy.tables:
        decided = policy.fields if policy is not None else {}
        return _of_one(case, decided, person=None)
    if opened.database is None or not (seen.sight.linkable or not opened.facts):
        decided = policy.tables[seen.table].fields
        return _of_one(case, decided, person=seen.person)
    linked = {
        name: sight
        for name, sight in sights(policy).items()
        if sight.person is not None and (sight.linkable or not opened.facts)
    }
    tables, left_out, before = [], [], []
    several = len(policy.tables) > 1  # Rows of people in one file are called by their fields alone.
    for name, sight in linked.items():
        engine = opened.database.view(raw_view(sight))
        usable, apart = _split(engine, sight.policy.fields, sight)
        left_out += [(f"{name}.{field}" if several else field, why) for field, why in apart]
        if usable:
            own = name if several else ""
            table = FactTable(engine=engine, fields=usable, person=sight.person, name=own)
            tables.append(table)
            if opened.whole is not None:
                before.append(replace(table, engine=opened.whole.view(raw_view(sight))))
    every = tuple(table.called(field) for table in tables for field in table.fields)
    return ReleasedFields(
        tables=tuple(tables),
        source_tables=tuple(before),
        known=every,
        knowable=every,
        left_out=tuple(left_out),
    )


def _of_one(case: Case, decided: Mapping[str, Field], *, person: str | None) -> ReleasedFields:
    engine = case.subject.release
    usable, left_out = _split(engine, decided, case.opened.seen.sight, person=person)
    harmless = [name for name in usable if _role(decided, name) is Role.INSENSITIVE]
    known = tuple(name for name in usable if name in case.subject.known)
    source = case.subject.source
    tables = (FactTable(engine=engine, fields=usable, person=person),) if usable else ()
    return ReleasedFields(
        tables=tables,
        source_tables=tuple(replace(one, engine=source) for one in tables)
        if source is not None
        else (),
        known=known,
        knowable=tuple(dict.fromkeys((*known, *harmless))),
        left_out=tuple(left_out),
    )


def _split(
    engine: Engine,
    decided: Mapping[str, Field],
    sight: Sight | None,
    *,
    person: str | None = None,
) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    """The released fields of a table that are values of people, and the others with the reason.
    Fields that a view brings from other tables belong to these."""
    own = [info.name for info in engine.fields() if sight is None or info.name in decided]
    apart = dict(_apart(own, decided, sight, person))
    return tuple(name for name in own if name not in apart), list(apart.items())


def _apart(
    names: list[str], decided: Mapping[str, Field], sight: Sight | None, person: str | None
) -> Iterator[tuple[str, str]]:
    keys = {person, *((sight.policy.key, sight.person) if sight is not None else ())}
    keys |= {link.field for link in sight.policy.links} if sight is not None else set()
    for name in names:
        field = decided.get(name)
        if name in keys or (field is not None and field.role is Role.DIRECT):
            yield name, REPLACED
        elif field is not None and field.role is Role.TEXT:
            yield name, FREE_TEXT


def _role(decided: Mapping[str, Field], name: str) -> Role | None:
    return decided[name].role if name in decided else None


def _check_size(released: ReleasedFields) -> None:
    cells = sum(table.engine.count_rows() * len(table.fields) for table in released.tables)
    if cells > MOST_CELLS:
        raise Mistake(
            f"The release has {cells:,} cells about people, and {MOST_CELLS:,} fit in memory.",
            attempt="a sample of its people.",
        )
