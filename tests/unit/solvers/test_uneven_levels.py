"""Levels that do not nest: solvers that only climb count each step from the source, others
refuse."""

from __future__ import annotations

import csv
import random
from collections import Counter

import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import HierarchyError, Mistake, PolicyError
from sfumato.hierarchies import Dates, hierarchy_from_table
from sfumato.policy import read_policy
from sfumato.solvers.lattice.nodes import Lattice

STEPS = ("2 months", "4 months", "6 months", "12 months", "24 months")
POLICY = """
[fields.birth]
role = "quasi"
hierarchy = {{ dates = {steps}, nested = false }}
[fields.sex]
role = "quasi"
[require]
k = {k}
max_suppression = 0.02
[solve]
solver = "{solver}"
"""


def write(folder, *, k, solver="datafly2", rows=400):
    draw = random.Random(5)
    lines = [
        (f"{draw.randrange(1980, 1984)}-{draw.randrange(1, 13):02}-10", draw.choice("fm"))
        for _ in range(rows)
    ]
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("birth", "sex"), *lines])
    (folder / "rows.toml").write_text(POLICY.format(steps=list(STEPS), k=k, solver=solver))
    return lines


def month(date):
    return int(date[:4]) * 12 + int(date[5:7]) - 1


@pytest.mark.parametrize(("k", "window"), [(10, 4), (14, 6), (35, 12), (60, 24)])
def test_each_step_is_counted_from_the_source(tmp_path, k, window):
    """The window is the first at which few enough rows fail, counted by hand from the dates."""
    lines = write(tmp_path, k=k)
    made = sfumato.release(tmp_path / "rows.csv", tmp_path / "rows.toml", to=tmp_path / "out")
    for months in (1, 2, 4, 6, 12, 24):
        sizes = Counter((month(date) // months if months > 1 else date, sex) for date, sex in lines)
        failing = sum(size for size in sizes.values() if size < k)
        if failing <= 0.02 * len(lines):
            break
    assert made.manifest["recoding"]["level_names"]["birth"] == f"{months} months"
    assert months == window
    with made.table.open(encoding="utf-8") as file:
        released = Counter(tuple(row.values()) for row in csv.DictReader(file))
    assert min(released.values()) >= k
    assert sorted(released.values()) == sorted(size for size in sizes.values() if size >= k)
    assert main(["verify", str(made.folder)]) == 0


@pytest.mark.parametrize("solver", ["optimal", "anytime", "local", "k_similar"])
def test_solvers_that_sum_bins_refuse(tmp_path, solver):
    write(tmp_path, k=5, solver=solver)
    with pytest.raises(PolicyError, match="do not nest"):
        read_policy(tmp_path / "rows.toml")


def test_the_lattice_refuses(tmp_path):
    bound = Dates(STEPS, nested=False).bind(["1980-01-01", "1981-06-01"])
    with pytest.raises(Mistake, match="do not nest"):
        Lattice.over(("birth",), {"birth": bound})
    write(tmp_path, k=5)
    words = [str(tmp_path / "rows.csv"), "--policy", str(tmp_path / "rows.toml")]
    assert main(["search", *words]) == 2


def test_windows_must_grow_and_by_default_nest():
    with pytest.raises(HierarchyError, match="whole windows"):
        Dates.from_table({"dates": list(STEPS)})
    with pytest.raises(HierarchyError, match="whole windows"):
        Dates.from_table({"dates": ["4 months", "2 months"], "nested": False})
    with pytest.raises(HierarchyError, match="nested"):
        Dates.from_table({"dates": list(STEPS), "nested": "no"})
    spec = hierarchy_from_table({"numbers": {"widths": [4, 6], "nested": False}})
    assert spec.bind(["5", "7"]).labels[1:] == (("4-7",), ("0-5", "6-11"), ("*",))
    assert hierarchy_from_table(spec.describe()) == spec
