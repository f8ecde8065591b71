"""Values as canonical text in Spark's SQL, as in docs/engines.md: Spark writes numbers, moments and
bytes otherwise.

Java writes 1.0E10 where we write 10000000000.0. Before version 19 Java also writes more digits than
reading the same number back needs: in doubles from 1e16, in floats from 2^25 up. These are
shortened, at some cost in speed. Each expression is a template about `x`, parsed once."""

from __future__ import annotations

from functools import cache

import sqlglot
from sqlglot import exp

DIALECT = "databricks"
"""sqlglot's name for the dialect that knows TRY_CAST; Spark 4 has all that is used of it."""

_NUMBER = """
CASE WHEN x = 0 OR abs(x) >= 1e-3 AND abs(x) < 1e7 THEN cast(x AS STRING)
     WHEN isnan(x) THEN 'nan'
     WHEN x IS NOT NULL THEN concat(CASE WHEN x < 0 THEN '-' ELSE '' END,
       CASE WHEN abs(x) < {least} THEN {small}
            WHEN abs(x) < 1e7 THEN {plain}
            WHEN abs(x) < 1e16 THEN {whole}
            WHEN abs(x) <= {most} THEN {large}
            ELSE 'inf' END) END
"""
_TEXT = "cast(abs(x) AS STRING)"
_DIGITS = "regexp_replace(substring_index({text}, 'E', 1), '[.]0*$|([.][0-9]*?)0+$', '$1')"


def _plain(text: str) -> str:
    """Text such as 1.5E8 of a number between 1e-4 and 1e16, without an exponent."""
    return (
        f"regexp_replace(cast(try_cast({text} AS DECIMAL(38, 21)) AS STRING), "
        "'([.][0-9]+?)0*$', '$1')"
    )


def _small(text: str) -> str:
    """1.5E-7 as 1.5e-07."""
    power = f"substring_index({text}, 'E-', -1)"
    return (
        f"concat({_DIGITS.format(text=text)}, 'e-', CASE WHEN length({power}) < 2 THEN '0' "
        f"ELSE '' END, {power})"
    )


def _large(text: str) -> str:
    """1.5E20 as 1.5e+20."""
    return f"concat({_DIGITS.format(text=text)}, 'e+', substring_index({text}, 'E', -1))"


def _rounded(text: str, digits: int) -> str:
    """Text such as 1.25E8 rounded to some digits; 9.99E22 may become 1.0E23."""
    mantissa = f"round(cast(substring_index({text}, 'E', 1) AS DECIMAL(20, 18)), {digits - 1})"
    power = f"cast(substring_index({text}, 'E', -1) AS INT)"
    return (
        f"CASE WHEN {mantissa} >= 10 THEN concat('1.0E', {power} + 1) ELSE concat({mantissa}, "
        f"'E', {power}) END"
    )


def _shortest(text: str, kind: str, digits: tuple[int, ...], then: str) -> str:
    """The result of `then` on the text `s`: that with the fewest of so many digits which reads back
    as x."""
    tries = ", ".join(_rounded("t", n) for n in digits)
    first = f"try_element_at(filter(array({tries}), c -> cast(c AS {kind}) = abs(x)), 1)"
    return (
        f"element_at(transform(transform(array({text}), t -> coalesce({first}, t)), s -> "
        f"{then}), 1)"
    )


def _tiny(kind: str, below: str) -> str:
    """Java writes at least two digits, 4.9E-324, also where one is enough: of the smallest numbers
    that there are."""
    return (
        f"CASE WHEN abs(x) < {below} THEN {_shortest(_TEXT, kind, (1,), _small('s'))} ELSE "
        f"{_small(_TEXT)} END"
    )


def _double(*, shortest: bool) -> str:
    large = _large(_TEXT)
    if not shortest:
        # Up to the largest whole number that Spark has the digits are exact, so that rounding them
        # gives the nearest.
        exact = "cast(cast(abs(x) AS BIGINT) AS STRING)"
        exact = (
            f"concat(substring({exact}, 1, 1), '.', substring({exact}, 2), 'E', "
            f"length({exact}) - 1)"
        )
        text = f"CASE WHEN abs(x) < 9e18 THEN {exact} ELSE {_TEXT} END"
        large = _shortest(text, "DOUBLE", (15, 16, 17), _large("s"))
    most, plain = "1.7976931348623157e308D", _plain(_TEXT)
    small = _tiny("DOUBLE", "1e-320D")
    return _NUMBER.format(
        least="1e-4", most=most, small=small, plain=plain, whole=plain, large=large
    )


def _float(*, shortest: bool) -> str:
    """A tenth of a thousandth is a little less than that as a float."""
    whole, large = _plain(_TEXT), _large(_TEXT)
    if not shortest:
        exact = "cast(cast(abs(x) AS DOUBLE) AS STRING)"
        whole, large = (
            _shortest(exact, "FLOAT", (6, 7, 8, 9), then("s")) for then in (_plain, _large)
        )
    least, most = "cast(1e-4 AS FLOAT)", "3.4028234663852886e38D"
    small = _tiny("FLOAT", "1e-42D")
    return _NUMBER.format(
        least=least, most=most, small=small, plain=_plain(_TEXT), whole=whole, large=large
    )


# As DuckDB writes them: printable characters, other bytes as \xFF.
_BYTES = r"""
array_join(transform(regexp_extract_all(hex(x), '..', 0), b ->
  CASE WHEN b BETWEEN '20' AND '7E' AND b NOT IN ('22', '27', '5C') THEN cast(unhex(b) AS STRING)
       ELSE concat('\\x', b) END), '')
"""
_OTHERS = {
    "timestamp": "concat(cast(x AS STRING), '+00')",
    "binary": _BYTES,
    "struct": "to_json(x)",
    "map": "to_json(x)",
}


@cache
def _template(kind: str, *, shortest: bool) -> exp.Expr | None:
    reals = {"double": _double, "float": _float}
    text = reals[kind](shortest=shortest) if kind in reals else _OTHERS.get(kind)
    return None if text is None else sqlglot.parse_one(text, read=DIALECT)


def as_text(declared: str, value: exp.Expr, *, shortest: bool) -> exp.Expr:
    """A value of a type as Spark names it, as canonical text. With `shortest`, Java writes the
    fewest digits."""
    template = _template(declared.split("<")[0].split("(")[0], shortest=shortest)
    if template is None:
        return exp.cast(value, exp.DataType.Type.TEXT)

    def filled(node: exp.Expr) -> exp.Expr:
        return (
            value.copy()
            if isinstance(node, exp.Column) and node.name == "x" and not node.table
            else node
        )

    return template.copy().transform(filled)
