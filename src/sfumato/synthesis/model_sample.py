"""Systematic sampling: rows of a fitted model whose marginals differ from it by less than rows drawn
one by one would.

Cliques are drawn from the root on. Rows that share the fields drawn before, in random order, take
evenly spaced places on the cumulated conditional probabilities, with one random start. The draws
protect nobody, as the model is private already; they are drawn from the system's entropy all the
same."""

from __future__ import annotations

import numpy as np

from .coded_table import Codes, Reals, Wholes
from .dual_fit import FittedModel
from .junction_tree import Fields


def sample_rows(model: FittedModel, rows: int, chance: np.random.Generator) -> list[Codes]:
    """Codes of each field of the model, for so many rows."""
    tree = model.tree
    out: list[Codes | None] = [None] * len(tree.sizes)
    for clique, between, belief in zip(tree.cliques, tree.separators, model.beliefs, strict=True):
        fresh = tuple(name for name in clique if name not in between)
        if not fresh:
            continue
        table = _conditional(np.exp(belief), clique, between)
        given = np.zeros(rows, np.int64)
        for name in between:
            column = out[name]
            assert column is not None
            given = given * tree.sizes[name] + column
        drawn = systematic(table, given, chance)
        for name in reversed(fresh):
            out[name] = drawn % tree.sizes[name]
            drawn = drawn // tree.sizes[name]
    return [np.zeros(rows, np.int64) if column is None else column for column in out]


def systematic(table: Reals, given: Codes, chance: np.random.Generator) -> Codes:
    """For each row a column of `table`, drawn with the weights of the row that `given` names.

    Example:
        >>> drawn = systematic(np.array([[1.0, 3.0]]), np.zeros(8, int), np.random.default_rng())
        >>> np.bincount(drawn).tolist()
        [2, 6]
    """
    groups, columns = table.shape
    order = chance.permutation(len(given))
    # Small numbers are sorted in one pass.
    narrow = given.astype(np.uint16) if groups <= 1 << 16 else given
    order = order[np.argsort(narrow[order], kind="stable")]
    sizes = np.bincount(given, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    rank = np.arange(len(given)) - np.repeat(starts, sizes)
    offset = np.repeat(chance.random(groups), sizes)
    place = (rank + offset) / np.repeat(np.maximum(sizes, 1), sizes)
    weights = np.maximum(table, 0.0)
    weights[weights.sum(axis=1) <= 0] = 1.0
    steps = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    # One search for all groups: the steps of group g are between g and g + 1.
    ladder = (np.minimum(steps, 1.0) + np.arange(groups)[:, None]).ravel()
    group = np.repeat(np.arange(groups), sizes)
    found = _steps_below(ladder, group + np.minimum(place, 1 - 1e-9))
    # Rounding may pass the last column that has any weight.
    last = columns - 1 - np.argmax(weights[:, ::-1] > 0, axis=1)
    out = np.empty(len(given), np.int64)
    out[order] = np.clip(found - group * columns, 0, last[group])
    return out


def _steps_below(ladder: Reals, places: Reals) -> Wholes:
    """How many steps of a ladder are at most each place, where both are in ascending order."""
    if len(ladder) > len(places):
        return np.searchsorted(ladder, places, side="right")
    # Fewer steps than places: the steps are searched for, and counted up to each place.
    before = np.bincount(np.searchsorted(places, ladder), minlength=len(places) + 1)
    return np.cumsum(before)[: len(places)]


def _conditional(shares: Reals, clique: Fields, between: Fields) -> Reals:
    """Cells of the new fields by cells of those drawn before."""
    first = [n for n, name in enumerate(clique) if name in between]
    last = [n for n, name in enumerate(clique) if name not in between]
    moved = np.transpose(shares, (*first, *last))
    groups = int(np.prod([shares.shape[n] for n in first], dtype=np.int64))
    return moved.reshape(groups, -1)
