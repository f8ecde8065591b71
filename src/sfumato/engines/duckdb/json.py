"""The types of numbers in JSON: found from all of them, so that none is rounded.

DuckDB reads a whole number that is too long for it as a real one, and takes 128 bits where both
signs occur."""

from __future__ import annotations

import mmap
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from sqlglot import exp

from ..sql.queries import column, is_there, named
from .session import DuckDBSession
from .views import call

SCALARS = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")
"""The types that DuckDB finds besides text, list and object."""
UNSURE = ("HUGEINT", "DOUBLE")
WHOLE = "^-?[0-9]+$"
ENDS = (r"\.0$", "")
"""Decimals that are nought, and what stands in their place."""


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


def cell_text(name: str) -> exp.Expr:
    """A cell of a field of numbers and other values as text, whatever the other cells are: a real
    number without decimals that are nought, so that one person's word changes no cell of others."""
    held = exp.Anonymous(this="json_extract_string", expressions=[column(name), _literal("$")])
    real = exp.cast(held.copy(), exp.DataType.Type.DOUBLE)
    shown = exp.func("regexp_replace", exp.cast(real, exp.DataType.Type.TEXT), *map(_literal, ENDS))
    kind = exp.Anonymous(this="json_type", expressions=[column(name)])
    whole = exp.RegexpLike(this=held.copy(), expression=_literal(WHOLE))
    is_real = exp.and_(exp.EQ(this=kind, expression=_literal("DOUBLE")), exp.Not(this=whole))
    return exp.Case().when(is_real, shown).else_(held)


def _literal(text: str) -> exp.Expr:
    return exp.Literal.string(text)


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


# Numbers of JSON that no double holds as they are written: DuckDB would round them, so a copy
# holds them as text.

_SUSPECT = re.compile(rb"[0-9.]{17}|-0(?![0-9.])|[0-9][eE][+-]?[0-9]{3}")
"""A number of up to 15 digits is held, unless its exponent is long; a search for the others takes
little time."""
_TOKEN = re.compile(
    rb'"[^"\\]*(?:\\.[^"\\]*)*"?|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?', re.DOTALL
)

_CHUNK = 1 << 20


def is_held(number: str) -> bool:
    """Whether reading a number keeps it: whole numbers have types of their own, others need all of
    their digits.

    Example:
        >>> is_held("0.30000000000000004"), is_held("12345678901234567.89"), is_held("-0")
        (True, False, False)
    """
    if number.lstrip("-").isdigit():
        return number != "-0"
    return _digits(repr(float(number))) == _digits(number)


def _digits(number: str) -> str:
    """From the first to the last that is not nought. The nearest double with the same digits is the
    same number."""
    return re.split("[eE]", number)[0].lstrip("-").replace(".", "").strip("0")


def with_digits_kept(path: Path, scratch: Path) -> Path:
    """The file itself, or a copy in which numbers that no double holds are quoted."""
    if not path.stat().st_size:
        return path
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        if _SUSPECT.search(text) is None:
            return path
        copy = scratch / f"{secrets.token_hex(4)}.json"
        end, found = 0, False
        with copy.open("xb") as new:
            for token in _TOKEN.finditer(text):
                start = token.start()
                if text[start] == ord('"') or is_held(token[0].decode("ascii")):
                    continue
                _write(new, text, end, start)
                new.write(b'"' + token[0] + b'"')
                end, found = token.end(), True
            _write(new, text, end, len(text))
    if not found:
        copy.unlink()
    return copy if found else path


def _write(new: IO[bytes], text: mmap.mmap, start: int, end: int) -> None:
    for place in range(start, end, _CHUNK):
        new.write(text[place : min(place + _CHUNK, end)])
