"""Reading and writing `[synthesis]` of several tables: people, and rows that belong to them, each table
with its key, its parent and its domains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import PolicyError, Problem

from .synthesis_section import (
    DELTA,
    DeclaredDomain,
    domains_as_table,
    opened_section,
    read_domains,
    read_never,
)
from .table_cursor import Reader

MOST_ROWS = 10_000
"""Rows that one person may have in a table, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedTable:
    """One table: the field that numbers its rows, and what its fields may hold.

    A table of children has a `parent`, the field `link` that names the parent's row, and at most
    `most` rows for each of them. `after` has fields that are never before another one, of the same
    table or of one above it. `never` has combinations that cannot be, of fields of the same table and
    of those above it."""

    name: str
    key: str = ""
    parent: str = ""
    link: str = ""
    most: int = 1
    domains: Mapping[str, DeclaredDomain] = field(default_factory=dict, repr=False)
    select: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    after: Mapping[str, str] = field(default_factory=dict)
    never: tuple[Mapping[str, tuple[str, ...]], ...] = field(default=(), repr=False)

    @property
    def fields(self) -> tuple[str, ...]:
        return (*self.domains, *self.select)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedSynthesis:
    """Private synthesis of several tables, parents first; the first has one row for each person."""

    epsilon: float
    delta: float = DELTA
    tables: tuple[LinkedTable, ...] = ()
    account: str = ""
    limit: float | None = None
    people: int | None = None
    name: str = "policy"
    folder: Path = field(default_factory=Path)

    def table(self, name: str) -> LinkedTable:
        return next(each for each in self.tables if each.name == name)

    def above(self, table: LinkedTable) -> tuple[LinkedTable, ...]:
        """The tables above one, nearest first."""
        out: list[LinkedTable] = []
        while table.parent:
            table = self.table(table.parent)
            out.append(table)
        return tuple(out)

    def rows_per_person(self, table: LinkedTable) -> int:
        """How many rows of a table one person has at most."""
        out = table.most if table.parent else 1
        for each in self.above(table):
            out *= each.most if each.parent else 1
        return out

    def children(self, table: LinkedTable) -> tuple[LinkedTable, ...]:
        return tuple(each for each in self.tables if each.parent == table.name)


def has_tables(source: str | Path | Mapping[str, object], *, folder: Path | None = None) -> bool:
    """Whether a policy is about several tables."""
    section, _, _ = opened_section(source, folder=folder)
    return section is not None and "tables" in section.raw


def read_linked_synthesis(
    source: str | Path | Mapping[str, object], *, folder: Path | None = None
) -> LinkedSynthesis:
    """A policy of several tables; every problem is reported at once."""
    reader, problems, name = opened_section(source, folder=folder)
    if reader is None:
        raise PolicyError(problems, name=f"Policy {name}")
    reader.word("method", ("private",), "private")
    if "epsilon" not in reader.raw:
        reader.report("epsilon", "It is missing.", attempt="epsilon = 1.0.")
    section = reader.table("tables")
    found = []
    for each in section.raw if section is not None else ():
        assert section is not None
        table = section.table(each)
        if table is not None:
            found.append(_table(table, each))
    policy = LinkedSynthesis(
        epsilon=reader.number("epsilon", least=1e-6, most=100.0) or 1.0,
        delta=reader.number("delta", least=1e-15, most=1e-3) or DELTA,
        tables=tuple(found),
        account=reader.text("account"),
        limit=reader.number("limit", least=1e-6, most=1_000.0),
        people=reader.whole("people", least=1),
        name=name,
        folder=folder or (Path() if isinstance(source, Mapping) else Path(source).parent),
    )
    reader.close()
    problems.extend(_problems(policy) if not problems else ())
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return LinkedSynthesis(
        epsilon=policy.epsilon,
        delta=policy.delta,
        tables=tuple(sorted(policy.tables, key=lambda each: len(policy.above(each)))),
        account=policy.account,
        limit=policy.limit,
        people=policy.people,
        name=name,
        folder=policy.folder,
    )


def _table(reader: Reader, name: str) -> LinkedTable:
    after = reader.table("after")
    orders = {field: after.text(field) for field in after.raw} if after is not None else {}
    if after is not None:
        after.close()
    table = LinkedTable(
        name=name,
        key=reader.text("key"),
        parent=reader.text("parent"),
        link=reader.text("link"),
        most=reader.whole("most", least=1, most=MOST_ROWS) or 1,
        domains=read_domains(reader),
        select=reader.names("select"),
        leave_out=reader.names("leave_out"),
        after=orders,
        never=read_never(reader),
    )
    reader.close()
    return table


def _problems(policy: LinkedSynthesis) -> list[Problem]:
    names = {each.name for each in policy.tables}
    out = []
    if sum(not each.parent for each in policy.tables) != 1:
        out.append(
            Problem(
                where="synthesis.tables",
                found="One table has the people and no parent; all others have a parent.",
                attempt='parent = "patients" and link = "patient".',
            )
        )
    for each in policy.tables:
        where = f"synthesis.tables.{each.name}"
        if each.parent and (each.parent not in names or not policy_key(policy, each.parent)):
            out.append(
                Problem(where=f"{where}.parent", found="It names no table that has a key here.")
            )
        if bool(each.parent) != bool(each.link) or (not each.parent and not each.key):
            out.append(
                Problem(
                    where=where,
                    found="A table of people has a key, and others a parent and a link.",
                    attempt='key = "patient", or parent = "patients" and link = "patient".',
                )
            )
        if not each.fields:
            out.append(Problem(where=where, found="No field is synthesised."))
        named = [*each.fields, *each.leave_out, *filter(None, {each.key, each.link})]
        out += [
            Problem(where=f"{where}.{name}", found=f"{name} is named twice.")
            for name in sorted({name for name in named if named.count(name) > 1})
        ]
    if out or _is_circular(policy):
        return out or [Problem(where="synthesis.tables", found="A table is its own parent.")]
    for each in policy.tables:
        out += _order_problems(policy, each)
        out += _never_problems(policy, each)
        if policy.rows_per_person(each) > MOST_ROWS:
            out.append(
                Problem(
                    where=f"synthesis.tables.{each.name}.most",
                    found=f"A person could have over {MOST_ROWS:,} rows.",
                    attempt="a lower most, here or above.",
                )
            )
    if policy.limit is not None and (not policy.account or policy.limit < policy.epsilon):
        out.append(
            Problem(
                where="synthesis.limit",
                found="A limit is the epsilon of an account, and at least that of this release.",
                attempt='account = "people.account" and a higher limit.',
            )
        )
    return out


def policy_key(policy: LinkedSynthesis, name: str) -> str:
    return next((each.key for each in policy.tables if each.name == name), "")


def _is_circular(policy: LinkedSynthesis) -> bool:
    parents = {each.name: each.parent for each in policy.tables}
    for name in parents:
        seen = set()
        while name:
            if name in seen:
                return True
            seen.add(name)
            name = parents[name]
    return False


def _order_problems(policy: LinkedSynthesis, table: LinkedTable) -> list[Problem]:
    out = []
    for later, earlier in table.after.items():
        domain, _, other = earlier_domain(policy, table, earlier)
        own = table.domains.get(later)
        fits = (
            own is not None
            and other is not None
            and own.is_range
            and other.is_range
            and own.days == other.days
        )
        if not fits or (domain == table.name and later == earlier):
            out.append(
                Problem(
                    where=f"synthesis.tables.{table.name}.after.{later}",
                    found="Both are ranges of the same kind, of this table or of one above it.",
                    attempt='after = { discharged = "admitted" }.',
                )
            )
    chain = {later: earlier for later, earlier in table.after.items() if earlier in table.after}
    for later in chain:
        seen, name = set(), later
        while name in table.after and name not in seen:
            seen.add(name)
            name = table.after[name]
        if name in seen:
            out.append(
                Problem(
                    where=f"synthesis.tables.{table.name}.after", found="The order is a circle."
                )
            )
            break
    return out


def _never_problems(policy: LinkedSynthesis, table: LinkedTable) -> list[Problem]:
    """Rules that name no field of the table, or values that no listed domain has."""
    out = []
    for number, rule in enumerate(table.never):
        where = f"synthesis.tables.{table.name}.never[{number}]"
        if not 2 <= len(rule) <= 3 or not set(rule) & set(table.domains):
            out.append(
                Problem(
                    where=where,
                    found="A rule is about two or three fields, of which this table has one.",
                    attempt='never = [{ sex = ["M"], code = ["O80"] }] in the table with code.',
                )
            )
        for name, values in rule.items():
            _, _, domain = earlier_domain(policy, table, name)
            if domain is None or domain.is_range or not set(values) <= set(domain.values):
                out.append(
                    Problem(
                        where=f"{where}.{name}",
                        found="It names values that are not in a listed domain.",
                        attempt=f"a list of all values under domains.{name}, of this table or of "
                        "one above it.",
                    )
                )
    return out


def earlier_domain(
    policy: LinkedSynthesis, table: LinkedTable, name: str
) -> tuple[str, str, DeclaredDomain | None]:
    """The table, the field and the domain that a word of `after` or `never` names: its own field
    first, then those of the tables above."""
    for each in (table, *policy.above(table)):
        if name in each.domains:
            return each.name, name, each.domains[name]
    return "", name, None


def linked_synthesis_as_table(policy: LinkedSynthesis) -> dict[str, object]:
    """The policy in the form of the file, without defaults and without paths."""
    tables: dict[str, object] = {}
    for each in policy.tables:
        out: dict[str, object] = {}
        for key in ("key", "parent", "link"):
            if getattr(each, key):
                out[key] = getattr(each, key)
        if each.parent:
            out["most"] = each.most
        for key in ("select", "leave_out"):
            if getattr(each, key):
                out[key] = list(getattr(each, key))
        if each.after:
            out["after"] = dict(each.after)
        if each.never:
            out["never"] = [{name: list(v) for name, v in rule.items()} for rule in each.never]
        out["domains"] = domains_as_table(each.domains)
        tables[each.name] = out
    whole: dict[str, object] = {"epsilon": policy.epsilon, "delta": policy.delta}
    if policy.people is not None:
        whole["people"] = policy.people
    return {"synthesis": {**whole, "tables": tables}}
