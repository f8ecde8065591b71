"""Re-checking a release of several tables from its manifest, without the source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.policy import Policy
from sfumato.protection import Model
from sfumato.sources import Database, TableView

from ..checks import Check, same_as_said, verdict_checks
from ..requirements import models_for
from ..written import Written
from .one_table import as_tables
from .recounting import Judged, TablesRecount, recount_tables
from .seeing import known_in, sights

K_PEOPLE = "k-people"


def table_checks(release: Written, facts: dict[str, Any], policy: Policy) -> tuple[Check, ...]:
    """Digests, rows, fields, links, and every claim that the release alone can show."""
    checks = [check for said in facts["tables"].values() for check in release.check(said)]
    judged = _judged(facts, policy if policy.tables else as_tables(policy))
    with release.database(tuple(facts["tables"])) as database:
        found = recount_tables(database, judged, stages={})
        checks += _contents(database, facts, found)
    checks += verdict_checks(facts["verdicts"], found.verdicts)
    checks.append(_links(found))
    return tuple(checks)


def _judged(facts: dict[str, Any], policy: Policy) -> Judged:
    """What can be counted: of tables that do not show whose rows they have, nothing about people can."""
    seen = sights(policy)
    person = next(sight for sight in seen.values() if sight.is_person)
    by_people = any(claim["model"] == K_PEOPLE for claim in facts["verdicts"])
    known = known_in(policy, person.name)
    models: tuple[Model, ...] = ()
    if known and not by_people:
        rows = int(facts["tables"][person.name]["rows"]["source"])
        models = models_for(policy.of_table(person.name), known, rows, population=None, hierarchies={})
    sizes = {
        name: int(said["bin_size_of_row_counts"])
        for name, said in facts["tables"].items()
        if "bin_size_of_row_counts" in said
    }
    return Judged(policy=policy, seen=seen, models=models, known=known, by_people=by_people, bin_sizes=sizes)


def _contents(written: Database, facts: dict[str, Any], found: TablesRecount) -> Iterator[Check]:
    for name, said in facts["tables"].items():
        yield same_as_said(f"rows of {name}", said["rows"]["released"], found.rows[name])
        have = {info.name for info in written.view(TableView(table=name)).fields()}
        kept = {field for field, words in said["fields"].items() if not str(words).startswith("removed")}
        yield same_as_said(f"fields of {name}", sorted(kept), sorted(have))


def _links(found: TablesRecount) -> Check:
    if found.broken:
        return Check(claim="keys and links are whole", outcome="fail", found="; ".join(found.broken))
    return Check(claim="keys and links are whole", outcome="pass", found="every link leads to one row")
