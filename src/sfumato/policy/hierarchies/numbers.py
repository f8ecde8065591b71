"""The builder `numbers`: fixed widths, quantiles or named ranges, whichever its table holds."""

from __future__ import annotations

from collections.abc import Callable

from sfumato.errors import HierarchyError

from ..nearest import with_question
from .parameters import Table, only_keys, table
from .quantiles import Quantiles
from .ranges import Ranges
from .widths import FixedWidths

Numbers = FixedWidths | Quantiles | Ranges

_KINDS: dict[str, Callable[[Table], Numbers]] = {
    "widths": FixedWidths.from_table,
    "quantiles": Quantiles.from_table,
    "ranges": Ranges.from_table,
}


def numbers_from_table(given: Table) -> Numbers:
    """Read `numbers = { widths = […] }`, `{ quantiles = […] }` or `{ ranges = […] }`."""
    only_keys(given, ("numbers",), builder="numbers")
    inner = table(given["numbers"], "numbers")
    kinds = [key for key in _KINDS if key in inner]
    if len(kinds) != 1:
        strange = next((key for key in inner if key not in _KINDS), "")
        found = f"It has {' and '.join(kinds)}." if kinds else with_question("It has none of them.", strange, _KINDS)
        raise HierarchyError(
            "A hierarchy of numbers has exactly one of widths, quantiles and ranges.",
            found=found,
            attempt="numbers = { widths = [5, 10, 20] }.",
        )
    return _KINDS[kinds[0]](inner)
