"""Whole releases whose kept cells have types that Parquet or JSON would change."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

import sfumato
from sfumato.cli import main
from sfumato.engines import open_source

POLICY = """
[fields]
sex = "quasi"
amount = {{ role = "{role}" }}

[require]
k = 2
"""
WIDEST = 2**127 - 1


def released(source: Path, role: str, file_format: str) -> tuple[dict[str, object], Path]:
    """The manifest and the table of a release that passes."""
    folder = source.parent
    (folder / "policy.toml").write_text(POLICY.format(role=role), encoding="utf-8")
    target = folder / "release"
    options = [
        "--policy",
        str(folder / "policy.toml"),
        "--to",
        str(target),
        "--format",
        file_format,
    ]
    assert main(["release", str(source), *options]) == 0
    return json.loads(
        (target / "manifest.json").read_text(encoding="utf-8")
    ), target / f"release.{file_format}"


def sums(folder: Path, amounts: list[int]) -> Path:
    path = folder / "sums.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE sums (sex VARCHAR, amount HUGEINT)")
        for number, amount in enumerate(amounts):
            database.execute(
                "INSERT INTO sums VALUES (?, CAST(? AS HUGEINT))", ["fm"[number % 2], str(amount)]
            )
    return path


def test_sums_of_128_bits_are_decimals_in_parquet(tmp_path: Path) -> None:
    amounts = [2**70 + 1, -5, 2**70 + 3, 7]
    facts, table = released(sums(tmp_path, amounts), "insensitive", "parquet")
    found = pyarrow.parquet.read_table(table)["amount"]
    assert found.type == pyarrow.decimal128(38, 0)
    assert sorted(map(int, found.to_pylist())) == sorted(amounts)
    assert not [said for said in facts["warnings"] if "Written as text" in said]


def test_wider_ones_are_text_and_the_manifest_warns(tmp_path: Path) -> None:
    amounts = [WIDEST, -WIDEST, 1, 2]
    facts, table = released(sums(tmp_path, amounts), "insensitive", "parquet")
    assert sorted(pyarrow.parquet.read_table(table)["amount"].to_pylist()) == sorted(
        map(str, amounts)
    )
    expected = (
        "Written as text, because Parquet has no type that holds every value unchanged: amount."
    )
    assert expected in facts["warnings"]


def test_in_csv_everything_is_text_and_nobody_is_warned(tmp_path: Path) -> None:
    facts, table = released(sums(tmp_path, [WIDEST, 1, 2, 3]), "insensitive", "csv")
    assert str(WIDEST) in table.read_text(encoding="utf-8")
    assert not [said for said in facts["warnings"] if "Written as text" in said]


@pytest.mark.long("a release for each role, format and number; each fifth stays", every=5)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive"])
@pytest.mark.parametrize("file_format", ["csv", "parquet"])
@pytest.mark.parametrize("amounts", [(-1, 2**63 + 5), (-1, 3), (0.0, -0.0), (10**30 + 1, -7)])
def test_numbers_of_json_are_released(
    amounts: tuple[float, float], role: str, file_format: str, tmp_path: Path
) -> None:
    source = tmp_path / "amounts.json"
    rows = [{"sex": "f", "amount": amounts[number // 2 % 2]} for number in range(8)]
    source.write_text(json.dumps(rows), encoding="utf-8")
    _, table = released(source, role, file_format)
    with duckdb.connect() as database:
        read = "read_csv(?, all_varchar = true)" if file_format == "csv" else "read_parquet(?)"
        cells = database.execute(
            f"SELECT CAST(amount AS VARCHAR) FROM {read}", [str(table)]
        ).fetchall()
    assert Counter(cell for (cell,) in cells) == Counter(str(row["amount"]) for row in rows)


def test_what_excel_cannot_hold_is_text_and_said(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        shown = (
            "TIMESTAMPTZ '2020-01-01 10:00:00+02' AS z, '\\xAA'::BLOB AS b, TIMESTAMP "
            "'2020-01-01 00:00:00.123456' AS m"
        )
        database.execute(f"CREATE TABLE t AS SELECT i % 2 AS g, {shown} FROM range(4) r(i)")
    policy = tmp_path / "policy.toml"
    fields = 'g = "quasi"\nz = "insensitive"\nb = "insensitive"\nm = "insensitive"\n'
    policy.write_text(f"[fields]\n{fields}[require]\nk = 2\n", encoding="utf-8")
    options = ["--policy", str(policy), "--to", str(tmp_path / "out"), "--format", "xlsx"]
    assert main(["release", str(tmp_path / "x.duckdb"), *options]) == 0
    manifest = (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    assert "Excel has no type that holds every value unchanged: z, b, m." in manifest
    with open_source(tmp_path / "out" / "release.xlsx") as engine:
        values = engine.frequencies(("z", "b", "m")).values
    assert values == (("2020-01-01 08:00:00+00",), ("\\xAA",), ("2020-01-01 00:00:00.123456",))


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_a_bin_of_one_zero_is_left_out_and_that_of_the_other_stays(
    file_format: str, tmp_path: Path
) -> None:
    """0.0 and -0.0 are equal numbers and different cells; DuckDB answers a question about one of
    them for both."""
    path = tmp_path / "zeros.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE zeros (sex VARCHAR, amount DOUBLE)")
        cells = [-0.0] * 4 + [0.0] + [1.5] * 4
        database.executemany("INSERT INTO zeros VALUES ('f', ?)", [[cell] for cell in cells])
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[fields]\nsex = "insensitive"\namount = "quasi"\n[require]\nk = 2\nmax_suppression = 0.2\n'
    )
    made = sfumato.release(path, policy, to=tmp_path / "out", file_format=file_format)
    with duckdb.connect() as database:
        read = "read_csv(?, all_varchar = true)" if file_format == "csv" else "read_parquet(?)"
        found = database.execute(
            f"SELECT CAST(amount AS VARCHAR) FROM {read}", [str(made.table)]
        ).fetchall()
    assert Counter(cell for (cell,) in found) == {"-0.0": 4, "1.5": 4}
