"""Every builder of hierarchies under the key that a policy writes: `hierarchy = { dates = ["month", "year"] }`."""

from __future__ import annotations

from collections.abc import Callable

from sfumato.errors import HierarchyError

from ..nearest import with_question
from .dates import Dates
from .icd import Icd
from .numbers import numbers_from_table
from .ordered import Ordered
from .parameters import Table
from .prefix import Prefix
from .spec import HierarchySpec, Suppression
from .tree import Tree
from .us_states import UsStates

# Each is handed the whole table, since some have options beside their own key: { dates = […], format = "…" }.
BUILDERS: dict[str, Callable[[Table], HierarchySpec]] = {
    Dates.key: Dates.from_table,
    "numbers": numbers_from_table,
    Prefix.key: Prefix.from_table,
    Icd.key: Icd.from_table,
    UsStates.key: UsStates.from_table,
    Tree.key: Tree.from_table,
    Ordered.key: Ordered.from_table,
    "suppress": Suppression.from_table,
}


def hierarchy_from_table(table: Table) -> HierarchySpec:
    """The hierarchy that a table describes; the inverse of every builder's `describe`.

    Example:
        >>> hierarchy_from_table({"prefix": [4, 3]})
        Prefix(keep=(4, 3), fill='*', length=0)
    """
    keys = [key for key in table if key in BUILDERS]
    if len(keys) == 1:
        return BUILDERS[keys[0]](table)
    if keys:
        found = f"It names {len(keys)}: {', '.join(keys)}."
    else:
        strange = next(iter(table), "")
        found = with_question(f'It names "{strange}".' if strange else "It names none.", strange, BUILDERS)
    raise HierarchyError(
        "A hierarchy names one builder.",
        found=found,
        attempt=f"one of {', '.join(BUILDERS)}, or the name of a CSV file.",
    )
