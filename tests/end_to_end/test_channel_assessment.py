"""Sweep, search, explore and assess for channels, on Table 1 of Garfinkel et al. 2007, from the
command line."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import sfumato
from sfumato.assessment import assess
from sfumato.cli import main
from sfumato.errors import Mistake, PolicyError

EXAMPLE = Path(__file__).parents[2] / "examples" / "channels"
SOURCE, POLICY = str(EXAMPLE / "people.csv"), str(EXAMPLE / "channels.toml")


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Two releases of the same people, drawn by themselves."""
    folder = tmp_path_factory.mktemp("channels")
    return [sfumato.release(SOURCE, POLICY, to=folder / name).folder for name in ("one", "two")]


def test_a_sweep_over_the_risk_tolerance_has_the_cost_of_the_paper(tmp_path, capsys):
    words = [SOURCE, "--policy", POLICY, "--to", str(tmp_path / "map"), "--json"]
    assert main(["sweep", *words, "--over", "channels.risk_tolerance=2,1"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made == json.loads((tmp_path / "map" / "sweep.json").read_text(encoding="utf-8"))
    low, high = made["points"]
    assert (low["setting"], round(low["loss"] * 15**2)) == (1, 88)
    assert low["is_proven"]
    assert high["loss"] < low["loss"]
    page = (tmp_path / "map" / "sweep.html").read_text(encoding="utf-8")
    assert "Loss against tolerance" in page
    assert "<script" not in page


def test_a_number_that_channels_do_not_have_is_refused_with_those_that_they_have():
    with pytest.raises(PolicyError, match=r"channels\.risk_tolerance, channels\.tolerance"):
        sfumato.sweep(SOURCE, POLICY, over="k=2,3")
    with pytest.raises(Mistake, match="solver of their own"):
        sfumato.sweep(SOURCE, POLICY, over="channels.bound=0.6", solvers=("optimal",))


def test_search_gives_the_plan_and_its_bound(capsys):
    assert main(["search", SOURCE, "--policy", POLICY, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert round(found["loss"] * 15**2) == round(found["least_loss"] * 15**2) == 88
    assert main(["search", SOURCE, "--policy", POLICY, "--all-minimal"]) == 2


def test_explore_moves_numbers_and_prints_what_to_write(capsys, monkeypatch):
    lines = "channels.bound 0.9\nundo\nredo\nnothing 3\ndone\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["explore", SOURCE, "--policy", POLICY]) == 0
    said = capsys.readouterr().out
    assert "bound = 0.9" in said
    assert 'has no number "channels.nothing"' in said


def test_an_assessment_measures_what_is_inferred_and_not_how_easily_names_are_found(
    releases, tmp_path
):
    found = assess(releases[0], to=tmp_path / "page.html", json=tmp_path / "page.json")
    outcomes = {one.question: one.outcome for one in found.judgements}
    assert outcomes["How well is a confidential value inferred?"] == "pass"
    assert outcomes["What do two such releases disclose together?"] == "review"
    assert found.outcome == "review"
    assert all(value.highest <= value.tolerance + 1e-12 for value in found.inference.values)
    numbers = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    assert numbers["inference"]["subjects"] == 15
    assert len(numbers["verdicts"]) == 5
    assert "What a query returns" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_two_releases_together_are_judged(releases, capsys, tmp_path):
    words = ["--second", str(releases[0]), "--to", str(tmp_path / "page.html")]
    assert main(["assess", str(releases[0]), *words]) in (0, 1, 3)
    same = assess(releases[0], second=releases[0])
    assert same.inference.together.subjects == 15
    assert same.outcome in ("pass", "fail")


def test_what_it_does_not_look_at_is_refused(releases):
    with pytest.raises(Mistake, match="known"):
        assess(releases[0], known=("crp",))


def test_a_tampered_release_is_red(releases, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(releases[1], copy)
    text = (copy / "statistics.csv").read_text(encoding="utf-8")
    (copy / "statistics.csv").write_text(
        text.replace(",2,0,0,0,0", ",2,1,0,0,0", 1), encoding="utf-8"
    )
    assert assess(copy).outcome == "fail"
