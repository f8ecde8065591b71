"""Checking a table of counts against its manifest: its files, its sums, and the promises of its
method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sfumato.accounting import check_account
from sfumato.errors import Mistake, ReleaseBroken
from sfumato.policy import AREAS_FILE, TablesOfCounts, read_tables_of_counts
from sfumato.tabulation import AreaTree, ReleasedTable, area_tree, read_areas

from ..atomic_folder import REPORT
from ..checks import Check, same_as_said
from ..finished_release import Written
from ..inventory import file_checks, size_of
from .cell_key_method import STATEMENT as CELL_KEY_STATEMENT
from .cell_key_method import cell_key_checks
from .consistency import sums_check
from .private_counts import usefulness_of_counts
from .private_method import STATEMENT as PRIVATE_STATEMENT
from .round_method import STATEMENT as ROUND_STATEMENT
from .round_method import round_checks
from .suppress_method import STATEMENT as SUPPRESS_STATEMENT
from .suppress_method import suppress_checks
from .swap_method import STATEMENT as SWAP_STATEMENT
from .swap_method import swap_checks
from .table_files import COUNTS, read_table, table_columns

MethodChecks = Callable[
    [ReleasedTable, AreaTree, TablesOfCounts, Mapping[str, Any]], Iterator[Check]
]


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
    method, statement = CHECKS[policy.method]
    yield same_as_said("the statement on what the counts are", facts["statement"], statement)
    yield from method(table, tree, policy, facts)


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


def _private_checks(
    table: ReleasedTable, tree: AreaTree, policy: TablesOfCounts, facts: Mapping[str, Any]
) -> Iterator[Check]:
    account = facts["account"]
    yield sums_check(table, tree)
    yield _whole_domain(table, tree, policy)
    broken = check_account(account)
    yield Check(
        claim="the account adds up: each measurement, rho, epsilon and the limit",
        outcome="fail" if broken else "pass",
        found="; ".join(broken)
        or f"epsilon {account['epsilon']:.3g} at delta {account['delta']:g}",
    )
    within = account["epsilon"] <= policy.epsilon and account["delta"] == policy.delta
    yield Check(
        claim="the account keeps to the epsilon and the delta of the policy",
        outcome="pass" if within else "fail",
        found="so it is" if within else "it is not so",
        requirement="epsilon",
    )
    yield _measured(account, tree, policy)
    listed = [
        words for words in account["outside"] if words.startswith("the exact number of people")
    ]
    yield same_as_said(
        "invariants are listed as outside the account", len(listed), len(policy.invariants)
    )
    whole = [
        value or 0
        for labels, value in zip(table.labels, table.values, strict=True)
        if not table.has_areas or labels[0] == tree.levels[0]
    ]
    told = facts["tabulation"]
    outcome, reason = usefulness_of_counts(
        account["measurements"], sum(whole), told["rows_left_out"]
    )
    yield same_as_said(
        "the outcome follows from the noise and the rows left out",
        [facts["outcome"], told.get("reason", "")],
        [outcome, reason],
    )
    yield Check(
        claim="the noise was drawn as each line says, from rows that were cut as the policy says",
        outcome="review",
        found="only the holder of the source can check this",
    )


def _whole_domain(table: ReleasedTable, tree: AreaTree, policy: TablesOfCounts) -> Check:
    """Every level, area and combination of declared values, once: the set of cells discloses
    nothing about the source."""
    cells = 1
    for name in policy.fields:
        cells *= len(policy.domains[name].labels)
    allowed = [set(policy.domains[name].labels) for name in policy.fields]
    areas = {
        (level, name)
        for level, names in zip(tree.levels, tree.names, strict=True)
        for name in names
    }
    first = 2 if table.has_areas else 0
    inside = all(
        (not first or labels[:2] in areas)
        and all(label in known for label, known in zip(labels[first:], allowed, strict=True))
        for labels in table.labels
    )
    whole = (
        inside
        and len(set(table.labels)) == len(table.labels) == cells * (len(areas) if first else 1)
        and None not in table.values
    )
    return Check(
        claim="the table has each cell of the declared domain once",
        outcome="pass" if whole else "fail",
        found="so it is" if whole else "it has not",
    )


def _measured(account: Mapping[str, Any], tree: AreaTree, policy: TablesOfCounts) -> Check:
    """Each level was measured, over the policy's fields and rows per person."""
    fields = [*policy.levels[-1:], *policy.fields]
    lines = account["measurements"]
    fits = all(
        line["rows_per_person"] == policy.rows_per_person and line["fields"] == fields
        for line in lines
    ) and all(
        any(line["what"].endswith(f", level {name}") for line in lines) for name in tree.levels
    )
    return Check(
        claim="each level was measured, with the policy's fields and rows per person",
        outcome="pass" if fits else "fail",
        found="so it is" if fits else "it is not so",
    )


CHECKS: Final[dict[str, tuple[MethodChecks, str]]] = {
    "private": (_private_checks, PRIVATE_STATEMENT),
    "suppress": (suppress_checks, SUPPRESS_STATEMENT),
    "round": (round_checks, ROUND_STATEMENT),
    "swap": (swap_checks, SWAP_STATEMENT),
    "cell_key": (cell_key_checks, CELL_KEY_STATEMENT),
}
