"""Checking a synthetic table against its manifest: its file, its marks, and its account, added up
again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.accounting import check_account
from sfumato.engines import Engine, parquet_marks
from sfumato.policy import SynthesisPolicy, read_synthesis

from ..checks import Check, same_as_said
from ..finished_release import Written
from ..inventory import file_checks, size_of
from .synthesis_run import MARKS, STATEMENT, TABLE

_NOISE = Check(
    claim="the noise was drawn as each line says, from rows that were cut as the policy says",
    outcome="review",
    found="only the holder of the source can check this",
)


def synthetic_checks(release: Written, facts: dict[str, Any]) -> Iterator[Check]:
    """Every claim that the folder alone can show."""
    entry, account = facts["tables"][TABLE], facts["account"]
    file = str(entry["file"])
    yield from file_checks(
        release.folder,
        {file: {k: entry[k] for k in ("sha256", "bytes")}},
        expected=(file,),
        whole={},
    )
    yield same_as_said("bytes of the table", entry["bytes"], size_of(release.folder / file))
    yield same_as_said("the statement on what the rows are", facts["statement"], STATEMENT)
    yield same_as_said("the table is the only one", list(facts["tables"]), [TABLE])
    broken = check_account(account)
    yield Check(
        claim="the account adds up: each measurement, rho, epsilon and the limit",
        outcome="fail" if broken else "pass",
        found="; ".join(broken)
        or f"epsilon {account['epsilon']:.3g} at delta {account['delta']:g}",
    )
    policy = read_synthesis(facts["policy"])
    yield _within(account, policy)
    yield _cut(account, policy)
    yield same_as_said("fields of the table", sorted(entry["fields"]), sorted(policy.fields))
    if file.endswith(".parquet"):
        marks = parquet_marks(release.folder / file)
        yield Check(
            claim="the file's metadata says that its rows are synthetic",
            outcome="pass" if MARKS.items() <= marks.items() else "fail",
            found="so it is" if MARKS.items() <= marks.items() else "it does not",
        )
    with release.opened(entry) as table:
        yield from _table_checks(table, entry, policy)
    yield same_as_said("the outcome follows from the account", facts["outcome"], "pass")
    yield _NOISE


def _within(account: dict[str, Any], policy: SynthesisPolicy) -> Check:
    fits = account["epsilon"] <= policy.epsilon and account["delta"] == policy.delta
    return Check(
        claim="the account keeps to the epsilon and the delta of the policy",
        outcome="pass" if fits else "fail",
        found="it holds" if fits else "it does not hold",
        requirement="epsilon",
    )


def _cut(account: dict[str, Any], policy: SynthesisPolicy) -> Check:
    known = {*policy.fields}
    fits = all(
        line["rows_per_person"] == policy.rows_per_person and set(line["fields"]) <= known
        for line in account["measurements"]
    )
    return Check(
        claim="each line counts the policy's rows per person, over fields of the policy",
        outcome="pass" if fits else "fail",
        found="it holds" if fits else "it does not hold",
    )


def _table_checks(table: Engine, entry: dict[str, Any], policy: SynthesisPolicy) -> Iterator[Check]:
    names = [info.name for info in table.fields()]
    yield same_as_said("columns of the table", [*entry["fields"], TABLE], names)
    yield same_as_said("rows", entry["rows"], table.count_rows())
    marks = table.frequencies((TABLE,)).values[0]
    yield Check(
        claim="every row is marked as synthetic",
        outcome="pass" if marks == ("true",) else "fail",
        found="it holds" if marks == ("true",) else "some are not",
    )
    strange = [
        name
        for name, domain in policy.domains.items()
        if not domain.is_range
        and not set(table.frequencies((name,)).values[0]) <= {*domain.values, "*", None}
    ]
    yield Check(
        claim="listed fields have values of their domain",
        outcome="fail" if strange else "pass",
        found=f"others are in {', '.join(strange)}" if strange else "it holds",
    )
    broken = sum(
        all(cell in allowed for cell, allowed in zip(cells, rule.values(), strict=True))
        for rule in policy.never
        for cells in _tuples(table, tuple(rule))
    )
    yield Check(
        claim="no row has a combination that the policy rules out",
        outcome="fail" if broken else "pass",
        found=f"{broken} combinations are there" if broken else "it holds",
    )


def _tuples(table: Engine, names: tuple[str, ...]) -> Iterator[tuple[str | None, ...]]:
    found = table.frequencies(names)
    for codes in found.codes.tolist():
        yield tuple(found.values[n][code] for n, code in enumerate(codes))
