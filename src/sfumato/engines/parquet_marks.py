"""Marks in the metadata of a Parquet file, such as that its rows are synthetic. They stay with the
file where it is renamed and its columns are chosen from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def mark_parquet(file: Path, marks: Mapping[str, str]) -> None:
    """Write the file again with these marks, whole or not at all."""
    import duckdb

    from .duckdb import errors

    aside = file.with_suffix(".marked")
    pairs = ", ".join(f"{_quoted(name)}: {_quoted(text)}" for name, text in marks.items())
    with errors.writing(file.name, str(aside)), duckdb.connect() as connection:
        connection.execute(
            f"COPY (FROM read_parquet({_quoted(str(file))})) TO {_quoted(str(aside))} "
            f"(FORMAT parquet, KV_METADATA {{{pairs}}})"
        )
    aside.replace(file)


def parquet_marks(file: Path) -> dict[str, str]:
    """The marks of a file by name; none for one that has no metadata of its own."""
    import duckdb

    from .duckdb import errors

    with errors.reading(file.name), duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT key, value FROM parquet_kv_metadata({_quoted(str(file))})"
        ).fetchall()
    return {_text(name): _text(value) for name, value in found}


def _text(said: bytes | str) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else said


def _quoted(text: str) -> str:
    """Example:
    >>> _quoted("O'Hara")
    "'O''Hara'"
    """
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
