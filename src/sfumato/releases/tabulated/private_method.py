"""The method `private`: the facts of a private table, and its checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sfumato.engines import Engine
from sfumato.errors import Problem
from sfumato.policy import COUNTED_DOMAIN_EXAMPLE, TOTAL, TablesOfCounts, TabulationMethod
from sfumato.report import Html, table
from sfumato.report.charts import Bar, counts, lying_bars
from sfumato.tabulation import AreaTree, ExpectedError, ReleasedTable

from .consistency import broken_sums
from .method_facts import Findings, MethodFacts
from .private_checks import private_checks
from .private_counts import PrivateSettings, tabulate_privately, usefulness_of_counts

STATEMENT: Final = (
    "Each count follows from noisy measurements: the account bounds what can be learned about one "
    "person from the table. Sums are exact over all levels, and counts are whole and not negative, "
    "so they are biased: empty cells are too large on average, at the cost of others. Invariants are "
    "exact and outside the account."
)


def private_method(engine: Engine, policy: TablesOfCounts) -> MethodFacts:
    """Measure, fit, and state the size of errors."""
    made = tabulate_privately(engine, policy)
    account = made.account
    whose = "" if policy.entity else ", with one row; the policy names no entity"
    findings = [
        (
            "cost to one person",
            f"epsilon {account.epsilon:.4g} at delta {policy.settings.delta:g}{whose}",
        ),
        *(
            (f"noise of cells, level {name}", f"sigma {each.sigma:.3g}")
            for name, each in zip(made.tree.levels, made.made.noise, strict=True)
        ),
        (
            "rows outside the declared values and areas, left out",
            f"about {max(0, made.rows_left_out):,} (sigma {account.lines[0].sigma:.0f})",
        ),
        *(("exact, outside the account", words) for words in account.outside),
    ]
    people = int(made.made.counts[0].sum())
    lines = account.as_dict()["measurements"]
    outcome, reason = usefulness_of_counts(lines, people, made.rows_left_out)
    if reason:
        findings.insert(0, ("a person decides", reason))
    if not policy.settings.account:
        findings.append(
            (
                "other releases",
                'about the same people are not counted; account = "FILE" adds them up',
            )
        )
    facts = {
        "levels": {
            name: len(names) for name, names in zip(made.tree.levels, made.tree.names, strict=True)
        },
        "cells_per_area": int(made.made.counts[0].shape[1]),
        "rows_left_out": made.rows_left_out,
        "expected_errors": [
            {
                "level": each.level,
                "least": each.least,
                "most": each.most,
                "cells": each.cells,
                "bias": round(each.bias, 2),
                "root_mean_square": round(each.root_mean_square, 2),
            }
            for each in made.made.errors
        ],
        "account_is_kept": bool(policy.settings.account),
        **({"reason": reason} if reason else {}),
    }
    return MethodFacts(
        table=made.table,
        tree=made.tree,
        outcome=outcome,
        statement=STATEMENT,
        released_facts=facts,
        findings=tuple(findings),
        account=account,
        chart=_chart(made.made.errors),
        chart_caption="Expected error of a count by level and size, with the bias that "
        "non-negativity causes, simulated on the released counts.",
        details=(_error_table(made.made.errors),),
        check=lambda back: _checked(back, made.tree),
    )


def _checked(back: ReleasedTable, tree: AreaTree) -> Findings:
    broken = broken_sums(back, tree)
    return [("sums over all levels", "exact" if not broken else f"{broken:,} are not exact")]


def _label(each: ExpectedError) -> str:
    size = f"{each.least:,} and more" if each.most is None else f"{each.least:,} to {each.most:,}"
    return f"{each.level}, {size if each.most != each.least else f'{each.least:,}'}"


def _chart(errors: Sequence[ExpectedError]) -> Html:
    bars = [
        Bar(
            place=_label(each),
            value=each.root_mean_square,
            label=f"{each.root_mean_square:.1f}, bias {each.bias:+.1f}",
        )
        for each in errors
    ]
    most = max((bar.value for bar in bars), default=1.0)
    return lying_bars(
        bars,
        title="Root mean square error, people",
        label="Expected error of a count by level and size.",
        ticks=counts(max(1.0, most)),
        line=24,
    )


def _error_table(errors: Sequence[ExpectedError]) -> Html:
    rows = [
        (_label(each), f"{each.cells:,}", f"{each.bias:+.2f}", f"{each.root_mean_square:.2f}")
        for each in errors
    ]
    return table(
        ("level and count", "cells", "bias", "root mean square error"),
        rows,
        caption="Expected errors, simulated on the released counts",
        numeric=(1, 2, 3),
    )


def _problems(policy: TablesOfCounts) -> Iterator[Problem]:
    here, own = "tables_of_counts", policy.settings
    for name in policy.fields:
        if name not in policy.domains:
            yield Problem(
                where=f"{here}.domains.{name}",
                found=f"Nobody has said which values {name} may have.",
                attempt=f"{COUNTED_DOMAIN_EXAMPLE}; a domain that is read from the rows reveals who has a value "
                "alone.",
            )
    if policy.levels and not policy.areas:
        yield Problem(
            where=f"{here}.areas",
            found="A private table takes its areas from a public file, never from the rows.",
            attempt='areas = "areas.csv", with one column for each level.',
        )
    if len(policy.tables) > 1:
        yield Problem(
            where=f"{here}.tables",
            found="A private table is one cross of all fields, which has all their margins.",
            attempt="fields in place of tables.",
        )
    for name in own.invariants:
        if name not in (*policy.levels, TOTAL):
            yield Problem(
                where=f"{here}.invariants",
                found=f"{name} is no level.",
                attempt=f'"{TOTAL}" or one of {", ".join(policy.levels)}.',
            )
    levels = (TOTAL, *policy.levels)
    if own.shares and (
        set(own.shares) != set(levels)
        or min(own.shares.values()) <= 0
        or abs(sum(own.shares.values()) - 1) > 1e-9
    ):
        yield Problem(
            where=f"{here}.shares",
            found="Each level has a share of the budget above 0, and together they are 1.",
            attempt=f"shares = {{ {_even_shares(levels)} }}.",
        )
    if own.limit is not None and (not own.account or own.limit < own.epsilon):
        yield Problem(
            where=f"{here}.limit",
            found="A limit is the epsilon of an account, and at least that of this release.",
            attempt='account = "people.account" and a higher limit.',
        )


def _even_shares(levels: Sequence[str]) -> str:
    """Shares that are about alike and together 1, as a policy writes them."""
    each = round(1 / len(levels), 2)
    first = round(1 - each * (len(levels) - 1), 2)
    return ", ".join(f"{name} = {first if name == levels[0] else each:g}" for name in levels)


DECLARATION = TabulationMethod(
    key="private",
    doc="noise on every count, consistent over all levels, with an account for each person",
    title="counts with noise, consistent over all levels",
    record=PrivateSettings,
    statement=STATEMENT,
    tabulate=private_method,
    verify=private_checks,
    check=_problems,
    has_account=True,
)
