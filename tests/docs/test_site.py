"""The documentation site builds without a warning, shows every page, and asks nothing of other
machines."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built in a copy: the builder keeps its cache beside what it reads."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("docs", "src", "tools"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.onnx")
        )
    shutil.copy(ROOT / "mkdocs.yml", folder)
    done = subprocess.run(
        [Path(sys.executable).with_name("zensical"), "build", "--strict"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_of_the_docs_is_in_the_menu():
    menu = set(
        re.findall(
            r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("nav:")[1]
        )
    )
    assert {page.relative_to(DOCS).as_posix() for page in DOCS.glob("**/*.md")} == menu


def test_every_name_of_the_package_is_in_the_reference(site):
    written = (site / "reference" / "python.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="sfumato\.[\w.]*?(\w+)"', written))
    assert set(sfumato.__all__) - {"models"} <= anchors


def test_no_page_asks_anything_of_another_machine(site):
    for page in site.glob("**/*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img|iframe)[^>]+src="(?:https?:)?//', text), page.name
        assert not re.findall(
            r'<link[^>]+rel="(?:stylesheet|preload|preconnect)"[^>]+href="(?:https?:)?//', text
        ), page.name


def test_the_search_knows_the_words_of_newcomers(site):
    found = (site / "search.json").read_text(encoding="utf-8").lower()
    for words in ("anonymise a data frame", "which columns are risky", "de-identify letters"):
        assert words in found
