"""The main verb: from a source and a policy to a table that was counted again, its manifest and its report."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sfumato.assess import check_ads0, smallest_strict_and_wildcard, utility
from sfumato.assess.report import render
from sfumato.bins import LabelledRecoding
from sfumato.errors import Bug, CandidateFailed, NoRecodingFound
from sfumato.policy import Order, Policy, Role, policy_as_toml
from sfumato.protection import Outcome, Verdict, overall
from sfumato.solvers import Solution
from sfumato.sources import Database, Engine, WritePlan, engine_for, open_database, open_source

from .aside import MANIFEST, POLICY, REPORT, aside, check_target
from .facts import report_facts
from .households import Together, household_facts, household_warnings, keep_together
from .identifiers import Key
from .linked import Follows, follows_of, link
from .lookups import recoding_lookups
from .manifest import manifest, write_manifest
from .preparing import Prepared, prepare, repeats
from .proposing import found_policy, policy_for
from .recount import Recount, originals_left, reader, recount
from .tables import OneTable, as_tables, count_tables, document_tables, plan_tables, write_tables
from .telling import telling_warnings
from .treatments import KEPT, Treatments, recoding_words, treat

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Release:
    """A finished release: where it is, what was judged, and its manifest."""

    folder: Path
    table: Path
    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    rows: int
    rows_suppressed: int
    policy: Policy = field(repr=False)
    proposed_file: Path | None = None
    tables: Mapping[str, Path] = field(default_factory=dict)
    manifest: dict[str, Any] = field(repr=False, default_factory=dict)


def release(
    source: Any,
    policy: Policy | str | Path | None = None,
    *,
    to: str | Path,
    file_format: str = "",
    key: Key | None = None,
    lookup_file: Path | None = None,
    replace: bool = False,
    engine: str = "",
    progress: Progress = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> Release:
    """Release `source` under `policy` into the folder `to`.

    The source is a file, a frame, an address such as postgresql://host/database, or, where the policy has several
    tables, a folder with a file for each, a database file or a mapping of frames.

    Without a policy the source is surveyed, a policy is proposed (and written beside a source that is a file)
    and the outcome is *review* at best. What was written is read back from disk and counted before any verdict;
    a candidate that breaks a requirement is removed and CandidateFailed is raised.
    """
    target = Path(to)
    check_target(target, replace=replace)
    asked = _Asked(
        target=target,
        file_format=file_format,
        key=key,
        lookup_file=lookup_file,
        replace=replace,
        engine=engine or engine_for(source),
        progress=progress,
        created=clock().isoformat(timespec="seconds"),
        options=options,
    )
    progress("reading the source")
    found = found_policy(source, policy)
    if found is not None and found.tables:
        asked.options.pop("table", None)
        with open_database(source, engine=asked.engine, tables=tuple(found.tables), **asked.options) as database:
            return _release_tables(source, database, found, asked)
    with open_source(source, engine=asked.engine, **asked.options) as opened:
        decided, proposed_file = policy_for(source, found, opened, progress=progress)
        if decided.require.k_m or repeats(opened, decided):
            made = _release_tables(source, OneTable(opened), as_tables(decided), asked)
            return dataclass_replace(made, policy=decided, proposed_file=proposed_file)
        return _release_one(opened, decided, asked, proposed_file=proposed_file)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a release is asked for, besides its source and its policy."""

    target: Path
    file_format: str
    key: Key | None
    lookup_file: Path | None
    replace: bool
    engine: str
    progress: Progress
    created: str
    options: dict[str, Any]


def _release_one(opened: Engine, decided: Policy, asked: _Asked, *, proposed_file: Path | None) -> Release:
    """A table with one row per person."""
    progress = asked.progress
    progress("counting bins")
    prepared = prepare(opened, decided)
    progress(f"solving with {prepared.solver.name}")
    together = keep_together(opened, prepared, prepared.solver.solve(prepared.bins, prepared.hierarchies))
    prepared, solution = together.prepared, together.solution
    _check_rows_left(prepared, solution)
    treatments = treat(opened, decided, key=asked.key, lookup_file=asked.lookup_file)
    follows = follows_of(decided, prepared.bins, prepared.hierarchies, solution.recoding)
    treatments = link(treatments, follows)
    with aside(asked.target, replace=asked.replace) as folder:
        table = folder / f"release{_suffix(opened, asked.file_format)}"
        progress("writing the table")
        _write(opened, together, treatments, table, follows=follows)
        progress("counting what was written")
        found = recount(
            table, prepared.known, prepared.models, sensitive=_released(decided, treatments), engine=reader(opened.name)
        )
        _check_labels(prepared, together.solution, found)
        outcome = _judge(opened, decided, treatments, found, table)
        progress("writing manifest and report")
        facts = _document(opened, together, treatments, found, outcome=outcome, table=table, created=asked.created)
    return Release(
        folder=asked.target,
        table=asked.target / table.name,
        outcome=outcome,
        verdicts=found.verdicts,
        rows=found.rows,
        rows_suppressed=prepared.rows - found.rows,
        policy=decided,
        proposed_file=proposed_file,
        manifest=facts,
    )


def _release_tables(source: Any, database: Database, policy: Policy, asked: _Asked) -> Release:
    """Several tables, or one with several rows per person."""
    planned = plan_tables(database, policy, key=asked.key, lookup_file=asked.lookup_file, progress=asked.progress)
    with aside(asked.target, replace=asked.replace) as folder:
        files = write_tables(planned, folder, _suffix_of(source, database, asked.file_format), progress=asked.progress)
        found = count_tables(planned, folder, engine=reader(database.name), progress=asked.progress)
        asked.progress("writing manifest and report")
        outcome, facts = document_tables(planned, database, found, files, folder=folder, created=asked.created)
    rows = sum(found.rows.values())
    tables = {name: asked.target / path.name for name, path in files.items()}
    return Release(
        folder=asked.target,
        table=next(tables[name] for name, sight in planned.seen.items() if sight.is_person),
        outcome=outcome,
        verdicts=found.verdicts,
        rows=rows,
        rows_suppressed=sum(stage.rows_source for stage in planned.staged.values()) - rows,
        policy=policy,
        tables=tables,
        manifest=facts,
    )


def _suffix_of(source: Any, database: Database, file_format: str) -> str:
    """CSV where the source is CSV, else Parquet, which keeps types."""
    if file_format:
        return f".{file_format}"
    if isinstance(source, str | os.PathLike) and database.name in ("duckdb", "reference"):
        path = Path(source)
        if path.suffix in (".csv", ".tsv", ".txt") or (path.is_dir() and any(path.glob("*.csv"))):
            return ".csv"
    return ".csv" if database.name == "reference" else ".parquet"


def _check_rows_left(prepared: Prepared, solution: Solution) -> None:
    """An empty table keeps every requirement and is no use to anyone."""
    if solution.recoding.rows_suppressed(prepared.bins) >= prepared.bins.rows:
        raise NoRecodingFound(
            f"No recoding that {solution.solver} found keeps the requirements and any row.",
            found=f"All {prepared.bins.rows} rows would be suppressed, and the policy's limit allows that.",
            attempt="weaker requirements, or coarser levels; a lower limit on suppressed rows finds this out sooner.",
        )


def _suffix(engine: Engine, file_format: str) -> str:
    if file_format:
        return f".{file_format}"
    return ".parquet" if engine.title.endswith(".parquet") or engine.name == "spark" else ".csv"


def _released(policy: Policy, treatments: Treatments) -> tuple[str, ...]:
    return tuple(name for name in policy.named(Role.SENSITIVE) if name in treatments.fields)


def _write(engine: Engine, together: Together, treatments: Treatments, table: Path, *, follows: Follows) -> None:
    prepared, recoding = together.prepared, together.solution.recoding
    lookups, drop = recoding_lookups(together.planned, prepared.hierarchies, recoding)
    plan = WritePlan(
        fields=tuple(treatments.fields),
        lookups=(*lookups, *treatments.lookups),
        constants=treatments.constants,
        drop=drop,
        follows=follows,
        order=prepared.policy.order,
    )
    written = engine.write(plan, table)
    expected = prepared.rows - recoding.rows_suppressed(together.planned)
    if written != expected:
        raise Bug(f"{expected} rows were planned and {written} were written.")


def _check_labels(prepared: Prepared, solution: Solution, found: Recount) -> None:
    """Every value read back in a known field is a label of its hierarchy, or one that the recoding made."""
    recoding = solution.recoding
    for column, (name, labels) in enumerate(zip(found.bins.fields, found.bins.labels, strict=True)):
        made = recoding.labels[column] if isinstance(recoding, LabelledRecoding) else ()
        known = prepared.hierarchies[name].level_of_label.keys() | set(made)
        strange = sum(1 for label in labels if label not in known)
        if strange and not (strange == 1 and None in labels):  # CSV reads an empty text back as null.
            raise Bug(f"{strange} value(s) of {name} were written that its hierarchy does not have.")


def _judge(engine: Engine, policy: Policy, treatments: Treatments, found: Recount, table: Path) -> Outcome:
    """The outcome of the written table; a failing one is refused here, before it gets its name."""
    outcome = overall(found.verdicts)
    left = {name: originals_left(engine, table, policy.fields[name]) for name in treatments.replaced}
    broken = [f"{v.model} ({v.requirement}): {v.reason}" for v in found.verdicts if v.outcome == "fail"]
    broken += [f"{count} original value(s) of {name} are still in it" for name, count in left.items() if count]
    if broken:
        again = "another solver, or weaker requirements" if outcome == "fail" else 'replace = "hash" for these fields'
        raise CandidateFailed(
            "The candidate was written, counted again, and breaks what was required.",
            found="; ".join(broken) + ".",
            attempt=f"{again}; the candidate was removed and nothing was released.",
        )
    return "review" if policy.proposed else outcome


def _document(
    engine: Engine,
    together: Together,
    treatments: Treatments,
    found: Recount,
    *,
    outcome: Outcome,
    table: Path,
    created: str,
) -> dict[str, Any]:
    """Write manifest, report and policy beside the table."""
    prepared, solution = together.prepared, together.solution
    policy = prepared.policy
    measured = utility(prepared.bins, prepared.hierarchies, solution.recoding)
    entities = prepared.population if prepared.population is not None else prepared.bins
    labelled = isinstance(solution.recoding, LabelledRecoding)
    ads0 = check_ads0(found.bins, entities, () if labelled else entities.fields, prepared.hierarchies)
    words = treatments.words | recoding_words(solution, prepared.bins, dict(prepared.hierarchies))
    warnings = (*_warnings(together, treatments, found), *telling_warnings(engine, policy, treatments, words))
    facts = manifest(
        policy=policy,
        created=created,
        engine=engine.name,
        rows_source=prepared.rows,
        rows_released=found.rows,
        known=prepared.known,
        hierarchies=prepared.hierarchies,
        solution=solution,
        verdicts=found.verdicts,
        outcome=outcome,
        utility=measured,
        ads0=ads0,
        treatments=words,
        warnings=warnings,
        household=household_facts(policy, together.risk),
        snapshot=engine.snapshot(),
        table=table,
    )
    write_manifest(facts, table.parent / MANIFEST)
    (table.parent / POLICY).write_text(policy_as_toml(policy), encoding="utf-8")
    page = render(
        report_facts(
            prepared,
            solution,
            found,
            title=engine.title,
            created=created,
            engine=engine.name,
            outcome=outcome,
            utility=measured,
            ads0=ads0,
            words=words,
            warnings=warnings,
            files={table.name: facts["table"]["sha256"]},
        )
    )
    report = table.parent / REPORT
    report.touch(mode=0o600)  # It counts the source's bins: it is for the holder, not for whoever gets the folder.
    report.write_text(page, encoding="utf-8")
    return facts


def _warnings(together: Together, treatments: Treatments, found: Recount) -> tuple[str, ...]:
    """What a person should know before this leaves the house. Counts and field names only."""
    prepared = together.prepared
    policy = prepared.policy
    out = list(household_warnings(policy, tuple(treatments.fields), together.risk))
    if policy.proposed:
        out.append("The policy was proposed by a survey and no person has reviewed it.")
    trusted = [n for n in policy.named(Role.QUASI) if n not in prepared.known]
    if trusted:
        out.append(
            f"Not protected, because the profile says this recipient does not link on them: {', '.join(trusted)}."
        )
    weight = policy.require.k_map.weight if policy.require.k_map else ""
    if weight and treatments.words[weight] == KEPT and weight not in prepared.known:
        out.append(
            f"The survey weights in {weight} are released as they are: rows of one stratum often share a weight, which "
            "can tell region, size or group."
        )
    texts = policy.named(Role.TEXT)
    if texts:
        out.append(f"Free text is removed, not released: {', '.join(texts)}.")
    if policy.order is Order.KEEP:
        out.append("Rows are in the order of the source, which can tell who came first (paper 001, section 3.7).")
    for name, count in found.one_valued.items():
        if count:
            out.append(
                f"In {count} of {len(found.bins)} bins every row has the same value of {name}: "
                "who knows the bin knows the value."
            )
    if prepared.known and len(found.bins):
        strict, wildcard = smallest_strict_and_wildcard(found.bins, prepared.known)
        if strict == 1:
            out.append(
                f"The release is not k-anonymous over ({', '.join(prepared.known)}): some row is alone "
                f"(smallest bin 1; {wildcard} when a suppressed cell may match anything)."
            )
    for name, replacer in treatments.replacers.items():
        redrawn = getattr(replacer, "redrawn", 0)
        if redrawn:
            out.append(
                f"{redrawn} value(s) of {name} were drawn again to stay one-to-one; they may differ in another "
                "release with the same key."
            )
    return tuple(out)
