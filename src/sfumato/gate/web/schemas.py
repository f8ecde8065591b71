"""Schemas: what programs send and get, in the words of JSON Schema. They are checked and described
from here."""

from __future__ import annotations

from typing import Any, Final

from ..accounts import SHORTEST, Right
from ..settings import Mode
from ..sql.admission import LONGEST
from .endpoints import Schema

TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer"}
NUMBER: Final[Schema] = {"type": "number"}
FLAG: Final[Schema] = {"type": "boolean"}
NAME: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 100}
NAMES: Final[Schema] = {"type": "array", "items": NAME, "maxItems": 100}
CELL: Final[Schema] = {"type": ["string", "number", "boolean", "null"]}
WHY: Final[Schema] = {"type": "string", "maxLength": 2_000}


def record(needed: dict[str, Schema], /, **optional: Schema) -> Schema:
    """An object with these properties and no others.

    Example:
        >>> record({"sql": TEXT}, shape=TEXT)["required"]
        ['sql']
    """
    return {
        "type": "object",
        "properties": {**needed, **optional},
        "required": list(needed),
        "additionalProperties": False,
    }


def several(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def by_name(items: Schema) -> Schema:
    return {"type": "object", "additionalProperties": items}


def or_nothing(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


SQL: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": LONGEST}
SHAPE_NAME: Final[Schema] = {
    "type": "string",
    "maxLength": 2_000,
    "description": "One of those that `look` lists.",
}
EPSILON: Final[Schema] = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": 100,
    "description": "What noise may take of your budget, in place of the usual part.",
}
MODE: Final[Schema] = {"type": "string", "enum": [mode.value for mode in Mode]}
SHAPE: Final = record(
    {"shape": TEXT, "levels": by_name(WHOLE), "rows": WHOLE, "withheld": WHOLE, "loss": NUMBER},
    level_names=by_name(TEXT),
)
OFFER: Final = record(
    {
        "query": TEXT,
        "shapes": several(SHAPE),
        "epsilon": or_nothing(NUMBER),
        "rho": or_nothing(NUMBER),
        "share": or_nothing(NUMBER),
        "within": by_name(NUMBER),
        "threshold": WHOLE,
        "left": WHOLE,
    }
)
ANSWER: Final = record(
    {
        "query": TEXT, "columns": several(TEXT), "rows": several(several(CELL)), "levels": by_name(WHOLE),
        "level_names": by_name(TEXT), "withheld": WHOLE, "widened": FLAG, "one_each": FLAG,
        "noise": by_name(NUMBER), "remembered": FLAG, "as_asked": FLAG, "as_of": TEXT,
        "epsilon": NUMBER, "left": or_nothing(WHOLE), "public": TEXT,
        "threshold": WHOLE, "delta": NUMBER, "cuts": several(TEXT),
    }
)  # fmt: skip
RIGHT: Final[Schema] = {"type": "string", "enum": [right.value for right in Right]}
PASSWORD: Final[Schema] = {"type": "string", "maxLength": 1_000, "format": "password"}
NEW_PASSWORD: Final[Schema] = {**PASSWORD, "minLength": SHORTEST}
DAY: Final[Schema] = {
    "type": "string",
    "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2})?$",
    "description": "The last day of an account, such as 2027-06-30; empty where it has none.",
}
ACCOUNT: Final = record(
    {
        "name": TEXT, "right": RIGHT, "profile": TEXT, "groups": several(TEXT), "disabled": FLAG, "until": DAY,
        "ends": TEXT,
    }
)  # fmt: skip
ENTRY: Final[Schema] = {
    "type": "object",
    "properties": {"number": WHOLE, "time": TEXT, "kind": TEXT},
    "required": ["number", "time", "kind"],
}


def page_of(items: Schema) -> Schema:
    """Some of many, the newest first; `before` asks for those before the last one shown."""
    return record({"entries": several(items), "before": or_nothing(WHOLE)})


def paging(**queries: Any) -> dict[str, Schema]:
    return {
        **queries,
        "limit": {"type": "integer", "minimum": 1, "maximum": 1_000},
        "before": {"type": "integer", "minimum": 1},
    }
