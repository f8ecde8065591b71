"""Declared parts: their parameters, registries that find them by their files, JSON Schema and tables of the docs."""

from .parameter import Direction, Parameter, ParameterKind, parameter, parameters_of
from .reference_tables import table_of
from .registry import Declaration, Registry
from .schema import schema_of, schema_of_parameter
from .shape import Shape

__all__ = [
    "Declaration",
    "Direction",
    "Parameter",
    "ParameterKind",
    "Registry",
    "Shape",
    "parameter",
    "parameters_of",
    "schema_of",
    "schema_of_parameter",
    "table_of",
]
