"""Blanking and imputing: cells are emptied and filled in with values of like rows (Garfinkel 2016,
4.3.2 and 4.4.1).

A hot deck: a cell is filled with the value of a random row that is like its own and was not
blanked. The filled cells are not identified; only their share is stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Problem
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration
from sfumato.wording import counted

from .cells import Cells
from .keyed_random import KeyedRandom, Wholes
from .row_groups import RowGroups
from .step_result import StepContext, StepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankAndImpute:
    """Which cells are blanked, and which rows fill them in."""

    share: float = parameter("of cells that are blanked", default=0.1, least=0, most=1)
    rarer_than: int = parameter("and all whose value fewer rows have", default=0, least=0)
    like: tuple[str, ...] = parameter(
        "rows are like that are equal here", default=(), kind=ParameterKind.FIELDS
    )


def blanked_and_imputed(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """A share of the cells of each field, and all whose value fewer than `rarer_than` rows have,
    are filled in anew.

    Where no like row has a value left, any row donates one; where no row has, the cell stays empty.
    Cells that were empty before stay so."""
    share, least, like = step.number("share"), step.whole("rarer_than"), step.names("like")
    groups, chance = cells.groups(like), around.chance
    words, shares, warnings = {}, {}, []
    for name in step.fields:
        blank = _blanked(cells, name, share, least, chance)
        out = cells.columns[name].copy()
        lending = np.flatnonzero(~cells.is_null(name) & ~blank)
        rows = np.flatnonzero(blank)
        out[rows] = None
        donors, unlike = _donors(rows, lending, groups, chance)
        out[rows[: len(donors)]] = cells.columns[name][donors]
        cells = cells.with_texts(name, out)
        shares[name] = round(len(rows) / max(len(cells), 1), 4)
        words[name] = _words(share, least, like)
        if unlike:
            warnings.append(
                f"{counted(unlike, f'cell of {name} was', f'cells of {name} were')} filled "
                "in from rows that are not like theirs."
            )
        if len(rows) and not len(lending):
            words[name] = "left empty"
            warnings.append(
                f"{counted(len(rows), f'cell of {name} stays', f'cells of {name} stay')} empty: "
                "no row has a value left to lend."
            )
        if not len(rows) and len(lending):
            warnings.append(f"No cell of {name} was blanked: its share of so few values is none.")
    return StepResult(
        cells=cells, words=words, facts={"share_imputed": shares}, warnings=tuple(warnings)
    )


def _blanked(
    cells: Cells, name: str, share: float, least: int, chance: KeyedRandom
) -> NDArray[np.bool_]:
    codes, labels = cells.codes(name)
    there = np.flatnonzero(~cells.is_null(name))
    out = np.zeros(len(cells), bool)
    out[there[chance.permutation(len(there))[: round(share * len(there))]]] = True
    rare = np.bincount(codes, minlength=len(labels)) < least
    out[there] |= rare[codes[there]]
    return out


def _donors(
    rows: Wholes, lending: Wholes, groups: Wholes, chance: KeyedRandom
) -> tuple[Wholes, int]:
    """For each blanked row its donor row, and how many donors are not like it; none if there is no
    donor."""
    if not len(lending):
        return lending, 0
    grouping = RowGroups.of_groups(groups[lending])
    found = np.unique(groups[lending])
    place = np.minimum(np.searchsorted(found, groups[rows]), len(found) - 1)
    like = found[place] == groups[rows]
    first = grouping.order[grouping.starts[place]]  # any row of the like group stands for it
    out = lending[chance.integers(len(lending), len(rows))]
    out[like] = lending[grouping.anyone(first[like], chance)]
    return out, int((~like).sum())


def _words(share: float, least: int, like: tuple[str, ...]) -> str:
    which = [f"in {share:.3g} of the cells, at random"] if share else []
    which += [f"where fewer than {least} rows have the value"] if least else []
    source = f"from rows with the same {', '.join(like)}" if like else "from other rows"
    return f"blanked {' and '.join(which)}, and filled in {source}; which cells is not released"


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: BlankAndImpute = step.settings
    if not asked.share and not asked.rarer_than:
        yield Problem(
            where=where,
            found="The step does not say which cells are blanked.",
            attempt="share, or rarer_than.",
        )


DECLARATION = TechniqueDeclaration(
    key="blank_and_impute",
    doc="cells are blanked at random and filled in from like rows",
    title="blanking and imputing",
    record=BlankAndImpute,
    apply=blanked_and_imputed,
    check=_check,
    trials=({"share": 0.05}, {"share": 0.1}, {"share": 0.3}),
)
