"""Checking synthetic tables without an account: their files, their marks, their manifest's claims,
and the combining rule that follows from their policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sfumato.policy import (
    DOMAINS,
    POPULATION,
    TREES,
    TreePolicy,
    read_domain_rows,
    read_tree_synthesis,
)
from sfumato.synthesis import RAAB, RAGHUNATHAN, REITER

from ..checks import Check, same_as_said
from ..finished_release import Written
from ..inventory import file_checks
from .table_checks import domain_checks, mark_checks, never_check
from .table_file import copy_name

_NOT_PRIVATE = Check(
    claim="a bound is proven on what can be learned about one person",
    outcome="review",
    found="no: trees were fitted to the source without noise, and a person has to decide",
)
_NOT_READ = Check(
    claim="no source was read",
    outcome="review",
    found="only the holder can check this; cells are within the declared domains",
)


def tree_row_checks(
    release: Written, facts: dict[str, Any], *, statement: Callable[[TreePolicy], str]
) -> Iterator[Check]:
    """Every claim of rows by trees that the folder alone can show."""
    policy = read_tree_synthesis(facts["policy"])
    yield from _file_checks(release, facts)
    yield same_as_said("the method", facts["synthesis"].get("method"), TREES)
    yield from _tree_checks(facts, policy)
    yield same_as_said("the statement on what the rows are", facts["statement"], statement(policy))
    yield from _copy_checks(release, facts, policy.copies, policy.released)
    yield same_as_said("the outcome follows from the method", facts["outcome"], "review")
    yield _NOT_PRIVATE


def domain_row_checks(
    release: Written, facts: dict[str, Any], *, statement: str
) -> Iterator[Check]:
    """Every claim of test rows that the folder alone can show."""
    policy = read_domain_rows(facts["policy"])
    yield from _file_checks(release, facts)
    yield same_as_said("the method", facts["synthesis"].get("method"), DOMAINS)
    yield same_as_said("the statement on what the rows are", facts["statement"], statement)
    yield from _copy_checks(release, facts, policy.copies, tuple(policy.domains))
    for entry in facts["tables"].values():
        with release.opened(entry) as table:
            yield same_as_said("rows that the policy asks for", entry["rows"], policy.rows)
            yield domain_checks(table, policy.domains)
            yield never_check(table, policy.never)
    yield same_as_said("the outcome follows from the method", facts["outcome"], "pass")
    yield _NOT_READ


def _file_checks(release: Written, facts: dict[str, Any]) -> Iterator[Check]:
    entries = facts["tables"].values()
    files = {str(e["file"]): {k: e[k] for k in ("sha256", "bytes")} for e in entries}
    yield from file_checks(release.folder, files, expected=tuple(files), whole={})


def _copy_checks(
    release: Written, facts: dict[str, Any], copies: int, fields: tuple[str, ...]
) -> Iterator[Check]:
    """As many copies as the policy asks for, each with its fields and marks."""
    names = [copy_name(number) for number in range(1, copies + 1)]
    yield same_as_said("the copies", sorted(facts["tables"]), sorted(names))
    for entry in facts["tables"].values():
        yield same_as_said("fields of the table", sorted(entry["fields"]), sorted(fields))
        with release.opened(entry) as table:
            yield from mark_checks(release.folder, table, entry)


def _tree_checks(facts: dict[str, Any], policy: TreePolicy) -> Iterator[Check]:
    rule = facts["synthesis"]["combining_rule"]
    name = REITER if policy.keep else RAGHUNATHAN if policy.draws == POPULATION else RAAB
    yield same_as_said("the combining rule follows from the policy", rule["name"], name)
    yield same_as_said("copies of the combining rule", rule["copies"], policy.copies)
    yield same_as_said(
        "rows of the combining rule",
        sorted({entry["rows"] for entry in facts["tables"].values()}),
        [rule["rows"]],
    )
    private = facts["synthesis"]["private"]
    yield Check(
        claim="the manifest says that the rows are not private",
        outcome="fail" if private else "pass",
        found="it does not" if private else "it does",
    )
