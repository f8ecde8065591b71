"""Selecting: only the rows that are eligible for release stay (Sweeney 2000, section 6.2: the holder
declares which tuples of the private table are)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake, Problem
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import Policy, PolicyStep, Role, TechniqueDeclaration, Wants, never

from .cells import Cells
from .step_result import StepContext, StepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which rows are eligible: those that meet all conditions."""

    by: tuple[str, ...] = parameter(
        "the field by which rows are eligible", kind=ParameterKind.FIELDS, example='["a"]'
    )
    values: tuple[str, ...] = parameter(
        "rows with one of these values stay; any value where none is named",
        default=(),
        kind=ParameterKind.TEXTS,
    )
    least: float | None = parameter("rows with this number or more stay", default=None)
    most: float | None = parameter("rows with this number or less stay", default=None)


def selected(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Keep the rows whose field has one of the values, and a number in the range; a row without a
    value is not eligible."""
    asked: Selection = step.settings
    (name,) = asked.by
    stays: NDArray[np.bool_] = ~cells.is_null(name)
    if asked.values:
        stays &= np.isin(cells.columns[name].astype(str), asked.values)
    if asked.least is not None or asked.most is not None:
        numbers = cells.numbers(name)
        low = -np.inf if asked.least is None else asked.least
        high = np.inf if asked.most is None else asked.most
        stays &= (numbers >= low) & (numbers <= high)
    if not stays.any():
        raise Mistake(
            f"Rows were selected by {name}.",
            found=f"None of the {len(cells):,} rows of {cells.title} is eligible.",
            attempt="other values, or a wider range.",
        )
    warnings: tuple[str, ...] = ()
    if around.policy.fields[name].role is not Role.INSENSITIVE:
        warnings = (
            f"Rows were selected by {name}. Membership in the release discloses that a "
            "person meets the rule, which the policy states.",
        )
    facts = {"rows_before": len(cells), "rows_selected": int(stays.sum())}
    return StepResult(cells=cells.only(stays), words={}, facts=facts, warnings=warnings)


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: Selection = step.settings
    if len(asked.by) != 1:
        yield Problem(
            where=f"{where}.by",
            found=f"It names {len(asked.by)} fields, and rows are selected by one.",
            attempt="a step for each field.",
        )
    if not asked.values and asked.least is None and asked.most is None:
        yield Problem(
            where=where,
            found="It does not define which rows stay.",
            attempt='values = ["2024"], least = 18, or most = 90.',
        )
    if asked.least is not None and asked.most is not None and asked.least > asked.most:
        yield Problem(
            where=f"{where}.least", found="It is more than most.", attempt="a smaller number."
        )


DECLARATION = TechniqueDeclaration(
    key="select",
    doc="only rows that are eligible for release stay",
    title="selecting rows",
    record=Selection,
    apply=selected,
    check=_check,
    wants=Wants.NOTHING,
    fields=(0, 0),
    truthful=True,
    draws=never,
    samples_rows=True,
)
