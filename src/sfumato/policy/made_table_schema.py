"""The JSON Schema of `[synthesis]` and `[tables_of_counts]`, for editors; reading alone knows which keys
a method has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sfumato.parts import schema_of_parameter

from .linked_synthesis_section import MOST_ROWS
from .synthesis_methods import SYNTHESIS_METHODS, SynthesisMethod
from .tabulation_methods import TABULATION_METHODS, TabulationMethod

Schema = dict[str, Any]
_TEXT: Final[Schema] = {"type": "string"}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_VALUES: Final[Schema] = {
    "type": "array",
    "minItems": 1,
    "items": {"type": ["string", "number", "boolean"]},
}
_NUMBER: Final[Schema] = {"type": "number", "exclusiveMinimum": 0}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 1}


def synthesis_schema() -> Schema:
    """`[synthesis]` by any method.

    Example:
        >>> sorted(synthesis_schema()["properties"])[:3]
        ['account', 'copies', 'delta']
    """
    ends: Schema = {"type": ["number", "string"]}
    ranged = _table({"least": ends, "most": ends, "step": _NUMBER}, needed=("least", "most"))
    domains = _each({"anyOf": [_VALUES, ranged]}, "values or range of each field, never from rows")
    chosen = {
        "domains": domains,
        "select": _said("fields whose values are selected privately", _TEXTS),
        "leave_out": _said("fields that are not synthesised", _TEXTS),
    }
    linked = _table(
        {
            "key": _said("the field that numbers its rows", _TEXT),
            "parent": _said("the table whose rows have its rows", _TEXT),
            "link": _said("the field that names the parent's row", _TEXT),
            "most": _said("rows of a parent that are counted", {**_COUNT, "maximum": MOST_ROWS}),
            "after": _each(_TEXT, "fields that are never before another one"),
            **chosen,
            "never": _never(),
        }
    )
    own = {"domains": domains, "never": _never()}
    return _table(
        {
            "method": {"enum": list(SYNTHESIS_METHODS), "description": "how rows are made"},
            **_declared(SYNTHESIS_METHODS.all().values(), own),
            "tables": _each(linked, "several tables that belong together"),
        },
        doc="synthetic rows, by sfumato synthesize",
    )


def tables_of_counts_schema() -> Schema:
    """`[tables_of_counts]` by any method: what all methods read, and what each declares."""
    cut = _table(
        {"cuts": {"type": "array", "items": {"type": "number"}}, "other": {"type": "boolean"}},
        needed=("cuts",),
    )
    own = {"never": _never(), "dominance": _table({"n": _COUNT, "k": _NUMBER}, needed=("n", "k"))}
    return _table(
        {
            "method": {"enum": list(TABULATION_METHODS), "description": "how counts are protected"},
            "fields": _said("fields that are crossed", _TEXTS),
            "tables": _said("linked tables", {"type": "array", "items": _TEXTS}),
            "levels": _said("areas, from the largest; the last is a field", _TEXTS),
            "areas": _said("public file with the area that has each area", _TEXT),
            "domains": _each({"anyOf": [_VALUES, cut]}, "classes of each field"),
            **_person(),
            **_declared(TABULATION_METHODS.all().values(), own),
        },
        needed=("method",),
        doc="tables of counts, by sfumato tabulate",
    )


def _declared(
    methods: Iterable[SynthesisMethod | TabulationMethod], own: Mapping[str, Schema]
) -> dict[str, Schema]:
    """The parameters of every method; `own` has those that no kind describes."""
    out: dict[str, Schema] = {}
    for method in methods:
        for each in method.parameters:
            out.setdefault(each.name, own.get(each.name) or schema_of_parameter(each))
    return out


def _person() -> dict[str, Schema]:
    return {
        "entity": _said("the field that identifies the person of a row", _TEXT),
        "rows_per_person": _said("rows of a person that are counted", _COUNT),
    }


def _never() -> Schema:
    rule: Schema = {"type": "object", "minProperties": 2, "additionalProperties": _VALUES}
    return {"type": "array", "items": rule, "description": "combinations that cannot be"}


def _said(doc: str, schema: Schema) -> Schema:
    return {**schema, "description": doc}


def _each(schema: Schema, doc: str) -> Schema:
    return {"type": "object", "additionalProperties": schema, "description": doc}


def _table(
    properties: Mapping[str, Schema], *, needed: tuple[str, ...] = (), doc: str = ""
) -> Schema:
    out: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    if needed:
        out["required"] = list(needed)
    return {**out, "description": doc} if doc else out
