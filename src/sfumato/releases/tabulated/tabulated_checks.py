"""Checking a table of counts against its manifest: its files, its sums, and the promises of its
method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.errors import Mistake, ReleaseBroken
from sfumato.policy import AREAS_FILE, TablesOfCounts, read_tables_of_counts
from sfumato.tabulation import AreaTree, ReleasedTable, area_tree, read_areas

from ..atomic_folder import REPORT
from ..checks import Check, same_as_said
from ..finished_release import Written
from ..inventory import file_checks, size_of
from .table_files import COUNTS, read_table, table_columns


def tabulated_checks(release: Written, facts: dict[str, Any]) -> Iterator[Check]:
    """Every claim that the folder alone can show."""
    policy = read_tables_of_counts(facts["policy"], folder=release.folder)
    if policy.areas not in ("", AREAS_FILE):
        raise ReleaseBroken("The manifest names a file of areas outside the folder.")
    entry = facts["tables"][COUNTS]
    file = str(entry["file"])
    areas = (AREAS_FILE,) if policy.levels else ()
    yield from file_checks(
        release.folder, facts["files"], expected=(file, REPORT, *areas), whole={}
    )
    yield same_as_said("bytes of the table", entry["bytes"], size_of(release.folder / file))
    yield same_as_said(
        "digest of the table", entry["sha256"], facts["files"].get(file, {}).get("sha256")
    )
    yield same_as_said("the table is the only one", list(facts["tables"]), [COUNTS])
    tree = _tree(release, policy)
    with release.opened(entry) as opened:
        table = read_table(opened, policy)
    yield same_as_said(
        "columns of the table", entry["fields"], table_columns(table.columns, policy)
    )
    yield same_as_said("cells", entry["rows"], len(table))
    yield _non_negative(table)
    if policy.never:
        yield _ruled_out(table, policy)
    method = policy.declaration
    yield same_as_said("the statement on what the counts are", facts["statement"], method.statement)
    yield from method.verify(table, tree, policy, facts)


def _tree(release: Written, policy: TablesOfCounts) -> AreaTree:
    if not policy.levels:
        return area_tree((), ())
    try:
        return read_areas(release.folder / AREAS_FILE, policy.levels)
    except Mistake as error:
        raise ReleaseBroken(
            f"{AREAS_FILE} is not the tree of the areas.", found=error.found
        ) from None


def _non_negative(table: ReleasedTable) -> Check:
    below = sum(value is not None and value < 0 for value in table.values)
    return Check(
        claim="no value is negative",
        outcome="fail" if below else "pass",
        found=f"{below:,} are" if below else "so it is",
    )


def _ruled_out(table: ReleasedTable, policy: TablesOfCounts) -> Check:
    """Cells that everybody knows to be empty are shown as such."""
    first = 2 if table.has_areas else 0
    broken = 0
    for labels, value in zip(table.labels, table.values, strict=True):
        own = dict(zip(table.fields, labels[first:], strict=True))
        named = any(
            all(own[name] in allowed for name, allowed in rule.items()) for rule in policy.never
        )
        broken += named and value != 0
    return Check(
        claim="cells that the policy rules out are shown as empty",
        outcome="fail" if broken else "pass",
        found=f"{broken:,} are not" if broken else "so it is",
    )
