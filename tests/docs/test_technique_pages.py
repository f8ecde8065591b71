"""Every example on the pages about steps runs, every step on them can be read, and every technique
has its section."""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path

import pytest

from sfumato.policy import TECHNIQUES

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("categories", "numbers", "rows")


def text_of(page):
    return (DOCS / "techniques" / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page):
    found = doctest.testfile(str(DOCS / "techniques" / f"{page}.md"), module_relative=False)
    assert (found.failed, found.attempted > 0) == (0, True)


@pytest.mark.parametrize("technique", tuple(TECHNIQUES))
def test_every_technique_has_a_section_that_shows_its_parameters(technique):
    (section,) = [
        text.partition(f"\n## {technique}\n")[2].partition("\n## ")[0]
        for text in map(text_of, PAGES)
        if f"\n## {technique}\n" in text
    ]
    blocks = re.findall(r"^```(?:toml)?\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    given = tomllib.loads(next(block for block in blocks if "[[" in block))["steps"][0]
    assert given["technique"] == technique
    shown = set(given) | set(re.findall(r"`(\w+)`", section))
    assert {parameter.name for parameter in TECHNIQUES[technique].parameters} <= shown
    assert set(given) - {"technique", "fields"} <= {
        parameter.name for parameter in TECHNIQUES[technique].parameters
    }
