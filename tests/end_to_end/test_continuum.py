"""`sfumato continuum` and its verb: every technique that there is, measured and drawn; nothing
released."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from sfumato.assessment import continuum
from sfumato.cli import main
from sfumato.datasets import HOSPITAL_POLICY, write_hospital
from sfumato.errors import Mistake, TargetError
from sfumato.policy import TECHNIQUES

pytestmark = pytest.mark.long("whole sweeps of a table; test_sweep.py stays")

ROWS = 300
PAGE = Path(__file__).parents[2] / "docs" / "techniques" / "continuum.md"


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    folder = tmp_path_factory.mktemp("continuum")
    (folder / "policy.toml").write_text(HOSPITAL_POLICY, encoding="utf-8")
    return write_hospital(folder / "patients.csv", rows=ROWS)


@pytest.fixture(scope="module")
def found(patients):
    return continuum(patients, patients.parent / "policy.toml", to=patients.parent / "page.html")


def median(found, name):
    return next(place.median for place in found.places if place.name == name)


def test_every_technique_of_the_catalogue_has_its_place(found):
    names = {place.name for place in found.places}
    told = " ".join(found.left_out)
    for technique in TECHNIQUES.all().values():
        by_hand = technique.key in ("geo_noise", "select")
        assert technique.title in names or technique.title in told or by_hand
    assert {
        "de-identification",
        "attribute suppression",
        "attribute generalisation",
        "cell generalisation",
    } <= names


def test_they_are_in_order_and_between_0_and_1(found):
    medians = [place.median for place in found.places]
    assert medians == sorted(medians)
    assert all(0 <= result.distortion <= 1 for place in found.places for result in place.results)


def test_what_must_hold_whatever_the_data(found):
    assert median(found, "scrambling tuples") == 0
    assert median(found, "attribute suppression") == median(found, "de-identification") == 1
    assert median(found, "cell generalisation") < median(found, "attribute generalisation")
    assert median(found, "cell suppression") < median(found, "attribute suppression")
    sampled = next(place for place in found.places if place.name == "sampling")
    for result in sampled.results:
        assert result.distortion == pytest.approx(
            1 - float(result.setting.removeprefix("share ")), abs=0.1
        )


def test_for_the_same_k_cells_lose_less_than_attributes(found):
    """And the more rows must be alike, the more is lost."""
    means = {}
    for level in ("cell", "attribute"):
        place = next(place for place in found.places if place.name == f"{level} generalisation")
        for k in (2, 5, 10):
            lost = [result.distortion for result in place.results if result.setting == f"k = {k}"]
            means[level, k] = sum(lost) / len(lost)
    assert all(means["cell", k] < means["attribute", k] for k in (2, 5, 10))
    assert means["cell", 2] < means["cell", 5] < means["cell", 10]


def test_it_can_be_made_again(found, patients):
    again = continuum(patients, patients.parent / "policy.toml")
    assert again.places == found.places


def test_the_page_loads_nothing_and_shows_no_value(found, patients):
    page = (patients.parent / "page.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "attribute suppression" in page
    for loading in ("<script", "<link", "<img", "http://", "https://", "@import"):
        assert loading not in page
    assert "E11.9" not in page
    assert "02139" not in page


def test_the_command_prints_every_result_as_json(patients, capsys):
    policy = patients.parent / "policy.toml"
    assert (
        main(["continuum", str(patients), "--policy", str(policy), "--rows", "120", "--json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["rows_measured"]) == (ROWS, 120)
    assert told["places"][0]["results"]


def test_the_command_draws_lines_of_text(patients, capsys):
    policy = patients.parent / "policy.toml"
    assert main(["continuum", str(patients), "--policy", str(policy), "--rows", "60"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["technique", "least", "median", "most", "results"]
    assert any(line.startswith("attribute suppression") and "●" in line for line in lines)


def test_the_steps_of_a_policy_are_tried_as_they_are_asked_for(patients, tmp_path):
    step = '\n[[steps]]\ntechnique = "round"\nfields = ["charges"]\nbase = 500\n'
    (tmp_path / "policy.toml").write_text(HOSPITAL_POLICY + step, encoding="utf-8")
    made = continuum(patients, tmp_path / "policy.toml", rows=100)
    rounding = next(place for place in made.places if place.name == "rounding")
    assert [
        result.field for result in rounding.results if result.setting == "as in the policy"
    ] == ["charges"]


def test_what_it_refuses(patients, tmp_path):
    few = write_hospital(tmp_path / "few.csv", rows=20)
    policy = patients.parent / "policy.toml"
    with pytest.raises(Mistake, match="too few"):
        continuum(few, policy)
    with pytest.raises(Mistake, match="needs a policy"):
        continuum(few)
    with pytest.raises(TargetError):
        continuum(patients, policy, to=patients)


def test_the_example_in_its_page_runs():
    found = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert (found.failed, found.attempted > 5) == (0, True)
