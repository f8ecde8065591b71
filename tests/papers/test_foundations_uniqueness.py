"""Sweeney 2000, Figure 13: how many of 54,805 voters are alone with their birth date, sex and
postal code.

The paper's list is not to be had, so the voters are made up (`sfumato.datasets.voters`): the order
and the rough size of its figures must come out. The average k of the GIC example (section on
Datafly) is about another table, of which only the size is told: 135,000 people, 3 on average for
each birth date and sex, 1,125 for each year of birth and sex."""

import csv
from collections import Counter
from datetime import date

import numpy as np
import pytest

from sfumato.assessment.risk import uniqueness_table
from sfumato.bins import Bins
from sfumato.datasets import VOTERS, write_voters
from sfumato.engines import open_source
from sfumato.hierarchies import Hierarchy

FIGURE_13 = {
    ("birth",): 0.12,
    ("birth", "sex"): 0.29,
    ("birth", "zip"): 0.69,
    ("birth", "postal_code"): 0.97,
}


@pytest.fixture(scope="module")
def voters(tmp_path_factory):
    return write_voters(tmp_path_factory.mktemp("voters") / "voters.csv")


def test_figure_13(voters):
    with open_source(voters) as engine:
        lines = uniqueness_table(engine, FIGURE_13)
    found = [line.share_unique for line in lines]
    assert all(line.rows == VOTERS == 54_805 for line in lines)
    assert found == sorted(found)
    assert found == pytest.approx(list(FIGURE_13.values()), abs=0.07)


def test_the_same_lines_from_bins_by_hand(voters):
    with voters.open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    for fields in FIGURE_13:
        counts = Counter(tuple(person[name] for name in fields) for person in people)
        line = uniqueness_table(Bins.of(fields, counts), [fields], k=3)[0]
        assert line.unique == sum(size == 1 for size in counts.values())
        assert line.below == sum(size for size in counts.values() if size < 3)
        assert line.average == VOTERS / len(counts)


def test_the_list_is_built_as_the_paper_tells(voters):
    with voters.open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    births = [date.fromisoformat(person["birth"]) for person in people]
    assert (max(births) - min(births)).days <= 100 * 366
    assert len({person["sex"] for person in people}) == 2
    assert len({person["zip"] for person in people}) == 5
    assert all(person["postal_code"].startswith(person["zip"]) for person in people)


def test_average_k_of_the_gic_example():
    """135,000 people born over some sixty years, two sexes: by date of birth 3 on average, by year
    1,125."""
    chance = np.random.default_rng(1)
    days, years = 22_500, 60
    born = chance.integers(0, days, 135_000)
    sex = chance.integers(0, 2, 135_000)
    sizes = Counter(zip(born.tolist(), sex.tolist(), strict=True))
    bins = Bins.of(
        ("birth", "sex"), {(str(day), "fm"[which]): size for (day, which), size in sizes.items()}
    )
    year = Hierarchy.from_rows(
        [(label, f"year {int(label) * years // days}") for label in bins.labels[0]]
    )
    exact = uniqueness_table(bins, [("birth", "sex")])[0]
    coarse = uniqueness_table(bins.recode({"birth": year}, {"birth": 1}), [("birth", "sex")])[0]
    assert round(exact.average) == 3
    assert coarse.average == pytest.approx(1125, rel=0.001)
    assert coarse.share_unique == 0
