"""The parameter tables of the docs are those of the declared protection models."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sfumato.parts import fill_tables
from sfumato.policy import model_keys

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from declared_pages import DOCS, tables

PAGES = {page: page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}
MARK = re.compile(r"<!-- declared: model (\w+) -->")


def test_every_table_is_as_it_is_declared():
    named = tables()
    stale = [page.name for page, text in PAGES.items() if fill_tables(text, named) != text]
    assert not stale, "python tools/declared_pages.py"


def test_every_declared_model_has_its_table():
    assert {found[1] for text in PAGES.values() for found in MARK.finditer(text)} == set(
        model_keys()
    )
