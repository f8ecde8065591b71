"""Somebody names another solver, or other settings, in the manifest of a release than those of its
policy.

Every solver, and every shape of data: each leaf of `solver` that repeats what the policy says is
changed, one at a time, and `verify` notices it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from test_manifest_leaves import changes, is_told
from tests.golden_releases.execution import run_command
from tests.golden_releases.matrix import covering, scratch_folder
from tests.golden_releases.matrix_pairs import Pair, all_pairs

from sfumato.errors import ReleaseBroken
from sfumato.policy.compatibility import PairState
from sfumato.releases import outcome_of, verify
from sfumato.releases.manifest_agreement import told_of

SHAPES = (
    "one row per person",
    "several rows per person",
    "several tables",
    "quasi-identifiers in several tables",
)
PAIRS = covering(
    pair
    for pair in all_pairs()
    if pair.table == "solver × shape"
    and pair.column in SHAPES
    and pair.declared.state is PairState.WORKS
)


@pytest.fixture(scope="module")
def _sources(tmp_path_factory: pytest.TempPathFactory):
    with scratch_folder(tmp_path_factory.mktemp("solvers")):
        yield


@pytest.mark.long("a release for each solver and shape; each fourth stays", every=4)
@pytest.mark.usefixtures("_sources")
@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_what_a_manifest_says_of_the_solver_is_what_the_policy_says(
    pair: Pair, tmp_path: Path
) -> None:
    policy, out = tmp_path / "policy.toml", tmp_path / "out"
    policy.write_text(pair.policy, encoding="utf-8")
    words = ("release", pair.source, "--policy", str(policy), "--to", str(out))
    run_command((*words, "--key", "golden.key", "--engine", "reference"))
    file = out / "manifest.json"
    facts = json.loads(file.read_text(encoding="utf-8"))
    told, passed = told_of(facts), []
    tampered = {
        path: changed
        for path, changed in changes({"solver": facts["solver"]})
        if len(path) > 1 and not is_told(path, told)
    }
    assert outcome_of(verify(out)) != "fail"
    for path, changed in tampered.items():
        file.write_text(json.dumps(facts | changed), encoding="utf-8")
        with contextlib.suppress(ReleaseBroken):
            passed += [path] if outcome_of(verify(out)) != "fail" else []
    assert passed == []
    assert {("solver", "name"), ("solver", "seed"), ("solver", "settings")} <= tampered.keys()
