"""Connecting to a PostgreSQL server: through libpq, whose usual places for passwords, services and
TLS hold."""

from __future__ import annotations

import os
import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from sfumato.errors import SourceError

from .errors import Server, connecting

Connection = psycopg.Connection[tuple[Any, ...]]

OLDEST = 13
# What libpq uses where the address does not say otherwise: a network that is cut is noticed within
# a minute.
CONNECTION = {
    "connect_timeout": "15",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "fallback_application_name": "sfumato",
}
# How values are written as text (docs/engines.md), and what a transaction that only reads and
# counts needs. None of them takes a snapshot, so that tables can be locked before it is taken.
SETTINGS = {
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "client_min_messages": "warning",
    # Between two questions a solver may think for long.
    "idle_in_transaction_session_timeout": "0",
    "synchronize_seqscans": "off",  # Order.KEEP means the order in which rows are stored.
    "cursor_tuple_fraction": "1.0",  # Streams are read to their end.
    "jit": "off",
    # Of what the session itself makes; a fifth of the rows are looked at.
    "default_statistics_target": "20",
    # Keys of several fields are thought to be less telling together than they are.
    "enable_mergejoin": "off",
}
WATCHED = "10s"
"""How soon a server of version 14 or later detects that a client is gone, and stops its query."""

_FACTS = """
SELECT pg_catalog.current_setting('server_version_num')::int, pg_catalog.current_database(), CURRENT_USER,
  pg_catalog.current_setting('server_encoding'), pg_catalog.current_setting('statement_timeout'),
  pg_catalog.pg_is_in_recovery(), pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMPORARY'),
  pg_catalog.current_setting('search_path')
"""


def connect(uri: str) -> tuple[Connection, Server]:
    """A connection that commits by itself, and who is at the other end. The address is kept
    nowhere."""
    try:
        given: dict[str, Any] = conninfo_to_dict(uri)
    except psycopg.Error:
        raise SourceError(
            "The address of the database cannot be read.",
            found="It does not have the form postgresql://user@host:port/database.",
            attempt="writing @ : / and % in a password as %40 %3A %2F and %25, or leaving it to "
            "~/.pgpass.",
        ) from None
    defaults = {name: value for name, value in CONNECTION.items() if name not in given}
    if "PGCONNECT_TIMEOUT" in os.environ:
        defaults.pop("connect_timeout", None)
    with connecting(given):
        connection: Connection = psycopg.connect(
            **{**defaults, **given}, client_encoding="UTF8", autocommit=True, prepare_threshold=None
        )
    try:
        with connecting(given):
            return connection, _server(connection)
    except BaseException:
        connection.close()
        raise


def _server(connection: Connection) -> Server:
    version, database, role, encoding, timeout, standby, temporary, _ = _facts(connection)
    if version // 10_000 < OLDEST:
        raise SourceError(
            f"PostgreSQL {version // 10_000} is too old.",
            attempt=f"a server of version {OLDEST} or later.",
        )
    if standby:
        raise SourceError(
            "The server is a standby, which can make no temporary tables.",
            attempt="its primary; a role that may only read is enough there.",
        )
    if not temporary:
        raise SourceError(
            f"Role {role} may not make temporary tables in database {database}, which "
            "counting needs.",
            attempt=f'GRANT TEMPORARY ON DATABASE "{database}" TO "{role}".',
        )
    host = connection.info.host
    return Server(
        host="localhost" if not host or host.startswith("/") else host,
        database=database,
        role=role,
        version=version,
        encoding=encoding,
        timeout=timeout,
    )


def _facts(connection: Connection) -> tuple[Any, ...]:
    (found,) = connection.execute(_FACTS).fetchall()
    return found


def begin(connection: Connection, *, memory: str) -> None:
    """Start the one transaction in which everything is read. No snapshot is taken yet.

    It may write, whatever is usual for the role, because temporary tables count as writing; nothing
    else is written."""
    search_path = _facts(connection)[-1]
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = False
    connection.set_autocommit(False)
    for name, value in {**SETTINGS, "work_mem": memory}.items():
        connection.execute(f"SET LOCAL {name} = '{value}'".encode())
    # The server's own functions come first, whatever others are called; those of views are found as
    # they were.
    found_in = f"pg_catalog, {search_path}" if search_path else "pg_catalog"
    connection.execute(f"SET LOCAL search_path = {found_in}".encode())
    for name, value in {
        "temp_buffers": "64MB",
        "client_connection_check_interval": WATCHED,
    }.items():
        _try(connection, f"SET LOCAL {name} = '{value}'".encode())


def _try(connection: Connection, setting: bytes) -> None:
    """Not every server takes it, and one behind a pool may have made temporary tables before."""
    connection.execute("SAVEPOINT tried")
    try:
        connection.execute(setting)
    except psycopg.Error:
        connection.execute("ROLLBACK TO tried")
    connection.execute("RELEASE tried")


def work_memory(memory: str) -> str:
    """The memory of one sort or join, where a release may take `memory`: a release sorts and joins
    a few at once.

    Example:
        >>> work_memory("3GB")
        '256MB'
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])i?b?\s*", memory, re.IGNORECASE)
    if found is None:
        raise SourceError(f"Memory {memory!r} is not an amount.", attempt="for example 3GB.")
    megabytes = float(found[1]) * 1024.0 ** ("kmgt".index(found[2].lower()) - 1)
    return f"{min(max(int(megabytes / 12), 4), 2_000)}MB"
