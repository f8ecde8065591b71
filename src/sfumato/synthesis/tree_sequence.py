"""Sequential trees: rows that are not private, each field drawn from a tree on the fields before it
(Reiter 2005; synthpop of Nowok, Raab and Dibben 2016).

The first field is drawn from its own counts. For each further field a tree is fitted on the rows of
the source, and a synthetic row gets the value of a row of the source in the leaf that it reaches.
Departures: fields are taken with the fewest values first, and leaves have at least 50 rows instead
of 5, so that fewer rows are copied. Values without an order are ordered by the first principal
component of the field that a tree predicts (Coppersmith, Hong and Hosking 1999)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from sfumato.errors import MissingExtra

from .coded_table import CodedTable, Codes, Reals, Wholes

LEAST_ROWS: Final = 50
"""Rows of the source in a leaf, at least."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeRows:
    """Rows that trees made: codes by field, in the order of the table's fields; the order in which
    fields were drawn, and how many leaves the tree of each has."""

    codes: tuple[Codes, ...] = field(repr=False)
    order: tuple[int, ...]
    leaves: tuple[int, ...]


def check_trees() -> None:
    """Refuse before anything is read where scikit-learn is not installed."""
    _trees()


def draw_by_trees(
    table: CodedTable,
    *,
    rows: int,
    chance: np.random.Generator,
    kept: Sequence[int] = (),
    least_rows: int = LEAST_ROWS,
    resampled: bool = False,
) -> TreeRows:
    """Draw so many rows. The fields of `kept` stay as they are, row by row, and the others follow
    them. With `resampled`, trees are fitted to a bootstrap sample of the rows, so that copies
    differ by the sampling error of the source too."""
    source = table.codes
    if resampled:
        again = chance.integers(0, table.rows, table.rows)
        source = tuple(column[again] for column in source)
    drawn: dict[int, Codes] = {n: table.codes[n] for n in kept}
    order = sorted(set(range(len(table.fields))) - set(kept), key=lambda n: (table.sizes[n], n))
    leaves = [1] * len(table.fields)
    for n in order:
        if not drawn:
            drawn[n] = source[n][chance.integers(0, table.rows, rows)]
            continue
        before = tuple(drawn)
        inputs, places = _inputs(table, source, drawn, before, target=n)
        tree = _fitted(inputs, source[n], least_rows, ordered=table.fields[n].ordered)
        leaf, reached = tree.apply(inputs), tree.apply(places)
        leaves[n] = int(tree.get_n_leaves())
        drawn[n] = donated(source[n], leaf, reached, chance)
    return TreeRows(
        codes=tuple(drawn[n] for n in range(len(table.fields))),
        order=tuple(order),
        leaves=tuple(leaves),
    )


def donated(values: Codes, leaf: Wholes, reached: Wholes, chance: np.random.Generator) -> Codes:
    """For each synthetic row the value of a random row of the source in the leaf that it reached.

    Example:
        >>> chance = np.random.default_rng()
        >>> donated(np.array([4, 4, 7]), np.array([1, 1, 2]), np.array([2, 1]), chance).tolist()
        [7, 4]
    """
    by_leaf = np.argsort(leaf, kind="stable")
    sizes = np.bincount(leaf)
    starts = np.cumsum(sizes) - sizes
    place = starts[reached] + (chance.random(len(reached)) * sizes[reached]).astype(np.int64)
    found: Codes = values[by_leaf[place]]
    return found


def _inputs(
    table: CodedTable,
    source: Sequence[Codes],
    drawn: dict[int, Codes],
    before: Sequence[int],
    *,
    target: int,
) -> tuple[Any, Any]:
    """The fields that a tree sees: of the rows that it is fitted to, and of those that it places."""
    fitted, placed = [], []
    for n in before:
        rank = (
            np.arange(table.sizes[n])
            if table.fields[n].ordered
            else _ranks(source[n], source[target], table, n, target)
        )
        fitted.append(rank[source[n]])
        placed.append(rank[drawn[n]])
    return _stacked(fitted), _stacked(placed)


def _stacked(columns: Sequence[Wholes]) -> Any:
    return np.stack(columns, axis=1).astype(np.float32)


def _ranks(column: Codes, aim: Codes, table: CodedTable, n: int, target: int) -> Wholes:
    """An order of values without one: by the mean of an ordered target, or along the direction in
    which the shares of its values differ most."""
    size = table.sizes[n]
    people = np.bincount(column, minlength=size).astype(float)
    if table.fields[target].ordered:
        score: Reals = np.bincount(column, weights=aim, minlength=size) / np.maximum(people, 1)
    else:
        cells, width = np.unique(aim, return_inverse=True)[1], len(np.unique(aim))
        counts = np.bincount(column * width + cells, minlength=size * width).reshape(size, width)
        shares = counts / np.maximum(people, 1)[:, None] - counts.sum(0) / max(len(aim), 1)
        score = shares @ np.linalg.eigh((shares * people[:, None]).T @ shares)[1][:, -1]
    ranks = np.empty(size, np.int64)
    ranks[np.argsort(score, kind="stable")] = np.arange(size)
    return ranks


def _fitted(inputs: Any, aim: Codes, least_rows: int, *, ordered: bool) -> Any:
    trees = _trees()
    kind = trees.DecisionTreeRegressor if ordered else trees.DecisionTreeClassifier
    # Ties between splits are broken by chance; nothing that protects depends on it.
    return kind(min_samples_leaf=least_rows).fit(inputs, aim)


def _trees() -> Any:
    try:
        from sklearn import tree
    except ImportError:
        raise MissingExtra("Synthesis by trees", extra="trees") from None
    return tree
