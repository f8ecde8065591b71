"""A table with the fields that a question derives from its own.

A derived field is computed on the different combinations of the values it is made of, never row by
row. A combination without an outcome gets null, so that nobody's value raises an error. Bins stay
as they are, each with the outcome of its values. Earlier and present answers are partitions of the
same bins."""

from __future__ import annotations

import decimal
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.engines import FieldKind
from sfumato.engines.duckdb import run_over
from sfumato.errors import Mistake, NotAdmitted
from sfumato.hierarchies import SUPPRESSED, Codes, Hierarchy, Label
from sfumato.policy import Domain, Field, Role

from ..sql.derivation import DerivedField
from ..sql.stated_outcomes import stated_outcomes
from .field_kinds import ISO
from .people_counts import numbered
from .protected_table import HeldField, ProtectedTable, bin_rows

Wholes = NDArray[np.int64]
MOST_CASES: Final = 200_000
"""Combinations of declared values on which a derived field's own domain is worked out."""
DERIVED_LEVELS: Final = ("value", "suppressed")
"""A derived field is shown as it is, or not at all."""
_VALUES, _PLACE, _OUTCOME, _TYPE = "cases", "\u2022 place", "\u2022 outcome", "\u2022 type"
_TYPES: Final = {
    FieldKind.DATE: "DATE", FieldKind.TIMESTAMP: "TIMESTAMP", FieldKind.BOOLEAN: "BOOLEAN",
}  # fmt: skip
_KIND_WORDS: Final = {
    FieldKind.TEXT: "text", FieldKind.INTEGER: "a number", FieldKind.REAL: "a number",
    FieldKind.DATE: "a date", FieldKind.TIMESTAMP: "a time", FieldKind.BOOLEAN: "true or false",
    FieldKind.OTHER: "of another kind",
}  # fmt: skip
_WHOLE: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "UINTEGER")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcomes:
    """The values of a derived field in some cases: its different values, and the code of each
    case."""

    kind: FieldKind
    values: tuple[Label, ...] = field(repr=False)
    codes: Codes = field(repr=False)


def outcomes(derived: DerivedField, fields: Mapping[str, HeldField]) -> Outcomes:
    """Work a derived field out; `fields` have a code for each case. Texts that are dates by the
    policy are read as dates where an expression makes no sense of texts."""
    try:
        return _worked_out(derived, fields, dates=False)
    except NotAdmitted:
        if not any(held.dates for held in fields.values()):
            raise
        return _worked_out(derived, fields, dates=True)


def _worked_out(derived: DerivedField, fields: Mapping[str, HeldField], *, dates: bool) -> Outcomes:
    cases = len(next(iter(fields.values())).codes)
    columns: dict[str, NDArray[Any]] = {_PLACE: np.arange(cases)}
    columns |= {name: typed(held, held.codes) for name, held in fields.items()}
    tree = _with_types(derived.tree, fields, dates=dates)
    tried = exp.Anonymous(this="TRY", expressions=[tree])
    kind_of = exp.Anonymous(this="TYPEOF", expressions=[tried.copy()])
    query = exp.select(
        exp.alias_(tried, _OUTCOME, quoted=True), exp.alias_(kind_of, _TYPE, quoted=True)
    )
    query = query.from_(_VALUES).order_by(exp.column(exp.to_identifier(_PLACE, quoted=True)))
    try:
        rows = run_over(query, _VALUES, columns)[1]
    except Mistake:
        raise NotAdmitted(
            "An expression of the query cannot be worked out.",
            code="not-comparable",
            found="The kinds of its fields and constants do not fit together: "
            + ", ".join(f"{name} is {_KIND_WORDS[held.kind]}" for name, held in fields.items())
            + ".",
            attempt="numbers with numbers and texts with texts: CAST(field AS DOUBLE) reads a text "
            "as a number, CAST(field AS DATE) as a date.",
        ) from None
    kind = _kind(rows[0][1]) if rows else FieldKind.TEXT
    texts = [_text(row[0], kind) for row in rows]
    values = tuple(sorted(dict.fromkeys(texts), key=lambda each: _order(each, kind)))
    place = {value: code for code, value in enumerate(values)}
    codes = np.array([place[text] for text in texts], np.int32)
    return Outcomes(kind=kind, values=values or (None,), codes=codes)


def _with_types(tree: exp.Expr, fields: Mapping[str, HeldField], *, dates: bool) -> exp.Expr:
    """Dates and truths are kept as text, and are read as what they are. A text that is cast to a
    date is read as the policy says that it is written; with `dates`, every such text is."""
    out = exp.Paren(this=tree.copy())
    for column in [*out.find_all(exp.Column)]:
        held = fields[column.name]
        kind = _TYPES.get(held.kind)
        if kind:
            column.replace(exp.TryCast(this=column.copy(), to=exp.DataType.build(kind)))
        elif held.dates and (dates or _is_cast_to_date(column.parent)):
            column.replace(_date_of(column, held.dates))
    return out


def _is_cast_to_date(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Cast) and node.to.this in (
        exp.DataType.Type.DATE,
        exp.DataType.Type.TIMESTAMP,
    )


def _date_of(column: exp.Column, written: str) -> exp.Expr:
    """The day of a text that is written in a format; null where it is none."""
    moment: exp.Expr = exp.TryCast(this=column.copy(), to=exp.DataType.build("TIMESTAMP"))
    if written != ISO:
        given = [column.copy(), exp.Literal.string(written)]
        moment = exp.Anonymous(this="TRY_STRPTIME", expressions=given)
    return exp.Cast(this=moment, to=exp.DataType.build("DATE"))


def _kind(name: str) -> FieldKind:
    if name in _WHOLE:
        return FieldKind.INTEGER
    if name in ("DOUBLE", "FLOAT") or name.startswith("DECIMAL"):
        return FieldKind.REAL
    return {
        "DATE": FieldKind.DATE, "TIMESTAMP": FieldKind.TIMESTAMP, "BOOLEAN": FieldKind.BOOLEAN,
        "VARCHAR": FieldKind.TEXT,
    }.get(name, FieldKind.OTHER)  # fmt: skip


def _text(value: Any, kind: FieldKind) -> Label:
    if kind is FieldKind.OTHER:
        raise NotAdmitted(
            "An expression of the query is neither a number, a text, a date nor a truth.",
            code="not-listed",
            attempt="EXTRACT to have a number of a span of time.",
        )
    if value is None:
        return None
    if kind is FieldKind.REAL:
        return repr(float(value) + 0.0) if not isinstance(value, decimal.Decimal) else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _order(value: Label, kind: FieldKind) -> tuple[bool, Any]:
    number = kind in (FieldKind.INTEGER, FieldKind.REAL)
    return value is None, (float(value) if number else value) if value is not None else 0


def typed(held: HeldField, codes: Codes) -> NDArray[Any]:
    """Cells as the type of their field."""
    return _values(held.values, held.kind)[codes]


def _values(values: Sequence[Label], kind: FieldKind) -> NDArray[Any]:
    if kind is FieldKind.INTEGER:
        numbers = np.array([0 if value is None else int(value) for value in values], np.int64)
    elif kind is FieldKind.REAL:
        numbers = np.array([0.0 if value is None else float(value) for value in values], np.float64)
    else:
        return np.array(values, object)
    return np.ma.array(numbers, mask=[value is None for value in values])


def derived_table(
    table: ProtectedTable,
    derived: Iterable[DerivedField],
    *,
    whole_groups: bool,
    grouped: Sequence[str] = (),
) -> ProtectedTable:
    """A table with further fields. Known ones cut its bins by their outcome; with `whole_groups`,
    by the coarsest groups of their own fields that have one outcome each. No verdict then depends
    on how the expression is cut.

    `grouped` are protected fields that noisy numbers are grouped by. In the table by itself, from
    which noise alone is made, they count among the fields that make bins."""
    found = tuple(derived)
    alone = _with_fields(table.alone, found, whole_groups=False)
    alone = _promoted(alone, grouped)
    out = _with_fields(table, found, whole_groups=whole_groups)
    return replace(out, unlinked=alone)


def _with_fields(
    table: ProtectedTable, found: Sequence[DerivedField], *, whole_groups: bool
) -> ProtectedTable:
    fields, policies = dict(table.fields), dict(table.policy.fields)
    hierarchies, columns = dict(table.hierarchies), [table.bins]
    for each in found:
        held, of_bins = _held(each, table, whole_groups=whole_groups)
        fields[each.name] = held
        policies[each.name] = _policy(each, table, held)
        if each.is_known:
            hierarchies[each.name] = _hierarchy(held)
            columns.append(of_bins[:, None])
    return replace(
        table,
        fields=fields,
        policy=replace(table.policy, fields=policies),
        hierarchies=hierarchies,
        bins=np.ascontiguousarray(np.concatenate(columns, axis=1)),
    )


def _held(
    derived: DerivedField, table: ProtectedTable, *, whole_groups: bool
) -> tuple[HeldField, Codes]:
    """The field by rows, and its code in each bin where it is known."""
    base = {name: table.fields[name] for name in derived.fields}
    role = Role.QUASI if derived.is_known else Role.INSENSITIVE
    if not derived.is_known:
        case_of, cases = _cases({name: held.codes for name, held in base.items()}, base)
        found = outcomes(derived, cases)
        codes = found.codes[case_of]
        return _field(derived, role, found, codes), codes
    place = {name: table.known.index(name) for name in derived.fields}
    of_bins = {name: table.bins[:, column] for name, column in place.items()}
    case_of, cases = _cases(of_bins, base)
    found = outcomes(derived, cases)
    if whole_groups:
        found = _by_groups(found, cases, table)
    codes = found.codes[case_of]
    own = codes[table.bin_of]
    return _field(derived, role, found, own), codes


def _field(derived: DerivedField, role: Role, found: Outcomes, codes: Codes) -> HeldField:
    return HeldField(
        name=derived.name,
        role=role,
        kind=found.kind,
        values=found.values,
        codes=np.ascontiguousarray(codes, np.int32),
    )


def _cases(
    codes: Mapping[str, Codes], fields: Mapping[str, HeldField]
) -> tuple[Wholes, dict[str, HeldField]]:
    """The different combinations of some fields, and which one each row or bin has."""
    size = len(next(iter(codes.values())))
    case_of, count = np.zeros(size, np.int64), 1
    for name, column in codes.items():
        width = max(1, len(fields[name].values))
        case_of, count = numbered(case_of * width + column, count * width)
    somewhere = np.zeros(count, np.int64)
    somewhere[case_of] = np.arange(size)
    return case_of, {
        name: replace(fields[name], codes=np.ascontiguousarray(column[somewhere]))
        for name, column in codes.items()
    }


def _by_groups(found: Outcomes, cases: Mapping[str, HeldField], table: ProtectedTable) -> Outcomes:
    """The outcomes apart by the coarsest groups of the own fields in which there is one each."""
    tops = [range(table.top(name), -1, -1) for name in cases]
    for levels in sorted(itertools.product(*tops), key=lambda each: (-sum(each), each)):
        group, count = np.zeros(len(found.codes), np.int64), 1
        for (name, held), level in zip(cases.items(), levels, strict=True):
            up = table.hierarchies[name].up[level]
            span = len(table.hierarchies[name].labels[level])
            group, count = numbered(group * span + up[held.codes], count * span)
        outcome = np.zeros(count, np.int64)
        outcome[group] = found.codes
        if (outcome[group] == found.codes).all():
            return Outcomes(
                kind=found.kind,
                values=tuple(found.values[code] for code in outcome.tolist()),
                codes=group.astype(np.int32),
            )
    raise AssertionError("at level 0 every case is a group of its own")


def _hierarchy(held: HeldField) -> Hierarchy:
    """Shown as it is, or not at all."""
    codes = np.arange(len(held.values), dtype=np.int32)
    return Hierarchy(
        (held.values, (SUPPRESSED,)),
        (codes, np.zeros(len(codes), np.int32)),
        DERIVED_LEVELS,
    )


def _policy(derived: DerivedField, table: ProtectedTable, held: HeldField) -> Field:
    """The declarations of a derived field follow from those of its own fields."""
    base = [table.policy.fields[name] for name in derived.fields]
    return Field(
        name=derived.name,
        role=held.role,
        domain=_domain(derived, table),
        constant_per_person=all(each.constant_per_person for each in base),
    )


def _domain(derived: DerivedField, table: ProtectedTable) -> Domain | None:
    found = {name: table.policy.fields[name].domain for name in derived.fields}
    declared = {name: domain for name, domain in found.items() if domain is not None}
    size = int(np.prod([len(domain) for domain in declared.values()], dtype=np.float64))
    if len(declared) < len(found) or not declared or size > MOST_CASES:
        stated = stated_outcomes(derived.tree)
        return None if stated is None else Domain(values=stated)
    places = np.unravel_index(np.arange(size), [len(domain) for domain in declared.values()])
    cases = {
        name: replace(
            table.fields[name],
            values=tuple(map(str, domain.listed())),
            codes=np.asarray(at, np.int32),
        )
        for (name, domain), at in zip(declared.items(), places, strict=True)
    }
    worked = outcomes(derived, cases)
    return Domain(values=tuple(plain_value(value, worked.kind) for value in worked.values))


def plain_value(value: Label, kind: FieldKind) -> Any:
    """A value of a kind as a declared domain has it."""
    if value is None:
        return None
    if kind is FieldKind.INTEGER:
        return int(value)
    return float(value) if kind is FieldKind.REAL else value


def _promoted(table: ProtectedTable, names: Sequence[str]) -> ProtectedTable:
    """Protected fields among those that make bins."""
    chosen = [name for name in names if name not in table.known]
    if not chosen:
        return table
    fields = {
        name: replace(held, role=Role.QUASI) if name in chosen else held
        for name, held in table.fields.items()
    }
    known = [name for name, held in fields.items() if held.role is Role.QUASI]
    bin_of, bins = bin_rows(fields, known, rows=len(table))
    hierarchies = {**table.hierarchies, **{name: _hierarchy(fields[name]) for name in chosen}}
    return replace(table, fields=fields, hierarchies=hierarchies, bin_of=bin_of, bins=bins)
