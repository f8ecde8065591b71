"""PRAM, the post-randomisation method: categories change by stated chances (Gouweleeuw, Kooiman,
Willenborg and de Wolf 1998, "Post randomisation for statistical disclosure control").

The chances are stated, from which a recipient has the transition matrix; never which cells changed.
The matrix is not written with its categories. Later recoding may remove some of them from the
release, and its exact shares would be counts of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Problem
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration
from sfumato.wording import counted

from .cells import Cells, Reals
from .keyed_random import KeyedRandom, Wholes
from .row_groups import RowGroups
from .step_result import StepContext, StepResult

_MATRIX = {
    True: "R = keep * I + (1 - keep) * 1 t', where t are the shares of the categories: t R = t, "
    "so released shares "
    "estimate t without correction",
    False: "P = keep on the diagonal and (1 - keep) / (categories - 1) elsewhere: shares before "
    "are those after, "
    "multiplied by the inverse of P",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRandomisation:
    """The chances of a transition matrix."""

    keep: float = parameter("the chance that a value stays", default=0.8, least=0, most=1)
    invariant: bool = parameter("frequencies stay the same on average", default=True)
    within: tuple[str, ...] = parameter(
        "only among rows that are equal in these fields", default=(), kind=ParameterKind.FIELDS
    )


def transition(shares: Reals, *, keep: float, invariant: bool) -> Reals:
    """The chance that a category (row) becomes another (column), for categories with these shares.

    Invariant, with t the shares: R = keep I + (1 - keep) 1 t', so that t R = t (Gouweleeuw et al.,
    section 3). A category stays with a chance of at least `keep`. Of all invariant matrices this is
    the one that draws anew from the field itself, so that a recipient can invert it from the
    release.

    Example:
        >>> transition(np.array([0.75, 0.25]), keep=0.6, invariant=True).tolist()
        [[0.9, 0.1], [0.3, 0.7]]
        >>> transition(np.array([0.75, 0.25]), keep=0.6, invariant=False).tolist()
        [[0.6, 0.4], [0.4, 0.6]]
    """
    count = len(shares)
    if count < 2:
        return np.ones((count, count))
    other = np.tile(shares, (count, 1)) if invariant else (1.0 - np.eye(count)) / (count - 1)
    return np.asarray(np.round(keep * np.eye(count) + (1.0 - keep) * other, 12))


def post_randomised(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Each cell keeps its category with chance `keep`. Else it is drawn anew among the rows that
    are equal in `within`: by their shares (invariant), or one of the other categories, each with
    the same chance. Null is no category."""
    keep, is_invariant = step.number("keep"), bool(step.settings.invariant)
    groups = cells.groups(step.names("within"))
    words, facts, warnings = {}, {}, []
    for name in step.fields:
        rows = np.flatnonzero(~cells.is_null(name))
        codes, labels = cells.codes(name)
        grouping = RowGroups.of_groups(groups[rows])
        drawn = _drawn(
            codes[rows], grouping, keep=keep, is_invariant=is_invariant, chance=around.chance
        )
        out = cells.columns[name].copy()
        out[rows] = labels[drawn]
        cells = cells.with_texts(name, out)
        many = _categories(codes[rows], grouping)
        fewest, most = (int(many.min()), int(many.max())) if len(many) else (0, 0)
        facts[name] = {"fewest_categories": fewest, "most_categories": most}
        words[name] = _words(step, keep, is_invariant=is_invariant)
        alone = int(grouping.sizes[many < 2].sum())
        if alone:
            warnings.append(
                f"{counted(alone, f'cell of {name} has', f'cells of {name} have')} no "
                "other category to become, and "
                f"{'stays as it is' if alone == 1 else 'stay as they are'}."
            )
    told = {
        "keep": keep,
        "invariant": is_invariant,
        "matrix": _MATRIX[is_invariant],
        "fields": facts,
    }
    return StepResult(cells=cells, words=words, facts=told, warnings=tuple(warnings))


def _drawn(
    codes: Wholes, grouping: RowGroups, *, keep: float, is_invariant: bool, chance: KeyedRandom
) -> Wholes:
    out = codes.copy()
    changing = np.flatnonzero(chance.uniform(len(codes)) >= keep)
    if is_invariant:
        out[changing] = codes[grouping.anyone(changing, chance)]
        return out
    pairs, place = np.unique(np.stack([grouping.of, codes], axis=1), axis=0, return_inverse=True)
    place = place.reshape(-1)[changing]
    many = np.bincount(pairs[:, 0], minlength=len(grouping.sizes))
    starts = (np.cumsum(many) - many)[grouping.of[changing]]
    many = many[grouping.of[changing]]
    other = (chance.uniform(len(changing)) * (many - 1)).astype(np.int64)
    other = starts + np.minimum(other, np.maximum(many - 2, 0))
    other += (other >= place) & (many > 1)  # its own category is left out
    out[changing] = pairs[other, 1] if len(pairs) else out[changing]
    return out


def _categories(codes: Wholes, grouping: RowGroups) -> NDArray[np.int64]:
    """How many categories each group has."""
    pairs = np.unique(np.stack([grouping.of, codes], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=len(grouping.sizes)).astype(np.int64)


def _words(step: PolicyStep, keep: float, *, is_invariant: bool) -> str:
    within = step.names("within")
    among = f", among rows that are equal in {', '.join(within)}" if within else ""
    if is_invariant:
        return (
            f"randomised (PRAM): kept with chance {keep:.3g}, else drawn anew by how often "
            f"categories occur{among}; "
            "shares of categories are the same on average"
        )
    return (
        f"randomised (PRAM): kept with chance {keep:.3g}, else one of the other "
        f"categories{among}; shares need to be "
        "corrected with the transition matrix"
    )


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: PostRandomisation = step.settings
    if asked.keep == 1.0:
        yield Problem(
            where=f"{where}.keep",
            found="It is 1, so that nothing would change.",
            attempt="keep = 0.8.",
        )


DECLARATION = TechniqueDeclaration(
    key="pram",
    doc="categories change by chance (post-randomisation)",
    title="post-randomisation",
    record=PostRandomisation,
    apply=post_randomised,
    check=_check,
    trials=({"keep": 0.95}, {"keep": 0.8}, {"keep": 0.5}),
)
