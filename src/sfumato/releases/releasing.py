"""The main verb: from a source and a policy to tables that were counted again, their manifest and their report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace as dataclass_replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sfumato.engines import Database, engine_for, is_postgres, open_database, open_several, open_source
from sfumato.errors import Mistake, PolicyError, Problem
from sfumato.policy import Membership, Policy
from sfumato.policy.source_records import SourceFormat
from sfumato.policy.source_section import null_words
from sfumato.runs.claims import claim
from sfumato.runs.interrupts import interruptible

from .aside import check_target
from .asked import Asked, Progress, Release
from .channels.releasing import release_channels
from .chosen_solver import known_solver, with_solver
from .destinations import destination
from .identifiers import Key
from .preparing import repeats
from .proposing import found_policy, policy_for, policy_for_tables
from .requirements import known_models, with_requirements
from .single import release_one
from .stepping import take_steps
from .tables import OneTable, as_tables, count_tables, document_tables, plan_tables, row_account, write_tables

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
    engine: str = "",
    progress: Progress = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> Release:
    """Release `source` under `policy` into the folder `to`.

    The source is a file, a frame, an address such as postgresql://host/database, or, where the policy has several
    tables, a folder with a file for each, a database file or a mapping of frames.

    `to` may also be postgresql://host/database#schema: then the tables are made there, all at once or not at all, and
    manifest, report and policy are written into the folder `documents`, by default SCHEMA-release.

    Without a policy the source is surveyed, a policy is proposed (and written beside a source that is a file)
    and the outcome is *review* at best. What was written is read back from disk and counted before any verdict;
    a candidate that breaks a requirement is removed and CandidateFailed is raised.

    `quote_formulas` puts an apostrophe before cells and names of CSV that a spreadsheet would run.

    `require` asks for protection models in place of those of the policy: records such as
    `sfumato.models.KAnonymity(k=5)`, or those of models of your own, whose class has a `declaration`.

    `solver` takes the place of the policy's: the name of one, or a record of its settings such as
    `sfumato.solvers.OptimalSettings(gap=0.01)`.
    """
    target, address, schema = _place(to, documents)
    asked = Asked(
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
    with interruptible(), known_models(asked.require), known_solver(solver):
        check_target(target, replace=replace)
        with claim(target):
            return _release(asked, policy)


def _release(asked: Asked, policy: Policy | str | Path | None) -> Release:
    """The target is this run's alone: open the source as its policy says."""
    source, progress, key = asked.source, asked.progress, asked.key
    progress("reading the source")
    found = found_policy(source, policy)
    _check_membership(found)
    said = SourceFormat().with_options(asked.options)
    if found is not None:
        found = dataclass_replace(found, source=found.source.with_options(asked.options))
        found, asked = _agreed(found, asked)
    if found is not None and found.tables:
        if asked.options.pop("table", ""):
            raise Mistake(
                "One table was asked for, and the policy is for several.",
                attempt="leaving the table out, or a policy for it alone.",
            )
        with open_database(
            source, engine=asked.engine, policy=found, tables=tuple(found.tables), **asked.options
        ) as database:
            return _release_tables(database, found, asked)
    several = open_several(source, engine=asked.engine, **asked.options) if found is None else None
    if several is not None:
        with several as database:
            decided, proposed_file = policy_for_tables(source, database, progress=progress, format=said)
            decided, asked = _agreed(decided, asked)
            made = _release_tables(database, decided, asked)
            return dataclass_replace(made, proposed_file=proposed_file)
    with open_source(source, engine=asked.engine, policy=found, **asked.options) as opened:
        decided, proposed_file = policy_for(source, found, opened, progress=progress, format=said)
        decided, asked = _agreed(decided, asked)
        if found is None and null_words(decided):
            opened = opened.with_nulls(null_words(decided))
        if decided.channels is not None:
            return release_channels(opened, decided, asked, proposed_file=proposed_file)
        stepped = take_steps(opened, decided, key=key, progress=progress)
        asked = dataclass_replace(asked, stepped=stepped, collected=opened)
        opened = stepped.engine
        if decided.require.each("k_m") or repeats(opened, decided):
            made = _release_tables(OneTable(opened), as_tables(decided), asked)
            return dataclass_replace(made, policy=decided, proposed_file=proposed_file)
        return release_one(opened, decided, asked, proposed_file=proposed_file)


def _agreed(policy: Policy, asked: Asked) -> tuple[Policy, Asked]:
    """Policy and request agree: either may ask for quoted formulas, and the request may name solver and requirements.

    Both are in place before the policy is checked again, since the one may fit only with the other.
    """
    quoted = policy.quote_formulas or asked.quote_formulas
    policy = with_solver(policy, asked.solver, is_checked=asked.require is None)
    policy = with_requirements(policy, asked.require)
    agreed = dataclass_replace(asked, quote_formulas=quoted, require=None, solver=None)
    return dataclass_replace(policy, quote_formulas=quoted), agreed


def _check_membership(policy: Policy | None) -> None:
    """Rows tell who is among them: a policy that protects that has no release of rows."""
    if policy is not None and policy.membership is Membership.PROTECTED:
        problem = Problem(
            where="membership",
            found="A release of rows cannot protect who is in the table.",
            attempt='noisy numbers at the gate, or membership = "public" with require.delta_presence.',
        )
        raise PolicyError([problem], name=f"Policy {policy.name}")


def _release_tables(database: Database, policy: Policy, asked: Asked) -> Release:
    """Several tables, or one with several rows per person."""
    planned = plan_tables(
        database,
        policy,
        key=asked.key,
        lookup_file=asked.lookup_file,
        progress=asked.progress,
        collected=asked.collected,
    )
    with destination(asked, database) as place:
        write_tables(planned, place, progress=asked.progress)
        found = count_tables(planned, place, progress=asked.progress)
        asked.progress("writing manifest and report")
        outcome, facts = document_tables(planned, database, found, place, created=asked.created, stepped=asked.stepped)
        digest = place.publish()
    rows = sum(found.rows.values())
    tables = {name: place.called(name) for name in planned.staged}
    return Release(
        folder=asked.target,
        table=next(tables[name] for name, sight in planned.seen.items() if sight.is_person),
        outcome=outcome,
        verdicts=found.verdicts,
        rows=rows,
        rows_suppressed=sum(stage.rows_source for stage in planned.staged.values()) - rows,
        policy=policy,
        tables=tables,
        accounts={name: row_account(stage, found.rows[name]) for name, stage in planned.staged.items()},
        manifest=facts,
        digest=digest,
    )


def _place(to: str | Path, documents: str | Path | None) -> tuple[Path, str, str]:
    """The folder, and the address and schema that tables are written to in its place."""
    if not is_postgres(to):
        if documents is not None:
            raise Mistake("A folder for documents was named, and all of the release goes to another.")
        return Path(to), "", ""
    address, _, schema = to.partition("#")
    if not schema:
        raise Mistake(
            "A release into a database needs the name of a schema.",
            attempt="postgresql://host/database#SCHEMA with --to.",
        )
    return Path(documents or f"{schema}-release"), address, schema
