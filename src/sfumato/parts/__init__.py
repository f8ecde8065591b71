"""Declared parts: their parameters, registries that find them by their files, JSON Schema and
tables of the docs."""

from .declared_tables import fill_tables
from .nearest_name import did_you_mean, with_question
from .parameter import Direction, Parameter, ParameterKind, parameter, parameters_of
from .part_entries import PartEntry, entries_of
from .reference_tables import catalogue_table, default_of, holds, table_of
from .registry import Declaration, Registry
from .schema import schema_of, schema_of_parameter
from .shape import Shape

__all__ = [
    "Declaration",
    "Direction",
    "Parameter",
    "ParameterKind",
    "PartEntry",
    "Registry",
    "Shape",
    "catalogue_table",
    "default_of",
    "did_you_mean",
    "entries_of",
    "fill_tables",
    "holds",
    "parameter",
    "parameters_of",
    "schema_of",
    "schema_of_parameter",
    "table_of",
    "with_question",
]
