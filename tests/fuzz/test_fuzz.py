"""A small budget of the fuzzer in every run of the tests; `python -m tests.fuzz` takes hours where they are given."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.fuzz.cases import Case, Result, run

CASES = 24
"""Of these at least four in five are released; which ones they are does not change from run to run."""
HERE = Path(__file__).parent
OWN = ("cells.py", "ladders.py", "linked_cases.py", "policies.py", "recount.py", "requirements.py", "tables.py")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    folder = tmp_path_factory.mktemp("fuzz")
    return [run(f"tests-{number}", folder / str(number)) for number in range(CASES)]


def test_no_release_contradicts_its_policy_its_source_or_its_manifest(results: list[Result]) -> None:
    assert {result.seed: result.contradictions for result in results if result.contradictions} == {}


def test_most_cases_are_released(results: list[Result]) -> None:
    refused = {result.seed: result.refusal for result in results if result.outcome != "released"}
    assert len(refused) <= CASES // 5, refused


def test_a_case_is_the_same_whenever_its_seed_is(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        Case.of("tests-0").write(tmp_path / name)
        texts = [path.read_bytes() for path in sorted((tmp_path / name).iterdir()) if path.name != "command.json"]
        written.append(texts)
    assert written[0] == written[1]


@pytest.mark.parametrize("name", OWN)
def test_the_recount_shares_nothing_with_the_product(name: str) -> None:
    tree = ast.parse((HERE / name).read_text(encoding="utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
    assert not [module for module in imported if module.startswith("sfumato")]
