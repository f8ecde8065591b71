"""Claims in PostgreSQL's protocol: `SELECT * FROM validate('SELECT ...', value, margin)`, and EXPLAIN
before it.

The call is read from the tree of the statement, and its arguments are constants: nothing of it runs
anywhere."""

from __future__ import annotations

import math
from typing import Any, Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from ..validation.claims import CODE, Validation, ValidationClaim, ValidationForecast
from .cells import BOOL, FLOAT8, INT8, ResultColumn
from .results import Result, of_rows

FUNCTION: Final = "validate"
COLUMNS: Final = (
    ResultColumn("agreement"),
    ResultColumn("number", FLOAT8),
    ResultColumn("low", FLOAT8),
    ResultColumn("high", FLOAT8),
    ResultColumn("value", FLOAT8),
    ResultColumn("margin", FLOAT8),
    ResultColumn("epsilon", FLOAT8),
    ResultColumn("left", INT8),
    ResultColumn("query"),
)
FORECAST_COLUMNS: Final = (
    ResultColumn("epsilon", FLOAT8),
    ResultColumn("left", INT8),
    ResultColumn("half_width", FLOAT8),
    ResultColumn("decides", BOOL),
    ResultColumn("epsilon_needed", FLOAT8),
    ResultColumn("margin_decided", FLOAT8),
    ResultColumn("value", FLOAT8),
)
_USAGE: Final = (
    "SELECT * FROM validate('SELECT AVG(age) FROM people', 41.5, 2), with NULL in place of 41.5 "
    "where the gate has your synthetic copy."
)


def is_claim_call(tree: exp.Expr | None) -> bool:
    """Whether a statement calls `validate`.

    Example:
        >>> import sqlglot
        >>> is_claim_call(sqlglot.parse_one("SELECT * FROM validate('SELECT 1', 2, 3)", read="postgres"))
        True
    """
    return _call(tree) is not None


def _call(tree: exp.Expr | None) -> exp.Anonymous | None:
    if not isinstance(tree, exp.Select):
        return None
    found = [each for each in tree.find_all(exp.Anonymous) if each.name.lower() == FUNCTION]
    return found[0] if found else None


def read_claim(tree: exp.Expr, *, epsilon: float | None) -> ValidationClaim:
    """The claim of a call; its three arguments are constants, and nothing stands around it."""
    call = _call(tree)
    plain = {"kind", "expressions", "from_", "from"}
    around = {name for name, part in tree.args.items() if part and name not in plain}
    source = tree.args.get("from_") or tree.args.get("from")
    whole = (
        call is not None
        and not around
        and len(tree.expressions) == 1
        and isinstance(tree.expressions[0], exp.Star)
        and source is not None
        and isinstance(source.this, exp.Table)
        and source.this.this is call
        and len(call.expressions) == 3
    )
    if not whole or call is None:
        raise NotAdmitted("validate is called by itself.", code=CODE, attempt=_USAGE)
    sql, value, margin = call.expressions
    if not isinstance(sql, exp.RawString) and not sql.is_string:
        raise NotAdmitted(
            "The first argument of validate is a query in quotes.", code=CODE, attempt=_USAGE
        )
    stated = None if isinstance(value, exp.Null) else _number(value)
    return ValidationClaim(sql=sql.name, value=stated, margin=_number(margin), epsilon=epsilon)


def _number(node: exp.Expr) -> float:
    """A constant; clients send numbers as texts, too."""
    inner: Any = node
    sign = 1.0
    while isinstance(inner, (exp.Neg, exp.Cast, exp.Paren)):
        sign *= -1.0 if isinstance(inner, exp.Neg) else 1.0
        inner = inner.this
    try:
        found = sign * float(inner.name) if isinstance(inner, exp.Literal) else math.nan
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise NotAdmitted("Value and margin are numbers.", code=CODE, attempt=_USAGE)
    return found


def of_validation(found: Validation) -> Result:
    """The answer as one row, with a sentence beside it."""
    row = (
        found.agreement.value, _finite(found.number), _finite(found.low), _finite(found.high), found.value,
        found.margin, found.epsilon, found.left, found.query,
    )  # fmt: skip
    notices = [f"Answer {found.query}: {found.in_words()}"]
    notices += [f"{cut}, which the noise does not cover." for cut in found.cuts]
    if found.remembered:
        notices.append("It was read from the answer given before, and cost nothing.")
    return of_rows(COLUMNS, [row], notices=tuple(notices))


def of_forecast(found: ValidationForecast) -> Result:
    row = (
        found.epsilon, found.left, found.half_width, found.decides, found.epsilon_needed, found.margin_decided,
        found.value,
    )  # fmt: skip
    return of_rows(FORECAST_COLUMNS, [row], word="EXPLAIN")


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
