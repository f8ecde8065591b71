"""JSON Schema of a part's parameters, so that editors complete and check policies and manifests."""

from __future__ import annotations

import math
from typing import Any

from .parameter import Parameter, ParameterKind, parameters_of

_TYPES: dict[ParameterKind, dict[str, Any]] = {
    ParameterKind.WHOLE: {"type": "integer"},
    ParameterKind.NUMBER: {"type": "number"},
    ParameterKind.FLAG: {"type": "boolean"},
    ParameterKind.WORD: {"type": "string"},
    ParameterKind.TEXT: {"type": "string"},
    ParameterKind.FIELD: {"type": "string"},
    ParameterKind.FILE: {"type": "string"},
    ParameterKind.TEXTS: {"type": "array", "items": {"type": "string"}},
    ParameterKind.FIELDS: {"type": "array", "items": {"type": "string"}},
    ParameterKind.WHOLES: {"type": "array", "items": {"type": "integer"}},
    ParameterKind.NUMBERS: {"type": "array", "items": {"type": "number"}},
    ParameterKind.TABLE: {"type": "object"},
    ParameterKind.TABLES: {"type": "array", "items": {"type": "object"}},
    ParameterKind.SHARES: {"type": "object", "additionalProperties": {"type": "number"}},
    ParameterKind.SIZES: {"type": "object", "additionalProperties": {"type": "integer"}},
    ParameterKind.NUMBER_OR_RULE: {"type": ["number", "string"]},
    ParameterKind.HIERARCHY: {"$ref": "#/$defs/hierarchy"},
}


def schema_of(record: type, *, doc: str = "") -> dict[str, Any]:
    """The schema of a table that holds a part's parameters.

    Example:
        >>> from dataclasses import dataclass
        >>> from sfumato.parts import parameter
        >>> @dataclass(frozen=True, kw_only=True)
        ... class Rounding:
        ...     base: float = parameter("multiples of this", above=0)
        >>> schema_of(Rounding)["properties"]
        {'base': {'type': 'number', 'description': 'multiples of this', 'exclusiveMinimum': 0}}
    """
    parameters = parameters_of(record)
    out: dict[str, Any] = {
        "type": "object",
        "properties": {each.name: schema_of_parameter(each) for each in parameters},
        "additionalProperties": False,
    }
    needed = [each.name for each in parameters if each.needed]
    return {
        **out,
        **({"required": needed} if needed else {}),
        **({"description": doc} if doc else {}),
    }


def schema_of_parameter(each: Parameter) -> dict[str, Any]:
    out = {**_TYPES[each.kind], "description": each.doc}
    within = _INNER.get(
        each.kind
    )  # the range of a list or of a table is that of each of its numbers
    if within is None:
        out |= _limits(each)
    else:
        out[within] = {**out[within], **_limits(each)}
    default = each.default
    if not each.needed and isinstance(default, str | int | float | bool):
        out["default"] = str(default) if isinstance(default, str) else default
    return out


_INNER = {
    ParameterKind.WHOLES: "items",
    ParameterKind.NUMBERS: "items",
    ParameterKind.TEXTS: "items",
    ParameterKind.SHARES: "additionalProperties",
    ParameterKind.SIZES: "additionalProperties",
}


def _limits(each: Parameter) -> dict[str, Any]:
    out: dict[str, Any] = {"enum": list(map(str, each.words))} if each.words else {}
    if each.least is not None and not math.isinf(each.least):
        out["exclusiveMinimum" if each.exclusive else "minimum"] = each.least
    elif each.least is None and each.kind in _NUMERIC:
        out["minimum"] = 0  # as a policy reads them
    if each.most is not None:
        out["maximum"] = each.most
    return out


_NUMERIC = (ParameterKind.WHOLE, ParameterKind.NUMBER, ParameterKind.WHOLES, ParameterKind.SHARES)
