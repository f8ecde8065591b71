"""The suite's own rules: engines are read from names, units of work stay together, and no skip goes
unnoticed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from engine_names import engines_of, read_engines, require_named, split
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
