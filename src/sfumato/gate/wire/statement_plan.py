"""The plan of a statement, decided beforehand: a question, one about the catalogue, or a habit of
clients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted

from ..sql.admission import DIALECT
from .claim_calls import is_claim_call
from .parameters import bound, inferred, mentioned, written
from .pg_catalog.recognition import about_catalogue
from .pg_catalog.rows import CatalogueFacts
from .statements import Sort, Statement

_ASKS: Final = (Sort.QUERY, Sort.EXPLAIN, Sort.OTHER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A statement, its tree where it has one, and the types of its parameters."""

    statement: Statement
    tree: exp.Expr | None = field(default=None, repr=False)
    of_catalogue: bool = False
    types: tuple[int, ...] = ()
    is_bound: bool = False

    @property
    def asks_data(self) -> bool:
        """Whether the keeper gets it: questions, and whatever the keeper will refuse."""
        return self.statement.sort in _ASKS and not self.of_catalogue

    @property
    def sql(self) -> str:
        """The keeper's question."""
        if self.is_bound and self.tree is not None:
            return written(self.tree)
        return self.statement.name if self.statement.sort is Sort.EXPLAIN else self.statement.text

    def bound(self, constants: Sequence[exp.Expr]) -> Plan:
        """The same with constants in place of its parameters."""
        if self.tree is None or not self.types:
            return self
        return Plan(
            statement=self.statement,
            tree=bound(self.tree, constants),
            of_catalogue=self.of_catalogue,
            is_bound=True,
        )


def plan(statement: Statement, told: CatalogueFacts, *, types: Sequence[int] = ()) -> Plan:
    """The plan of one statement. A text that cannot be parsed is left for the keeper to refuse,
    with the place."""
    if statement.sort not in (Sort.QUERY, Sort.EXPLAIN):
        return Plan(statement=statement)
    tree = _parsed(statement.name if statement.sort is Sort.EXPLAIN else statement.text)
    if tree is None:
        return Plan(statement=statement)
    kinds = {field.name.lower(): field.kind for table in told.tables for field in table.fields}
    catalogue = not is_claim_call(tree) and about_catalogue(
        tree, {table.name.lower() for table in told.tables}
    )
    if mentioned(tree) == 0:
        return Plan(statement=statement, tree=tree, of_catalogue=catalogue)
    known: Mapping[str, FieldKind] = {} if catalogue else kinds
    return Plan(
        statement=statement, tree=tree, of_catalogue=catalogue, types=inferred(tree, types, known)
    )


def check_one(plans: Iterable[Plan]) -> None:
    """One question at a time; habitual statements of clients may be beside it."""
    asked = sum(each.asks_data for each in plans)
    if asked > 1:
        raise NotAdmitted(
            "One query is asked at a time.",
            code="several",
            found=f"{asked} questions.",
            attempt="one SELECT.",
        )


def _parsed(sql: str) -> exp.Expr | None:
    try:
        found = sqlglot.parse(sql, read=DIALECT)
    except (SqlglotError, ValueError, RecursionError):
        return None
    return found[0] if len(found) == 1 else None
