"""The builder `numbers`: fixed widths, quantiles or named ranges, whichever its table holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sfumato.errors import HierarchyError
from sfumato.parts import ParameterKind, parameter, with_question

from .declaration import HierarchyDeclaration
from .parameters import Table, only_keys, table
from .quantiles import Quantiles
from .ranges import Ranges
from .widths import FixedWidths


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersParameters:
    """The parameters under `numbers`: widths, quantiles or ranges, with what belongs to each."""

    widths: tuple[float, ...] = parameter(
        "widths of intervals, one per level",
        default=(),
        kind=ParameterKind.NUMBERS,
        example="[5, 10]",
    )
    origin: float = parameter(
        "widths: where intervals are counted from", default=0, least=-math.inf
    )
    bottom: float | None = parameter("widths: all below are one", default=None, least=-math.inf)
    top: float | None = parameter("widths: all from here up are one", default=None, least=-math.inf)
    nested: bool = parameter(
        "widths: false where one need not be a multiple of the one before, for solvers that only "
        "climb",
        default=True,
    )
    quantiles: tuple[int, ...] = parameter(
        "numbers of groups of equal size, one per level", default=(), least=2
    )
    ranges: tuple[Mapping[str, object], ...] = parameter(
        "named ranges in rising order, each with name and below",
        default=(),
        kind=ParameterKind.TABLES,
    )
    groups: tuple[Mapping[str, object], ...] = parameter(
        "ranges: which names are joined, one table per coarser level",
        default=(),
        kind=ParameterKind.TABLES,
    )


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
        found = (
            f"It has {' and '.join(kinds)}."
            if kinds
            else with_question("It has none of them.", strange, _KINDS)
        )
        raise HierarchyError(
            "A hierarchy of numbers has exactly one of widths, quantiles and ranges.",
            found=found,
            attempt="numbers = { widths = [5, 10, 20] }.",
        )
    return _KINDS[kinds[0]](inner)


_RANGE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "below": {"type": "number"}},
    "required": ["name"],
    "additionalProperties": False,
}
_NAMES = {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}
_SHAPES: tuple[tuple[str, dict[str, object]], ...] = (
    (
        "widths",
        {
            "widths": {
                "type": "array",
                "items": {"type": "number", "exclusiveMinimum": 0},
                "minItems": 1,
            }
        },
    ),
    (
        "quantiles",
        {"quantiles": {"type": "array", "items": {"type": "integer", "minimum": 2}, "minItems": 1}},
    ),
    ("ranges", {"ranges": {"type": "array", "items": _RANGE, "minItems": 1}}),
)
_BESIDE: dict[str, dict[str, object]] = {
    "widths": {name: {"type": "number"} for name in ("origin", "bottom", "top")},
    "quantiles": {},
    "ranges": {"groups": {"type": "array", "items": _NAMES}},
}
DECLARATION = HierarchyDeclaration(
    key="numbers",
    doc="numbers in intervals, quantiles or named ranges",
    record=NumbersParameters,
    read=numbers_from_table,
    example={"numbers": {"widths": [5, 10]}},
    inside=True,
    key_schema={
        "anyOf": [
            {
                "type": "object",
                "properties": {**properties, **_BESIDE[name]},
                "required": [name],
                "additionalProperties": False,
            }
            for name, properties in _SHAPES
        ]
    },
    shown=("numbers", "widths", "origin", "bottom", "top", "quantiles"),
)
