"""Survey weights: which cells are one, how exactly they are summed, and the message about cells
that are none."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from sfumato.errors import SourceError
from sfumato.hierarchies import Label
from sfumato.wording import counted

from .sql.queries import LARGEST_WEIGHT, NUMBER, WEIGHT_PLACES

_SMALLEST = Decimal(1).scaleb(-WEIGHT_PLACES)


def weight_of(value: Label) -> Decimal | None:
    """The weight that a cell holds; None where it holds none.

    Example:
        >>> weight_of("12.5"), weight_of("-1"), weight_of("many"), weight_of(None)
        (Decimal('12.500000000000'), None, None, None)
    """
    if value is None or re.fullmatch(NUMBER.strip("^$"), value) is None:
        return None
    number = Decimal(value)
    return number.quantize(_SMALLEST, ROUND_HALF_UP) if 0 <= number <= LARGEST_WEIGHT else None


def no_weights(title: str, name: str, count: int) -> SourceError:
    """The message about rows without a weight. None of their values is disclosed."""
    return SourceError(
        f"Field {name} of {title} was asked for as survey weights, which are numbers from "
        "0 to 10^12.",
        found=f"{counted(count, 'row holds', 'rows hold')} no such number.",
        attempt="a source with a weight in every row, or another field.",
    )
