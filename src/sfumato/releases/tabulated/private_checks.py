"""Checks of a private table: its account, its domain and its sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.accounting import check_account
from sfumato.policy import TablesOfCounts
from sfumato.tabulation import AreaTree, ReleasedTable

from ..checks import Check, same_as_said
from .consistency import sums_check
from .private_counts import usefulness_of_counts


def private_checks(
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
    within = (
        account["epsilon"] <= policy.settings.epsilon and account["delta"] == policy.settings.delta
    )
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
        "invariants are listed as outside the account", len(listed), len(policy.settings.invariants)
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
