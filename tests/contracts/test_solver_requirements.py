"""Every solver keeps every requirement that a policy may ask of it: the recount is never the first
to notice.

For each solver and each key of [require], on random tables: the policy is refused, or no recoding
is found, or what the solver releases keeps every model of the policy and leaves out no more rows
than the policy allows."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.bins import Bins, GlobalRecoding
from sfumato.engines import open_source
from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.policy import MODELS, SOLVERS, policy_from_table
from sfumato.policy.compatibility import why_not_with
from sfumato.protection import needs_of
from sfumato.releases.prepared_source import PreparedSource, prepare
from sfumato.solvers import Solution

sys.path.insert(0, str(Path(__file__).parent))
from asked_of_models import ASKED as ASKED_OF_MODELS
from asked_of_models import policy_table
from test_required import ASKED

KEYS = [key for key in ASKED if key not in ("null_map", "wrong_map", "safe_harbor", "anonymity")]
"""Those that ask for a count or a share of any table; the others need steps, labels or a solver of
their own."""
ROUNDS = 2


def table(draw: random.Random) -> pa.Table:
    """Numbers, so that every solver can read them; null, `*` and words in the sensitive field."""
    rows = draw.choice((6, 15, 30))
    return pa.table(
        {
            "zip": [str(draw.randrange(2100, 2100 + draw.choice((4, 12)))) for _ in range(rows)],
            "sex": [str(draw.choice((0, 1, 1, 1, 2))) for _ in range(rows)],
            "problem": [
                draw.choice((None, "*", "flu", "flu", "flu", "cold", "gout")) for _ in range(rows)
            ],
            "pay": [str(number * number % 7) for number in range(rows)],
        }
    )


def policy(solver: str, key: str, draw: random.Random, folder: Path) -> dict[str, Any]:
    asked = {
        "k": draw.choice((2, 3, 5)),
        "max_suppression": draw.choice((0.0, 0.2, 0.5)),
        key: ASKED[key],
    }
    hierarchy = {"prefix": [3, 2]}
    if key == "key_combinations":
        asked[key] = [
            {"k": draw.choice((2, 4, 6)), "fields": ["zip", "sex"]},
            {"k": 7, "fields": ["sex"]},
        ]
    if draw.random() < 0.3:
        asked["reading"] = "wildcard"
    return {
        "fields": {
            "zip": {"role": "quasi", "hierarchy": hierarchy},
            "sex": "quasi",
            "problem": "sensitive",
            "pay": "sensitive" if key == "value_spread" else "insensitive",
        },
        "require": asked,
        "solve": {"solver": solver, **({"levels": {"zip": 2}} if solver == "given" else {})},
    }


def released(prepared: PreparedSource, solution: Solution) -> Bins:
    """The bins that will be written, with the sensitive values that are in them."""
    recoding, bins = solution.recoding, prepared.bins
    if isinstance(recoding, GlobalRecoding):
        return recoding.apply(bins, prepared.hierarchies)
    if not needs_of(prepared.models):
        return recoding.apply(bins, prepared.hierarchies)
    assert sorted(recoding.bin_of.tolist()) == list(range(len(bins))), (
        "a bin was cut: its values are anywhere"
    )
    labels, codes = recoding.cells(bins, prepared.hierarchies)
    order = np.argsort(recoding.bin_of)
    made = Bins(bins.fields, labels, codes[order], bins.counts, bins.histograms)
    return made.only(~recoding.suppressed[order]).recoded({}, {})[0]


@pytest.mark.long(
    "a cross of solvers and requirements; each seventh cell stays, with every one of both", every=7
)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_plan_keeps_what_the_policy_requires(solver: str, key: str, tmp_path: Path) -> None:
    for number in range(ROUNDS):
        draw = random.Random(f"{solver} {key} {number}")
        rows = table(draw)
        (tmp_path / "register.csv").write_text(
            "zip,sex\n" + "".join(f"{r['zip']},{r['sex']}\n" for r in rows.to_pylist() * 2),
            encoding="utf-8",
        )
        try:
            decided = policy_from_table(policy(solver, key, draw, tmp_path), folder=tmp_path)
            with open_source(rows.to_pylist(), engine="reference") as engine:
                prepared = prepare(engine, decided)
            solution = prepared.solver.solve(prepared.bins, prepared.hierarchies)
        except (PolicyError, NoRecodingFound):
            continue
        found = released(prepared, solution)
        broken = [
            f"{model.name} in round {number}"
            for model in prepared.models
            if model.failing(found).any()
        ]
        assert not broken
        gone = solution.recoding.rows_suppressed(prepared.bins)
        assert gone <= decided.require.max_suppression * prepared.bins.rows + 1e-9


WITHOUT_A_MEANING = [
    (key, solver)
    for key in MODELS
    for solver in SOLVERS
    if key in ASKED_OF_MODELS and why_not_with(MODELS[key], SOLVERS[solver])
]


@pytest.mark.parametrize(("key", "solver"), WITHOUT_A_MEANING)
def test_a_refused_pair_is_refused_with_its_reason_and_with_solvers_that_can(
    key: str, solver: str
) -> None:
    asked = policy_table(key)
    asked["require"]["k"] = 2
    asked["solve"] = {"solver": solver}
    with pytest.raises(PolicyError) as caught:
        policy_from_table(asked)
    (problem,) = [each for each in caught.value.problems if each.where == "solve.solver"]
    assert problem.found == f"{why_not_with(MODELS[key], SOLVERS[solver])}."
    offered = [name for name in SOLVERS if re.search(rf"\b{name}\b", problem.attempt)]
    assert offered
    assert [name for name in offered if why_not_with(MODELS[key], SOLVERS[name])] == []
