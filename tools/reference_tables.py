"""Writes the tables of the docs that come from declarations: `python tools/reference_tables.py`."""

from __future__ import annotations

from pathlib import Path

from sfumato.parts import fill_tables
from sfumato.solvers.reference_tables import solver_tables

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    tables = solver_tables()
    for page in DOCS.glob("**/*.md"):
        text = page.read_text(encoding="utf-8")
        filled = fill_tables(text, tables)
        if filled != text:
            page.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
