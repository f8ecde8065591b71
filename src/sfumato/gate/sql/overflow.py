"""Overflow: constants and products so large that a calculation with them may exceed the range of
whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

LARGEST: Final = 2.0**31
"""The limit of the product of all constants of one calculation. Multiplied by a count of a gate's
rows, it stays below 2 to the 63."""


def check_constants(nodes: Iterable[exp.Expr]) -> None:
    """Whether constants that are added or multiplied are small enough; decided by the query
    alone."""
    for node in nodes:
        if not isinstance(node, (exp.Add, exp.Sub, exp.Mul)):
            continue
        found = (each for each in node.find_all(exp.Literal) if not each.is_string)
        if math.prod(max(1.0, abs(float(each.name))) for each in found) >= LARGEST:
            raise NotAdmitted(
                "A constant of the query is too large.",
                code="too-large",
                found=f"Constants of one calculation may multiply to at most {LARGEST:,.0f}.",
                attempt="a smaller one.",
            )


FACTOR: Final = 31
"""Bits of a count, a sum or a field in a product: factors are bounded by the query, never by the
data."""
RANGE: Final = 63
"""Bits of a whole number."""


def check_products(nodes: Sequence[exp.Expr]) -> None:
    """Whether products stay in the range of whole numbers, however large the table is.

    An overflow would be an error that depends on the data. Inner nodes are sized before outer ones,
    without recursion."""
    bits: dict[int, float] = {}
    for node in reversed(nodes):  # The outer ones come first.
        if isinstance(node, exp.Mul):
            bits[id(node)] = sum(bits.get(id(part), 0.0) for part in (node.this, node.expression))
        elif isinstance(node, (exp.Add, exp.Sub)):
            less, more = sorted(bits.get(id(part), 0.0) for part in (node.this, node.expression))
            bits[id(node)] = more + math.log2(1 + 2.0 ** (less - more))
        elif isinstance(node, (exp.Paren, exp.Neg, exp.Abs, exp.Round, exp.Alias, exp.Cast)):
            bits[id(node)] = bits.get(id(node.this), 0.0)
        elif isinstance(node, exp.Literal) and not node.is_string:
            bits[id(node)] = math.log2(max(1.0, abs(float(node.name))))
        elif isinstance(node, (exp.AggFunc, exp.Column)):
            bits[id(node)] = max(FACTOR, bits.get(id(node.this), 0.0))
        if isinstance(node, exp.Mul) and bits[id(node)] >= RANGE:
            raise NotAdmitted(
                "A product of the query is too large.",
                code="too-large",
                found="A product may have two counts, sums or fields, and constants beside one "
                "alone.",
                attempt="fewer factors; multiply the numbers of the answer yourself.",
            )
