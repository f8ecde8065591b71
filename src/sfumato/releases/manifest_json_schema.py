"""The JSON Schema of manifests, made from the shapes by which `verify` reads them."""

from __future__ import annotations

from typing import Any

from . import manifest_shapes as shapes

Schema = dict[str, Any]

_SIMPLE: dict[str, Schema] = {
    shapes.TEXT: {"type": "string"},
    shapes.WHOLE: {"type": "integer", "minimum": 0},
    shapes.NUMBER: {"type": "number"},
    shapes.FLAG: {"type": "boolean"},
    shapes.DIGEST: {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    shapes.NOTHING: {"type": "null"},
    shapes.ANY: {},
}


def manifest_schema() -> Schema:
    """The schema of every manifest that a release writes, by its shape.

    Example:
        >>> len(manifest_schema()["anyOf"]) == len(shapes.SHAPES)
        True
    """
    kinds = {str(kind): schema_of_shape(shape) for kind, shape in shapes.SHAPES.items()}
    for kind, schema in kinds.items():
        schema["properties"]["shape"] = {"const": kind}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A manifest of Sfumato",
        "anyOf": [{"$ref": f"#/$defs/{kind.replace(' ', '-')}"} for kind in kinds],
        "$defs": {kind.replace(" ", "-"): schema for kind, schema in kinds.items()},
    }


def schema_of_shape(shape: Any) -> Schema:
    """A shape of a manifest as JSON Schema.

    Example:
        >>> schema_of_shape({"rows": shapes.WHOLE, "reason?": shapes.TEXT})["required"]
        ['rows']
    """
    if isinstance(shape, shapes.OneOf):
        return {"anyOf": [schema_of_shape(one) for one in shape.shapes]}
    if isinstance(shape, shapes.Several):
        return {"type": "array", "items": schema_of_shape(shape.of)}
    if isinstance(shape, shapes.Each):
        return {"type": "object", "additionalProperties": schema_of_shape(shape.of)}
    if isinstance(shape, dict):
        return {
            "type": "object",
            "properties": {key.rstrip("?"): schema_of_shape(of) for key, of in shape.items()},
            "required": [key for key in shape if not key.endswith("?")],
            "additionalProperties": False,
        }
    return _SIMPLE[shape]
