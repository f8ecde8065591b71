"""Re-checking a release of several tables from its policy and manifest, without the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sfumato.engines import Database, TableView
from sfumato.policy import Policy, ancestors
from sfumato.protection import Model

from ..checks import Check, same_as_said, verdict_checks
from ..field_checks import field_checks
from ..finished_release import Written
from ..manifest_agreement import people_left_out, recoding_checks, solver_check, words_check
from ..requirements import models_for
from ..solver_account import told_numeric
from ..suppression import NOBODY, limit_check, reasons_apart
from .one_table import as_tables
from .people_models import asks_more_than_k, models_of_people
from .quotas import row_count_bin_size
from .recount import TablesJudgement, TablesRecount, recount_tables
from .solver_choice import counts_people, solvers_asked
from .table_requirements import required_of_tables
from .table_view import Sight, known_in, sights

if TYPE_CHECKING:
    from ..outside_tables import Outside


def table_checks(
    release: Written, facts: dict[str, Any], policy: Policy, outside: Outside
) -> Iterator[Check]:
    """Digests, rows, fields, links, and every requirement of the policy."""
    decided = policy if policy.tables else as_tables(policy)
    yield same_as_said("tables of the policy", sorted(facts["tables"]), sorted(decided.tables))
    yield from release.check(facts, facts["tables"])
    with release.database(tuple(decided.tables)) as database:
        judged = _judged(facts, decided, database)
        found = recount_tables(database, judged, stages={})
        yield from _contents(database, facts, found, judged)
    yield from _left_out(facts, judged, found)
    yield from recoding_checks(facts, decided)
    yield _solver(facts, judged)
    if judged.person.is_unique or judged.person.linkable:
        yield same_as_said("people", facts["people"], found.people)
    person = judged.person
    rows = _rows_of_person(facts, judged)
    required = required_of_tables(judged, rows=rows, bins=found.bins, counted=found.counted)
    verdicts = list(found.verdicts)
    if judged.known and not judged.by_people and found.bins is not None:
        verdicts += outside.models(facts, judged.known, table=person.name).judged(found.bins)
    yield from verdict_checks(facts["verdicts"], required, verdicts)
    yield _links(found)


def _judged(facts: dict[str, Any], policy: Policy, database: Database) -> TablesJudgement:
    """The countable claims: of tables that do not show the person of a row, nothing about people
    can be counted."""
    seen = sights(policy)
    person = next(sight for sight in seen.values() if sight.is_person)
    by_people, known = counts_people(seen), known_in(policy, person.name)
    people = database.view(TableView(table=person.name)).count_rows() if person.is_unique else 0
    sizes = {name: row_count_bin_size(policy, sight, people) for name, sight in seen.items()}
    models: tuple[Model, ...] = ()
    judged = TablesJudgement(
        policy=policy,
        seen=seen,
        known=known,
        by_people=by_people,
        bin_sizes={name: size for name, size in sizes.items() if size is not None},
    )
    if known and not by_people:
        rows = _rows_of_person(facts, judged)
        models = models_for(policy.of_table(person.name), known, rows, hierarchies={})
    of_people = {
        name: models_of_people(policy, sight, source=None, people=_people_in_source(facts, name))
        for name, sight in seen.items()
        if by_people and sight.person is not None and asks_more_than_k(policy, sight)
    }
    people_of = {name: _people_in_source(facts, name) for name in of_people}
    return replace(judged, models=models, people_models=of_people, people=people_of)


def _solver(facts: dict[str, Any], judged: TablesJudgement) -> Check:
    models = {judged.person.name: judged.models, **judged.people_models}
    numeric = told_numeric(facts)
    return solver_check(facts, solvers_asked(judged.policy, judged.seen, models, numeric=numeric))


def _people_in_source(facts: dict[str, Any], name: str) -> int:
    """How many people had rows in a table, by the manifest; rows that are nobody's are not among
    them."""
    left_out = facts["tables"][name]["left_out"]
    return int(left_out["source"]) - int(left_out["by_reason"].get(NOBODY, 0))


def _rows_of_person(facts: dict[str, Any], judged: TablesJudgement) -> int:
    rows = facts["tables"][judged.person.name]["rows"]
    return int(rows.get("after_steps", rows.get("source", 0)))


def _contents(
    written: Database, facts: dict[str, Any], found: TablesRecount, judged: TablesJudgement
) -> Iterator[Check]:
    policy = judged.policy
    known = [item.name for sight in judged.seen.values() for item in sight.own]
    yield same_as_said(
        "fields that the recipient may know", sorted(facts["known_fields"]), sorted(known)
    )
    for name, said in facts["tables"].items():
        shared = judged.bin_sizes.get(name)
        yield same_as_said(
            f"people who share a number of rows of {name}",
            said.get("bin_size_of_row_counts"),
            shared,
        )
        yield same_as_said(f"rows of {name}", said["rows"]["released"], found.rows[name])
        table = written.view(TableView(table=name))
        yield from field_checks(
            table, said["fields"], policy.of_table(name), name=f"fields of {name}"
        )
        yield _account(said, judged.seen[name], policy)
        own = [item.field for item in judged.seen[name].own]
        distinct = {field: table.profile(field).distinct for field in own}
        mine = policy.of_table(name)
        yield words_check(
            facts, said["fields"], mine, table=name, distinct=distinct, rows=found.rows[name]
        )


def _left_out(
    facts: dict[str, Any], judged: TablesJudgement, found: TablesRecount
) -> Iterator[Check]:
    """For each table with people's rows: the manifest's numbers of suppressed people."""
    told = {name: said["left_out"] for name, said in facts["tables"].items() if "left_out" in said}
    expected = [name for name, sight in judged.seen.items() if sight.person is not None]
    yield same_as_said("tables with people's rows", sorted(told), sorted(expected))
    person = judged.person.name
    for name in expected:
        sight = judged.seen[name]
        yield limit_check(
            judged.policy,
            told[name],
            released=found.having.get(name),
            table=name,
            apart=reasons_apart(sight.above, person=person),
        )
        wrong = people_left_out(
            told[name],
            above=sight.above or "",
            person=person,
            bin_size=judged.bin_sizes.get(name),
            judged=judged.by_people and bool(sight.own),
            sampled=is_sampled(judged.policy, name),
            others=told,
        )
        rows = facts["tables"][name]["rows"]
        kept = rows.get("after_steps", rows.get("source")), rows["released"]
        if sight.is_unique and kept != (told[name]["source"], told[name]["released"]):
            wrong.append("source")
        found_now = (
            f"it contradicts itself in {', '.join(wrong[:3])}" if wrong else "as the manifest says"
        )
        yield Check(
            claim=f"reasons for which people of {name} left",
            outcome="fail" if wrong else "pass",
            found=found_now,
        )


def _account(said: dict[str, Any], sight: Sight, policy: Policy) -> Check:
    """Key, links and the account of rows: of tables with several rows of a person, only the
    released ones are given."""
    rows = dict(said["rows"])
    one_each = sight.is_unique or sight.person is None
    source = rows.pop("source", -1)
    stepped = rows.pop("after_steps", None)
    changed = bool(policy.of_table(sight.name).steps) or is_sampled(policy, sight.name)
    fits = stepped is None or (
        stepped == source if not is_sampled(policy, sight.name) else stepped <= source
    )
    adds_up = not one_each or (
        (source if stepped is None else stepped) == sum(rows.values())
        and fits
        and (stepped is not None) == changed
    )
    links = {link.field: f"{link.table}.{link.key}" for link in sight.policy.links}
    now = [sight.policy.key, links, True, one_each]
    told = [said["key"], said["links"], adds_up, len(said["rows"]) > 1]
    return same_as_said(f"key, links and rows of {sight.name}", told, now)


def is_sampled(policy: Policy, table: str) -> bool:
    """Whether a step draws people from a table, or from one that it links to."""
    drawn = {step.table for step in policy.steps if step.declaration.samples_rows}
    return bool(drawn & {"", table, *ancestors(policy, table)})


def _links(found: TablesRecount) -> Check:
    if found.broken:
        return Check(
            claim="keys and links are whole", outcome="fail", found="; ".join(found.broken)
        )
    return Check(
        claim="keys and links are whole", outcome="pass", found="every link leads to one row"
    )
