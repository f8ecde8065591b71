"""PostgreSQL's functions about the catalogue, each as an expression that the pad understands.

Most functions that clients call have one fixed answer at a gate. Everything that is listed is
visible; nothing has a default, an index or a size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp

from .relations import PG, relations, types
from .rows import ASKER, OWNER_NAME, SCHEMAS, CatalogueFacts

Arguments = Sequence[exp.Expr]
UTF8: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueContext:
    """The context of a question about the catalogue besides tables: the asker, and the session's
    settings."""

    told: CatalogueFacts
    user: str
    process: int
    version: str
    settings: Mapping[str, str] = field(default_factory=dict)


CatalogueFunction = Callable[[Arguments, CatalogueContext], exp.Expr]


def _fixed(sql: str) -> CatalogueFunction:
    return lambda _, __: sqlglot.parse_one(sql, read="duckdb")


def _over(sql: str) -> CatalogueFunction:
    """An expression over the arguments, which are `a1`, `a2` in it; those that are missing are
    null."""

    def says(arguments: Arguments, _: CatalogueContext) -> exp.Expr:
        tree = sqlglot.parse_one(sql, read="duckdb")
        for column in list(tree.find_all(exp.Column)):
            if column.name in ("a1", "a2"):
                number = int(column.name[1]) - 1
                column.replace(arguments[number].copy() if number < len(arguments) else exp.Null())
        return tree

    return says


def _literal(arguments: Arguments, number: int = 0) -> str:
    given = arguments[number] if number < len(arguments) else None
    while isinstance(given, exp.Cast):
        given = given.this
    return given.name if isinstance(given, exp.Literal) else ""


def _setting(arguments: Arguments, around: CatalogueContext) -> exp.Expr:
    found = around.settings.get(_literal(arguments).lower())
    return exp.Null() if found is None else exp.Literal.string(found)


def class_oid(name: str, told: CatalogueFacts) -> exp.Expr:
    """The oid of a table by its name, with or without its schema; null where there is none."""
    schema, _, table = name.replace('"', "").rpartition(".")
    found = told.oid(table) if schema in ("", "public") else None
    relation = relations().get((schema or PG, table.lower()))
    return _oid(found if found is not None else relation.oid if relation else None)


def type_oid(name: str) -> exp.Expr:
    """The oid of a type by its name in SQL or in the catalogue."""
    plain = name.removeprefix("pg_catalog.").strip().lower()
    return _oid(
        next((kind.oid for kind in types().values() if plain in (kind.name, kind.said)), None)
    )


def schema_oid(name: str) -> exp.Expr:
    return _oid(SCHEMAS.get(name.replace('"', "")))


def _oid(found: int | None) -> exp.Expr:
    return exp.cast(
        exp.Null() if found is None else exp.Literal.number(found), "UINTEGER", dialect="duckdb"
    )


_NOTHING: Final = """
    pg_get_expr pg_get_constraintdef pg_get_indexdef pg_get_viewdef pg_get_functiondef pg_get_function_result
    pg_get_function_arguments pg_get_function_identity_arguments pg_get_partkeydef pg_get_serial_sequence
    pg_get_triggerdef pg_get_ruledef pg_get_statisticsobjdef_columns pg_get_statisticsobjdef json_build_object
    json_build_array shobj_description pg_tablespace_location pg_size_pretty to_regproc to_regrole pg_describe_object
    inet_server_addr inet_client_addr pg_advisory_unlock_all pg_postmaster_start_time pg_conf_load_time
    pg_get_function_sqlbody pg_listening_channels array_to_json row_to_json
"""
_NO_NUMBER: Final = """
    pg_database_size pg_table_size pg_relation_size pg_total_relation_size pg_indexes_size inet_server_port
    inet_client_port txid_current pg_current_xact_id age pg_stat_get_numscans pg_stat_get_live_tuples
    pg_stat_get_dead_tuples pg_stat_get_tuples_inserted pg_stat_get_tuples_updated pg_stat_get_tuples_deleted
"""
_YES: Final = """
    pg_table_is_visible pg_type_is_visible pg_function_is_visible pg_operator_is_visible pg_opclass_is_visible
    pg_opfamily_is_visible pg_collation_is_visible pg_conversion_is_visible pg_ts_config_is_visible
    pg_ts_dict_is_visible pg_ts_parser_is_visible pg_ts_template_is_visible pg_statistics_obj_is_visible
    has_table_privilege has_schema_privilege has_database_privilege has_any_column_privilege has_column_privilege
"""
_NO: Final = """
    pg_relation_is_publishable pg_is_in_recovery row_security_active pg_is_other_temp_schema pg_has_role
    has_function_privilege has_tablespace_privilege has_sequence_privilege
"""
_SAID: Final = (
    "(SELECT MAX(s.said) FROM made_pg_catalog.said AS s WHERE s.said_sort = '{}' AND "
    "s.said_oid = a1"
)


def said(sort: str, *, numbered: bool = False) -> CatalogueFunction:
    """The text about the object whose oid is the first argument: its name, or the comment on it or
    on its column."""
    return _over(_SAID.format(sort) + (" AND s.said_number = a2)" if numbered else ")"))


FUNCTIONS: Final[Mapping[str, CatalogueFunction]] = {
    **dict.fromkeys(_NOTHING.split(), _fixed("CAST(NULL AS VARCHAR)")),
    **dict.fromkeys(_NO_NUMBER.split(), _fixed("CAST(NULL AS BIGINT)")),
    **dict.fromkeys(_YES.split(), _fixed("TRUE")),
    **dict.fromkeys(_NO.split(), _fixed("FALSE")),
    "format_type": said("type"),
    "obj_description": said("object"),
    "col_description": said("column", numbered=True),
    "pg_get_userbyid": lambda arguments, around: sqlglot.parse_one(
        f"CASE WHEN x = {ASKER} THEN {exp.Literal.string(around.user).sql('duckdb')} ELSE "
        f"'{OWNER_NAME}' END",
        read="duckdb",
    ).transform(
        lambda node: arguments[0].copy() if isinstance(node, exp.Column) and arguments else node
    ),
    "pg_encoding_to_char": _fixed("'UTF8'"),
    "pg_char_to_encoding": _fixed(str(UTF8)),
    "pg_client_encoding": _fixed("'UTF8'"),
    "getdatabaseencoding": _fixed("'UTF8'"),
    "pg_my_temp_schema": _fixed("CAST(0 AS UINTEGER)"),
    "pg_backend_pid": lambda _, around: exp.cast(exp.Literal.number(around.process), "INT"),
    "version": lambda _, around: exp.Literal.string(around.version),
    "current_setting": _setting,
    "set_config": lambda arguments, _: exp.Literal.string(_literal(arguments, 1)),
    "current_schema": _fixed("'public'"),
    "current_schemas": _fixed("['public']"),
    "current_database": lambda _, around: exp.Literal.string(around.told.database),
    "array_upper": _over("LEN(a1)"),
    "array_lower": _over("CASE WHEN LEN(a1) > 0 THEN 1 END"),
    "array_to_string": _over("ARRAY_TO_STRING(a1, a2)"),
    "array_position": _over("LIST_POSITION(a1, a2)"),
    "generate_subscripts": _over("UNNEST(RANGE(1, LEN(a1) + 1))"),
    "_pg_expandarray": _over("UNNEST([{'x': LIST_EXTRACT(a1, 1), 'n': 1}])"),
    "quote_ident": _over("a1"),
    "to_regclass": lambda arguments, around: class_oid(_literal(arguments), around.told),
    "to_regtype": lambda arguments, _: type_oid(_literal(arguments)),
    "to_regnamespace": lambda arguments, _: schema_oid(_literal(arguments)),
    "pg_get_keywords": _fixed("(SELECT 'ilike' AS word, 'T' AS catcode, 'reserved' AS catdesc)"),
    "pg_show_all_settings": _fixed("(SELECT NULL AS name, NULL AS setting WHERE FALSE)"),
}
"""The functions by name; no others exist."""
