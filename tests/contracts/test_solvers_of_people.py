"""Every declared solver where a person has several rows: what it releases has k people in each bin,
counted by hand.

Rows are lists here, and people are counted in sets, so that nothing of this shares code with the
bins."""

from __future__ import annotations

import contextlib
import csv
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.bins import CountedPeople, GlobalRecoding, Recoding
from sfumato.errors import Mistake, NoRecodingFound
from sfumato.hierarchies import Hierarchy, Label
from sfumato.parts import Shape
from sfumato.protection import DistinctLDiversity, KAnonymity, Model
from sfumato.releases import verify
from sfumato.releases.checks import outcome_of
from sfumato.solvers import (
    SOLVERS,
    Anytime,
    Best,
    Datafly,
    Datafly2,
    Given,
    Greedy,
    KSimilar,
    Local,
    Microaggregation,
    MuArgus,
    Optimal,
    Solver,
)

Row = tuple[str, str, str, str]  # age, sex, person, problem
AGES, SEXES, PEOPLE, PROBLEMS = ("21", "24", "47"), ("1", "2"), "abcdefg", ("flu", "cold", "gout")
LADDERS: Mapping[str, Hierarchy] = {
    "age": Hierarchy.from_rows([("21", "2x", "*"), ("24", "2x", "*"), ("47", "4x", "*")]),
    "sex": Hierarchy.from_rows([("1", "*"), ("2", "*")]),
}
FIELDS = tuple(LADDERS)
K = KAnonymity(k=3, fields=FIELDS)
DIVERSE = DistinctLDiversity(l=2, fields=FIELDS, sensitive="problem")
rows_of_people = st.lists(
    st.tuples(*(st.sampled_from(each) for each in (AGES, SEXES, PEOPLE, PROBLEMS))),
    min_size=1,
    max_size=30,
)

Make = Callable[[tuple[Model, ...], float], Solver]
WALKING: dict[str, Make] = {
    "datafly": lambda models, share: Datafly(
        level=0.0, r2=3.0, e=3.0, loss=share, max_suppression=share, models=models
    ),
    "datafly2": lambda models, share: Datafly2(models=models, max_suppression=share),
    "given": lambda models, share: Given(levels={"age": 1}, models=models, max_suppression=share),
    "greedy": lambda models, share: Greedy(models=models, max_suppression=share),
    "k_similar": lambda models, share: KSimilar(k=3, models=models, tries=20),
    "k_similar, large": lambda models, share: KSimilar(k=3, models=models, exact_rows=0, tries=20),
    "local": lambda models, share: Local(k=3, models=models, rounds=4),
    "local, ranges": lambda models, share: Local(
        k=3, models=models, labels="ranges", numeric=("age",), rounds=4
    ),
    "microaggregation": lambda models, share: Microaggregation(k=3, models=models),
    "mu_argus": lambda models, share: MuArgus(
        k=3, ranks={"age": 2}, models=models, max_suppression=share
    ),
}
SEARCHING: dict[str, Callable[..., Solver]] = {
    "anytime": Anytime,
    "best": lambda models: Best(k=3, models=models),
    "optimal": Optimal,
}
"""They search with the people of all tables and are held against plain sets in
tests/properties/test_people.py."""


def counted(rows: list[Row]) -> CountedPeople:
    found = CountedPeople.of_rows(FIELDS, rows, sensitive=("problem",))
    labels = tuple(LADDERS[name].labels[0] for name in FIELDS)
    pairs = zip(found.labels, labels, strict=True)
    return found.aligned(
        labels, [np.array([new.index(value) for value in old], np.int32) for old, new in pairs]
    )


def released(
    rows: list[Row], bins: CountedPeople, recoding: Recoding
) -> list[tuple[tuple[Label, ...], str, str]]:
    """Each row that stays, with its new labels, its person and its problem."""
    if isinstance(recoding, GlobalRecoding):
        codes = np.stack(
            [LADDERS[n].up[recoding.levels[n]][bins.codes[:, f]] for f, n in enumerate(FIELDS)],
            axis=1,
        )
        labels = tuple(LADDERS[name].labels[recoding.levels[name]] for name in FIELDS)
    else:
        assert recoding.bin_of.tolist() == list(range(len(bins))), "a bin of people was cut"
        labels, codes = recoding.cells(bins, LADDERS)
    place = {old: b for b, old in enumerate(bins.tuples())}
    new = [tuple(labels[f][code] for f, code in enumerate(each)) for each in codes.tolist()]
    at = [(place[age, sex], person, problem) for age, sex, person, problem in rows]
    return [(new[b], person, problem) for b, person, problem in at if not recoding.suppressed[b]]


def test_every_declared_solver_takes_people_with_several_rows() -> None:
    lacking = [
        key
        for key, solver in SOLVERS.all().items()
        if Shape.SEVERAL_ROWS not in solver.abilities.shapes
    ]
    assert not lacking, "say in docs/people.md why its definition fails there, and name it here"
    assert {name.partition(",")[0] for name in WALKING} | SEARCHING.keys() == SOLVERS.all().keys()


@pytest.mark.parametrize("make", WALKING.values(), ids=WALKING)
@pytest.mark.parametrize("models", [(K,), (K, DIVERSE)], ids=["k", "k and l"])
@settings(max_examples=example_count(12), deadline=None)
@given(rows=rows_of_people, share=st.sampled_from([0.0, 0.3, 0.9]))
def test_a_candidate_has_k_people_in_each_bin(
    make: Make, models: tuple[Model, ...], rows: list[Row], share: float
) -> None:
    bins, solver = counted(rows), make(models, share)
    try:
        found = solver.solve(bins, LADDERS)
    except NoRecodingFound:
        return
    people: dict[tuple[Label, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    kept = released(rows, bins, found.recoding)
    for labels, person, problem in kept:
        people[labels][person].add(problem)
    assert all(len(inside) >= 3 for inside in people.values())
    assert {labels: len(inside) for labels, inside in people.items()} == found.recoding.apply(
        bins, LADDERS
    ).sizes()
    lost = {row[2] for row in rows} - {person for _, person, _ in kept}
    assert len(lost) <= share * len({row[2] for row in rows}) + 1e-9
    assert share or len(kept) == len(rows), "nothing may be left out"
    if DIVERSE in models:
        for inside in people.values():
            values = set().union(*inside.values())
            assert len(values) >= 2
            assert not any(all(value in own for own in inside.values()) for value in values)


@pytest.mark.parametrize("make", SEARCHING.values(), ids=SEARCHING)
def test_a_search_that_adds_up_sizes_refuses_bins_that_do_not(make: Callable[..., Solver]) -> None:
    with pytest.raises(Mistake, match="do not add up"):
        make(models=(K,)).solve(
            counted([("21", "1", "a", "flu"), ("24", "1", "a", "flu")]), LADDERS
        )


# ---------------------------------------------------------------------------------------------------------
# releases

REQUIRED = {"mu_argus": "combinations = { k = 3, sizes = [1, 2] }\n"}
TOLD = {"given": "levels = { age = 1, sex = 1 }", "local": "work = 3", "k_similar": "work = 20"}


def policy_for(solver: str) -> str:
    ladder = "{ numbers = { widths = [10, 50] } }"
    age = (
        '"quasi"' if solver == "microaggregation" else f'{{ role = "quasi", hierarchy = {ladder} }}'
    )
    return (
        f'entity = "id"\nrow_counts = {{ linking = 0 }}\n[fields]\nid = {{ role = '
        f'"direct", replace = "number" }}\n'
        f'age = {age}\nsex = "quasi"\nproblem = "sensitive"\n'
        f"[require]\n{REQUIRED.get(solver, '')}k = 3\nmax_suppression = 0.5\n"
        f'[solve]\nsolver = "{solver}"\n{TOLD.get(solver, "")}\n'
    )


def several_rows() -> list[Row]:
    """People with one to three rows, and one with ten rows more: those ten are as many rows as k
    asks for people."""
    rows = [(str(20 + n % 4), str(1 + n % 2), f"p{n}", PROBLEMS[n % 3]) for n in range(40)]
    rows += [
        (str(30 + n % 4), str(1 + n % 2), f"p{n}", PROBLEMS[(n + 1) % 3]) for n in range(0, 40, 3)
    ]
    return rows + [("39", "1", "p1", PROBLEMS[n % 3]) for n in range(10)]


@pytest.mark.long(
    "every solver on two engines; all stay on the reference engine",
    but=("reference-*", "duckdb-local"),
)
@pytest.mark.parametrize("solver", SOLVERS.all())
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_a_release_of_every_solver_has_k_people_in_each_bin(
    solver: str, engine: str, tmp_path: Path
) -> None:
    with contextlib.chdir(tmp_path):
        lines = ["age,sex,id,problem", *(",".join(row) for row in several_rows())]
        Path("rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        Path("policy.toml").write_text(policy_for(solver), encoding="utf-8")
        made = sfumato.release(
            "rows.csv", "policy.toml", to="out", engine=engine, file_format="csv"
        )
        with Path(made.table).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        people: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in rows:
            people[row["age"], row["sex"]].add(row["id"])
        assert rows
        assert min(len(inside) for inside in people.values()) >= 3
        checks = verify("out")
        assert outcome_of(checks) == "pass", [check for check in checks if check.outcome != "pass"]
