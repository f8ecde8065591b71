"""Overflow: constants so large that what is reckoned with them may leave the range of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

LARGEST: Final = 2.0**31
"""Of all constants of one reckoning multiplied: with a count of a gate's rows it stays below 2 to the 63."""


def check_constants(nodes: Iterable[exp.Expr]) -> None:
    """Whether constants that are added or multiplied are small enough; decided by the query alone."""
    for node in nodes:
        if not isinstance(node, (exp.Add, exp.Sub, exp.Mul)):
            continue
        found = (each for each in node.find_all(exp.Literal) if not each.is_string)
        if math.prod(max(1.0, abs(float(each.name))) for each in found) >= LARGEST:
            raise NotAdmitted(
                "A constant of the query is too large to reckon with.",
                code="too-large",
                found=f"Constants of one calculation may multiply to at most {LARGEST:,.0f}.",
                attempt="a smaller one.",
            )
