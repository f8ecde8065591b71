"""Bounds of what a question derives: from the declared bounds of fields, their declared domains and
the query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from sfumato.engines import FieldKind
from sfumato.policy import Domain

from ..decide.protected_table import ProtectedTable
from ..settings import Terms
from ..sql.intervals import DeclaredNumbers
from ..sql.person_rows import PersonRows
from ..sql.questions import Question

Named = Callable[[str], ProtectedTable]
Most = Callable[[str], int]


def terms_for(question: Question, table_named: Named, terms: Terms, *, most: Most) -> Terms:
    """The terms with bounds and steps for what a question asks of other rows of the same people,
    and for the fields that it derives. `most` has how many rows of a person count in a table."""
    if question.people:
        bounds, steps = _of_people(question, table_named, terms, most)
        terms = replace(terms, bounds={**terms.bounds, **bounds}, steps={**terms.steps, **steps})
    return with_derived_bounds(question, table_named(question.table), terms)


def with_derived_bounds(question: Question, table: ProtectedTable, terms: Terms) -> Terms:
    """The terms with bounds and steps for the fields that a question sums and derives: from declared
    bounds and domains, and from what the question says of the numbers that it is about."""
    whole = {n for n, held in table.fields.items() if held.kind is FieldKind.INTEGER}
    whole |= {name for name, each in question.people.items() if _counts(each)}
    whole |= {name for name in table.fields if _is_of_wholes(table.policy.fields[name].domain)}
    trees = {name: each.tree for name, each in question.derived.items()}
    truths = {n for n, held in table.fields.items() if held.kind is FieldKind.BOOLEAN}
    declared = DeclaredNumbers(
        between={**_domains(table), **terms.bounds},
        whole=frozenset(whole),
        truths=frozenset(truths),
    ).meeting((question.about, question.having), trees)
    summed = {name for each in question.aggregates for name in (each.field, each.other)}
    for name in summed & table.fields.keys() - trees.keys():
        trees[name] = exp.column(exp.to_identifier(name, quoted=True))
    found = {name: declared.interval(tree) for name, tree in trees.items()}
    bounds = {name: each for name, each in found.items() if each is not None}
    steps = {
        name: declared.step(trees[name], each)
        for name, each in bounds.items()
        if name not in terms.bounds
    }
    return replace(terms, bounds={**terms.bounds, **bounds}, steps={**steps, **terms.steps})


def _counts(rows: PersonRows) -> bool:
    return rows.rows.aggregates[0].function == "count"


def _of_people(
    question: Question, table_named: Named, terms: Terms, most: Most
) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Bounds of numbers of a person's rows: so many rows count, each between the bounds of its
    field."""
    bounds: dict[str, tuple[float, float]] = {}
    steps: dict[str, float] = {}
    for name, each in question.people.items():
        rows, (aggregate,) = most(each.rows.table), each.rows.aggregates
        if aggregate.function == "count":
            bounds[name], steps[name] = (0.0, float(rows)), 1.0
            continue
        inner = with_derived_bounds(each.rows, table_named(each.rows.table), terms)
        if aggregate.field in inner.bounds:
            low, high = inner.bounds[aggregate.field]
            if aggregate.function == "sum":
                low, high = min(0.0, low * rows), max(0.0, high * rows)
            bounds[name], steps[name] = (low, high), DeclaredNumbers.step_for((low, high))
    return bounds, steps


def _is_of_wholes(domain: Domain | None) -> bool:
    return domain is not None and all(isinstance(each, int) for each in domain.listed())


def _domains(table: ProtectedTable) -> dict[str, tuple[float, float]]:
    """Between which numbers the declared values of fields are."""
    out: dict[str, tuple[float, float]] = {}
    for name in table.fields:
        domain = table.policy.fields[name].domain
        listed = domain.listed() if domain is not None else ()
        numbers = [float(each) for each in listed if isinstance(each, int | float)]
        if numbers and not any(isinstance(each, str) for each in listed):
            out[name] = min(numbers), max(numbers)
    return out
