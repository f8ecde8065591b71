"""k^m-anonymity: a recipient who knows up to m values of a person's set finds at least k people with them
(Terrovitis 2008)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Itemsets
from sfumato.errors import Mistake, Problem
from sfumato.parts import ParameterKind, Shape, parameter, with_question
from sfumato.policy import (
    ROWS,
    VALUED,
    Field,
    LooksAt,
    Policy,
    RequirementForm,
    fields_of,
    find_person,
    is_settled,
    reference_tables,
)
from sfumato.wording import counted

from .declaration import ModelContext, ModelDeclaration
from .model import Model
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class KMRequirement:
    """A recipient who knows up to `m` values of the set-valued `field` of a person finds at least `k`
    people with them.

    The set of a person has the values in all of their rows of `table`. With `within_bins`, the `k`
    people must also share the person's quasi-identifiers."""

    k: int = parameter("people who hold each combination of values", least=2, example="5")
    m: int = parameter("values that a recipient may know", least=1, most=4, example="2")
    table: str = parameter("table with the field, where there are several", default="")
    field: str = parameter(
        "field whose values make the set of a person", kind=ParameterKind.FIELD, example='"code"'
    )
    within_bins: bool = parameter(
        "people are counted within each bin of quasi-identifiers too", default=False
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if not self.field:
            yield "field", "It names no field.", "the field whose values make the set of a person."


@dataclass(frozen=True, slots=True, kw_only=True)
class KMAnonymity:
    """Each combination of up to `m` values of `field` that some person holds is held by at least
    `k` people.

    The set of a person has the different values in all of their rows of `table`; null is no value.
    With `within`, the people are counted within each bin of these fields, which is (k,
    k^m)-anonymity where the bins have k people.

    Assumes: a recipient knows at most `m` values of a person, and only that the person has them.
    Does not protect: a recipient who also knows quasi-identifiers, unless they are in `within`; a
    recipient who knows that someone does NOT have a value; how often someone has a value; a value
    that everyone with the known ones shares. Reference: Terrovitis, Mamoulis and Kalnis, VLDB 2008;
    Poulis et al., ECML PKDD 2013; docs/protection/k-m-anonymity.md.

    Example:
        >>> sets = Itemsets(values=("flu", "gout"), codes=np.array([[0, -1], [1, -1], [0, 1]], np.int32),
        ...                 groups=np.zeros(3, np.int64), people=np.array([7, 4, 2]))
        >>> KMAnonymity(k=3, m=2, table="diagnoses", field="code").judge(sets, people=9).reason
        '1 of 3 combinations of up to 2 values of code are held by fewer than 3 people; at most 2 of 9 people hold them'
    """

    k: int
    m: int
    table: str
    field: str
    within: tuple[str, ...] = ()

    name: ClassVar[str] = "k^m-anonymity"

    @property
    def requirement(self) -> str:
        return f"k = {self.k}, m = {self.m} for {self.field} in {self.table}"

    def counted(self, itemsets: Itemsets) -> NDArray[np.bool_]:
        """Mark the itemsets that this model judges: those of at most `m` values."""
        if itemsets.codes.shape[1] < self.m:
            raise Mistake(
                f"k^m-anonymity of {self.field} with m = {self.m} needs combinations of up "
                f"to {self.m} values.",
                found=f"They were counted up to {itemsets.codes.shape[1]}.",
                attempt=f"Engine.itemsets(person, {self.field!r}, m={self.m}).",
            )
        return np.asarray((itemsets.codes >= 0).sum(axis=1) <= self.m)

    def failing(self, itemsets: Itemsets) -> NDArray[np.bool_]:
        """Which combinations break the rule. The rule holds when none does."""
        return self.counted(itemsets) & (itemsets.people < self.k)

    def judge(self, itemsets: Itemsets, people: int) -> Verdict:
        """The verdict about itemsets that were counted on what was written; `people` is how many
        people there are."""
        looked_at, failing = self.counted(itemsets), self.failing(itemsets)
        combinations, below = int(looked_at.sum()), int(failing.sum())
        smallest = int(itemsets.people[looked_at].min()) if combinations else 0
        holders = min(int(itemsets.people[failing].sum()), people)
        what = f"combinations of up to {counted(self.m, 'value')} of {self.field}"
        what += f" within bins of ({', '.join(self.within)})" if self.within else ""
        if below:
            reason = f"{below} of {combinations} {what} are held by fewer than {self.k} people"
            reason += f"; at most {holders} of {people} people hold them"
        else:
            only = f"the only {what.replace('combinations', 'combination', 1)} is"
            reason = only if combinations == 1 else f"all {combinations} {what} are"
            reason += f" held by {self.k} people or more; the smallest count is {smallest}"
        return Verdict(
            outcome="fail" if below else "pass",
            model=self.name,
            requirement=self.requirement,
            fields=(*self.within, self.field),
            bins=combinations,
            rows=people,
            smallest=smallest,
            bins_below=below,
            rows_below=holders,
            reason=reason,
        )


_WHERE = "require.k_m"


def _of_one_table(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """With one table, a set is made of the rows that the person key puts together."""
    for asked in policy.require.each("k_m"):
        if asked.table:
            yield Problem(
                where=f"{_WHERE}.table",
                found="The policy has one table, and so nothing to choose from.",
                attempt="leaving it out.",
            )
        elif policy.entity is None:
            yield Problem(
                where=_WHERE,
                found="The set of a person is made of their rows, and no field identifies "
                "the person of a row.",
                attempt="naming the person key as entity.",
            )
        field = policy.fields.get(asked.field)
        if asked.field and field is None and asked.field not in unclear:
            said = with_question(f'There is no field "{asked.field}".', asked.field, policy.fields)
            yield Problem(where=f"{_WHERE}.field", found=said)
        elif field is not None and asked.field not in unclear:
            yield from _fits(field)


def _of_tables(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """With several tables, the table is named, and its rows are somebody's."""
    for asked in policy.require.each("k_m"):
        yield from _in_table(policy, unclear, asked)


def _in_table(policy: Policy, unclear: frozenset[str], asked: KMRequirement) -> Iterator[Problem]:
    table = policy.tables.get(asked.table)
    if asked.table in unclear:
        return
    if table is None:
        said = (
            f'There is no table "{asked.table}".'
            if asked.table
            else "It does not say which table has the field."
        )
        yield Problem(
            where=f"{_WHERE}.table",
            found=with_question(said, asked.table, policy.tables),
            attempt=f"one of {', '.join(policy.tables)}.",
        )
        return
    if (
        is_settled(policy, unclear, table.name)
        and find_person(policy)
        and table.name in reference_tables(policy)
    ):
        yield Problem(
            where=f"{_WHERE}.table",
            found=f"No link leads from {table.name} to a person, so no person has a set of "
            "its values.",
            attempt="a table that links to the person's, directly or over others.",
        )
    field = table.fields.get(asked.field)
    if asked.field in fields_of(unclear, table.name):
        return
    if field is not None:
        yield from _fits(field)
    elif asked.field:
        said = with_question(
            f'{table.name} has no field "{asked.field}".', asked.field, table.fields
        )
        yield Problem(where=f"{_WHERE}.field", found=said)


def _fits(field: Field) -> Iterator[Problem]:
    """A value of a set is generalised along its hierarchy, and nothing else changes it."""
    name, where = field.name, f"{_WHERE}.field"
    if field.role not in VALUED:
        yield Problem(
            where=where,
            found=f"{name} is {field.role.value}, and only a sensitive or insensitive field can "
            "be asked for here.",
            attempt=f'role = "sensitive" for {name}, or another field.',
        )
        return
    if field.hierarchy is None:
        yield Problem(
            where=where,
            found=f"{name} has no hierarchy along which its values could be generalised.",
            attempt=f'hierarchy = "{name}.csv" for {name}, or a builder.',
        )
    if field.shift is not None:
        yield Problem(
            where=where,
            found=f"The dates of {name} are moved, and values of a set are generalised as they "
            "are.",
            attempt=f"not moving {name}.",
        )
    if field.follows:
        yield Problem(
            where=where,
            found=f"{name} is suppressed where {field.follows} is, and values of a set are "
            "generalised on their own.",
            attempt=f"not letting {name} follow.",
        )


def _build(asked: KMRequirement, context: ModelContext) -> Iterator[Model]:
    """Sets are counted by person and judged where they are counted, because bins do not hold
    them."""
    return iter(())


DECLARATION = ModelDeclaration(
    key="k_m",
    doc="a recipient who knows up to m values of a person's set finds at least k people with them",
    record=KMRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SETS,
    shapes=(ROWS - {Shape.HOUSEHOLDS})
    | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.ROW_NUMBERS},
    counted=True,
    checks=(_of_one_table,),
    table_checks=(_of_tables,),
    build=_build,
    models=(KMAnonymity,),
    place=400,
)
