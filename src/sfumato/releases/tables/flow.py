"""The flow of people with several rows or tables: staged parents first, and counted as people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from sfumato.bins import Bins
from sfumato.engines import Database, Engine, Lookup, WritePlan
from sfumato.errors import NoRecodingFound
from sfumato.measures import FieldUse
from sfumato.policy import Policy
from sfumato.report import render_tables

from ..destinations import Destination, WrittenTables
from ..flow import Account, Description, RecountedRelease, StagedTable, Stages, Summary
from ..followers import Follows, follows_of, link
from ..identifiers import Key
from ..request import ReleaseRequest
from ..rule_vacuity import check_vacuous_table_rules
from ..steps import SteppedTables
from ..suppression import LeftOut, check_left_out
from ..treatments import KEPT, recoding_words
from .checked_tables import CheckedTables, check_fit
from .disclosure_warnings import tables_warnings
from .field_use import table_field_uses
from .itemset_cuts import SetRecoding, recode_sets
from .one_table import said_of_one_table
from .people_models import person_in
from .recoding import TablesRecoding, raw_view, solve
from .recount import TablesJudgement, TablesRecount, recount_tables
from .replacements import TablesReplacements, TableTreatments
from .stages import StagedRows, stage_tables
from .table_requirements import required_of_tables
from .table_view import Sight
from .tables_manifest import TablesAccount, is_kept, row_account, tables_facts, tables_manifest
from .texts import texts_of_tables

if TYPE_CHECKING:
    from ..texts.text_lookups import Texts

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class SolvedTables:
    """The tables with the recoding of all of them."""

    checked: CheckedTables
    solved: TablesRecoding


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedTables:
    """The stage of each table, and what happens to its fields."""

    policy: Policy
    seen: Mapping[str, Sight]
    solved: TablesRecoding
    staged: Mapping[str, StagedRows]
    sets: Mapping[str, tuple[SetRecoding, ...]]
    treatments: Mapping[str, TableTreatments]
    texts: Texts | None = None

    def words(self) -> dict[str, dict[str, str]]:
        return {name: dict(treatments.words) for name, treatments in self.treatments.items()}

    def plan(self, name: str) -> WritePlan:
        treatments = self.treatments[name]
        return WritePlan(
            fields=tuple(treatments.fields),
            lookups=tuple(treatments.lookups),
            moved=tuple(treatments.moved),
            taken=treatments.taken,
            constants=treatments.constants,
            follows=self._follows(name),
            order=self.policy.order,
        )

    def _follows(self, name: str) -> Follows:
        """Fields that follow another, where that was suppressed."""
        solved = self.solved
        if solved.by_people:
            return solved.follows(self.seen[name])
        if solved.prepared is None or solved.solution is None or not self.seen[name].is_person:
            return {}
        prepared = solved.prepared
        return follows_of(
            prepared.policy, prepared.bins, prepared.hierarchies, solved.solution.recoding
        )

    @property
    def judged(self) -> TablesJudgement:
        prepared = self.solved.prepared
        return TablesJudgement(
            policy=self.policy,
            seen=self.seen,
            models=() if prepared is None else prepared.models,
            known=() if prepared is None else prepared.known,
            by_people=self.solved.by_people,
            people_models=self.solved.people_models,
            people=self.solved.people,
            bin_sizes={
                name: stage.bin_size
                for name, stage in self.staged.items()
                if stage.bin_size is not None
            },
        )


class TablesFlow:
    """Several tables, or one with several rows per person.

    `policy` is as its author wrote it, `tables_policy` the same as that of a database.
    """

    joins_tables = True
    counts = "people"

    def __init__(
        self,
        request: ReleaseRequest,
        policy: Policy,
        *,
        database: Database,
        tables_policy: Policy,
        stepped: SteppedTables,
    ) -> None:
        self.policy, self._request = policy, request
        self._tables_policy, self._database, self._stepped = tables_policy, database, stepped
        self._lost: tuple[str, ...] | None = None

    @property
    def source(self) -> Database:
        return self._database

    def count(self) -> CheckedTables:
        self._request.progress("looking at the tables")
        with said_of_one_table(self._tables_policy):
            checked = check_fit(self._database, self._tables_policy)
            check_vacuous_table_rules(self._tables_policy, self._database)
        return checked

    def solve(self, counted: CheckedTables) -> SolvedTables:
        policy, progress = self._tables_policy, self._request.progress
        with said_of_one_table(policy):
            solved = solve(self._database, policy, counted.seen, progress=progress)
        return SolvedTables(checked=counted, solved=solved)

    def plan(self, solved: SolvedTables) -> PlannedTables:
        request = self._request
        with said_of_one_table(self._tables_policy):
            return plan_tables(
                self._database,
                self._tables_policy,
                solved,
                key=request.key,
                lookup_file=request.lookup_file,
                collected=self._stepped.collected,
                progress=request.progress,
            )

    def stage(self, planned: PlannedTables) -> Stages:
        return Stages(tables=tuple(_staged_table(planned, name) for name in planned.staged))

    def recount(
        self, planned: PlannedTables, written: WrittenTables
    ) -> RecountedRelease[TablesRecount]:
        judged = planned.judged
        stages = {name: stage.engine for name, stage in planned.staged.items()}
        found = recount_tables(written.database, judged, stages=stages)
        rows = planned.solved.prepared.rows if planned.solved.prepared is not None else 0
        lost = (
            f"{found.rows[name]} rows of {name} were found and {stage.rows} were staged"
            for name, stage in planned.staged.items()
            if found.rows[name] != stage.rows
        )
        return RecountedRelease(
            found=found,
            rows=found.rows,
            verdicts=found.verdicts,
            required=required_of_tables(judged, rows=rows, bins=found.bins, counted=found.counted),
            broken=(*found.broken, *lost),
        )

    def count_bins(self, solved: SolvedTables) -> Mapping[str, Bins]:
        return _bins_of(self._database, solved.checked.seen)

    def recoding(self, solved: SolvedTables) -> Mapping[str, Sequence[Lookup]]:
        found = solved.solved
        return {
            name: (
                *found.lookups.get(name, ()),
                *((found.drops[name],) if name in found.drops else ()),
            )
            for name in solved.checked.seen
        }

    def recount_bins(
        self,
        planned: PlannedTables,
        recounted: RecountedRelease[TablesRecount],
        written: WrittenTables,
    ) -> Mapping[str, Bins]:
        return _bins_of(
            written.database,
            {name: sight for name, sight in planned.seen.items() if sight.linkable},
        )

    def warnings(
        self, planned: PlannedTables, recounted: RecountedRelease[TablesRecount]
    ) -> tuple[str, ...]:
        return tables_warnings(planned.policy, planned.staged, planned.treatments, planned.solved)

    def _lost_fields(self, planned: PlannedTables) -> tuple[str, ...]:
        """The quasi-identifiers that can no longer be used, those that the policy keeps first."""
        if self._lost is None:
            uses = table_field_uses(planned.policy, self._database, planned.staged)
            lost = [use.name for use in uses if use.is_lost]
            kept = [name for name in lost if is_kept(planned.policy, name)]
            self._lost = (*kept, *(name for name in lost if name not in kept))
        return self._lost

    def describe(
        self, planned: PlannedTables, recounted: RecountedRelease[TablesRecount], account: Account
    ) -> Description:
        made = TablesAccount(
            policy=planned.policy,
            solved=planned.solved,
            staged=planned.staged,
            sets=planned.sets,
            words=account.words,
            found=recounted.found,
            verdicts=account.verdicts,
            places={name: account.place.facts(name) for name in planned.staged},
            engine=self._database.name,
            snapshot=self._database.snapshot(),
            created=account.created,
            outcome=account.outcome,
            warnings=account.warnings,
            sections=account.sections,
            stepped=self._stepped,
            title=self._database.title,
            lost=self._lost_fields(planned),
        )
        return Description(
            manifest=tables_manifest(made), page=lambda facts: render_tables(tables_facts(made))
        )

    def summarise(
        self, planned: PlannedTables, recounted: RecountedRelease[TablesRecount], place: Destination
    ) -> Summary:
        rows = sum(recounted.rows.values())
        return Summary(
            table=next(name for name, sight in planned.seen.items() if sight.is_person),
            rows=rows,
            rows_suppressed=sum(stage.rows_source for stage in planned.staged.values()) - rows,
            tables={name: place.called(name) for name in planned.staged},
            accounts={
                name: row_account(stage, recounted.rows[name])
                for name, stage in planned.staged.items()
            },
            lost=self._lost_fields(planned),
        )


def _bins_of(database: Database, seen: Mapping[str, Sight]) -> dict[str, Bins]:
    """The bins of each table that has quasi-identifiers, in people."""
    return {
        name: Bins.count(
            database.view(raw_view(sight)),
            [item.called for item in sight.quasi],
            person=person_in(sight),
        )
        for name, sight in seen.items()
        if sight.own and sight.person is not None
    }


def plan_tables(
    database: Database,
    policy: Policy,
    solved: SolvedTables,
    *,
    key: Key | None,
    lookup_file: Path | None,
    progress: Progress,
    collected: Mapping[str, Engine] = MappingProxyType({}),
) -> PlannedTables:
    """Stage every table, since the replacement of a key is known only for rows that stay; then plan
    its fields."""
    seen, found = solved.checked.seen, solved.solved
    staged: dict[str, StagedRows] = {}
    replacing = TablesReplacements(policy, staged, key=key, lookup_file=lookup_file)
    orphans = solved.checked.orphans
    stage_tables(
        database,
        policy,
        seen,
        found,
        orphans=orphans,
        instead=replacing,
        into=staged,
        progress=progress,
    )
    _check_rows_left(staged)
    check_left_out(policy, tuple(left_out_of(staged).values()))
    sets = recode_sets(policy, staged, progress=progress)
    treatments = {name: replacing.treat(name, found, sets.get(name, ())) for name in seen}
    if found.prepared is not None and found.solution is not None:
        person = next(name for name, sight in seen.items() if sight.is_person)
        treatments[person].words |= recoding_words(
            found.solution, found.prepared.bins, found.prepared.hierarchies
        )
    planned = PlannedTables(
        policy=policy, seen=seen, solved=found, staged=staged, sets=sets, treatments=treatments
    )
    for name, each in treatments.items():
        each.words |= link(each, planned.plan(name).follows).words
    texts = texts_of_tables(
        database,
        policy,
        staged,
        treatments,
        replacing=replacing,
        collected=collected,
        progress=progress,
    )
    return replace(planned, texts=texts)


@dataclass(frozen=True, eq=False, kw_only=True)
class StagedPlan:
    """A release before anything is written: the remaining use of each quasi-identifier, and the
    rows."""

    uses: tuple[FieldUse, ...]
    rows: int
    rows_left_out: int
    choice: str


def staged_plan(database: Database, policy: Policy) -> StagedPlan:
    """Check, solve and stage tables as a release does, with the same refusals."""
    with said_of_one_table(policy):
        checked = check_fit(database, policy)
        check_vacuous_table_rules(policy, database)
        solved = solve(database, policy, checked.seen, progress=lambda stage: None)
        planned = plan_tables(
            database,
            policy,
            SolvedTables(checked=checked, solved=solved),
            key=None,
            lookup_file=None,
            progress=lambda stage: None,
        )
    rows = sum(stage.rows_source for stage in planned.staged.values())
    return StagedPlan(
        uses=table_field_uses(policy, database, planned.staged),
        rows=rows,
        rows_left_out=rows - sum(stage.rows for stage in planned.staged.values()),
        choice=solved.choice or solved.solver,
    )


def _staged_table(planned: PlannedTables, name: str) -> StagedTable:
    """A table as it is written, with the fields that are compared with its stage afterwards."""
    stage, treatments = planned.staged[name], planned.treatments[name]
    links = {link.field for link in stage.sight.policy.links}
    return StagedTable(
        name=name,
        engine=stage.engine,
        plan=planned.plan(name),
        rows=stage.rows,
        source=stage.engine,
        replaced=tuple(
            stage.sight.policy.fields[each] for each in treatments.replaced if each not in links
        ),
        kept=tuple(each for each, words in treatments.words.items() if words == KEPT),
        prefix=f"{name}.",
        title=name,
        person=stage.sight.person,
    )


def left_out_of(staged: Mapping[str, StagedRows]) -> dict[str, LeftOut]:
    """For each table with people's rows, the people who are not in it any more."""
    found = {name: stage.left_out for name, stage in staged.items()}
    return {name: one for name, one in found.items() if one is not None}


def _check_rows_left(staged: Mapping[str, StagedRows]) -> None:
    person = next(stage for stage in staged.values() if stage.sight.is_person)
    if person.rows == 0:
        raise NoRecodingFound(
            "No recoding that was found keeps the requirements and any person.",
            found=f"All {person.rows_source} rows of {person.sight.name} would be suppressed.",
            attempt="weaker requirements, or coarser levels; a lower limit on suppressed rows "
            "finds this out sooner.",
        )
