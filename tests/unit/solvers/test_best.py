"""Best of two: which recoding is taken, and what is said of it."""

import random
import re

import numpy as np
import pytest

from sfumato.bins import Bins, GlobalRecoding, LocalRecoding
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.policy import policy_from_table
from sfumato.protection import BoundedInference, BoundedKnowledge, KAnonymity
from sfumato.releases.requirements import solver_for
from sfumato.solvers import Best, Greedy, Solution, weighted_loss

AGES = [str(age) for age in (17, 18, 19, 61, 62, 64)]
HIERARCHIES = {
    "age": Hierarchy.from_rows([(age, age[0] + "*", "*") for age in AGES]),
    "sex": Hierarchy.from_rows([("f", "*"), ("m", "*")]),
}
K2 = (KAnonymity(k=2, fields=("age", "sex")),)
OUTLIER = Bins.of(("age", "sex"), {("17", "f"): 8, ("61", "m"): 8, ("64", "f"): 1, ("62", "f"): 1})


def test_a_few_rows_that_are_far_from_the_others_are_recoded_alone():
    found = Best(k=2, models=K2).solve(OUTLIER, HIERARCHIES)
    assert isinstance(found.recoding, LocalRecoding)
    assert found.choice.startswith("local recoding, loss ")
    assert found.notes[0] == f"{found.choice}."
    assert found.proof is None


def test_of_equals_the_global_recoding_is_taken():
    bins = Bins.of(("age", "sex"), {("17", "f"): 1, ("18", "f"): 1})
    found = Best(k=2, models=K2).solve(bins, HIERARCHIES)
    assert isinstance(found.recoding, GlobalRecoding)
    assert found.choice.startswith("global recoding, loss ")


def test_nothing_is_sought_where_nothing_is_lost():
    bins = Bins.of(("age", "sex"), {("17", "f"): 3})
    assert Best(k=2, models=K2).solve(bins, HIERARCHIES).choice == (
        "global recoding, which loses nothing"
    )


def test_what_only_a_global_recoding_can_do_is_not_asked_of_a_local_one():
    found = Best(k=2, models=K2, max_suppression=0.2, only_global="it was asked").solve(
        OUTLIER, HIERARCHIES
    )
    assert isinstance(found.recoding, GlobalRecoding)
    assert found.choice == "global recoding, because it was asked"


@pytest.mark.parametrize(
    ("solve", "require", "because"),
    [
        ({"objective": "precision"}, {}, "precision"),
        ({}, {"safe_harbor": True}, "safe_harbor"),
        ({}, {}, ""),
    ],
)
def test_the_policy_decides_whether_a_local_recoding_may_be_taken(solve, require, because):
    fields = {"zip": {"role": "quasi", "hierarchy": {"prefix": [3]}}}
    policy = policy_from_table(
        {"fields": fields, "require": {"k": 2, **require}, "solve": {"solver": "best", **solve}}
    )
    built = solver_for(policy, (), ("zip",))
    assert bool(because) == bool(built.only_global)
    assert because in built.only_global


def test_kept_fields_decide_what_is_compared():
    plain = Best(k=2, models=K2).solve(OUTLIER, HIERARCHIES)
    dear = Best(k=2, models=K2, weights={"sex": 10.0, "age": 1.0}).solve(OUTLIER, HIERARCHIES)
    lost = [
        (found.recoding.levels[:, 1] > 0).sum()
        for found in (plain, dear)
        if isinstance(found.recoding, LocalRecoding)
    ]
    assert np.all(np.diff(lost) <= 0)


def test_where_neither_is_possible_the_reason_is_told():
    with pytest.raises(NoRecodingFound):
        Best(k=9, models=(KAnonymity(k=9, fields=("age", "sex")),)).solve(
            Bins.of(("age", "sex"), {("17", "f"): 3}), HIERARCHIES
        )


def test_under_bounded_knowledge_blank_cells_are_tried_too():
    """Each field alone is frequent, and hardly any pair is: a cell here and there is enough."""
    chance = np.random.default_rng(3)
    rows: dict[tuple[str | None, ...], int] = {}
    for _ in range(300):
        key = (*(str(each) for each in chance.integers(0, 4, 6)),)
        rows[key] = rows.get(key, 0) + 1
    rows[("9",) * 6] = 1
    fields = tuple("abcdef")
    bins = Bins.of(fields, rows)
    stars = {
        name: Hierarchy.from_rows([(value, "*") for value in labels])
        for name, labels in zip(fields, bins.labels, strict=True)
    }
    model = BoundedKnowledge(k=5, m=2, register=("a",), others=fields[1:])
    found = Best(k=1, models=(model,), work=50, rounds=2).solve(bins, stars)
    assert model.judge(found.recoding.apply(bins, stars)).outcome == "pass"
    words = ("global recoding", "local recoding", "recoding with blank cells")
    assert all(each in found.choice for each in words)
    losses = [float(each) for each in re.findall(r"0\.\d+", found.choice)]
    assert losses[0] == min(losses)
    blanked = Greedy(models=(model,), work=50).solve(bins, stars)
    assert losses[0] <= weighted_loss(bins, stars, blanked.recoding, {}, geometric=True) + 1e-5


def test_with_a_confidence_blank_cells_alone_are_searched():
    """Each check of a confidence counts every combination: a search of another kind would outlast
    its seconds."""
    draw = random.Random(3)
    fields = ("a", "b", "c", "d")
    rows = [(*(draw.choice("xyz") for _ in fields), draw.choice("no")) for _ in range(400)]
    bins = bins_of_rows(fields, rows, sensitive=("ill",))
    stars = {name: Hierarchy.from_rows([(v, "*") for v in "xyz"]) for name in fields}
    known = {"m": 2, "register": ("a",), "others": fields[1:]}
    models = (
        BoundedKnowledge(k=5, **known),
        BoundedInference(confidence=0.8, sensitive="ill", **known),
    )
    found = Best(k=1, models=models, seconds=20).solve(bins, stars)
    assert "no other was searched" in found.choice
    cells = bins.with_cells(*found.recoding.cells(bins, stars)).recode({}, {})
    assert [model.judge(cells).outcome for model in models] == ["pass", "pass"]


def test_of_three_the_one_that_loses_fewer_kept_fields_is_taken():
    bins = Bins.of(("age", "sex"), {("17", "f"): 8, ("18", "m"): 8})
    hierarchies = {name: HIERARCHIES[name] for name in bins.fields}
    solver = Best(k=2, models=K2, weights={"age": 1.0, "sex": 10.0}, objective="ncp")

    def levels(age: int, sex: int) -> Solution:
        none = np.zeros(len(bins), bool)
        return Solution(
            solver="given",
            recoding=GlobalRecoding(levels={"age": age, "sex": sex}, suppressed=none),
        )

    gone, kept = levels(0, 1), levels(2, 0)
    chosen = solver._least_lost(gone, None, kept, bins, hierarchies)
    assert chosen.recoding is kept.recoding
    assert solver._kept_lost(gone, bins, hierarchies) == 1
