"""Small categories become one: "other" (Garfinkel 2016, 4.3.2: generalise categories with small
values)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import HierarchyError, Problem
from sfumato.parts import parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration, never

from .cells import Cells
from .keyed_random import KeyedRandom, Wholes
from .kinds import fits
from .stated_numbers import RARE
from .step_result import StepContext, StepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallCategories:
    """Which categories are small, and what they become."""

    least: int = parameter("rows that a category has", default=10, least=2)
    label: str = parameter("what the others are called", default="other")


def small_merged(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Categories that fewer than `least` rows have become `label`, which stays true of each row.

    The merged rows would disclose as much as before if they were one category, or too few. The next
    smallest categories therefore join until the label has `least` rows and at least two categories.
    Rows that have the label already are counted with it. Null is no category and stays."""
    least, label = step.whole("least"), step.word("label")
    words, facts, warnings = {}, {}, []
    for name in step.fields:
        codes, labels = cells.codes(name)
        counts = np.bincount(codes, minlength=len(labels))
        taken = np.array([value is not None for value in labels.tolist()], bool)
        already = np.array([value == label for value in labels.tolist()], bool)
        merged = _merged(
            counts, taken & ~already, int(counts[already].sum()), least=least, chance=around.chance
        )
        facts[name] = int(merged.sum())
        words[name] = f"kept as it is: no category has fewer than {least} rows"
        if merged.any():
            new = labels.copy()
            new[merged] = label
            is_text = not fits(cells.kinds.get(name), label)
            cells = cells.with_texts(name, new[codes], is_text=is_text)
            words[name] = (
                f'{int(merged.sum())} categories became "{label}", so that each has '
                f"{least} rows or more"
            )
        rows = int(counts[merged | already].sum())
        if merged.any() and (rows < least or int((merged | already).sum()) < 2):
            words[name] = f'small categories became "{label}"'
            warnings.append(
                f'"{label}" of {name} covers one category or fewer than {least} rows, '
                "because there are no others to merge."
            )
    return StepResult(
        cells=cells, words=words, facts={"categories_merged": facts}, warnings=tuple(warnings)
    )


def _merged(
    counts: Wholes, candidates: NDArray[np.bool_], there: int, *, least: int, chance: KeyedRandom
) -> NDArray[np.bool_]:
    """Which categories are gathered. `there` rows have the label already. Among equals chance
    decides."""
    out = candidates & (counts < least)
    needed = bool(out.any()) or 0 < there < least
    categories, rows = int(out.sum()) + (there > 0), int(counts[out].sum()) + there
    order = np.lexsort((chance.words(len(counts)), counts))
    for code in order[(candidates & ~out)[order]].tolist() if needed else []:
        if categories >= 2 and rows >= least:
            break
        out[code] = True
        categories, rows = categories + 1, rows + int(counts[code])
    return out


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    """The label must be one that the field's hierarchy can place; an empty one would be read as
    null."""
    asked: SmallCategories = step.settings
    if not asked.label:
        yield Problem(
            where=f"{where}.label", found="It is empty, and would be read as a missing value."
        )
        return
    for name in step.fields:
        field = policy.fields.get(name)
        try:
            if field is not None and field.hierarchy is not None:
                field.hierarchy.bind((asked.label,))
        except HierarchyError:
            yield Problem(
                where=f"{where}.label",
                found=f'The hierarchy of {name} has no place for "{asked.label}".',
                attempt="a row for it in the hierarchy, a label that it has, or merging by a "
                f"level of {name}.",
            )


def _trials(cells: Cells, name: str) -> Iterator[dict[str, object]]:
    return ({"least": max(2, round(share * len(cells)))} for share in RARE)


DECLARATION = TechniqueDeclaration(
    key="merge_small",
    doc="small categories become one",
    title="merging small categories",
    record=SmallCategories,
    apply=small_merged,
    check=_check,
    truthful=True,
    draws=never,
    trials_for=_trials,
)
