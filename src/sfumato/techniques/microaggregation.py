"""Microaggregation as a step: each number becomes the mean of a group of at least k near rows
(Garfinkel 2016, 4.3.2).

Each field by itself: the groups that lose least (Hansen and Mukherjee 2003, `optimal_groups.py`).
All fields together: MDAV (Domingo-Ferrer and Mateo-Sanz 2002, `near_groups.py`), with fields in
standard deviations. Null is no number, and everyone sees it: rows are grouped with rows that lack
the same fields. Where there are fewer than k of those, cells are left empty. Means are written with
the digits that the field had; the result is counted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import Bug
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration, Wants, never

from .cells import Cells, Reals
from .keyed_random import Wholes
from .near_groups import near_groups
from .optimal_groups import optimal_groups
from .pools import NOBODY, members
from .stated_numbers import deviation, left_empty, two_digits
from .step_result import StepContext, StepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroaggregationStep:
    """How large groups are, and over which fields they are made."""

    k: int = parameter("rows in a group, at least", default=3, least=2)
    method: str = parameter(
        "each field by itself, or all together", default="together", words=("together", "each")
    )
    within: tuple[str, ...] = parameter(
        "only among rows that are equal in these fields", default=(), kind=ParameterKind.FIELDS
    )


def microaggregated(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """The fields with the means of groups of at least `k` rows, none of which reaches over two
    groups of `within`."""
    k, together, fields = step.whole("k"), step.word("method") == "together", step.fields
    within = cells.groups(step.names("within"))
    table = np.stack([cells.numbers(name) for name in fields], axis=1)
    if together:
        out, equal = _together(table, within, k)
    else:
        made = [_together(table[:, [at]], within, k) for at in range(len(fields))]
        out, equal = np.concatenate([one for one, _ in made], axis=1), any(same for _, same in made)
    for at, name in enumerate(fields):
        cells = cells.with_numbers(name, out[:, at])
    for names in (fields,) if together else [(name,) for name in fields]:
        recount(cells, names, within, k)
    near = f" in {', '.join(fields)}" if together and len(fields) > 1 else " in it"
    alike = f", all alike in {', '.join(step.names('within'))}" if step.names("within") else ""
    said = f"each number is the mean of at least {k} rows that are near{near}{alike}"
    kept = {name: _kept(table[:, at], out[:, at]) for at, name in enumerate(fields)}
    return StepResult(
        cells=cells,
        words=dict.fromkeys(fields, said),
        facts={"k": k, "method": step.word("method"), "variance_kept": kept},
        warnings=tuple(_warnings(table, out, fields, k=k, together=together, equal=equal)),
    )


def _together(table: Reals, within: Wholes, k: int) -> tuple[Reals, bool]:
    """Means of groups over all columns, nan where there are too few rows; and whether a group was
    of equal rows."""
    out = np.full_like(table, np.nan)
    scales = np.array([deviation(column[~np.isnan(column)]) or 1.0 for column in table.T])
    lacking = np.isnan(table)
    _, patterns = np.unique(lacking, axis=0, return_inverse=True)
    kinds = np.where(lacking.all(axis=1), NOBODY, within * (patterns.max(initial=0) + 1) + patterns)
    equal = False
    for rows in members(kinds):
        if len(rows) < k:
            continue
        there = ~lacking[rows[0]]
        points = table[np.ix_(rows, there)]
        groups = (
            near_groups(points / scales[there], k)
            if there.sum() > 1
            else optimal_groups(points[:, 0], k)
        )
        sizes = np.bincount(groups)[:, None]
        # A share of each number is summed, because a sum of the largest would not be finite.
        means = np.zeros((len(sizes), int(there.sum())))
        np.add.at(means, groups, points / sizes[groups])
        out[np.ix_(rows, there)] = means[groups]
        equal |= bool(
            (np.bincount(groups, (points != points[_first(groups)]).any(axis=1)) == 0).any()
        )
    return out, equal


def _first(groups: Wholes) -> Wholes:
    """For each row, the first row of its group."""
    return np.unique(groups, return_index=True)[1][groups]


def recount(cells: Cells, fields: Sequence[str], within: Wholes, k: int) -> None:
    """Each number that is there now occurs, with those beside it, in at least k rows of its group,
    or there is a bug."""
    there = ~np.all([cells.is_null(name) for name in fields], axis=0)
    alike = cells.groups(fields)
    _, sizes = np.unique(
        alike[there] * (within.max(initial=0) + 1) + within[there], return_counts=True
    )
    if len(sizes) and sizes.min() < k:
        raise Bug(f"a group of microaggregation has fewer than k = {k} rows")


def _kept(before: Reals, after: Reals) -> float:
    """The variance of the means, of the variance that the same rows had."""
    there = ~np.isnan(after)
    spread = deviation(before[there])
    return two_digits((deviation(after[there]) / spread) ** 2) if spread else 1.0


def _warnings(
    table: Reals, out: Reals, fields: Sequence[str], *, k: int, together: bool, equal: bool
) -> list[str]:
    lost = (~np.isnan(table) & np.isnan(out)).sum(axis=0)
    said = [
        left_empty(name, many, f"fewer than {k} rows could be grouped with them")
        for name, many in zip(fields, lost.tolist(), strict=True)
        if many
    ]
    if equal:
        said.append(
            f"Some groups are of {k} or more equal rows: their numbers are released as they are."
        )
    if not together and len(fields) > 1:
        said.append(
            f"Each of {', '.join(fields)} was grouped by itself: {k} rows share each "
            "number, not all of them."
        )
    return said


DECLARATION = TechniqueDeclaration(
    key="microaggregate",
    doc="numbers become the mean of a group of like rows",
    title="microaggregation",
    record=MicroaggregationStep,
    apply=microaggregated,
    wants=Wants.NUMBERS,
    draws=never,
    trials=({"k": 3}, {"k": 10}, {"k": 30}),
)
