"""Checking synthetic tables that belong together: their account, added up again, their links, how many
rows each parent has, and the orders that the policy asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import check_account
from sfumato.engines import Engine, FieldKind, declared_text
from sfumato.policy import LinkedSynthesis, LinkedTable, earlier_domain, read_linked_synthesis

from ..checks import Check, same_as_said
from ..finished_release import Written
from ..inventory import file_checks
from . import linked_run
from .field_codes import OTHER
from .table_checks import domain_checks, mark_checks
from .useful_noise import stated_shares, usefulness_of_tables

_NOISE = Check(
    claim="the noise was drawn as each line says, from rows that were cut as the policy says",
    outcome="review",
    found="only the holder of the source can check this",
)
Columns = dict[str, list[Any]]


def linked_checks(release: Written, facts: dict[str, Any]) -> Iterator[Check]:
    """Every claim that the folder alone can show."""
    entries, account = facts["tables"], facts["account"]
    files = {str(e["file"]): {k: e[k] for k in ("sha256", "bytes")} for e in entries.values()}
    yield from file_checks(release.folder, files, expected=tuple(files), whole={})
    yield same_as_said(
        "the statement on what the rows are", facts["statement"], linked_run.STATEMENT
    )
    broken = check_account(account)
    yield Check(
        claim="the account adds up: each measurement, rho, epsilon and the limit",
        outcome="fail" if broken else "pass",
        found="; ".join(broken)
        or f"epsilon {account['epsilon']:.3g} at delta {account['delta']:g}",
    )
    policy = read_linked_synthesis(facts["policy"])
    yield _check(
        "the account keeps to the epsilon and the delta of the policy",
        account["epsilon"] <= policy.epsilon and account["delta"] == policy.delta,
    )
    yield _check(
        "each line counts the rows per person that the policy allows in its table",
        _rows_per_person_fit(account, policy),
    )
    yield same_as_said("the tables", sorted(entries), sorted(t.name for t in policy.tables))
    columns: dict[str, Columns] = {}
    kinds: dict[str, dict[str, FieldKind]] = {}
    for table in policy.tables:
        entry = entries[table.name]
        names = {*table.fields, *filter(None, (table.key, table.link))}
        yield same_as_said("fields of the table", sorted(entry["fields"]), sorted(names))
        with release.opened(entry) as opened:
            yield from mark_checks(release.folder, opened, entry)
            yield domain_checks(opened, table.domains)
            columns[table.name] = _columns(opened, entry["fields"])
            kinds[table.name] = {info.name: info.kind for info in opened.fields()}
    for table in policy.tables:
        yield from _link_checks(policy, table, columns)
        if table.never:
            yield _check(
                f"no row of {table.name} has a combination that the policy rules out",
                not any(_has_rows(policy, table, columns, kinds, rule) for rule in table.never),
            )
    rows = {name: int(entry["rows"]) for name, entry in entries.items()}
    other = {
        f"{table.name}.{name}": _share_of_other(columns[table.name][name])
        for table in policy.tables
        for name in table.fields
        if name in table.select or not table.domains[name].is_range
    }
    yield same_as_said(
        "the shares of values outside of the listed or selected ones",
        facts["synthesis"].get("other_values", {}),
        stated_shares(other, [*other]),
    )
    other |= facts["synthesis"].get("beyond_range", {})
    outcome, reason = usefulness_of_tables(account["measurements"], rows, other)
    yield same_as_said("the outcome follows from noise and domains", facts["outcome"], outcome)
    yield same_as_said("its reason", facts["synthesis"].get("reason", ""), reason)
    yield _NOISE


def _check(claim: str, holds: bool) -> Check:  # noqa: FBT001
    return Check(
        claim=claim,
        outcome="pass" if holds else "fail",
        found="it holds" if holds else "it does not hold",
    )


def _rows_per_person_fit(account: dict[str, Any], policy: LinkedSynthesis) -> bool:
    most = {table.name: policy.rows_per_person(table) for table in policy.tables}
    return all(
        {most.get(name.split(".", 1)[0]) for name in line["fields"]} == {line["rows_per_person"]}
        for line in account["measurements"]
    )


def _share_of_other(cells: list[Any]) -> float:
    return cells.count(OTHER) / max(len(cells), 1)


def _columns(table: Engine, names: list[str]) -> Columns:
    out: Columns = {name: [] for name in names}
    for batch in table.cells(names):
        for name in names:
            out[name].extend(batch[f"cell:{name}"].tolist())
    return out


def _link_checks(
    policy: LinkedSynthesis, table: LinkedTable, columns: dict[str, Columns]
) -> Iterator[Check]:
    own = columns[table.name]
    if table.key:
        keys = own[table.key]
        yield _check(f"the key of {table.name} numbers each row once", len(set(keys)) == len(keys))
    if table.parent:
        above = policy.table(table.parent)
        places = {key: n for n, key in enumerate(columns[above.name][above.key])}
        links = [places.get(each, -1) for each in own[table.link]]
        yield _check(
            f"every row of {table.name} has its row of {above.name}", min(links, default=0) >= 0
        )
        counts = np.bincount(np.maximum(np.array(links, np.int64), 0), minlength=1)
        yield _check(
            f"no row of {above.name} has over {table.most} rows of {table.name}",
            int(counts.max()) <= table.most,
        )
    for later, earlier in table.after.items():
        yield _check(
            f"{later} is never before {earlier} in {table.name}",
            _is_ordered(policy, table, columns, later, earlier),
        )


def _is_ordered(
    policy: LinkedSynthesis,
    table: LinkedTable,
    columns: dict[str, Columns],
    later: str,
    earlier: str,
) -> bool:
    place, _, domain = earlier_domain(policy, table, earlier)
    assert domain is not None
    last = linked_run.numbers_of(columns[table.name][later], table.domains[later])
    rows = _rows_above(policy, table, columns, place)
    if rows is None:
        return False
    first = linked_run.numbers_of(columns[place][earlier], domain)[rows]
    return not bool((last < first).any())


def _has_rows(
    policy: LinkedSynthesis,
    table: LinkedTable,
    columns: dict[str, Columns],
    kinds: dict[str, dict[str, FieldKind]],
    rule: Mapping[str, tuple[str, ...]],
) -> bool:
    """Whether a row has a combination, of its own fields and those above it."""
    hit = np.ones(len(next(iter(columns[table.name].values()))), bool)
    for name, values in rule.items():
        place, _, _ = earlier_domain(policy, table, name)
        rows = _rows_above(policy, table, columns, place)
        if rows is None:
            return True
        kind = kinds[place][name]
        named = {declared_text(value, kind) for value in values}
        cells = [declared_text(cell, kind) in named for cell in columns[place][name]]
        hit &= np.array(cells, bool)[rows]
    return bool(hit.any())


def _rows_above(
    policy: LinkedSynthesis, table: LinkedTable, columns: dict[str, Columns], place: str
) -> NDArray[np.int64] | None:
    """The row of a table above for each row of a table; None where a link leads nowhere."""
    here, rows = table, list(range(len(next(iter(columns[table.name].values())))))
    while here.name != place:
        above = policy.table(here.parent)
        places = {key: n for n, key in enumerate(columns[above.name][above.key])}
        links = columns[here.name][here.link]
        rows = [places.get(links[n], -1) for n in rows]
        if -1 in rows:
            return None
        here = above
    return np.array(rows, np.int64)
