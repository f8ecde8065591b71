"""The gate from R: DBI with a driver of PostgreSQL, and dbplyr, which writes the queries itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from gates import people
from wires import PASSWORD, Wire, a_wire

from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.settings import Audience, Mode, Terms

pytestmark = pytest.mark.long("R starts slowly; test_gate_wire.py asks as psql and psycopg do")

R = shutil.which("Rscript")
HAS = (
    "q(status = !(requireNamespace('DBI') && (requireNamespace('RPostgres') || "
    "requireNamespace('RPostgreSQL'))))"
)
if R is None or subprocess.run([R, "-e", HAS], capture_output=True, timeout=600).returncode:
    pytest.skip("left out: no R with DBI and a driver of PostgreSQL", allow_module_level=True)


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    terms = Terms(mode=Mode.EITHER, audience=Audience.PERSON)
    with a_wire(tmp_path_factory.mktemp("gate"), rows=people(1_000), terms=terms) as found:
        yield found


@pytest.fixture(scope="module")
def came(wire: Wire) -> dict[str, str]:
    """What came out of the script, by name."""
    assert R is not None
    script = Path(__file__).with_name("gate.R")
    done = subprocess.run(
        [R, "--vanilla", script, wire.host, str(wire.port), "ann", PASSWORD],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)


def words(text: str) -> list[str]:
    return text.split()


def test_what_there_is(came: dict[str, str]) -> None:
    assert came["tables"].strip() == "people"
    assert words(came["exists"]) == ["TRUE", "FALSE"]
    assert words(came["fields"]) == ["age", "town", "sex", "test", "cost"]


def test_rows_numbers_and_values(came: dict[str, str]) -> None:
    assert words(came["whole"])[:3] == [
        "1000",
        "6",
        "character",
    ]  # Five fields, and how they were answered.
    assert words(came["counted"]) == ["F", "M", "1000"]
    assert words(came["bound"]) == ["Bergen", "TRUE"]
    assert words(came["fetched"]) == ["5", "0"]
    assert words(came["within"]) == ["2"]


def test_refusals_are_told_and_leave_the_connection_as_it_was(
    wire: Wire, came: dict[str, str]
) -> None:
    assert came["direct"].strip()
    assert came["written"].strip()
    assert words(came["after"]) == ["1"]
    told = [
        entry.get("code")
        for entry in entries(wire.gate.audit.path)
        if entry["kind"] == "not admitted"
    ]
    assert {"never-shown", "not-a-question"} <= set(told)
    verify_chain(wire.gate.audit.path)


def test_dbplyr(came: dict[str, str]) -> None:
    if "columns" not in came:
        pytest.skip("left out: R has no dbplyr")
    assert words(came["columns"]) == ["age", "town", "sex", "test", "cost"]
    assert words(came["filter"]) == ["TRUE"]
    assert words(came["groups"]) == ["F", "M"]
    assert [came[name].strip() for name in ("mean", "head", "distinct")] == ["2", "5", "4"]
    assert [came[name].strip() for name in ("printed", "explained")] == ["TRUE", "TRUE"]
