"""Every example on the pages about steps runs, every step on them can be read, and every technique has its section."""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path

import pytest

from sfumato.policy import TECHNIQUES

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    "categories": ("suppress", "merge_small", "encrypt", "swap", "substitute", "pram", "blank_and_impute"),
    "rows": ("sample", "add_rows"),
}


def text_of(page):
    return (DOCS / "techniques" / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page):
    found = doctest.testfile(str(DOCS / "techniques" / f"{page}.md"), module_relative=False)
    assert (found.failed, found.attempted > 0) == (0, True)


@pytest.mark.parametrize(("page", "technique"), [(page, name) for page, names in PAGES.items() for name in names])
def test_every_technique_has_a_section_that_shows_its_parameters(page, technique):
    section = text_of(page).partition(f"\n## {technique}\n")[2].partition("\n## ")[0]
    (block,) = [block for block in re.findall(r"^```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL) if "[[" in block]
    (given,) = tomllib.loads(block)["steps"]
    assert given["technique"] == technique
    shown = set(given) | set(re.findall(r"`(\w+)`", section))
    assert {parameter.name for parameter in TECHNIQUES[technique].parameters} <= shown
    assert set(given) - {"technique", "fields"} <= {parameter.name for parameter in TECHNIQUES[technique].parameters}
