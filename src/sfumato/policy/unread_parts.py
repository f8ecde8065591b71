"""The unreadable parts of a policy of several tables, so that their consequences are not reported
as well.

Such a policy's `unclear` holds names of tables whose links, key or fields could not be read, and
fields as TABLE.FIELD."""

from __future__ import annotations

from .records import Policy
from .table_paths import ancestors


def fields_of(unclear: frozenset[str], table: str) -> frozenset[str]:
    """The fields of one table whose role could not be read."""
    return frozenset(
        name.removeprefix(f"{table}.") for name in unclear if name.startswith(f"{table}.")
    )


def is_settled(policy: Policy, unclear: frozenset[str], table: str) -> bool:
    """Whether it is known where the links of a table lead, all the way up."""
    above = (table, *ancestors(policy, table))
    leads = {link.table for name in above for link in policy.tables[name].links}
    return not unclear.intersection(above) and leads <= policy.tables.keys()
