"""Small trees that every question is made of, and the patterns that dialects share."""

from __future__ import annotations

from sqlglot import exp

ENUMERATION = "ENUM"
"""The type of a field whose few texts are stored as numbers, in the order of the texts."""
SOURCE = "source"

# What a profile counts as a whole number, a number and a date. Only what every dialect's patterns
# share.
WHOLE_NUMBER = "^[+-]?[0-9]{1,18}$"
NUMBER = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_YEAR = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_LEAP = "([0-9][0-9](0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)-02-29"
_DAY = (
    f"({_YEAR}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|"
    f"02-(0[1-9]|1[0-9]|2[0-8]))|{_LEAP})"
)
ISO_DATE = f"^{_DAY}([ T][0-9:.,Z+-]*)?$"
"""A day that exists, not the 30th of February, with or without a time; year 0000 has none."""

RUN_STARTS = "=@+\t\r-"
RUN = f"^[{RUN_STARTS}]"
"""The first characters of a cell that a spreadsheet would run as a formula, unless it is a
number."""

# Survey weights are summed as decimals, so that every engine rounds the same sum down.
WEIGHT_PLACES = 12
LARGEST_WEIGHT = 10**12
ROWS = "rows"


def column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(
        exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True)
    )


def table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def named(expression: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(expression, exp.to_identifier(name, quoted=True))


def number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def places(count: int) -> list[exp.Expr]:
    """1, 2, …: the first columns of a query, to group or order by."""
    return [number(i + 1) for i in range(count)]


def is_null(expression: exp.Expr) -> exp.Expr:
    return exp.Is(this=expression, expression=exp.null())


def is_there(expression: exp.Expr) -> exp.Expr:
    return exp.Not(this=is_null(expression))


def count_all() -> exp.Expr:
    return exp.Count(this=exp.Star())
