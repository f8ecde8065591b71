"""Checks of a private table of rows: its file, its marks, and its account, added up again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.accounting import check_account
from sfumato.engines import Engine
from sfumato.policy import SynthesisPolicy, read_synthesis

from ..checks import Check, same_as_said
from ..finished_release import Written
from ..inventory import file_checks
from .field_codes import OTHER
from .table_checks import domain_checks, mark_checks, never_check
from .table_file import TABLE
from .useful_noise import stated_shares, usefulness

_NOISE = Check(
    claim="the noise was drawn as each line says, from rows that were cut as the policy says",
    outcome="review",
    found="only the holder of the source can check this",
)


def private_row_checks(
    release: Written, facts: dict[str, Any], *, statement: str
) -> Iterator[Check]:
    """Every claim of a private table that the folder alone can show."""
    entry, account = facts["tables"][TABLE], facts["account"]
    file = str(entry["file"])
    yield from file_checks(
        release.folder,
        {file: {k: entry[k] for k in ("sha256", "bytes")}},
        expected=(file,),
        whole={},
    )
    yield same_as_said("the statement on what the rows are", facts["statement"], statement)
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
    with release.opened(entry) as table:
        yield from mark_checks(release.folder, table, entry)
        yield domain_checks(table, policy.domains)
        yield never_check(table, policy.never)
        listed = [name for name, domain in policy.domains.items() if not domain.is_range]
        other = {name: _share_of_other(table, name) for name in (*listed, *policy.select)}
    yield same_as_said(
        "the shares of values outside of the listed or selected ones",
        facts["synthesis"].get("other_values", {}),
        stated_shares(other, [*other]),
    )
    other |= facts["synthesis"].get("beyond_range", {})
    crowded = facts["synthesis"].get("crowded", [])
    outcome, reason = usefulness(account["measurements"], int(entry["rows"]), other, crowded)
    yield same_as_said("the outcome follows from noise and domains", facts["outcome"], outcome)
    yield same_as_said("its reason", facts["synthesis"].get("reason", ""), reason)
    yield _NOISE


def _share_of_other(table: Engine, name: str) -> float:
    found = table.frequencies((name,))
    labels = np.array([value == OTHER for value in found.values[0]], bool)
    other = labels[found.codes[:, 0]] @ found.counts
    return float(other / max(int(found.counts.sum()), 1))


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
