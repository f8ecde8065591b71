"""Pairs of rows of one person: a row that is asked about, and another one that is compared with it.

`EXISTS (SELECT 1 FROM visits w WHERE w.id = v.id AND w.admitted > v.admitted)` is a fact about a
visit: whether its patient has a later one. How many rows are such is read as a number of pairs, in
which the fields of both rows have names of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from .queryable_table import QueryableTable

_BESIDE: Final = " BESIDE "


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPairs:
    """The pairs of a row of one table and of another one, or of itself, about the same person.

    Example:
        >>> pairs = RowPairs(of="visits", other="visits")
        >>> str(pairs), RowPairs.read("visits BESIDE visits") == pairs, RowPairs.read("visits")
        ('visits BESIDE visits', True, None)
        >>> pairs.own_field("ward"), pairs.other_field("ward")
        ('visits.ward', 'other visits.ward')
    """

    of: str
    other: str

    def __str__(self) -> str:
        return f"{self.of}{_BESIDE}{self.other}"

    @classmethod
    def read(cls, name: str) -> RowPairs | None:
        of, found, other = name.partition(_BESIDE)
        return cls(of=of, other=other) if found else None

    def own_field(self, name: str) -> str:
        return f"{self.of}.{name}"

    def other_field(self, name: str) -> str:
        return f"other {self.other}.{name}"

    def table(self, of: QueryableTable, other: QueryableTable) -> QueryableTable:
        """The names of a pair's fields. What a row says of another one is protected, whatever they
        are."""
        return QueryableTable(
            known=(),
            unknown=(*map(self.own_field, of.shown), *map(self.other_field, other.shown)),
            never=(*map(self.own_field, of.never), *map(self.other_field, other.never)),
        )

    def query(
        self, shown: Iterable[exp.Expr], conditions: Iterable[exp.Expr], *, own: str
    ) -> exp.Select:
        """A query over the pairs; `own` is the alias of the rows that are asked about."""
        query = exp.select(*(self._renamed(each, own) for each in shown))
        table = exp.Table(this=exp.to_identifier(str(self), quoted=True))
        return query.from_(table).where(*(self._renamed(each, own) for each in conditions))

    def _renamed(self, tree: exp.Expr, own: str) -> exp.Expr:
        def renamed(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column):
                return node
            called = self.own_field if node.table == own else self.other_field
            return exp.column(exp.to_identifier(called(node.name), quoted=True))

        return tree.transform(renamed)
