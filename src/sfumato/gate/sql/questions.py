"""A question: an admitted query, taken apart into the part that must be decided and the steps that
follow from the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from .derivation import DerivedField
from .predicates import Predicate
from .qualification import dialect

if TYPE_CHECKING:
    from .person_rows import PersonRows


ONE_ROW = "one row"
"""How a limit is marked that leaves one row of numbers of all groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """One number per group: `function` over `field`, which is empty for COUNT(*). `other` is the
    second field of a correlation, the share of a percentile, and of people the field that those
    have who are counted."""

    function: str
    field: str = ""
    other: str = ""
    distinct: bool = False
    name: str = ""

    def canonical(self) -> str:
        more = f", {self.other}" if self.other else ""
        return f"{self.function}({'distinct ' if self.distinct else ''}{self.field or '*'}{more})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about one table.

    `known` are the fields others may know that the query uses anywhere: they decide who could be
    distinguished. `unknown` are the other fields it uses. `about` is the condition over the former,
    `having` that over the latter. The further steps on the rows, `after`, are the query itself over
    the table `answer` in place of its table and without its conditions. They are a function of the
    answer, which can disclose no more than the answer does."""

    table: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    about: Predicate | None
    having: Predicate | None
    after: exp.Expr = field(repr=False)
    groups: tuple[str, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    columns: tuple[str, ...] = ()
    derived: Mapping[str, DerivedField] = field(default_factory=dict)
    """The expressions of the query over the fields of a row, by name: known ones are among `known`.
    The fields of the others are among `known` and `unknown`."""

    people: Mapping[str, PersonRows] = field(default_factory=dict)
    """The questions about other rows of the same people, by the name of their field."""

    @property
    def is_aggregate(self) -> bool:
        """Whether numbers of rows are asked for, or decide which groups are listed and in which
        order."""
        return bool(self.aggregates)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The known fields that label a row of the result: those outside every aggregate."""
        used = {
            column.name
            for column in self.after.find_all(exp.Column)
            if not column.find_ancestor(exp.AggFunc)
        }
        return tuple(name for name in self.known if name in used)

    @property
    def measured(self) -> tuple[str, ...]:
        """The known fields that an aggregate is about: generalised, they would give another
        number."""
        used = {
            column.name
            for column in self.after.find_all(exp.Column)
            if column.find_ancestor(exp.AggFunc)
        }
        used |= {
            name for each in self.derived.values() if not each.is_known for name in each.fields
        }
        return tuple(name for name in self.known if name in used)

    def told_levels(self, levels: Mapping[str, int]) -> dict[str, int]:
        """The levels that an answer discloses: those of all known fields, or of the fields that
        label a number. A number's condition is met exactly, whatever whole groups it was met
        with."""
        told = self.outputs if self.is_aggregate else self.known
        return {name: levels[name] if name in told else 0 for name in self.known}

    @property
    def numbers(self) -> tuple[int, ...]:
        """The places of the columns that are made of aggregates."""
        return tuple(
            place for place, each in enumerate(self.after.expressions) if each.find(exp.AggFunc)
        )

    @property
    def is_over_all_groups(self) -> bool:
        """Whether its numbers are of all groups of an inner query together, in one row."""
        limit = self.after.args.get("limit")
        return limit is not None and ONE_ROW in limit.meta

    def over_nothing(self) -> exp.Expr:
        """The further steps where no group is left: COUNT is 0, and other numbers are null."""
        shown = [each.copy() for each in self.after.expressions]
        for each in shown:
            for window in [*each.find_all(exp.Window)]:
                counts = isinstance(window.this, exp.Count)
                window.replace(exp.Literal.number(0) if counts else exp.Null())
        return exp.select(*shown).from_(self.after.args["from_"].this.copy())

    @property
    def is_plain(self) -> bool:
        """Whether the answer's rows are shown as they are: nothing is sorted, counted or left
        out."""
        parts = ("group", "having", "order", "limit", "offset", "distinct")
        return not self.aggregates and not any(self.after.args.get(part) for part in parts)

    def canonical(self, having: str | None = None) -> str:
        """What is asked, without the condition over known fields. `having` is the condition over
        the others, in its own words unless given."""
        if having is None:
            having = self.having.canonical() if self.having else ""
        made = sorted(name for name, each in self.derived.items() if not each.is_known)
        fields = (*sorted(self.known), "|", *sorted(self.unknown), *made)
        return f"{self.table}: {', '.join(fields)} having {having}"

    def told(self) -> str:
        """The query as it was understood, for the audit: it holds the asker's own constants, no
        cell of the table."""
        about = self.about.canonical() if self.about else "anybody"
        return f"{self.canonical()} about {about} then {dialect().generate(self.after, copy=False)}"
