"""JSON Schema of a part's parameters, so that editors complete and check policies and manifests."""

from __future__ import annotations

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
    return {**out, **({"required": needed} if needed else {}), **({"description": doc} if doc else {})}


def schema_of_parameter(each: Parameter) -> dict[str, Any]:
    out = {**_TYPES[each.kind], "description": each.doc}
    if each.words:
        out["enum"] = list(each.words)
    if each.least is not None:
        out["exclusiveMinimum" if each.exclusive else "minimum"] = each.least
    if each.most is not None:
        out["maximum"] = each.most
    if not each.needed and each.default is not None and isinstance(each.default, str | int | float | bool):
        out["default"] = str(each.default) if isinstance(each.default, str) else each.default
    return out
