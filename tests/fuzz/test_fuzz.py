"""A small budget of the fuzzer in every run of the tests; `python -m tests.fuzz` takes hours where
they are given."""

from __future__ import annotations

import ast
import csv
import json
from pathlib import Path

import pytest
from tests.fuzz.additions import after_steps
from tests.fuzz.cases import Case, Result, run
from tests.fuzz.recount import Release, _identifiers, _kept_cells

FIRST, CASES = 10, 24
"""Of these at least four in five are released; which ones they are does not change from run to
run."""
HERE = Path(__file__).parent
OWN = (
    "additions.py",
    "cells.py",
    "ladders.py",
    "linked_cases.py",
    "policies.py",
    "recount.py",
    "requirements.py",
    "tables.py",
)


MORE = pytest.mark.long("a release for each case; the first ten cases stay")


@pytest.fixture(
    scope="module",
    params=[range(FIRST), pytest.param(range(FIRST, CASES), marks=MORE)],
    ids=["first", "more"],
)
def results(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Result]:
    folder = tmp_path_factory.mktemp("fuzz")
    return [run(f"tests-{number}", folder / str(number)) for number in request.param]


def test_no_release_contradicts_its_policy_its_source_or_its_manifest(
    results: list[Result],
) -> None:
    assert {result.seed: result.contradictions for result in results if result.contradictions} == {}


def test_most_cases_are_released(results: list[Result]) -> None:
    refused = {result.seed: result.refusal for result in results if result.outcome != "released"}
    assert len(refused) <= len(results) // 5, refused


def test_a_case_is_the_same_whenever_its_seed_is(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        Case.of("tests-0").write(tmp_path / name)
        texts = [
            path.read_bytes()
            for path in sorted((tmp_path / name).iterdir())
            if path.name != "command.json"
        ]
        written.append(texts)
    assert written[0] == written[1]


@pytest.mark.parametrize("name", OWN)
def test_the_recount_shares_nothing_with_the_product(name: str) -> None:
    tree = ast.parse((HERE / name).read_text(encoding="utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [
        each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names
    ]
    assert not [module for module in imported if module.startswith("sfumato")]


def test_every_addition_is_among_the_first_cases() -> None:
    cases = [Case.of(f"tests-{number}") for number in range(100)]
    assert any(case.compressed for case in cases)
    assert {"xlsx"} <= {case.source_format for case in cases} & {
        case.options[-1] for case in cases if case.options
    }
    assert any(column.kind == "text" for case in cases for column in case.table.columns)
    steps = [step["technique"] for case in cases for step in case.policy.get("steps", ())]
    assert {*steps} == {"round", "swap"}


@pytest.mark.parametrize(
    ("released", "found"),
    [
        ({"note": "Seen: [name].", "job": "cook", "age": "40"}, ""),
        ({"note": "Seen: Zq-1.", "job": "cook", "age": "40"}, "identifiers: an original"),
        ({"note": "Seen: [name].", "job": "judge", "age": "40"}, "moved cells"),
        ({"note": "Seen: [name].", "job": "cook", "age": "42"}, "kept cells"),
    ],
)
def test_the_recount_looks_into_texts_and_behind_steps(
    released: dict[str, str], found: str, tmp_path: Path
) -> None:
    fields = {"who": "direct", "note": "text", "job": "insensitive", "age": "insensitive"}
    steps = [
        {"technique": "swap", "fields": ["job"]},
        {"technique": "round", "fields": ["age"], "base": 10},
    ]
    policy = {
        "fields": {name: {"role": role} for name, role in fields.items()},
        "steps": steps,
        "require": {},
    }
    source = [{"who": "Zq-1", "note": "Seen: Zq-1.", "job": "cook", "age": "42"}]
    (tmp_path / "manifest.json").write_text(
        json.dumps({"tables": {"release": {"file": "release.csv"}}})
    )
    with (tmp_path / "release.csv").open("w", newline="") as file:
        csv.writer(file).writerows([released, released.values()])
    release = Release(folder=tmp_path, policy=policy, source=after_steps(source, policy))
    said = [*_identifiers(release), *_kept_cells(release)]
    assert [each for each in said if not found or not each.startswith(found)] == []
    assert bool(said) == bool(found)
