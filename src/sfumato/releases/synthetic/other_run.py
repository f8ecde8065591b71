"""Runs that are not about one private table: several tables, rows by trees, and test rows of declared
domains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace as change
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.accounting import check_noise_source
from sfumato.engines import open_database, open_source, read_released_frame
from sfumato.errors import Mistake
from sfumato.policy import (
    TREES,
    has_tables,
    read_domain_rows,
    read_linked_synthesis,
    read_tree_synthesis,
    reading_policy,
    synthesis_method,
)
from sfumato.runs import claim, interruptible, temporary_folder
from sfumato.synthesis import check_optimiser

from ..atomic_folder import MANIFEST, aside, check_target
from ..documents import manifest_digest
from ..manifest import write_manifest
from .domain_run import DomainRun
from .linked_run import LinkedRun
from .synthetic_release import SyntheticRelease
from .tree_run import TreeRun


def synthesize_otherwise(
    source: Any,
    policy: str | Path | Mapping[str, Any],
    *,
    beside: Mapping[str, Any],
    to: Path | None,
    file_format: str,
    replace: bool,
    progress: Callable[[str], None],
    created: str,
    options: Mapping[str, Any],
) -> SyntheticRelease:
    """Make rows by a policy of several tables, or of a method that has no account."""
    numbers = {name: beside[name] for name in ("epsilon", "delta") if name in beside}
    if beside and (numbers != beside or not has_tables(policy)):
        raise Mistake(
            f"A policy was given, and {', '.join(beside)} beside it.",
            attempt="writing it into the policy.",
        )
    run = _run_of(policy, source, progress, numbers)
    with interruptible(), ExitStack() as held:
        if to is not None:
            check_target(to, replace=replace)
            held.enter_context(claim(to))
        if isinstance(run, LinkedRun):
            with open_database(source, policy=reading_policy(policy), **options) as database:
                run.read(database)
            run.measure()
        if isinstance(run, TreeRun):
            progress("reading the source")
            with open_source(source, policy=reading_policy(policy), **options) as engine:
                run.read(engine)
        if to is not None:
            with aside(to, replace=replace) as folder:
                facts = run.write(folder, file_format, created)
                write_manifest(facts, folder / MANIFEST)
                digest = manifest_digest(folder)
            return SyntheticRelease(**run.result(facts), folder=to, digest=digest)
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


def _run_of(
    policy: str | Path | Mapping[str, Any],
    source: Any,
    progress: Callable[[str], None],
    numbers: Mapping[str, Any],
) -> LinkedRun | TreeRun | DomainRun:
    chance = np.random.default_rng()
    if has_tables(policy):
        if source is None:
            raise Mistake(
                "Synthetic tables were asked for.",
                found="No source was given.",
                attempt="a folder of files, a database or a dict of frames.",
            )
        check_noise_source()
        check_optimiser()
        settled = change(read_linked_synthesis(policy), **numbers)
        return LinkedRun(policy=settled, progress=progress, chance=chance)
    if synthesis_method(policy) == TREES:
        if source is None:
            raise Mistake(
                "Synthetic rows by trees were asked for.",
                found="No source was given.",
                attempt='its source, or method = "domains" for test rows without one.',
            )
        return TreeRun(policy=read_tree_synthesis(policy), progress=progress, chance=chance)
    if source is not None:
        raise Mistake(
            "Test rows of declared domains were asked for, and a source was given.",
            found="They are made without looking at any row.",
            attempt="leaving the source out.",
        )
    return DomainRun(policy=read_domain_rows(policy), progress=progress, chance=chance)
