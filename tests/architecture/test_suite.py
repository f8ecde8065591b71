"""The suite's own rules: engines are read from names, units of work stay together, long tests have
a reason and are run by CI, and no skip goes unnoticed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from engine_names import engines_of, read_engines, require_named, split
from long_tests import long_places, without_cells
from skip_reasons import SkipAudit, is_expected
from work_units import SPARK, slow_units, unit_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "engines"),
    [
        ("tests/contracts/test_engines.py::test_rows[postgres-view]", {"postgres"}),
        ("tests/contracts/test_releases.py::test_same[calm-spark]", {"spark"}),
        ("tests/contracts/test_kept_cells.py::test_noughts[_noughts_in_duckdb]", {"duckdb"}),
        ("tests/unit/engines/test_spark_text.py::test_a_text", {"spark"}),
        ("tests/unit/engines/test_sparkle.py::test_sparks", set()),
        ("tests/unit/text/test_reference.py::test_a_reference_number[a:b[c]]", set()),
        ("tests/unit/spark/test_other.py::test_other", set()),
        ("src/sfumato/engines/reading.py::sfumato.engines.reading", set()),
    ],
)
def test_engines_are_read_from_the_name_of_a_test(name, engines):
    assert engines_of(name) == engines


def test_a_test_of_an_engine_that_was_not_chosen_is_left_out():
    names = ["t.py::a[duckdb]", "t.py::a[spark]", "t.py::b", "t.py::c[postgres-spark]"]
    assert split(names, read_engines("duckdb,reference")) == ([0, 2], {"spark": 2, "postgres": 1})
    assert split(names, read_engines("duckdb, postgres,reference,spark"))[0] == [0, 1, 2, 3]


@pytest.mark.parametrize("text", ["", ",", "duckdb,oracle"])
def test_engines_that_are_unknown_are_refused(text):
    with pytest.raises(ValueError, match="--engines names"):
        read_engines(text)


def test_a_server_starts_only_for_a_test_that_names_its_engine(monkeypatch):
    with pytest.raises(AssertionError, match="starts spark, and its name does not say so"):
        require_named("spark")
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/a.py::test_a[spark parquet] (setup)")
    require_named("spark")


def test_spark_is_one_unit_of_work_and_a_file_is_one():
    assert {unit_of("tests/a.py::test_a[spark-csv]"), unit_of("tests/b.py::test_spark")} == {SPARK}
    assert (
        unit_of("tests/a.py::test_a[duckdb]")
        == unit_of("tests/a.py::Tests::test_b")
        == "tests/a.py"
    )


def test_slow_files_start_first_and_are_there():
    found = slow_units()
    assert found[0] == SPARK
    assert len(found) > 10
    assert [name for name in found[1:] if not (ROOT / name).is_file()] == []


# ------------------------------------------------------------------------------------------------------------
# long tests


def item(name: str, *marks: pytest.MarkDecorator) -> SimpleNamespace:
    return SimpleNamespace(nodeid=name, iter_markers=lambda _: [each.mark for each in marks])


def test_a_long_test_is_left_out_and_named_cells_of_it_stay():
    whole, named = pytest.mark.long("a flood of all doors"), pytest.mark.long
    some = named("every engine takes long", but=("duckdb", "people-*"))
    items = [item("t.py::a", whole), item("t.py::b"), item("t.py::c[duckdb]", some)]
    items += [item("t.py::c[people-spark]", some), item("t.py::c[duckdb-csv]", some)]
    assert long_places(items) == {0, 4}
    assert long_places([item("t.py::c[duckdb]", some, whole)]) == {0}


def test_cells_that_a_mark_promises_and_nobody_has_are_noticed():
    mark = pytest.mark.long("every engine takes long", but=("duckdb",))
    items = [item("t.py::a[spark]", mark), item("t.py::b", pytest.mark.long("a flood of doors"))]
    assert without_cells(items, long_places(items)) == ["t.py::a"]
    items.append(item("t.py::a[duckdb]", mark))
    assert without_cells(items, long_places(items)) == []


def test_each_third_cell_of_a_cross_stays():
    mark = pytest.mark.long("a cross of many parts", every=3)
    items = [item(f"t.py::{name}[{cell}]", mark) for name in "ab" for cell in range(4)]
    assert long_places(items) == {1, 2, 5, 6}


@pytest.mark.parametrize(
    "mark",
    [
        pytest.mark.long,
        pytest.mark.long("slow"),
        pytest.mark.long("a flood of doors", butt=("a",)),
    ],
)
def test_a_long_mark_without_a_reason_stops_the_run(mark):
    with pytest.raises(ValueError, match="a is marked long without a reason"):
        long_places([item("t.py::a", mark)])


def long_marks() -> Iterator[tuple[Path, ast.expr]]:
    """Every place in the tests that marks a test as long, except for those of this file."""
    for file in sorted((ROOT / "tests").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "mark.long" in text and file != Path(__file__):
            tree = ast.parse(text)
            calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.long":
                    yield file, calls.get(id(node), node)


def test_every_long_test_has_a_reason_and_the_tests_that_it_names_are_there():
    """The reason says what takes long, and what of it stays in `make test`."""
    missing, lost = [], []
    for file, mark in long_marks():
        place = f"{file.relative_to(ROOT)}:{mark.lineno}"
        given = mark.args[0] if isinstance(mark, ast.Call) and mark.args else None
        reason = given.value if isinstance(given, ast.Constant) else ""
        if not isinstance(reason, str) or len(reason.split()) < 3 or len(reason.split()) > 25:
            missing.append(place)
            continue
        for named in re.findall(r"[\w/]+\.py", reason):
            folder = ROOT if named.startswith("tests/") else file.parent
            lost += [f"{place}: {named}"] if not (folder / named).is_file() else []
    assert (missing, lost) == ([], [])


def test_ci_runs_the_long_tests_after_the_others():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines[-2:] == ["make test", "make long"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^long:.*\n\t.*pytest.* --long$", makefile, re.MULTILINE)


# ------------------------------------------------------------------------------------------------------------
# skips


def skipped(reason: str, **more: object) -> SimpleNamespace:
    return SimpleNamespace(
        nodeid="tests/a.py::test_a[1]", skipped=True, longrepr=("a.py", 1, reason), **more
    )


@pytest.mark.parametrize(
    ("reason", "status"), [("left out: SFUMATO_DATA has no data sets", 0), ("no time", 1)]
)
def test_a_skip_that_nobody_expects_fails_the_run(reason, status):
    audit, session = SkipAudit(), SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    audit.pytest_runtest_logreport(skipped(f"Skipped: {reason}"))
    audit.pytest_sessionfinish(session)
    assert session.exitstatus == status


def test_a_module_that_is_skipped_counts_and_an_expected_failure_does_not():
    audit = SkipAudit()
    audit.pytest_runtest_logreport(skipped("not yet", wasxfail="not yet"))
    assert not audit.unexpected
    audit.pytest_collectreport(skipped("could not import 'duckdb'"))
    assert audit.unexpected == {("tests/a.py::test_a", "could not import 'duckdb'"): 1}


def test_a_package_that_is_not_installed_is_no_reason():
    """The development extra installs every package that a test imports."""
    assert not is_expected("could not import 'pandas': No module named 'pandas'")
    assert not is_expected("unconditional skip")


def test_every_connection_to_sqlite_is_closed():
    """`with` on a connection commits and does not close; Python 3.13 warns of one that is left
    open."""
    bare = "with sqlite3" + ".connect("
    files = (
        file for room in ("src", "tests", "benchmarks") for file in (ROOT / room).rglob("*.py")
    )
    assert [
        str(file.relative_to(ROOT)) for file in files if bare in file.read_text(encoding="utf-8")
    ] == []
