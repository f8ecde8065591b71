"""Every builder of hierarchies under the key that a policy writes: `hierarchy = { dates = ["month",
"year"] }`."""

from __future__ import annotations

from typing import Final

from sfumato.errors import HierarchyError
from sfumato.parts import Registry, with_question

from .declaration import HierarchyDeclaration
from .hierarchy_spec import HierarchySpec
from .parameters import Table

BUILDERS: Final[Registry[HierarchyDeclaration]] = Registry(
    "hierarchy builder", room="sfumato.hierarchies", group="sfumato.hierarchies"
)
"""Each is handed the whole table, since some have options beside their own key: { dates = […],
format = "…" }."""


CSV_FILE: Final = "csv"
"""The name of a hierarchy that a policy takes from a file in place of a builder."""


def builder_of(spec: HierarchySpec) -> str:
    """The key under which a policy writes a hierarchy, or `csv` for one that is in a file.

    Example:
        >>> builder_of(hierarchy_from_table({"prefix": [4, 3]}))
        'prefix'
    """
    described = spec.describe()
    if isinstance(described, str):
        return CSV_FILE
    return next(key for key in described if key in BUILDERS)


def hierarchy_from_table(table: Table) -> HierarchySpec:
    """The hierarchy that a table describes; the inverse of every builder's `describe`.

    Example:
        >>> hierarchy_from_table({"prefix": [4, 3]})
        Prefix(keep=(4, 3), fill='*', length=0)
    """
    keys = [key for key in table if key in BUILDERS]
    if len(keys) == 1:
        return BUILDERS[keys[0]].read(table)
    if keys:
        found = f"It names {len(keys)}: {', '.join(keys)}."
    else:
        strange = next(iter(table), "")
        found = with_question(
            f'It names "{strange}".' if strange else "It names none.", strange, tuple(BUILDERS)
        )
    raise HierarchyError(
        "A hierarchy names one builder.",
        found=found,
        attempt=f"one of {', '.join(BUILDERS)}, or the name of a CSV file.",
    )
