"""`synthesize`: synthetic rows of one table by any method, or of several tables that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace as change
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.accounting import check_noise_source
from sfumato.engines import open_database, open_source, read_released_frame
from sfumato.errors import Mistake
from sfumato.policy import (
    PRIVATE,
    SYNTHESIS_METHODS,
    MethodRun,
    SynthesisPolicy,
    has_tables,
    read_linked_synthesis,
    reading_policy,
    synthesis_method,
)
from sfumato.runs import claim, interruptible, temporary_folder
from sfumato.synthesis import check_optimiser

from ..atomic_folder import MANIFEST, aside, check_target
from ..documents import manifest_digest
from ..manifest import write_manifest
from .linked_run import LinkedRun
from .synthetic_release import SyntheticRelease
from .table_file import FORMATS

Request = str | Path | Mapping[str, Any] | SynthesisPolicy


def synthesize(
    source: Any = None,
    policy: str | Path | Mapping[str, Any] | SynthesisPolicy | None = None,
    *,
    to: str | Path | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    domains: Mapping[str, Any] | None = None,
    select: tuple[str, ...] | list[str] = (),
    leave_out: tuple[str, ...] | list[str] = (),
    entity: str = "",
    rows_per_person: int = 1,
    account: str | Path = "",
    method: str = "",
    fields: tuple[str, ...] | list[str] = (),
    keep: tuple[str, ...] | list[str] = (),
    copies: int | None = None,
    draws: str = "",
    rows: int | None = None,
    least_rows: int | None = None,
    file_format: str = "csv",
    replace: bool = False,
    progress: Callable[[str], None] = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> SyntheticRelease:
    """Make a synthetic table of `source`, into the folder `to` or as a frame.

    By default it is private. With `method="trees"` it is not: trees are fitted to the source, for the
    fields that `fields` names, beside those of `keep`, which stay as they are, in `copies` copies
    (`combine_estimates`). `method="domains"` makes `rows` test rows of `domains`, without a source.

    The policy is a file or a dict with `[synthesis]`, or keywords: `epsilon` and `delta` limit the
    cost of the table to a person. `domains` has the values of each field, as a list or as
    `{"least": 0, "most": 110, "step": 1}`. `select` names fields whose values are selected
    privately, and `leave_out` those that are not synthesised. A field that none of them names is
    refused: a domain that is read from the rows discloses a value that only one person has.

    With `entity`, `rows_per_person` rows of each person are counted; without it, each row is taken
    for a person. `account` is a file that adds up what several releases cost."""
    keywords = {
        "epsilon": epsilon,
        "delta": delta,
        "domains": domains,
        "select": list(select),
        "leave_out": list(leave_out),
        "entity": entity,
        "rows_per_person": rows_per_person if rows_per_person != 1 else None,
        "account": str(account),
        "method": method,
        "fields": list(fields),
        "keep": list(keep),
        "copies": copies,
        "draws": draws,
        "rows": rows,
        "least_rows": least_rows,
    }
    given = {name: value for name, value in keywords.items() if value}
    if file_format not in FORMATS:
        raise Mistake(
            f"A synthetic table was asked for as {file_format}.", attempt="csv or parquet."
        )
    asked: Request = _of_keywords(given) if policy is None else policy
    run = _run_of(asked, source, progress, beside={} if policy is None else given)
    with interruptible(), ExitStack() as held:
        if to is not None:
            check_target(Path(to), replace=replace)
            held.enter_context(claim(Path(to)))
        _read(run, source, asked, progress, options)
        created = clock().isoformat(timespec="seconds")
        if to is not None:
            with aside(Path(to), replace=replace) as folder:
                facts = run.write(folder, file_format, created)
                write_manifest(facts, folder / MANIFEST)
                digest = manifest_digest(folder)
            return SyntheticRelease(**run.result(facts), folder=Path(to), digest=digest)
        folder = held.enter_context(temporary_folder())
        facts = run.write(folder, "parquet", created)
        write_manifest(facts, folder / MANIFEST)
        like = next(iter(source.values())) if isinstance(source, Mapping) else source
        frames = tuple(
            read_released_frame(folder / str(entry["file"]), like)
            for entry in facts["tables"].values()
        )
        return SyntheticRelease(
            **run.result(facts), frame=frames[0], frames=frames, digest=manifest_digest(folder)
        )


def _of_keywords(given: Mapping[str, Any]) -> dict[str, Any]:
    """The policy of keywords; a private table has an epsilon of 1 where none is given."""
    if given.get("method", PRIVATE) != PRIVATE:
        return {"synthesis": dict(given)}
    return {"synthesis": {"epsilon": 1.0, **given}}


def _read(
    run: MethodRun | LinkedRun,
    source: Any,
    asked: Request,
    progress: Callable[[str], None],
    options: Mapping[str, Any],
) -> None:
    """What the run reads of its source, while that is open."""
    if source is None:
        return
    settings = reading_policy(asked)
    if isinstance(run, LinkedRun):
        with open_database(source, policy=settings, **options) as database:
            run.read(database)
        run.measure()
        return
    progress("reading the source")
    with open_source(source, policy=settings, **options) as engine:
        run.read(engine)


def _run_of(
    asked: Request, source: Any, progress: Callable[[str], None], *, beside: Mapping[str, Any]
) -> MethodRun | LinkedRun:
    """A run of the method that the policy names; epsilon and delta may be given beside a policy whose
    method has an account."""
    chance = np.random.default_rng()
    read = isinstance(asked, SynthesisPolicy)
    if not isinstance(asked, SynthesisPolicy) and has_tables(asked):
        if source is None:
            raise Mistake(
                "Synthetic tables were asked for.",
                found="No source was given.",
                attempt="a folder of files, a database or a dict of frames.",
            )
        check_noise_source()
        check_optimiser()
        linked = _with_numbers(read_linked_synthesis(asked), beside)
        return LinkedRun(policy=linked, progress=progress, chance=chance)
    method = SYNTHESIS_METHODS[
        PRIVATE if isinstance(asked, SynthesisPolicy) else synthesis_method(asked)
    ]
    if beside and not method.has_account:
        _refuse(beside)
    policy = _with_numbers(asked if read else method.read(asked), beside)
    if source is None and method.wants_source:
        raise Mistake(
            f"Synthetic rows by the method {method.key} were asked for.",
            found="No source was given.",
            attempt='its source, or method = "domains" for test rows without one.',
        )
    if source is not None and not method.wants_source:
        raise Mistake(
            f"Rows by the method {method.key} were asked for, and a source was given.",
            found="They are made without looking at any row.",
            attempt="leaving the source out.",
        )
    return method.run(policy, progress, chance)


def _with_numbers(policy: Any, beside: Mapping[str, Any]) -> Any:
    """A policy with the epsilon and the delta that were given beside it."""
    if beside.keys() - {"epsilon", "delta"}:
        _refuse({name: beside[name] for name in beside if name not in ("epsilon", "delta")})
    for each in SYNTHESIS_METHODS[PRIVATE].parameters:
        if each.name in beside and not each.allows(beside[each.name]):
            raise Mistake(
                f"{each.name.capitalize()} was given for synthetic rows.",
                found=f"It is {beside[each.name]:g}, and must be {each.span}.",
            )
    return change(policy, **beside) if beside else policy


def _refuse(beside: Mapping[str, Any]) -> None:
    raise Mistake(
        f"A policy was given, and {', '.join(beside)} beside it.",
        attempt="writing it into the policy.",
    )
