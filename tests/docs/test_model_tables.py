"""The parameter tables of the docs are those of the declared protection models."""

from __future__ import annotations

import sys
from pathlib import Path

from sfumato.policy import model_keys

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from model_tables import BLOCK, DOCS, filled

PAGES = {page: page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}


def test_every_table_is_as_it_is_declared():
    assert not [page.name for page, text in PAGES.items() if filled(text) != text], "python tools/model_tables.py"


def test_every_declared_model_has_its_table():
    assert {found[1] for text in PAGES.values() for found in BLOCK.finditer(text)} == set(model_keys())
