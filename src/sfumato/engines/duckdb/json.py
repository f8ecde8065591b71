"""The types of numbers in JSON: found from all of them, so that none is rounded.

DuckDB reads a whole number that is too long for it as a real one, and takes 128 bits where both
signs occur."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlglot import exp

from ..sql.queries import column, is_there, named
from .session import DuckDBSession
from .views import call

SCALARS = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")
"""What DuckDB finds that is no text, list or object."""
UNSURE = ("HUGEINT", "DOUBLE")
WHOLE = "^-?[0-9]+$"


def json_types(session: DuckDBSession, path: Path, found: Mapping[str, str]) -> dict[str, str]:
    """The types in which fields are read, given those that DuckDB found; what no type holds exactly
    is text."""
    kinds = {name: kind if kind in SCALARS else "VARCHAR" for name, kind in found.items()}
    unsure = [name for name, kind in kinds.items() if kind in UNSURE]
    if not unsure:
        return kinds
    texts = call("read_json", path, records=True, columns=kinds | dict.fromkeys(unsure, "VARCHAR"))
    tests = [_every(column(name), test) for name in unsure for test in _tests(column(name))]
    shown = [named(test, f"t{i}") for i, test in enumerate(tests)]
    facts = session.rows(exp.select(*shown).from_(texts.subquery("as_read")))[0]
    step = len(CHOICES)
    for place, name in enumerate(unsure):
        held = zip(CHOICES, facts[place * step : (place + 1) * step], strict=True)
        kinds[name] = next((kind for kind, holds in held if holds), "VARCHAR")
    return kinds


CHOICES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE")
"""The first that holds every number of a field is its type."""


def _tests(text: exp.Expr) -> list[exp.Expr]:
    """For each choice whether it holds a number, which is given as text, without a change."""
    whole = exp.RegexpLike(this=text, expression=exp.Literal.string(WHOLE))
    return [
        *(exp.and_(whole.copy(), _reads(text, kind)) for kind in CHOICES[:3]),
        _is_real(text, whole),
    ]


def _reads(text: exp.Expr, kind: str) -> exp.Expr:
    value = exp.TryCast(this=text.copy(), to=exp.DataType.build(kind, dialect="duckdb"))
    return exp.Not(this=exp.Is(this=value, expression=exp.null()))


def _is_real(text: exp.Expr, whole: exp.Expr) -> exp.Expr:
    """A real number that is not too large; a whole one only where the real one is equal."""
    real = exp.TryCast(this=text.copy(), to=exp.DataType.build("DOUBLE", dialect="duckdb"))
    back = exp.TryCast(this=real.copy(), to=exp.DataType.build("HUGEINT", dialect="duckdb"))
    same = exp.EQ(this=exp.cast(back, exp.DataType.Type.TEXT), expression=text.copy())
    finite = exp.func("coalesce", exp.Anonymous(this="isfinite", expressions=[real]), exp.false())
    return exp.and_(
        finite, exp.or_(exp.Not(this=whole.copy()), exp.func("coalesce", same, exp.false()))
    )


def _every(text: exp.Expr, test: exp.Expr) -> exp.Expr:
    """Whether a test holds wherever there is a number."""
    passed = exp.Anonymous(this="bool_and", expressions=[exp.Case().when(is_there(text), test)])
    return exp.func("coalesce", passed, exp.true())
