"""A table with too many bins is rolled up first: its figures are those of the policy's hierarchies
all the same.

Everything is counted again from the written file and the hierarchy files, by code that shares
nothing with the product; "optimal" is compared with brute force over every recoding of the policy.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.errors import NoRecodingFound

HEIGHTS = {"zip": 4, "age": 3, "sex": 1}
FIELDS = tuple(HEIGHTS)
Ladders = dict[str, dict[str, tuple[str, ...]]]
Row = tuple[str, str, str]


def ladder(field: str, value: str) -> tuple[str, ...]:
    """A value with its labels; no label stands at two levels."""
    if field == "zip":
        return (value, f"{value[:3]}.", f"{value[:2]}..", f"{value[:1]}...", "*")
    if field == "age":
        return (value, f"{int(value) // 10}0s", "young" if int(value) < 40 else "old", "*")
    return (value, "*")


rows_of_people = st.lists(
    st.tuples(
        st.sampled_from(["1000", "1001", "1010", "1011", "1100", "1200", "2000", "2001", "2100"]),
        st.sampled_from(["21", "22", "25", "31", "38", "44", "47", "52"]),
        st.sampled_from(["f", "m"]),
    ),
    min_size=4,
    max_size=40,
)


def policy(
    *, k: int, share: float, objective: str, max_bins: int, solver: str, seconds: str = ""
) -> str:
    fields = "".join(
        f'[fields.{name}]\nrole = "quasi"\nhierarchy = "{name}.csv"\n' for name in FIELDS
    )
    return (
        f"{fields}[require]\nk = {k}\nmax_suppression = {share}\n"
        f'[solve]\nsolver = "{solver}"\nobjective = "{objective}"\nmax_bins = {max_bins}\n{seconds}'
    )


def written(folder: Path, rows: list[Row], text: str) -> Ladders:
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([FIELDS, *rows])
    ladders = {
        name: {value: ladder(name, value) for value in sorted({row[f] for row in rows})}
        for f, name in enumerate(FIELDS)
    }
    for name, found in ladders.items():
        (folder / f"{name}.csv").write_text(
            "".join(";".join(line) + "\n" for line in found.values()), encoding="utf-8"
        )
    (folder / "people.policy.toml").write_text(text, encoding="utf-8")
    return ladders


def leaves(ladders: Ladders, name: str, label: str, level: int) -> int:
    return sum(line[level] == label for line in ladders[name].values())


def recounted(released: list[dict[str, str]], ladders: Ladders, rows: int) -> dict[str, Any]:
    """Levels, NCP, precision and loss of what was written, with each row that is missing as lost in
    every field."""
    gone = rows - len(released)
    levels, lost, climbed = {}, {}, {}
    for name in FIELDS:
        at = {
            level
            for line in released
            for level in range(HEIGHTS[name] + 1)
            if _stands(ladders, name, line, level)
        }
        levels[name] = max(at)
        many = max(len(ladders[name]) - 1, 1)
        cells = [(leaves(ladders, name, line[name], levels[name]) - 1) / many for line in released]
        lost[name] = (sum(cells) + gone) / rows
        climbed[name] = (levels[name] / HEIGHTS[name] * len(released) + gone) / rows
    return {
        "levels": levels,
        "ncp": sum(lost.values()) / len(lost),
        "loss": math.prod(1 + one for one in lost.values()) ** (1 / len(lost)) - 1,
        "precision": sum(climbed.values()) / len(climbed),
    }


def _stands(ladders: Ladders, name: str, line: dict[str, str], level: int) -> bool:
    return any(found[level] == line[name] for found in ladders[name].values())


def brute_force(
    rows: list[Row], ladders: Ladders, *, k: int, share: float, objective: str
) -> float:
    """The least loss over every recoding of the policy."""
    best = math.inf
    for levels in itertools.product(*(range(height + 1) for height in HEIGHTS.values())):
        coarse = [
            tuple(ladders[n][row[f]][levels[f]] for f, n in enumerate(FIELDS)) for row in rows
        ]
        sizes = Counter(coarse)
        kept = [dict(zip(FIELDS, line, strict=True)) for line in coarse if sizes[line] >= k]
        if kept and len(rows) - len(kept) <= share * len(rows) + 1e-9:
            gone = len(rows) - len(kept)
            losses = []
            for f, name in enumerate(FIELDS):
                many = max(len(ladders[name]) - 1, 1)
                if objective == "precision":
                    cells = [levels[f] / HEIGHTS[name]] * len(kept)
                else:
                    cells = [
                        (leaves(ladders, name, line[name], levels[f]) - 1) / many for line in kept
                    ]
                losses.append((sum(cells) + gone) / len(rows))
            mean = sum(losses) / len(losses)
            best = min(
                best,
                math.prod(1 + one for one in losses) ** (1 / len(losses)) - 1
                if objective == "loss"
                else mean,
            )
    return best


@settings(max_examples=example_count(25), deadline=None)
@given(
    rows=rows_of_people,
    k=st.integers(2, 4),
    share=st.sampled_from([0.0, 0.1, 0.3]),
    objective=st.sampled_from(["loss", "ncp", "precision"]),
    max_bins=st.integers(1, 30),
    solver=st.sampled_from(["anytime", "optimal", "datafly2"]),
)
def test_figures_are_those_of_the_written_file(
    rows: list[Row], k: int, share: float, objective: str, max_bins: int, solver: str
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        text = policy(k=k, share=share, objective=objective, max_bins=max_bins, solver=solver)
        ladders = written(folder, rows, text)
        try:
            sfumato.release(folder / "people.csv", to=folder / "out", engine="reference")
        except NoRecodingFound:
            return
        with (folder / "out" / "release.csv").open(newline="", encoding="utf-8") as file:
            released = list(csv.DictReader(file))
        told = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
        report = (folder / "out" / "report.html").read_text(encoding="utf-8")
    true = recounted(released, ladders, len(rows))
    assert all(
        _stands(ladders, name, line, told["recoding"]["levels"][name])
        for line in released
        for name in FIELDS
    )
    for name, level in told["recoding"]["levels"].items():
        assert told["recoding"]["level_names"][name] in (
            "value" if level == 0 else f"level {level}",
        )
        assert told["hierarchies"][name]["height"] == HEIGHTS[name]
        assert told["utility"]["mean_level"][name] == pytest.approx(level)
    if (
        told["recoding"]["levels"] == true["levels"]
    ):  # A label of one value may stand at several levels.
        assert told["utility"]["precision"] == pytest.approx(1 - true["precision"])
    assert told["utility"]["loss"] == pytest.approx(true["ncp"])
    if solver == "datafly2":
        assert "proof" not in told["solver"]
        return
    proof = told["solver"]["proof"]
    if objective != "precision":
        assert proof["loss"] == pytest.approx(true[objective])
    best = brute_force(rows, ladders, k=k, share=share, objective=objective)
    assert proof["bound"] <= best + 1e-9
    assert best <= proof["loss"] + 1e-9
    assert not proof["optimal"] or proof["loss"] == pytest.approx(best)
    assert proof["gap"] == pytest.approx(proof["loss"] - proof["bound"])
    assert proof["optimal"] == ("proven optimal" in proof["in_words"])
    assert proof["in_words"] in report
    raised = "rolled_up" in told["solver"]
    assert raised == (len(set(rows)) > max_bins)
    assert raised or proof["optimal"]
    if raised and not proof["optimal"]:
        assert "among recodings at or above" in proof["in_words"]
        assert proof["searched_from"] == told["solver"]["rolled_up"]["start_levels"]
        assert proof["bound_among_searched"] >= proof["bound"]


def test_the_proof_reaches_every_recoding_where_a_finer_level_cannot_pass(tmp_path: Path) -> None:
    """Each zip is one person's, so that no recoding at the finest level of zip is feasible: nothing
    was missed."""
    rows: list[Row] = [(str(1000 + i), "21", "f") for i in range(12)]
    ladders = written(
        tmp_path, rows, policy(k=3, share=0.0, objective="loss", max_bins=2, solver="anytime")
    )
    made = sfumato.release(tmp_path / "people.csv", to=tmp_path / "out", engine="reference")
    proof = made.manifest["solver"]["proof"]
    assert made.manifest["solver"]["rolled_up"]["start_levels"]["zip"] > 0
    assert proof["optimal"] == (
        proof["loss"] == pytest.approx(brute_force(rows, ladders, k=3, share=0.0, objective="loss"))
    )
    assert proof["bound"] > 0


@pytest.mark.parametrize(
    "objective", ["loss", "ncp", "precision", "non-uniform-entropy", "entropy", "discernibility"]
)
def test_a_raised_hierarchy_prices_a_node_as_the_whole_one_does(objective: str) -> None:
    from sfumato.bins import Bins
    from sfumato.hierarchies import Hierarchy, RaisedHierarchy
    from sfumato.solvers.lattice import objective_for
    from sfumato.solvers.lattice.node_bins import RollUp

    sizes = {(f"1{i % 4}{i % 3}0", str(20 + i % 7)): 1 + i % 4 for i in range(30)}
    bins = Bins.of(("zip", "age"), sizes)
    whole = {
        name: Hierarchy.from_rows([ladder(name, str(value)) for value in bins.labels[f]])
        for f, name in enumerate(bins.fields)
    }
    start = {"zip": 1, "age": 1}
    coarse = bins.recode(whole, start)
    raised = {
        name: RaisedHierarchy.of(
            whole[name],
            start[name],
            counts=[
                int(bins.counts[bins.codes[:, f] == code].sum())
                for code in range(len(bins.labels[f]))
            ],
            occurring=coarse.labels[f],
        )
        for f, name in enumerate(bins.fields)
    }
    fine, up = objective_for(objective, bins, whole), RollUp(bins, whole)
    rough, above = objective_for(objective, coarse, raised), RollUp(coarse, raised)
    for levels in itertools.product(range(1, 5), range(1, 4)):
        first, second = up.at(levels), above.at([level - 1 for level in levels])
        for fails in (lambda rolled: rolled.counts < 0, lambda rolled: rolled.counts < 6):
            assert fine.score(first, fails(first)) == pytest.approx(
                rough.score(second, fails(second))
            )
