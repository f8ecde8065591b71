"""The examples of each paper: every figure comes out as it must, and the page of Python runs."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from sfumato.cli import main
from sfumato.datasets import PAPERS

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "papers" / "golden"


@pytest.mark.long(
    "a letter is scrubbed, and a simulation solved; the others stay",
    but=("datafly", "government", "cellsecu"),
)
@pytest.mark.parametrize("name", PAPERS)
def test_every_figure_of_a_paper_comes_out(name, tmp_path, capsys):
    assert main(["demo", "paper", name, "--to", str(tmp_path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert figures
    assert all(one["holds"] for one in figures)


@pytest.mark.long("a program for each paper; each second stays", every=2)
@pytest.mark.parametrize("name", PAPERS)
def test_the_page_of_python_runs(name, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["example.py", str(tmp_path)])
    runpy.run_path(str(ROOT / "examples" / name / "example.py"), run_name="__main__")
    assert capsys.readouterr().out


def test_the_files_are_the_printed_tables():
    files = ROOT / "src" / "sfumato" / "datasets" / "papers"
    for ours, printed in (
        ("foundations/figure28.csv", "foundations_fig28.csv"),
        ("foundations/figure29.csv", "foundations_fig29_datafly.csv"),
        ("foundations/figure21.txt", "scrub_fig21_letter.txt"),
        ("datafly/table4.csv", "datafly_table4.csv"),
        ("datafly/table5.csv", "datafly_table5_bins.csv"),
        ("channels/table1.csv", "channels_table1.csv"),
        ("cellsecu/table2.csv", "cellsecu_table2.csv"),
    ):
        assert (files / ours).read_bytes() == (GOLDEN / printed).read_bytes()


def test_a_paper_needs_its_name_and_a_folder_of_its_own(tmp_path, capsys):
    assert main(["demo", "paper"]) == 2
    assert main(["demo", "paper", "nobody"]) == 2
    assert main(["demo", "paper", "cellsecu", "--rows", "5"]) == 2
    (tmp_path / "table1.csv").write_text("mine", encoding="utf-8")
    assert main(["demo", "paper", "cellsecu", "--to", str(tmp_path)]) != 0
    assert (tmp_path / "table1.csv").read_text(encoding="utf-8") == "mine"
