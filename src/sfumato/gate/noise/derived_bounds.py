"""Bounds of what a question derives: from the declared bounds of fields, their declared domains and
the query."""

from __future__ import annotations

from dataclasses import replace

from sfumato.engines import FieldKind

from ..decide.protected_table import ProtectedTable
from ..settings import Terms
from ..sql.intervals import DeclaredNumbers
from ..sql.questions import Question


def terms_for(question: Question, table: ProtectedTable, terms: Terms) -> Terms:
    """The terms with bounds and steps for the fields that a question derives."""
    if not question.derived:
        return terms
    declared = DeclaredNumbers(
        between={**_domains(table), **terms.bounds},
        whole=frozenset(n for n, held in table.fields.items() if held.kind is FieldKind.INTEGER),
    ).meeting((question.about, question.having))
    found = {name: declared.interval(each.tree) for name, each in question.derived.items()}
    bounds = {name: each for name, each in found.items() if each is not None}
    steps = {
        name: declared.step(question.derived[name].tree, each) for name, each in bounds.items()
    }
    return replace(terms, bounds={**terms.bounds, **bounds}, steps={**terms.steps, **steps})


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
