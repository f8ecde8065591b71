"""The pipeline of a release: read, steps, count, solve, plan, stage, write, recount, judge,
document, publish.

`release` is the verb that users call. `run_pipeline` has the order of all that happens. A `Flow`
does each step for one shape of data: one row per person, people with several rows or tables, or
channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from typing import Any

from sfumato.engines import ENGINES, USUAL, engine_for, is_postgres
from sfumato.errors import Bug, Mistake
from sfumato.policy import SourceFormat
from sfumato.runs import claim, interruptible
from sfumato.signatures import SigningKey

from .agreement import agreement_digest, agreement_facts
from .atomic_folder import check_target
from .bodily_content import check_content
from .chosen_solver import known_solver
from .destinations import Destination, destination, reopened
from .documents import write_documents
from .flow import Account, Flow, Stages
from .frame_recount import hand_out
from .held_back import HeldBack, without_held_back
from .identifiers import Key
from .inspection import inspect_written
from .judgement import judge
from .kept_people import PeopleRecordRequest, people_keeper
from .kept_stages import StageFolder, open_stage_folder
from .keyword_policy import PolicyKeywords, check_alone, check_known, is_word_for
from .manifest import ONE_TABLE
from .one_row_flow import OneRowFlow
from .policy_choice import PolicyLike
from .prepared_source import repeats
from .release_record import Release, in_memory, make_private, private_folder
from .request import Progress, ReleaseRequest
from .requirements import known_models
from .signed_manifest import sign_manifest
from .source import OpenedSource, open_for_release
from .steps import SteppedTables, take_steps
from .table_twins import find_table_twins
from .weaker_twins import look_for_twins

__all__ = ["Release", "release"]

Names = str | Sequence[str] | Mapping[str, str | Sequence[str]]
"""Fields of a table: a list of names, or one. Of several tables: TABLE.FIELD, or names by table."""


def release(
    source: Any,
    policy: PolicyLike | None = None,
    *,
    to: str | Path | None = None,
    quasi: Names = (),
    sensitive: Names = (),
    insensitive: Names = (),
    direct: Names = (),
    text: Names = (),
    entity: str = "",
    keep: Names = (),
    hierarchies: Mapping[str, Any] | None = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    max_suppression: float | None = None,
    documents: str | Path | None = None,
    file_format: str = "",
    key: Key | None = None,
    lookup_file: str | Path | None = None,
    replace: bool = False,
    quote_formulas: bool = False,
    sign: SigningKey | str | Path | None = None,
    require: Sequence[object] | Mapping[str, Any] | None = None,
    solver: object = None,
    keep_stages: str | Path | None = None,
    keep_people: str | Path | PeopleRecordRequest | None = None,
    person: str = "",
    agreement: str | Path | None = None,
    held_back: HeldBack | None = None,
    engine: str = "",
    progress: Progress = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> Release:
    """Release `source` under `policy`, into the folder `to` or as a frame.

    The source is a file, a frame or an address such as postgresql://host/database. Where the policy
    has several tables, it is a folder with a file for each, a database file or a mapping of frames.
    The policy is a file, the text of one, a dict in its form, or a `Policy`.

    In place of a policy, keywords name fields by their roles: `quasi`, `sensitive`, `insensitive`,
    `direct`, `text`. Numbers have their letters: `k`, `l`, `t`, and `max_suppression`, which is 5 %
    unless given. Fields that nobody named are surveyed: direct identifiers and free text are left
    out, all others are quasi-identifiers. `hierarchies` has for a quasi field what a policy file
    would have; `entity` is the field that identifies the person of a row, and `keep` are quasi
    fields that must stay useful. A sensitive field that no model protects makes the outcome
    *review*. For several tables, keywords map tables to names, `quasi={"patients": ["age"]}`, or
    list TABLE.FIELD; a survey finds keys and links, and what is uncertain is refused.

    Without `to`, nothing stays on disk: `made.frame` is the released table, of the same kind as the
    source and itself counted again. `made.save(folder)` writes everything. `to` may also be
    postgresql://host/database#schema: then the tables are made there, all at once or not at all.
    Manifest, report and policy are written into the folder `documents`, by default SCHEMA-release.

    Without policy and keywords the source is surveyed and a policy is proposed; with `to`, it is
    written beside a source that is a file. The outcome is then *review* at best. The written files
    are read back from disk and counted before any verdict; a candidate that breaks a requirement is
    removed and CandidateFailed is raised.

    `quote_formulas` puts an apostrophe before cells and names of CSV that a spreadsheet would run.

    `sign` is a key, or the file of one (`sfumato key --sign`), that signs the manifest.

    `require` asks for protection models in place of those of the policy. They are records such as
    `sfumato.models.KAnonymity(k=5)`, or those of models of your own, whose class has a
    `declaration`. With keywords it may also be a dict in the form of a policy file.

    `keep_stages` names an empty folder, outside the release, that keeps every step as a table: the
    source, the bins, the recoding, the stages. It holds private rows.

    `keep_people` names a new file, outside the release, with the person of each row in keyed
    numbers. It is for the holder, for the ledger of all releases about the same people; `person` is
    the field of the source that identifies the person, where it is not the policy's entity.
    `agreement` is the file of the text that the recipient signed, or its digest as sha256:…; the
    manifest names it by the digest.
    `held_back` are people whose rows are not read: beside earlier releases, their rows would single
    them out.

    `solver` takes the place of the policy's: the name of one, or a record of its settings such as
    `sfumato.solvers.OptimalSettings(gap=0.01)`.
    """
    engine = engine or engine_for(source)
    check_known(options, _keywords(engine, options), verb="sfumato.release")
    keywords = PolicyKeywords.of(
        roles=dict(
            quasi=quasi, sensitive=sensitive, insensitive=insensitive, direct=direct, text=text
        ),
        hierarchies=hierarchies,
        entity=entity,
        keep=keep,
        require=require,
        numbers={
            "k": k,
            "l_diversity": None if l is None else [{"l": l}],
            "t_closeness": None if t is None else [{"t": t}],
            "max_suppression": max_suppression,
        },
    )
    check_alone(keywords, policy)
    with ExitStack() as held:
        if to is None:
            _check_hands_out(engine, file_format, documents)
            to, file_format = held.enter_context(private_folder()) / ONE_TABLE, "parquet"
            hands_out = True
        else:
            hands_out = False
        target, address, schema = _place(to, documents)
        request = ReleaseRequest(
            target=target,
            address=address,
            schema=schema,
            source=source,
            file_format=file_format,
            key=key,
            lookup_file=None if lookup_file is None else Path(lookup_file),
            replace=replace,
            engine=engine,
            progress=progress,
            created=clock().isoformat(timespec="seconds"),
            options=options,
            quote_formulas=quote_formulas,
            require=None if require is None or isinstance(require, Mapping) else tuple(require),
            solver=solver,
            hands_out=hands_out,
            sign=sign
            if sign is None or isinstance(sign, SigningKey)
            else SigningKey.from_file(sign),
            keywords=keywords,
            person=person,
            agreement=agreement_digest(agreement),
        )
        people = (
            keep_people
            if isinstance(keep_people, PeopleRecordRequest)
            else PeopleRecordRequest.of(keep_people, key=key, person=person, target=target)
        )
        return _released(
            request, policy, keep_stages=keep_stages, people=people, held_back=held_back
        )


def _released(
    request: ReleaseRequest,
    policy: PolicyLike | None,
    *,
    keep_stages: str | Path | None,
    people: PeopleRecordRequest | None,
    held_back: HeldBack | None,
) -> Release:
    with interruptible(), known_models(request.require), known_solver(request.solver):
        check_target(request.target, replace=request.replace)
        keeper = open_stage_folder(keep_stages, target=request.target, source=request.source)
        with claim(request.target), open_for_release(request, policy) as opened:
            opened = without_held_back(opened, held_back)
            keeper.keep_source(opened)
            flow, stepped = _flow_for(opened)
            keeper.keep_stepped(stepped)
            made = run_pipeline(flow, opened, stepped=stepped, keeper=keeper, people=people)
        return in_memory(made) if request.hands_out else made


def _keywords(engine: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The arguments of `release`: its own keywords, and those for reading a source. Other engines
    than DuckDB, such as Spark with a session, have options of their own."""
    own = [
        name
        for name, each in signature(release).parameters.items()
        if each.kind is each.KEYWORD_ONLY
    ]
    reading = [each.name for each in fields(SourceFormat)]
    others = [name for name in given if engine != USUAL and not is_word_for(name)]
    return tuple(dict.fromkeys((*own, *reading, "table", "memory", *others)))


def _check_hands_out(engine: str, file_format: str, documents: str | Path | None) -> None:
    """Options that need a folder are refused where none is named."""
    named = {
        "file_format": file_format not in ("", "parquet"),
        "documents": documents is not None,
        f"engine {engine}": engine in ENGINES
        and (ENGINES[engine].recounts or "Parquet" not in ENGINES[engine].can.writes),
    }
    wrong = [name for name, is_given in named.items() if is_given]
    if wrong:
        raise Mistake(
            f"A release without a folder was asked for, with {', '.join(wrong)}.",
            found="Its tables are handed out as frames.",
            attempt='to="folder".',
        )


def _flow_for(opened: OpenedSource) -> tuple[Flow[Any, Any, Any, Any], SteppedTables]:
    """Take the steps of the policy; then the shape of the data decides how the others are taken.

    The modules of a shape are imported for it alone: importing the others would take longer than
    releasing a small table."""
    request, policy = opened.request, opened.policy
    if opened.database is not None:
        from .tables import TablesFlow, take_table_steps

        database = opened.database
        # Rounded values are determined by more, and noisy ones by less, than those collected.
        linked = find_table_twins(database, policy) if policy.steps else None
        stepped = take_table_steps(database, policy, key=request.key, progress=request.progress)
        stepped = replace(stepped, linked=linked)
        return TablesFlow(
            request, policy, database=database, tables_policy=policy, stepped=stepped
        ), stepped
    collected = opened.engine
    if policy.channels is not None:
        from .channels.flow import ChannelsFlow

        return ChannelsFlow(request, policy, engine=collected), SteppedTables()
    table = take_steps(collected, policy, key=request.key, progress=request.progress)
    stepped = SteppedTables(
        steps=policy.steps, tables={ONE_TABLE: table}, collected={ONE_TABLE: collected}
    )
    if policy.require.each("k_m") or repeats(table.engine, policy):
        from .tables import OneTable, TablesFlow, as_tables

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
    people: PeopleRecordRequest | None = None,
) -> Release:
    """Every release takes these steps, in this order. An exception at any of them removes
    everything that was written."""
    request, policy = opened.request, flow.policy
    counted = flow.count()
    content = check_content(opened.policy, table=opened.table, database=opened.database)
    twins = look_for_twins(opened, stepped, progress=request.progress)
    twins.check_decided(stepped)
    solved = flow.solve(counted)
    keeper.keep_solved(flow, solved)
    planned = flow.plan(solved)
    words = stepped.words(planned.words())
    weaker = twins.warnings(words)
    stages = flow.stage(planned)
    keeper.keep_stages(stages)
    with people_keeper(people, request.target) as kept, destination(request, flow.source) as place:
        stages = kept.stage(stages, policy, stepped)
        write(stages, place, progress=request.progress)
        if request.hands_out:
            make_private(place.folder)
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
        frames = {}
        if request.hands_out:
            request.progress("counting what is handed out")
            frames = hand_out(
                flow,
                planned,
                stages,
                place=place,
                source=request.source,
                recounted=recounted,
                inspection=inspection,
            )
        verdicts = (*recounted.verdicts, *(texts.verdicts if texts is not None else ()))
        outcome = judge(
            policy,
            verdicts,
            required=recounted.required,
            broken=recounted.broken,
            inspection=inspection,
            attempt=recounted.attempt,
            not_judged=twins.not_judged,
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
                *content,
                *stepped.warnings,
                *inspection.warnings,
                *(texts.warnings if texts is not None else ()),
            ),
            sections={**stepped.sections(), **(texts.facts() if texts is not None else {})},
        )
        description = flow.describe(planned, recounted, account)
        facts = description.manifest.as_dict() | agreement_facts(request.agreement) | kept.facts()
        manifest = write_documents(facts, place.folder, policy=policy, page=description.page(facts))
        if request.sign is not None:
            sign_manifest(place.folder, manifest, request.sign)
        if request.hands_out:
            make_private(place.folder)
        digest = place.publish()
        kept.save(digest)
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
        surveyed=opened.surveyed,
        reviews=opened.reviews,
        frames=frames,
        signed_by=request.sign.public.number if request.sign is not None else "",
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
