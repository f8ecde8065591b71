"""Sets of values that people hold: gathered once, a sorted list for each person, and taken apart
into combinations.

Sets that many people hold are counted on each list alone, so that people are moved between workers
once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
import pyarrow.compute
import sqlglot
from numpy.typing import NDArray
from sqlglot import exp

from ..engine import FieldInfo, Itemsets
from ..sql.codes import itemsets_of
from ..sql.queries import Queries, column, count_all, named, places, table
from .canonical_text import DIALECT


def gathered(
    ask: Queries, person: FieldInfo, item: FieldInfo, within: Sequence[FieldInfo]
) -> exp.Select:
    """Each person's values as a list `s`, within q0, q1, …."""
    held = ask.held(person, item, within)
    names = [f"q{i}" for i in range(len(within))]
    values = exp.Anonymous(
        this="sort_array",
        expressions=[exp.Anonymous(this="collect_list", expressions=[column("s")])],
    )
    query = exp.select(*map(column, names), named(values, "s")).from_(held.subquery("held"))
    return query.group_by(*map(column, names), column("p"))


def singles(
    ask: Queries, person: FieldInfo, item: FieldInfo, within: Sequence[FieldInfo]
) -> exp.Select:
    """How many people hold each value, where nobody asks what they hold together: g0, g1, …, i0,
    n."""
    held = ask.held(person, item, within)
    shown = [named(column(f"q{i}"), f"g{i}") for i in range(len(within))] + [
        named(column("s"), "i0")
    ]
    query = exp.select(*shown, named(count_all(), "n")).from_(held.subquery("held"))
    return query.group_by(*places(len(shown)))


def combinations(of_table: str, groups: int, size: int) -> exp.Expr:
    """The combinations of so many values of a list: g0, g1, … within which, i0 < i1 < … the values,
    n the people.

    Each value is taken from what follows the one before.
    """
    shown = [f"q{i} AS g{i}" for i in range(groups)] + [f"x{i} AS i{i}" for i in range(size)]
    taken, start = "", "1"
    for i in range(size):
        rest = "s" if i == 0 else f"slice(s, {start}, size(s))"
        taken += f" LATERAL VIEW posexplode({rest}) e{i} AS a{i}, x{i}"
        start = f"a{i} + {start} + 1"
    keys = ", ".join(str(i + 1) for i in range(groups + size))
    query = f"SELECT {', '.join(shown)}, COUNT(*) AS n FROM lists{taken} GROUP BY {keys}"
    return sqlglot.parse_one(query, read=DIALECT).transform(
        lambda node: (
            table(of_table) if isinstance(node, exp.Table) and node.name == "lists" else node
        )
    )


def as_itemsets(sizes: Sequence[pyarrow.Table], *, groups: int) -> Itemsets:
    """The combinations of each size, from one value up, in codes. Every value and every group is in
    the first."""
    values = _values(sizes[0].column("i0"))
    within = [_values(sizes[0].column(f"g{i}")) for i in range(groups)]
    found = [
        {f"g{i}": _codes(part.column(f"g{i}"), within[i]) for i in range(groups)}
        | {f"i{i}": _codes(part.column(f"i{i}"), values) for i in range(size)}
        | {"n": part.column("n").to_numpy()}
        for size, part in enumerate(sizes, start=1)
    ]
    return itemsets_of(found, tuple(values), groups=groups)


def _values(column: pyarrow.ChunkedArray) -> list[str]:
    return sorted(value for value in column.unique().to_pylist() if value is not None)


def _codes(column: pyarrow.ChunkedArray, values: Sequence[str]) -> NDArray[np.int64]:
    """The place of each text among the values; -1 for null.

    Example:
        >>> _codes(pyarrow.chunked_array([["b", None, "a"]]), ["a", "b"]).tolist()
        [1, -1, 0]
    """
    found = pyarrow.compute.index_in(column, value_set=pyarrow.array(values, pyarrow.string()))
    return found.fill_null(-1).to_numpy().astype(np.int64)  # type: ignore[no-any-return]
