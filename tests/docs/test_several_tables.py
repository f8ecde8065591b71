"""Every command, statement and line of Python of the tutorial on several tables runs, in order, in
one folder."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import command_server
import psycopg
import pytest
import spark_local
from postgres_server import PostgresServer, found_binaries

from sfumato.datasets import HOSPITAL_DATABASE_TYPES

PAGE = Path(__file__).parents[2] / "docs" / "several-tables.md"


def blocks() -> list[tuple[str, str]]:
    return re.findall(r"```(sh|python|sql)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def shown_survey() -> str:
    """What the page shows of the survey's answer."""
    shown = re.search(r"```text\n(  table .*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    return shown[1]


def plain(text: str) -> str:
    return " ".join(text.replace("─", "").split())


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of the page's own, because its roles are those of the whole server."""
    running = PostgresServer(found_binaries()[0])
    yield running
    running.stop()


def load(server: PostgresServer, folder: Path) -> None:
    """The database that the page takes for granted, where its addresses lead."""
    with psycopg.connect(server.uri(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE hospital")
    with psycopg.connect(server.uri("hospital")) as connection:
        for table, types in HOSPITAL_DATABASE_TYPES.items():
            columns = ", ".join(f"{name} {kind}" for name, kind in types.items())
            connection.execute(f"CREATE TABLE {table} ({columns})")
            with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT csv, HEADER)") as copy:
                copy.write((folder / f"{table}.csv").read_bytes())


@pytest.mark.long(
    "it starts a server and a cluster; tests/end_to_end/test_cli_tables.py runs its commands"
)
def test_the_tutorial_runs(server, tmp_path):
    commands = command_server.running()
    surroundings = commands.environment() | {
        "PGHOST": str(server.folder),
        "PGPORT": str(server.port),
    }
    surroundings |= {"COLUMNS": "130"} | spark_local.defaults_for_short_runs(tmp_path / "spark")
    said = ""
    for language, text in blocks():
        if language == "sql":
            if not server.run("SELECT 1 FROM pg_database WHERE datname = 'hospital'"):
                load(server, tmp_path / "clinic")
            with psycopg.connect(server.uri("hospital")) as connection:
                connection.execute(text)
            continue
        text = text.replace("@db.example.org/", "@/")
        words = (
            ["bash", "-euc", text]
            if language == "sh"
            else [commands.python, "-W", "error", "-c", text]
        )
        done = subprocess.run(words, cwd=tmp_path, env=surroundings, capture_output=True, text=True)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        said += done.stdout
    for name in ("first", "second", "third", "fourth", "fifth"):
        assert "tables" in json.loads(
            (tmp_path / name / "manifest.json").read_text(encoding="utf-8")
        )
    assert plain(shown_survey()) in plain(said)
