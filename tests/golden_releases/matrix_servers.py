"""The small sources of the matrix where PostgreSQL and Spark read them."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from .matrix_pairs import Pair
from .matrix_parts import LINKED
from .people import TYPES

sys.path.insert(0, str(Path(__file__).parents[1] / "services"))


def on_its_engine(pair: Pair) -> Pair:
    """The pair with its source where its engine reads it; the engine's server is started."""
    if pair.engine == "spark":
        import spark_local

        spark_local.running()
    if pair.engine != "postgres":
        return pair
    tables = ("people", "visits") if pair.column in LINKED else (Path(pair.source).stem,)
    folder = Path(pair.source) if pair.column in LINKED else Path()
    options = () if pair.column in LINKED else ("--table", tables[0])
    files = tuple(str((folder / f"{table}.csv").resolve()) for table in tables)
    return replace(pair, source=_database(files), options=(*pair.options, *options))


@cache
def _database(files: tuple[str, ...]) -> str:
    """A database with a table for each file; its address."""
    import postgres_server
    import psycopg

    server = postgres_server.running()
    name = server.new_name()
    server.run(f"CREATE DATABASE {name}")
    with psycopg.connect(server.uri(name), autocommit=True) as connection:
        for path in map(Path, files):
            with path.open(encoding="utf-8", newline="") as file:
                fields = next(csv.reader(file))
            types = {"DOUBLE": "DOUBLE PRECISION"}
            columns = (
                f"{field} {types.get(TYPES.get(field, 'TEXT'), TYPES.get(field, 'TEXT'))}"
                for field in fields
            )
            connection.execute(f"CREATE TABLE {path.stem} ({', '.join(columns)})")
            with connection.cursor().copy(
                f"COPY {path.stem} FROM STDIN (FORMAT csv, HEADER)"
            ) as into:
                into.write(path.read_bytes())
    return server.uri(name)
