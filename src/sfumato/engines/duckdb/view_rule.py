"""The allowed content of a view of a received DuckDB file: rows of that file, and functions of
nothing but their arguments.

DuckDB's own parser reads a view, so that nothing is read in two ways. Anything that is not named
here is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

CLASSES = frozenset(
    "CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION BETWEEN CONSTANT FUNCTION LAMBDA "
    "LAMBDA_REF OPERATOR "
    "POSITIONAL_REFERENCE STAR SUBQUERY TYPE WINDOW".split()
)
"""Kinds of expressions."""
PARTS = frozenset(
    "SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE CTE_NODE DISTINCT_MODIFIER LIMIT_MODIFIER "
    "LIMIT_PERCENT_MODIFIER ORDER_MODIFIER ORDER_DEFAULT ASCENDING DESCENDING BASE_TABLE "
    "EMPTY EXPRESSION_LIST JOIN "
    "PIVOT SUBQUERY TABLE_FUNCTION".split()
)
"""Kinds of all else that a query is made of."""
TABLE_FUNCTIONS = frozenset(("generate_series", "range", "unnest"))
CLOCK_AND_SESSION = frozenset(
    "current_catalog current_database current_date current_role current_schema "
    "current_time current_timestamp "
    "current_user localtime localtimestamp session_user user".split()
)
"""Functions that are called without parentheses where no field has that name."""
FUNCTIONS = frozenset(
    # Operators.
    "!__postfix !~~ !~~* % & && * ** + - -> ->> / // << <@ >> @ @> ^ ^@ | || ~ ~~ ~~* ~~~ xor "
    "like_escape ilike_escape not_like_escape not_ilike_escape "
    # Numbers.
    "abs acos acosh add asin asinh atan atan2 atanh bit_count cbrt ceil ceiling cos cosh "
    "cot degrees divide even exp "
    "factorial fdiv floor fmod gamma gcd greatest greatest_common_divisor hash isfinite "
    "isinf isnan lcm least "
    "least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power "
    "radians round round_even "
    "roundbankers sign signbit sin sinh sqrt subtract tan tanh trunc "
    # Text.
    "array_extract ascii bar base64 bin bit_length char_length character_length chr concat "
    "concat_ws contains "
    "damerau_levenshtein decode editdist3 encode ends_with format from_base64 from_binary "
    "from_hex hamming hex instr "
    "jaccard jaro_similarity jaro_winkler_similarity lcase left len length length_grapheme "
    "levenshtein lower lpad "
    "ltrim md5 mismatches nfc_normalize octet_length ord overlay position prefix printf "
    "regexp_escape regexp_extract "
    "regexp_extract_all regexp_full_match regexp_matches regexp_replace "
    "regexp_split_to_array repeat replace reverse "
    "right rpad rtrim sha1 sha256 split split_part starts_with str_split str_split_regex "
    "string_split "
    "string_split_regex string_to_array strip_accents strlen strpos substr substring "
    "suffix to_base to_base64 "
    "to_binary to_hex translate trim ucase unbin unhex unicode upper url_decode url_encode "
    # Days and times.
    "century date_add date_diff date_part date_sub date_trunc datediff datepart datesub "
    "datetrunc day dayname "
    "dayofmonth dayofweek dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us "
    "era hour isodow isoyear "
    "julian last_day make_date make_time make_timestamp make_timestamp_ms "
    "make_timestamp_ns microsecond millennium "
    "millisecond minute month monthname nanosecond quarter second strftime strptime "
    "time_bucket timezone to_centuries "
    "to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes "
    "to_months to_quarters "
    "to_seconds to_timestamp to_weeks to_years try_strptime week weekday weekofyear year yearweek "
    # Choices and types.
    "coalesce constant_or_null if ifnull nullif typeof enum_code enum_first enum_last enum_range "
    # Lists, structures and JSON.
    "array_agg array_append array_cat array_concat array_contains array_distinct array_has "
    "array_has_all "
    "array_has_any array_indexof array_intersect array_length array_position array_prepend "
    "array_reverse "
    "array_reverse_sort array_slice array_sort array_to_string array_transform "
    "array_unique array_value cardinality "
    "element_at flatten json json_array json_array_length json_contains json_exists "
    "json_extract json_extract_path "
    "json_extract_path_text json_extract_string json_keys json_object json_type json_valid "
    "json_value list "
    "list_append list_apply list_cat list_concat list_contains list_distinct list_element "
    "list_extract list_filter "
    "list_first list_has list_has_all list_has_any list_indexof list_intersect list_last "
    "list_max list_min list_pack "
    "list_position list_prepend list_reduce list_resize list_reverse list_reverse_sort "
    "list_slice list_sort list_sum "
    "list_transform list_unique list_value list_where list_zip map map_contains "
    "map_entries map_extract "
    "map_extract_value map_from_entries map_keys map_values row struct_extract "
    "struct_extract_at struct_insert "
    "struct_pack to_json unnest generate_series range "
    # Aggregates and windows.
    "any_value approx_count_distinct approx_quantile arbitrary arg_max arg_min argmax "
    "argmin avg bit_and bit_or "
    "bit_xor bool_and bool_or corr count count_if count_star countif covar_pop covar_samp "
    "cume_dist dense_rank entropy "
    "favg fill first first_value fsum geometric_mean group_concat histogram kurtosis lag "
    "last last_value lead listagg "
    "mad max max_by mean median min min_by mode nth_value ntile percent_rank product "
    "quantile quantile_cont "
    "quantile_disc rank rank_dense regr_avgx regr_avgy regr_count regr_intercept regr_r2 "
    "regr_slope row_number "
    "skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow var_pop "
    "var_samp variance".split()
)
_COUNTED = {"age": 2}
"""Functions that read the clock unless they are given so many arguments."""
_RESERVED = ("information_schema", "pg_catalog", "system", "temp")


@dataclass(frozen=True, slots=True)
class StoredQueries:
    """The stored content under a name: the query of a view, or the expressions of computed
    fields."""

    schema: str
    name: str
    queries: tuple[str, ...]


def find_foreign(connection: duckdb.DuckDBPyConnection, *, database: str, name: str) -> str:
    """The sources that `name`, or anything that it selects from, reads beside rows of the same
    database; "" if nothing."""
    stored = _stored(connection, database)
    own = {(one.schema.lower(), one.name.lower()): one for one in stored}
    names = _Names(
        tables=frozenset(own),
        system=frozenset(_words(connection, "SELECT view_name FROM duckdb_views() WHERE internal")),
        macros=frozenset(_words(connection, _MACROS, database)),
    )
    waiting, seen = [("main", name.lower())], set()
    while waiting:
        place = waiting.pop()
        if place in seen or place not in own:
            continue
        seen.add(place)
        for query in own[place].queries:
            tree = _parsed(connection, query)
            found = (
                "what this version of DuckDB does not parse"
                if tree is None
                else names.foreign(tree)
            )
            if found:
                return found
            waiting.extend(_places(tree))
    return ""


@dataclass(frozen=True, slots=True)
class _Names:
    """The names that a query may use, and those that mean something else than they seem to."""

    tables: frozenset[tuple[str, str]]
    system: frozenset[str]
    macros: frozenset[str]

    def foreign(self, tree: Any) -> str:
        inner = {str(one["key"]).lower() for node in _nodes(tree) for one in _inner_tables(node)}
        return next((found for node in _nodes(tree) if (found := self._judge(node, inner))), "")

    def _judge(self, node: dict[str, Any], inner: set[str]) -> str:
        kind, group = node.get("type"), node.get("class")
        if isinstance(kind, str) and (
            group not in CLASSES if group is not None else kind not in PARTS
        ):
            return f"{(group or kind).lower().replace('_', ' ')}"
        if node.get("sample") or node.get("at_clause"):
            return "a sample, or another state of a table"
        if group is None and kind == "BASE_TABLE":
            return self._judge_table(node, inner)
        if "function_name" in node:
            return self._judge_function(node)
        if group == "COLUMN_REF" and len(node["column_names"]) == 1:
            found = node["column_names"][0].lower()
            return (
                f"{found}, unless a table is named before it," if found in CLOCK_AND_SESSION else ""
            )
        if group is None and kind == "TABLE_FUNCTION":
            called = str(node["function"].get("function_name", "")).lower()
            return "" if called in TABLE_FUNCTIONS else f"{called}()"
        return ""

    def _judge_table(self, node: dict[str, Any], inner: set[str]) -> str:
        name, schema = node["table_name"].lower(), node.get("schema_name", "").lower()
        is_own = (schema or "main", name) in self.tables or (not schema and name in inner)
        is_plain = (
            not node.get("catalog_name") and schema not in _RESERVED and name not in self.system
        )
        return "" if is_own and is_plain else f"the table {node['table_name']}"

    def _judge_function(self, node: dict[str, Any]) -> str:
        name = node["function_name"].lower()
        is_counted = name in _COUNTED and len(node.get("arguments", ())) == _COUNTED[name]
        is_plain = (
            not node.get("catalog")
            and node.get("schema", "") in ("", "main")
            and name not in self.macros
        )
        return "" if (name in FUNCTIONS or is_counted) and is_plain else f"{name}()"


_MACROS = "SELECT function_name FROM duckdb_functions() WHERE database_name = ?"
_VIEWS = (
    "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = ? AND NOT "
    "internal"
)
_TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal"
)
_COMPUTED = (
    "SELECT schema_name, table_name, column_default FROM duckdb_columns() "
    "WHERE database_name = ? AND is_generated AND NOT internal"
)


def _stored(connection: duckdb.DuckDBPyConnection, database: str) -> list[StoredQueries]:
    computed: dict[tuple[str, str], list[str]] = {}
    for schema, name, expression in connection.execute(_COMPUTED, [database]).fetchall():
        computed.setdefault((schema, name), []).append(f"SELECT {expression}")
    tables = connection.execute(_TABLES, [database]).fetchall()
    views = connection.execute(_VIEWS, [database]).fetchall()
    return [
        *(
            StoredQueries(schema, name, tuple(computed.get((schema, name), ())))
            for schema, name in tables
        ),
        *(StoredQueries(schema, name, (query_of(sql),)) for schema, name, sql in views),
    ]


def query_of(sql: str) -> str:
    """The query of a view, out of the statement that makes it.

    Example:
        >>> query_of('CREATE VIEW "an AS" (a, b) AS SELECT 1, 2;')
        'SELECT 1, 2'
    """
    quoted = False
    for place, character in enumerate(sql):
        quoted = quoted != (character == '"')
        if not quoted and sql[place : place + 4].upper() == " AS ":
            return sql[place + 4 :].strip().removesuffix(";")
    return sql


def _words(connection: duckdb.DuckDBPyConnection, query: str, *values: str) -> Iterator[str]:
    return (row[0].lower() for row in connection.execute(query, list(values)).fetchall())


def _parsed(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    """The statements of a query; None where there is not exactly one that selects."""
    text = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchone()
    tree: dict[str, Any] = json.loads(text[0]) if text else {"error": True}
    return None if tree["error"] or len(tree["statements"]) != 1 else tree


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _inner_tables(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables that a query itself names with WITH."""
    found = node.get("cte_map")
    return list(found.get("map", ())) if isinstance(found, dict) else []


def _places(tree: Any) -> list[tuple[str, str]]:
    tables = (
        node for node in _nodes(tree) if node.get("type") == "BASE_TABLE" and "class" not in node
    )
    return [
        ((node.get("schema_name") or "main").lower(), node["table_name"].lower()) for node in tables
    ]
