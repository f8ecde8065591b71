"""The pipeline of a release: read, steps, count, solve, plan, stage, write, recount, judge,
document, publish.

`release` is the verb that users call. `run_pipeline` has the order of all that happens. A `Flow`
does each step for one shape of data: one row per person, people with several rows or tables, or
channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sfumato.engines import engine_for, is_postgres
from sfumato.errors import Bug, Mistake
from sfumato.policy import Policy
from sfumato.runs import claim, interruptible

from .atomic_folder import check_target
from .channels.flow import ChannelsFlow
from .chosen_solver import known_solver
from .destinations import Destination, destination, reopened
from .documents import write_documents
from .flow import Account, Flow, Stages
from .identifiers import Key
from .inspection import inspect_written
from .judgement import judge
from .kept_stages import StageFolder, open_stage_folder
from .manifest import ONE_TABLE
from .one_row_flow import OneRowFlow
from .preparation import repeats
from .request import Progress, Release, ReleaseRequest
from .requirements import known_models
from .source import OpenedSource, open_for_release
from .steps import SteppedTables, take_steps
from .tables import OneTable, TablesFlow, as_tables, take_table_steps
from .weaker_twins import look_for_twins

__all__ = ["Release", "release"]


def release(
    source: Any,
    policy: Policy | str | Path | None = None,
    *,
    to: str | Path,
    documents: str | Path | None = None,
    file_format: str = "",
    key: Key | None = None,
    lookup_file: Path | None = None,
    replace: bool = False,
    quote_formulas: bool = False,
    require: Sequence[object] | None = None,
    solver: object = None,
    keep_stages: str | Path | None = None,
    engine: str = "",
    progress: Progress = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> Release:
    """Release `source` under `policy` into the folder `to`.

    The source is a file, a frame, an address such as postgresql://host/database, or, where the
    policy has several tables, a folder with a file for each, a database file or a mapping of
    frames.

    `to` may also be postgresql://host/database#schema: then the tables are made there, all at once
    or not at all, and manifest, report and policy are written into the folder `documents`, by
    default SCHEMA-release.

    Without a policy the source is surveyed, a policy is proposed (and written beside a source that
    is a file) and the outcome is *review* at best. What was written is read back from disk and
    counted before any verdict; a candidate that breaks a requirement is removed and CandidateFailed
    is raised.

    `quote_formulas` puts an apostrophe before cells and names of CSV that a spreadsheet would run.

    `require` asks for protection models in place of those of the policy: records such as
    `sfumato.models.KAnonymity(k=5)`, or those of models of your own, whose class has a
    `declaration`.

    `keep_stages` names an empty folder, outside the release, that keeps every step as a table to
    look at: the source, the bins, the recoding, the stages. It holds private rows.

    `solver` takes the place of the policy's: the name of one, or a record of its settings such as
    `sfumato.solvers.OptimalSettings(gap=0.01)`.
    """
    target, address, schema = _place(to, documents)
    request = ReleaseRequest(
        target=target,
        address=address,
        schema=schema,
        source=source,
        file_format=file_format,
        key=key,
        lookup_file=lookup_file,
        replace=replace,
        engine=engine or engine_for(source),
        progress=progress,
        created=clock().isoformat(timespec="seconds"),
        options=options,
        quote_formulas=quote_formulas,
        require=None if require is None else tuple(require),
        solver=solver,
    )
    with interruptible(), known_models(request.require), known_solver(solver):
        check_target(target, replace=replace)
        keeper = open_stage_folder(keep_stages, target=target, source=source)
        with claim(target), open_for_release(request, policy) as opened:
            keeper.keep_source(opened)
            flow, stepped = _flow_for(opened)
            keeper.keep_stepped(stepped)
            return run_pipeline(flow, opened, stepped=stepped, keeper=keeper)


def _flow_for(opened: OpenedSource) -> tuple[Flow[Any, Any, Any, Any], SteppedTables]:
    """Take the steps of the policy; then the shape of the data decides how the others are taken."""
    request, policy = opened.request, opened.policy
    if opened.database is not None:
        database = opened.database
        stepped = take_table_steps(database, policy, key=request.key, progress=request.progress)
        return TablesFlow(
            request, policy, database=database, tables_policy=policy, stepped=stepped
        ), stepped
    collected = opened.engine
    if policy.channels is not None:
        return ChannelsFlow(request, policy, engine=collected), SteppedTables()
    table = take_steps(collected, policy, key=request.key, progress=request.progress)
    stepped = SteppedTables(
        steps=policy.steps, tables={ONE_TABLE: table}, collected={ONE_TABLE: collected}
    )
    if policy.require.each("k_m") or repeats(table.engine, policy):
        one, tables = OneTable(table.engine), as_tables(policy)
        return TablesFlow(
            request, policy, database=one, tables_policy=tables, stepped=stepped
        ), stepped
    return OneRowFlow(request, policy, stepped=table, collected=collected), stepped


def run_pipeline(
    flow: Flow[Any, Any, Any, Any],
    opened: OpenedSource,
    *,
    stepped: SteppedTables,
    keeper: StageFolder,
) -> Release:
    """Every release takes these steps, in this order. An exception at any of them leaves nothing
    behind."""
    request, policy = opened.request, flow.policy
    counted = flow.count()
    twins = look_for_twins(opened, stepped, progress=request.progress)
    twins.check_decided(stepped)
    solved = flow.solve(counted)
    keeper.keep_solved(flow, solved)
    planned = flow.plan(solved)
    words = stepped.words(planned.words())
    weaker = twins.warnings(words)
    stages = flow.stage(planned)
    keeper.keep_stages(stages)
    with destination(request, flow.source) as place:
        write(stages, place, progress=request.progress)
        request.progress("counting what was written")
        names = [table.name for table in stages.tables]
        texts = planned.texts
        with reopened(place, names, joined=flow.joins_tables) as written:
            recounted = flow.recount(planned, written)
            keeper.keep_recount(flow, planned, recounted, written)
            quoted = request.quote_formulas
            inspection = inspect_written(
                stages.tables, written, place=place, texts=texts, quoted=quoted
            )
        verdicts = (*recounted.verdicts, *(texts.verdicts if texts is not None else ()))
        outcome = judge(
            policy,
            verdicts,
            required=recounted.required,
            broken=recounted.broken,
            inspection=inspection,
            attempt=recounted.attempt,
        )
        request.progress("writing manifest and report")
        account = Account(
            outcome=outcome,
            created=request.created,
            place=place,
            verdicts=verdicts,
            words=words,
            warnings=(
                *flow.warnings(planned, recounted),
                *weaker,
                *stepped.warnings,
                *inspection.warnings,
                *(texts.warnings if texts is not None else ()),
            ),
            sections={**stepped.sections(), **(texts.facts() if texts is not None else {})},
        )
        description = flow.describe(planned, recounted, account)
        facts = description.manifest.as_dict()
        manifest = write_documents(facts, place.folder, policy=policy, page=description.page(facts))
        digest = place.publish()
    summary = flow.summarise(planned, recounted, place)
    return Release(
        folder=request.target,
        table=place.called(summary.table),
        outcome=outcome,
        verdicts=verdicts,
        rows=summary.rows,
        rows_suppressed=summary.rows_suppressed,
        policy=policy,
        proposed_file=opened.proposed_file,
        tables=summary.tables,
        accounts=summary.accounts,
        manifest=manifest,
        digest=digest,
        lost=summary.lost,
    )


def write(stages: Stages, place: Destination, *, progress: Progress) -> None:
    """Write each table, with as many rows as were planned, and the files beside them."""
    for table in stages.tables:
        progress(f"writing {table.title}")
        try:
            written = place.write(table.engine, table.plan, table.name)
        finally:
            if table.is_temporary:
                table.engine.close()
        if written != table.rows:
            raise Bug(f"{table.rows} rows of {table.name} were planned and {written} were written.")
    if stages.write_beside is not None:
        stages.write_beside(place.folder)


def _place(to: str | Path, documents: str | Path | None) -> tuple[Path, str, str]:
    """The folder, and the address and schema that tables are written to in its place."""
    if not is_postgres(to):
        if documents is not None:
            raise Mistake(
                "A folder for documents was named, and all of the release goes to another."
            )
        return Path(to), "", ""
    address, _, schema = to.partition("#")
    if not schema:
        raise Mistake(
            "A release into a database needs the name of a schema.",
            attempt="postgresql://host/database#SCHEMA with --to.",
        )
    return Path(documents or f"{schema}-release"), address, schema
