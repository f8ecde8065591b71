"""The result of a statement: columns and rows, or nothing but a word; and the notes beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from sfumato.engines import FieldKind
from sfumato.wording import counted

from ..answers import Answer
from ..decide.protected_table import ProtectedTable
from ..offers import Offer
from ..result_marks import AS_ASKED, mark_names
from ..settings import Mode
from ..sql import Question
from ..sql.derivation import SIGN
from .cells import FLOAT8, INT8, OF_KIND, TEXT, ResultColumn, fits, fitting

Rows = Sequence[Sequence[Any]]
_CHECKED: Final = (FieldKind.DATE, FieldKind.TIMESTAMP, FieldKind.BOOLEAN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One statement's. `columns` is None where it gives no rows."""

    tag: str
    columns: tuple[ResultColumn, ...] | None = None
    rows: Rows = field(default=(), repr=False)
    notices: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    """Variables that are reported to the client."""


def of_rows(
    columns: Sequence[ResultColumn],
    rows: Rows,
    *,
    notices: tuple[str, ...] = (),
    word: str = "SELECT",
) -> Result:
    tag = f"{word} {len(rows)}" if word == "SELECT" else word
    return Result(tag=tag, columns=tuple(columns), rows=rows, notices=notices)


def of_answer(
    question: Question, answer: Answer, holding: ProtectedTable, *, notices: tuple[str, ...]
) -> Result:
    """An answer with its marks: whatever reads the rows also reads how they differ from what was
    asked."""
    columns = answer_columns(question, answer, holding)
    if answer.marks is None:
        return of_rows(columns, answer.rows, notices=notices)
    marks = _mark_columns([column.name for column in columns], tuple(answer.marks.within))
    return of_rows((*columns, *marks), answer.marks.rows(answer.rows), notices=notices)


def _mark_columns(names: Sequence[str], numbers: Sequence[int]) -> tuple[ResultColumn, ...]:
    *within, note = mark_names(names, numbers)
    return (*(ResultColumn(name, FLOAT8) for name in within), ResultColumn(note))


def answer_columns(
    question: Question, answer: Answer, holding: ProtectedTable
) -> tuple[ResultColumn, ...]:
    """The columns of an answer: in the type of a field that is shown as it is, as text where it is
    a label."""
    out = []
    for number, (name, outer) in enumerate(
        zip(answer.columns, question.after.expressions, strict=True)
    ):
        inner = outer.this if isinstance(outer, exp.Alias) else outer
        values = [row[number] for row in answer.rows]
        out.append(ResultColumn(name, _answer_oid(inner, values, answer, holding)))
    return tuple(out)


def _answer_oid(inner: exp.Expr, values: list[Any], answer: Answer, holding: ProtectedTable) -> int:
    if not isinstance(inner, exp.Column):
        return fitting(values, otherwise=INT8 if isinstance(inner, exp.Count) else FLOAT8)
    if answer.levels.get(inner.name):
        return TEXT
    kind = holding.fields[inner.name].kind
    oid = OF_KIND[kind]
    if kind in _CHECKED:
        return oid if all(fits(value, oid) for value in set(values)) else TEXT
    found = fitting(values, otherwise=oid)
    return oid if found == oid or (oid == FLOAT8 and found == INT8) else TEXT


def announced_columns(
    question: Question, holding: ProtectedTable, *, mode: Mode | None
) -> tuple[ResultColumn, ...]:
    """The columns of an answer that was not given yet: fields that others may know may be labels,
    so text.

    Marks are announced wherever the answer may have some; where it turns out to be as asked, they
    state that. Without a mode nothing will be answered, and the columns are the query's own."""
    out = []
    for name, outer in zip(question.columns, question.after.expressions, strict=True):
        inner = outer.this if isinstance(outer, exp.Alias) else outer
        if isinstance(inner, exp.Column):
            known = inner.name in holding.known
            oid = TEXT if known else OF_KIND[holding.fields[inner.name].kind]
        else:
            oid = INT8 if isinstance(inner, exp.Count) else FLOAT8
        out.append(ResultColumn(name, oid))
    if mode is not None and _may_be_marked(question, holding, mode):
        out += _mark_columns([column.name for column in out], question.numbers)
    return tuple(out)


def _may_be_marked(question: Question, holding: ProtectedTable, mode: Mode) -> bool:
    """Whether an answer may be other than what was asked; decided by the question, the policy and
    the terms alone."""
    if question.is_aggregate:
        return mode is not Mode.EXACT or bool(question.outputs)
    return bool(question.known or (question.unknown and holding.policy.entity))


def unmarked(announced: Sequence[ResultColumn], count: int) -> tuple[Any, ...]:
    """The content of mark columns where an answer is as asked: it has `count` columns of its
    own."""
    return tuple(AS_ASKED if column.oid == TEXT else 0.0 for column in announced[count:])


def said_of(answer: Answer, holding: ProtectedTable) -> tuple[str, ...]:
    """The notes beside an answer: its differences from the question, and that it was remembered."""
    parts = [
        f"{name} is shown at level {level} of {holding.hierarchies[name].height}"
        for name, level in answer.levels.items()
        if level
    ]
    if answer.widened:
        parts.append("the condition was widened to whole groups")
    if answer.one_each:
        parts.append("one row of each person is shown")
    if answer.withheld:
        words = ("group is", "groups are") if answer.noise else ("row is", "rows are")
        parts.append(f"{counted(answer.withheld, *words)} withheld")
    parts += [
        f"{name} is noisy, usually within {within:,.3g}" for name, within in answer.noise.items()
    ]
    parts += [f"{cut}, which the noise does not cover" for cut in answer.cuts]
    if answer.threshold:
        parts.append(
            f"groups of a noisy count under {answer.threshold:,} are left out (delta "
            f"{answer.delta:g})"
        )
    if answer.remembered:
        parts.append("it is the answer given before")
    if answer.left is not None:
        parts.append(f"{answer.left:,} such noisy answers remain")
    if answer.public:
        parts.append(f"no k is claimed, because counts of {answer.public} are public")
    if answer.as_of:
        parts.append(f"the data is as of {answer.as_of}")
    if answer.as_asked and not answer.remembered:
        parts = ["it is as asked", *parts]
    said = "; ".join(parts)
    return (f"Answer {answer.query}: {said}.",)


def of_offer(offer: Offer) -> Result:
    """The shapes in which a question can be answered, the best first."""
    columns = (
        ResultColumn("shape"),
        ResultColumn("rows", INT8),
        ResultColumn("withheld", INT8),
        ResultColumn("loss", FLOAT8),
    )
    rows = [
        (shape.name, shape.rows, shape.withheld, round(shape.loss, 6)) for shape in offer.shapes
    ]
    ways = (
        "one shape"
        if len(rows) == 1
        else f"{len(rows):,} shapes; SET sfumato.shape = '...' chooses one"
    )
    said = f"Query {offer.query} can be answered in {ways}."
    notices = [said]
    if offer.cost is not None:
        notices.append(
            f"With noise it costs {100 * offer.cost.share:.3g} % of your budget, and "
            f"{offer.left:,} such queries remain."
        )
        notices += [
            f"{name.replace(SIGN, '')} would usually be within {within:,.3g}."
            for name, within in offer.cost.within.items()
        ]
        if offer.cost.threshold:
            notices.append(
                f"Groups of a noisy count under {offer.cost.threshold:,} would be left out, and "
                "none may remain: no domain is declared for them."
            )
    return of_rows(columns, rows, notices=tuple(notices), word="EXPLAIN")
