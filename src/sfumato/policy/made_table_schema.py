"""The JSON Schema of `[synthesis]` and `[tables_of_counts]`, for editors; reading alone knows which keys
a method has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .linked_synthesis_section import MOST_ROWS
from .open_synthesis_section import METHODS as SYNTHESIS_METHODS
from .open_synthesis_section import MOST_COPIES, POPULATION, SAMPLE
from .tables_of_counts_section import METHODS

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
    return _table(
        {
            "method": {"enum": list(SYNTHESIS_METHODS), "description": "how rows are made"},
            **_budget(),
            **_person(),
            **chosen,
            "never": _never(),
            "tables": _each(linked, "several tables that belong together"),
            "fields": _said("fields that trees synthesise", _TEXTS),
            "keep": _said("fields whose cells stay as they are", _TEXTS),
            "copies": _said("how many copies", {**_COUNT, "maximum": MOST_COPIES}),
            "draws": {"enum": [SAMPLE, POPULATION], "description": "what a copy replaces"},
            "rows": _said("rows of a copy", _COUNT),
            "least_rows": _said("rows of the source in a leaf", {"type": "integer", "minimum": 5}),
        },
        doc="synthetic rows, by sfumato synthesize",
    )


def tables_of_counts_schema() -> Schema:
    """`[tables_of_counts]` by any method."""
    share: Schema = {"type": "number", "minimum": 0, "maximum": 1}
    cut = _table(
        {"cuts": {"type": "array", "items": {"type": "number"}}, "other": {"type": "boolean"}},
        needed=("cuts",),
    )
    return _table(
        {
            "method": {"enum": list(METHODS), "description": "how counts are protected"},
            "fields": _said("fields that are crossed", _TEXTS),
            "tables": _said("linked tables", {"type": "array", "items": _TEXTS}),
            "levels": _said("areas, from the largest; the last is a field", _TEXTS),
            "areas": _said("public file with the area that has each area", _TEXT),
            "domains": _each({"anyOf": [_VALUES, cut]}, "classes of each field"),
            "never": _never(),
            **_person(),
            **_budget(),
            "invariants": _said("levels whose numbers of people are exact", _TEXTS),
            "shares": _each(share, "the share of the budget of each level"),
            "threshold": _said("fewer people than this make a cell sensitive", _COUNT),
            "p_percent": _said("how closely nobody may estimate a contribution", _NUMBER),
            "dominance": _table({"n": _COUNT, "k": _NUMBER}, needed=("n", "k")),
            "measure": _said("the field that is summed", _TEXT),
            "decimals": _said("decimals of sums", {"type": "integer", "minimum": 0}),
            "protect": _said("how wide intervals of sums are", share),
            "base": _said("what counts are rounded to", {"type": "integer", "minimum": 2}),
            "rate": _said("the share of people who are swapped", share),
            "match": _said("fields in which partners agree", _TEXTS),
            "within": _said("the level in which partners are", _TEXT),
            "largest_noise": _said("the largest noise of cell keys", _COUNT),
            "variance": _said("the variance of that noise", _NUMBER),
            "fewest_shown": _said("the smallest count shown", {"type": "integer", "minimum": 0}),
            "key": _said("a file of sfumato key", _TEXT),
        },
        needed=("method",),
        doc="tables of counts, by sfumato tabulate",
    )


def _budget() -> dict[str, Schema]:
    return {
        "epsilon": _said("the most that it costs a person", _NUMBER),
        "delta": _said("the delta of that", _NUMBER),
        "account": _said("the file that adds up several releases", _TEXT),
        "limit": _said("the epsilon of all of them", _NUMBER),
        "people": _said("about how many people there are, where that is public", _COUNT),
    }


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
