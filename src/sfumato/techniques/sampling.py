"""Sampling: only a random part of the rows, or of the people, stays (Sweeney 2000, Fig. 14).

A person known to be in the source may then not be in the release. Strata get their share exactly,
up to one row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake, Problem
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import Policy, PolicyStep, Role, TechniqueDeclaration, Wants, never
from sfumato.wording import counted

from .cells import Cells
from .keyed_random import Wholes
from .row_groups import RowGroups
from .step_result import StepContext, StepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Which part of the rows is drawn."""

    share: float = parameter("of rows that stay", above=0, most=1, example="0.5")
    within: tuple[str, ...] = parameter(
        "the same share of each group of rows that are equal in these fields",
        default=(),
        kind=ParameterKind.FIELDS,
    )
    weight: tuple[str, ...] = parameter(
        "weights, which grow as rows become fewer", default=(), kind=ParameterKind.FIELDS
    )


def sampled(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Keep `share` of the rows, in each stratum of rows that are equal in `within` the same share
    up to one row.

    Where the policy names a person key, people are drawn and keep all their rows; they are in the
    stratum of their first. Every row has the same chance to stay. Weights are multiplied by how
    many a row of its stratum now represents. They sum to what they did in each stratum with
    remaining rows."""
    share, within = step.number("share"), step.names("within")
    strata, people = cells.groups(within), _people(cells, around.policy)
    _, first, person = np.unique(people, return_index=True, return_inverse=True)
    drawn = RowGroups.of_groups(strata[first]).part(share, around.chance)
    stays = drawn[person]
    if not stays.any():
        raise Mistake(
            f"A sample of {share:g} was asked for.",
            found=f"It has no row: {cells.title} has {len(first)} to draw from.",
            attempt="a larger share.",
        )
    stands_for = _stands_for(strata, stays)
    before, after = len(cells), int(stays.sum())
    cells = _weighed(cells, step, stands_for).only(stays)
    empty = len(np.unique(strata)) - len(np.unique(strata[stays]))
    facts = {"share": share, "each_stands_for": round(before / after, 4)}
    return StepResult(
        cells=cells,
        words={
            name: "multiplied by the number of rows that each now represents"
            for name in step.names("weight")
        },
        facts=facts | ({"drawn": "people"} if len(first) < before else {"drawn": "rows"}),
        warnings=tuple(_warnings(around.policy, step, empty)),
    )


def _people(cells: Cells, policy: Policy) -> Wholes:
    """A number for each row, the same for the rows of one person; a row without a person is by
    itself."""
    rows = np.arange(len(cells))
    if policy.entity is None or policy.entity not in cells.columns:
        return rows
    codes, labels = cells.codes(policy.entity)
    return np.where(cells.is_null(policy.entity), len(labels) + rows, codes)


def _stands_for(strata: Wholes, stays: NDArray[np.bool_]) -> NDArray[np.float64]:
    _, of, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    left = np.bincount(of[stays], minlength=len(sizes))
    return np.asarray((sizes / np.maximum(left, 1))[of], np.float64)


def _weighed(cells: Cells, step: PolicyStep, stands_for: NDArray[np.float64]) -> Cells:
    for name in step.names("weight"):
        cells = cells.with_numbers(name, cells.numbers(name) * stands_for, decimals=6)
    return cells


def _warnings(policy: Policy, step: PolicyStep, empty: int) -> list[str]:
    out = (
        [f"{counted(empty, 'group of rows has', 'groups of rows have')} no row left in the sample."]
        if empty
        else []
    )
    out += [
        f"The weights in {weight} are not those of the sample: they sum to "
        f"{step.number('share'):.3g} of what they "
        f'did, or about that. Name them: weight = ["{weight}"].'
        for weight in policy.require.weights
        if weight not in step.names("weight")
    ]
    return out


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: Sampling = step.settings
    for name in asked.weight:
        field = policy.fields.get(name)
        if field is not None and field.role not in (Role.SENSITIVE, Role.INSENSITIVE):
            yield Problem(
                where=f"{where}.weight",
                found=f"{name} is {field.role.value}, and weights are numbers that are released "
                "or only counted with.",
                attempt='role = "insensitive".',
            )
    both = [name for name in asked.within if name in asked.weight]
    if both:
        yield Problem(
            where=f"{where}.within",
            found=f"The step changes {', '.join(both)}, so the rows cannot be grouped by it.",
            attempt="other fields.",
        )


DECLARATION = TechniqueDeclaration(
    key="sample",
    doc="only a random part of the rows stays",
    title="sampling",
    record=Sampling,
    apply=sampled,
    check=_check,
    wants=Wants.NOTHING,
    fields=(0, 0),
    truthful=True,
    draws=never,
    samples_rows=True,
    trials=({"share": 0.9}, {"share": 0.5}, {"share": 0.1}),
)
