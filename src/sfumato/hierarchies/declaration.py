"""The declaration of a hierarchy builder: its key, how it is read from a policy, and its
parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.parts import parameters_of, schema_of

from .hierarchy_spec import HierarchySpec
from .parameters import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyDeclaration:
    """One builder: `hierarchy = { KEY = … }` of a policy is read by `read` into a spec, which
    `describe` writes back.

    `record` has its parameters, the first of which is the key itself; where `inside`, they are in
    the table under the key, or the first of them replaces that table. `key_schema` replaces the
    JSON Schema of the key's value where a parameter cannot express it. `example` is a table that
    can be read. `shown` are the parameters that hold no value of the field, and may be disclosed.
    """

    key: str
    doc: str
    record: type
    read: Callable[[Table], HierarchySpec]
    example: Mapping[str, object]
    inside: bool = False
    key_schema: Mapping[str, Any] | None = None
    shown: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the whole table."""
        out = schema_of(self.record, doc=self.doc)
        if self.inside:
            short = out["properties"][parameters_of(self.record)[0].name]
            value = self.key_schema or {"anyOf": [short, out]}
            out = {
                "type": "object",
                "properties": {self.key: value},
                "additionalProperties": False,
                "required": [self.key],
            }
        elif self.key_schema is not None:
            described = out["properties"][self.key].get("description", "")
            out["properties"][self.key] = {**self.key_schema, "description": described}
        return {**out, "description": self.doc}


def keys_of(record: type) -> tuple[str, ...]:
    """The keys that a builder's table may have."""
    return tuple(each.name for each in parameters_of(record))
