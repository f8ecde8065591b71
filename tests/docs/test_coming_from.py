"""Our side of each page "Coming from …" runs, in a folder with the files that the page shows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from sfumato.gate import open_gate, read_settings
from sfumato.gate.settings import Asker

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "coming-from").glob("*.md"))
SIX = DOCS.parent / "examples" / "six.csv"
TABLES = ("anjana", "arx", "sdcmicro")
"""Pages whose task is the same table, and whose answer must be too."""


def titled(page: str, title: str) -> str:
    """The one block of a page with that title."""
    text = (DOCS / "coming-from" / f"{page}.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf'```\w+ title="{re.escape(title)}"\n(.*?)```', text, re.DOTALL)
    return str(found)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    shutil.copy(SIX, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(page: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(titled(page, "Sfumato"), page, "exec"), names)
    return names


@pytest.mark.parametrize("page", TABLES)
def test_the_table_has_three_rows_for_each_decade_and_prefix(folder, page):
    for name in ("age.csv", "zip.csv") if page == "arx" else ():
        (folder / name).write_text(titled(page, name))
    made = ran(page)["made"]
    assert made.outcome == "pass"
    bins = made.frame.groupby(["age", "zip"]).size()
    assert bins.to_dict() == {("30-39", "0213*"): 3, ("50-59", "0214*"): 3}


def test_mu_argus_blanks_until_every_pair_is_there_twice(folder):
    made = ran("mu-argus")["made"]
    assert made.outcome == "pass"
    assert set(made.frame["age"]) == {"30-39", "50-59"}
    assert "*" in set(made.frame["zip"])


def test_letters_have_one_new_name_and_nothing_of_the_old(folder, capsys):
    names = ran("presidio")
    first, second = names["letters"].texts
    (name,) = re.findall(r"RE: ([\w'-]+ [\w'-]+),", first)
    assert f"Ms. {name.split()[-1]}" in second
    for old in ("Virginia", "Townsend", "841-09787", "473-1214", "05/26/1994", "06/02/1994"):
        assert old not in first + second


def test_the_gate_answers_with_noise_and_says_how_far_it_may_be_off(folder):
    rows = [f"Person {n},{20 + n % 60},0213{n % 10},{'flu' if n % 3 else ''}" for n in range(900)]
    (folder / "patients.csv").write_text("\n".join(["name,age,zip,diagnosis", *rows]) + "\n")
    for name in ("gate.toml", "policy.toml"):
        (folder / name).write_text(titled("opendp", name))
    question = titled("opendp", "asked with psql, a browser or a program")
    with open_gate(read_settings(folder / "gate.toml")) as gate:
        ann = Asker(name="ann", profile="public")
        columns, answer = gate.keeper.ask(ann, question).marked()
        again = gate.keeper.ask(ann, question).rows
    assert [name for name in columns if name.endswith("_within")] == ["patients_within"]
    assert abs(answer[0][0] - 600) < 100
    assert again[0][0] == answer[0][0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_each_has_that_the_other_lacks(page):
    text = page.read_text(encoding="utf-8")
    assert re.search(r"^## What .+ has and Sfumato has not$", text, re.MULTILINE)
    assert re.search(r"^## What Sfumato has and .+ has not$", text, re.MULTILINE)
    assert "| where |" in text
