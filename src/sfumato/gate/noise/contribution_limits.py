"""Cuts: the rows and values that a noisy number omits or moves, so that one person adds little;
stated with every answer.

Noise is drawn for the number after the cut, and its error bars do not include the cut. The
statement follows from the policy, the terms and the question, never from rows: whether anybody was
cut would disclose something about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sfumato.engines import FieldKind

from ..decide.protected_table import ProtectedTable
from ..membership import is_protected
from ..settings import Terms
from ..sql.admission import PERSON
from ..sql.derivation import SIGN
from ..sql.questions import Question

STEP = 1.0
"""In which steps a field is summed unless the terms say others."""


def cuts_in_words(
    question: Question, holding: ProtectedTable, terms: Terms, *, declared: Sequence[str] = ()
) -> tuple[str, ...]:
    """The cuts before noise is added: rows of a person beyond the most, and values beyond their
    bounds. Where values of fields are `declared`, others are in no group."""
    summed = dict.fromkeys(
        name
        for each in question.aggregates
        if each.function != "count"
        for name in (each.field, each.other)
    )
    return (
        *_rows(question, holding, terms),
        *(_value(name, holding, terms) for name in summed if name in terms.bounds),
        *(() if is_protected(holding.policy, terms) else _texts(summed, holding)),
        *_undeclared(declared),
    )


def _rows(question: Question, holding: ProtectedTable, terms: Terms) -> Iterator[str]:
    if not holding.has_person_key:  # Every row is a person.
        return
    once = all(holding.policy.fields[name].constant_per_person for name in question.groups)
    people = [each.distinct and each.field == PERSON for each in question.aggregates]
    if not once or not all(people):
        most = terms.rows_per_person
        yield (
            f"at most {most:,} "
            f"{'row of each person is' if most == 1 else 'rows of each person are'} counted"
        )
    if once and question.groups and any(people):
        yield "each person is counted in one group"


def _value(name: str, holding: ProtectedTable, terms: Terms) -> str:
    low, high = terms.bounds[name]
    step = terms.steps.get(name, STEP)
    whole = (
        name in holding.fields and holding.fields[name].kind is FieldKind.INTEGER and step == STEP
    )
    return f"{name.removeprefix(SIGN)} is cut to {low:g} to {high:g}" + (
        "" if whole else f" and rounded to steps of {step:g}"
    )


def _texts(names: Iterable[str], holding: ProtectedTable) -> Iterator[str]:
    """Everybody sees which fields are text. Where membership is protected, all that are not declared
    as numbers are."""
    for name in names:
        if name in holding.fields and holding.fields[name].kind is FieldKind.TEXT:
            yield f"cells of {name.removeprefix(SIGN)} that are no number are left out"


def _undeclared(declared: Sequence[str]) -> Iterator[str]:
    names = ", ".join(name.removeprefix(SIGN) for name in declared)
    if names:
        yield f"undeclared or missing values of {names} are in no group"
