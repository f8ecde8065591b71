"""The notebooks of the docs run, print what their pages show, and are the files for Jupyter."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "notebooks").glob("*.md"))


def _loaded():
    path = ROOT / "tools" / "notebook_pages.py"
    spec = importlib.util.spec_from_file_location("notebook_pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notebooks = _loaded()


@pytest.mark.long(
    "a notebook that releases many times; the short ones stay", but=("a-data-frame", "letters")
)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_prints_what_its_page_shows(page):
    """`python tools/notebook_pages.py` writes it anew."""
    text = page.read_text(encoding="utf-8")
    assert notebooks.with_outputs(text) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_file_for_jupyter_is_the_page_without_outputs(page):
    text = page.read_text(encoding="utf-8")
    written = page.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert written == notebooks.as_notebook(text)
    cells = json.loads(written)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code == [each.strip("\n") for each in re.findall(r"```python\n(.*?)```", text, re.S)]
    assert not any(cell.get("outputs") for cell in cells)
    assert "title=" not in written


def test_there_are_three_notebooks_and_their_files():
    assert len(PAGES) == 3
    assert {page.stem for page in PAGES} == {
        file.stem for file in (ROOT / "docs" / "notebooks").glob("*.ipynb")
    }
