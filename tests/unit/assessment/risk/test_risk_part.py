"""Risk on the page: sentences for a board, charts with their numbers, and no value of anybody."""

import csv
import re
from contextlib import ExitStack

import pytest

from sfumato.assessment.page.risk_part import part
from sfumato.assessment.risk import Risks, measure_risks
from sfumato.datasets import write_hospital
from sfumato.engines import open_source
from sfumato.measures.subject import Subject

KNOWN = ("birth", "sex", "zip")


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Risks]:
    """A made-up hospital of 600 rows, its release by decade of birth, alone and beside the
    source."""
    folder = tmp_path_factory.mktemp("risk")
    source = write_hospital(folder / "source.csv", rows=600)
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    release = folder / "release.csv"
    with release.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*KNOWN, "diagnosis", "home"))
        for number, row in enumerate(rows):
            home = number // 2
            writer.writerow((row["birth"][:2], row["sex"], row["zip"][:3], row["diagnosis"], home))
    empty = folder / "empty.csv"
    empty.write_text(",".join((*KNOWN, "diagnosis", "home")) + "\n", encoding="utf-8")
    with ExitStack() as stack:
        opened = {
            path.stem: stack.enter_context(open_source(path)) for path in (source, release, empty)
        }
        about = {"known": KNOWN, "sensitive": ("diagnosis",)}
        both = Subject(
            release=opened["release"], source=opened["source"], sampling_fraction=0.1, **about
        )
        alone = Subject(release=opened["release"], household="home", **about)
        nothing = Subject(release=opened["empty"], source=opened["source"], **about)
        return {
            "both": measure_risks(both, copula=False),
            "alone": measure_risks(alone),
            "empty": measure_risks(nothing),
        }


@pytest.mark.parametrize("name", ["both", "alone", "empty"])
def test_it_is_told_with_and_without_charts(results, name):
    charts = pytest.importorskip("sfumato.assessment.charts.risk_charts").draw(results[name])
    plain, drawn = part(results[name], {}), part(results[name], charts)
    assert plain.count("<svg") == 0
    assert drawn.count("<svg") == len(charts)
    assert set(re.findall(r"<section id=\"([a-z-]+)\"", plain)) == set(
        re.findall(r"<section id=\"([a-z-]+)\"", drawn)
    )


def test_every_chart_has_its_numbers_under_it(results):
    charts = pytest.importorskip("sfumato.assessment.charts.risk_charts").draw(results["both"])
    assert set(charts) == {
        "risk_known",
        "risk_population",
        "risk_uniqueness",
        "risk_fields",
        "risk_inference",
    }
    page = part(results["both"], charts)
    assert page.count("<figure>") == page.count("The numbers</summary>") == len(charts)


def test_the_four_probabilities_are_named_as_in_the_paper_and_before(results):
    page = part(results["both"], {})
    for name in ("KIRP", "UIRP", "RMP", "IP", "prosecutor", "journalist", "marketer"):
        assert name in page


def test_what_cannot_be_said_is_said(results):
    page = part(results["alone"], {})
    assert "undecided" in page
    assert "no table of the population" in page
    assert '<section id="population"' not in page


def test_an_empty_release_finds_nobody(results):
    assert "nobody can be found" in part(results["empty"], {})


def test_households_are_told(results):
    assert "reveals the household (field home)" in part(results["alone"], {})


def test_no_value_of_source_or_release_is_on_the_page(results):
    charts = pytest.importorskip("sfumato.assessment.charts.risk_charts").draw(results["both"])
    page = part(results["both"], charts)
    for value in ("02138", "021**", "E11.9", "I10", "1960-"):
        assert value not in page
