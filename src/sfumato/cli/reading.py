"""Arguments that several commands share: which source, read how; which key."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.releases import Key


def add_source(command: argparse.ArgumentParser) -> None:
    command.add_argument("source", type=Path, help="CSV, TSV, Parquet, JSON, Excel, DuckDB or SQLite file")
    command.add_argument("--table", default="", help="the table in a database file, or the sheet in a workbook")
    command.add_argument("--encoding", default="utf-8", help="of a CSV file (default: utf-8)")
    command.add_argument("--separator", default="", help="of a CSV file (default: seen from its header)")
    command.add_argument("--memory", default="3GB", help="the engine spills to disk beyond this (default: 3GB)")


def source_options(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "table": options.table,
        "encoding": options.encoding,
        "separator": options.separator,
        "memory": options.memory,
    }


def add_key(command: argparse.ArgumentParser) -> None:
    command.add_argument("--key", type=Path, help="key file for pseudonyms (see: sfumato key); else $SFUMATO_KEY")


def given_key(options: argparse.Namespace) -> Key | None:
    """The key from --key, or from the environment, or none."""
    import os

    from sfumato.releases import Key

    if options.key is not None:
        return Key.from_file(options.key)
    return Key.from_environment("SFUMATO_KEY") if os.environ.get("SFUMATO_KEY") else None
