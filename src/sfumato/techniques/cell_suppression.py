"""Suppressing cells: those with certain values, and those whose value few rows have (Sweeney 2000,
3.2; Garfinkel 2016, 4.3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sfumato.errors import Problem
from sfumato.parts import parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration, never

from .cells import Cells, Column
from .keyed_random import Wholes
from .stated_numbers import RARE
from .step_result import StepContext, StepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSuppression:
    """Which cells are suppressed."""

    values: tuple[str, ...] = parameter("cells with these values", default=())
    rarer_than: int = parameter("cells whose value fewer rows have", default=0, least=0)


def suppressed(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Cells become null; all other cells are unchanged and stay true.

    `rarer_than` counts rows as they are before this step, so a value that enough rows have stays in
    all of them."""
    named, least = step.names("values"), step.whole("rarer_than")
    words, shares, warnings = {}, {}, []
    for name in step.fields:
        codes, labels = cells.codes(name)
        hit = _hit(codes, labels, named, least)
        there = int((~cells.is_null(name)).sum())
        gone = hit[codes]
        out = cells.columns[name].copy()
        out[gone] = None
        cells = cells.with_texts(name, out)
        words[name] = _words(named, least)
        shares[name] = round(int(gone.sum()) / max(len(cells), 1), 4)
        unseen = len(set(named) - set(labels.tolist()))
        if unseen:
            warnings.append(
                f"{unseen} of the {len(named)} values that are to be suppressed in {name} "
                "occur nowhere."
            )
        if there and int(gone.sum()) == there:
            warnings.append(f"Every cell of {name} is suppressed.")
        if named and unseen < len(named):
            warnings.append(
                "The policy, which travels with the release, names the values that are "
                f"suppressed in {name}: a missing cell may have been one of them."
            )
    return StepResult(
        cells=cells, words=words, facts={"share_suppressed": shares}, warnings=tuple(warnings)
    )


def _hit(
    codes: Wholes, labels: Column, named: tuple[str, ...], least: int
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each value of the field, whether its cells are suppressed; never for null."""
    counts = np.bincount(codes, minlength=len(labels))
    chosen = set(named)
    return np.array(
        [
            label is not None and (label in chosen or count < least)
            for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ],
        bool,
    )


def _words(named: tuple[str, ...], least: int) -> str:
    values = (
        "a value that the policy lists"
        if len(named) == 1
        else f"one of {len(named)} values that the policy lists"
    )
    which = [f"had {values}"] if named else []
    which += [f"had a value that fewer than {least} rows have"] if least else []
    return f"suppressed (left empty) where the cell {' or '.join(which)}"


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: CellSuppression = step.settings
    if not asked.values and not asked.rarer_than:
        yield Problem(
            where=where,
            found="The step does not say which cells are suppressed.",
            attempt="values, or rarer_than.",
        )


def _trials(cells: Cells, name: str) -> Iterator[dict[str, object]]:
    return ({"rarer_than": max(2, round(share * len(cells)))} for share in RARE)


DECLARATION = TechniqueDeclaration(
    key="suppress",
    doc="cells are suppressed",
    title="cell suppression",
    record=CellSuppression,
    apply=suppressed,
    check=_check,
    truthful=True,
    draws=never,
    trials_for=_trials,
)
