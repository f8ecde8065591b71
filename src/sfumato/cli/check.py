"""`sfumato check`: all problems of a policy at once, alone or against its source."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sfumato.wording import counted

from .shared_arguments import (
    add_json,
    add_policy_and_source,
    database_options,
    print_json,
    settle_policy_and_source,
    source_options,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.table import Table

    from sfumato.engines import Engine
    from sfumato.policy import Policy
    from sfumato.releases.tables import CheckedTable


def configure(command: argparse.ArgumentParser) -> None:
    add_policy_and_source(command, alone=True)
    add_json(command, what="the policy as it was read")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.policy import policy_as_table, read_policy
    from sfumato.solvers import SOLVERS

    settle_policy_and_source(options, alone=True)
    console = Console(stderr=options.json)
    policy = read_policy(options.policy)
    if options.source is None:
        console.print(
            f"{options.policy.name} is valid. Give its source too to check them against each other."
        )
    elif policy.tables:
        _check_tables(options, policy, console)
    else:
        _check_table(options, policy, console)
    promise = SOLVERS[policy.solve.solver].promise
    if promise is not None:
        console.print(promise(policy.solve.settings, policy), highlight=False, markup=False)
    if options.json:
        against = options.source is not None
        print_json({"checked_against_source": against, "policy": policy_as_table(policy)})
    return 0


def _check_table(options: argparse.Namespace, policy: Policy, console: Console) -> None:
    from sfumato.engines import open_source
    from sfumato.releases import check_content

    with open_source(options.source, policy=policy, **source_options(options)) as engine:
        found, warnings = _one_table(engine, policy)
        _warn((*check_content(policy, table=engine), *warnings), console)
        said = f"{options.policy.name} fits {engine.title}: {found}{_sampled(policy)}."
    console.print(said, highlight=False, markup=False)


def _one_table(engine: Engine, policy: Policy) -> tuple[str, tuple[str, ...]]:
    """The content of a table, in words, and warnings about its size; where a person has several
    rows in it, people are counted."""
    from sfumato.releases import level_warnings, prepare_after_steps, repeats, try_steps
    from sfumato.releases.tables import OneTable, as_tables, check_tables

    if policy.entity is not None and (policy.require.each("k_m") or repeats(engine, policy)):
        stepped = try_steps(engine, policy)
        (checked,) = check_tables(OneTable(stepped.engine), as_tables(policy)).values()
        people = counted(stepped.engine.profile(policy.entity).distinct, "person", "people")
        return f"{counted(checked.rows, 'row')} of {people} by {policy.entity}", ()
    prepared = prepare_after_steps(engine, policy)
    bins = f"{counted(len(prepared.bins), 'bin')} over ({', '.join(prepared.known)})"
    said = f"{counted(prepared.rows, 'row')}, {bins}, solver {prepared.solver.name}"
    return said, tuple(level_warnings(policy, prepared.known, prepared.bins.rows))


def _check_tables(options: argparse.Namespace, policy: Policy, console: Console) -> None:
    from sfumato.engines import open_database
    from sfumato.releases import check_content
    from sfumato.releases.tables import check_tables, try_table_steps

    with open_database(
        options.source, policy=policy, tables=tuple(policy.tables), **database_options(options)
    ) as database:
        title = database.title
        try_table_steps(database, policy)
        checked = check_tables(database, policy)
        _warn(check_content(policy, database=database), console)
    people = next(item for item in checked.values() if item.sight.is_person)
    links = sum(len(item.sight.policy.links) for item in checked.values())
    console.print(
        f"{options.policy.name} fits {title}: {counted(len(checked), 'table')}, "
        f"{counted(people.rows, 'person', 'people')} by {policy.entity}, {counted(links, 'link')}"
        f"{_sampled(policy)}.",
        highlight=False,
        markup=False,
    )
    console.print(_tables(checked))


def _warn(warnings: Iterable[str], console: Console) -> None:
    for warning in warnings:
        console.print(f"! {warning}", highlight=False, markup=False)


def _sampled(policy: Policy) -> str:
    """Where steps drop or add rows, numbers are those of one trial of them."""
    changed = any(step.declaration.tuples for step in policy.steps)
    return "; counted after a trial of the steps" if changed else ""


def _tables(checked: dict[str, CheckedTable]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("table", overflow="fold")
    table.add_column("rows", justify="right")
    for heading in ("whose", "links", "quasi"):
        table.add_column(heading, overflow="fold")
    for name, item in checked.items():
        sight = item.sight
        links = "\n".join(f"{link.field} → {link.table}" for link in sight.policy.links)
        quasi = ", ".join(known.field for known in sight.own)
        cells = (_whose(item), links, quasi)
        table.add_row(Text(name), f"{item.rows:,}", *map(Text, cells))
    return table


def _whose(item: CheckedTable) -> str:
    if item.sight.is_person:
        return "one each"
    if item.sight.person is None:
        return "nobody's"
    return "a person's" + (
        f" ({item.orphans:,} without a person, left out)" if item.orphans else ""
    )
