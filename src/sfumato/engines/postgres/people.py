"""People in bins, counted in PostgreSQL: each bin is one whole number, which sorts and hashes
faster than its texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.hierarchies import Codes, Label

from ..engine import FieldInfo, Witnesses
from ..sql.queries import column, count_all, is_there, named, number, places, table
from .queries import PostgresQueries

LARGEST = 2**62
WHOLE = exp.DataType.Type.BIGINT


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePacking:
    """How the codes of some fields make one number: for each field the table that numbers its
    values, and these."""

    infos: tuple[FieldInfo, ...]
    tables: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Null is one more."""
        return tuple(len(values) + 1 for values in self.values)

    def fits(self) -> bool:
        return math.prod(self.sizes) < LARGEST

    def number(self) -> exp.Expr:
        """A row's bin, given the codes of its values."""
        out: exp.Expr = exp.cast(number(0), WHOLE)
        for name, size in zip(self.tables, self.sizes, strict=True):
            code = exp.func("coalesce", column("code", name), number(size - 1))
            out = exp.Add(
                this=exp.Mul(this=exp.paren(out), expression=number(size)), expression=code
            )
        return out

    def unpacked(self, bins: NDArray[np.int64]) -> tuple[Codes, tuple[tuple[Label, ...], ...]]:
        """The codes of bins, and the values, null last where a field has it."""
        codes = np.zeros((len(bins), len(self.sizes)), np.int32)
        rest = bins.copy()
        for i in reversed(range(len(self.sizes))):
            rest, codes[:, i] = np.divmod(rest, self.sizes[i])
        has_null = [
            bool((codes[:, i] == len(values)).any()) for i, values in enumerate(self.values)
        ]
        values = zip(self.values, has_null, strict=True)
        return codes, tuple((*texts, None) if null else texts for texts, null in values)


def numbering(ask: PostgresQueries, info: FieldInfo) -> exp.Select:
    """The values of a field as they are grouped, k, with their text, v, and their place in order,
    code."""
    stored = ask.stored(info)
    found = (
        exp.select(named(stored, "k"))
        .distinct()
        .from_(ask.source())
        .where(is_there(column(info.name)))
    )
    text = (
        ask.as_text(FieldInfo("k", info.kind, info.declared))
        if ask.groups_plainly(info)
        else column("k")
    )
    texts = exp.select(column("k"), named(text, "v")).from_(found.subquery("found"))
    order = exp.Order(expressions=[exp.Ordered(this=ask.by_code_point(column("v")))])
    place = exp.Sub(this=exp.Window(this=exp.RowNumber(), order=order), expression=number(1))
    return exp.select(column("k"), column("v"), named(place, "code")).from_(texts.subquery("texts"))


def pairs(ask: PostgresQueries, packing: CodePacking, person: FieldInfo) -> exp.Select:
    """Each person, p, in each bin, b, with the number of rows, n."""
    who = named(ask.person_number(person), "p")
    query = exp.select(named(packing.number(), "b"), who, named(count_all(), "n")).from_(
        ask.source()
    )
    for info, name in zip(packing.infos, packing.tables, strict=True):
        same = exp.EQ(this=ask.stored(info), expression=column("k", name))
        query = query.join(table(name), on=same, join_type="left")
    return query.group_by(*places(2))


def rows_in(of_table: str) -> exp.Select:
    """The rows of each bin of such pairs."""
    rows = named(exp.cast(exp.Sum(this=column("n")), WHOLE), "n")
    return exp.select(column("b"), rows).from_(table(of_table)).group_by(number(1))


def people_in(of_table: str, k: int) -> exp.Select:
    """Up to k people of each bin."""
    order = exp.Order(expressions=[exp.Ordered(this=column("p"))])
    window = exp.Window(this=exp.RowNumber(), partition_by=[column("b")], order=order)
    placed = exp.select(column("b"), column("p"), named(window, "place")).from_(table(of_table))
    placed = placed.where(is_there(column("p")))
    query = exp.select(column("b"), column("p")).from_(placed.subquery("placed"))
    return query.where(exp.LTE(this=column("place"), expression=number(k)))


def witnesses_of(
    fields: Sequence[str],
    packing: CodePacking,
    bins: dict[str, NDArray[np.int64]],
    people: dict[str, NDArray[np.int64]],
    *,
    k: int,
) -> Witnesses:
    """From the answers to `rows_in` and `people_in`. Numbers of bins are in the order of their
    codes."""
    order = np.argsort(bins["b"])
    found, rows = np.asarray(bins["b"], np.int64)[order], np.asarray(bins["n"], np.int64)[order]
    codes, values = packing.unpacked(found)
    seen = np.argsort(people["b"], kind="stable")
    return Witnesses(
        fields=tuple(fields),
        values=values,
        codes=codes,
        rows=rows,
        bin_of=np.searchsorted(found, np.asarray(people["b"], np.int64)[seen]),
        person_of=np.asarray(people["p"], np.int64)[seen],
        k=k,
    )
