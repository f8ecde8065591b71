"""Excel workbooks: cells keep their meaning both ways, nothing is a formula, and hostile files are
refused."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from sfumato.engines import FieldKind, open_source
from sfumato.errors import SourceError, TargetError
from sfumato.policy import policy_from_table
from sfumato.releases import release, verify

openpyxl = pytest.importorskip("openpyxl")


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


TABLE = [
    ["id", "age", "weight", "born", "seen", "zip", "well", "mixed", 2019],
    [1, 34, 70.5, date(1990, 2, 3), datetime(2020, 1, 2, 3, 4, 5), "02138", True, 1, "x"],
    [2, None, 80, date(1985, 11, 30), datetime(2021, 1, 2), "02139", False, "NA", "y"],
]


def test_numbers_dates_and_text_keep_their_meaning(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", people=TABLE)
    with open_source(path) as engine:
        kinds = {info.name: info.kind for info in engine.fields()}
        assert kinds == {
            "id": FieldKind.INTEGER,
            "age": FieldKind.INTEGER,
            "weight": FieldKind.REAL,
            "born": FieldKind.DATE,
            "seen": FieldKind.TIMESTAMP,
            "zip": FieldKind.TEXT,
            "well": FieldKind.BOOLEAN,
            "mixed": FieldKind.TEXT,
            "2019": FieldKind.TEXT,
        }
        values = {name: engine.frequencies((name,)).values[0] for name in kinds}
        (read,) = engine.snapshot().facts["read"]
    assert values["age"] == ("34", None)
    assert values["weight"] == ("70.5", "80.0")
    assert values["born"] == ("1985-11-30", "1990-02-03")
    assert values["seen"] == ("2020-01-02 03:04:05", "2021-01-02 00:00:00")
    assert values["zip"] == ("02138", "02139")
    assert values["mixed"] == ("1", "NA")
    assert read["sheet"] == "people"
    with open_source(path, null_words=("NA",)) as engine:
        assert (engine.profile("mixed").numbers, engine.profile("mixed").nulls) == (1, 1)


def test_one_of_several_sheets_is_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", a=[["x"], [1]], b=[["y"], [2]])
    with pytest.raises(SourceError, match=r"It has 2: a, b\."):
        open_source(path)
    with open_source(path, table="b") as engine:
        assert [info.name for info in engine.fields()] == ["y"]
    with open_source(path, sheet="a") as engine:
        assert [info.name for info in engine.fields()] == ["x"]


def test_headers_of_a_sheet(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", a=[["x", None, "x"], [1, 2, 3]])
    with pytest.raises(
        SourceError, match=r"Column 2 has no name\. 'x' is the name of columns 1 and 3\."
    ):
        open_source(path)
    with open_source(path, rename_headers=True) as engine:
        assert [info.name for info in engine.fields()] == ["x", "column_2", "x.1"]
    with open_source(path, header=False) as engine:
        assert engine.count_rows() == 2


def test_formulas_without_values_are_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", a=[["x", "y"], [1, "=A2+1"]])
    with pytest.raises(SourceError, match="1 cell was never calculated"):
        open_source(path)


def test_a_workbook_that_is_a_bomb(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", a=[["x"], [1]])
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed,
        packed.open("xl/bomb.xml", "w") as file,
    ):
        for _ in range(600):
            file.write(b"0" * (1 << 20))
    with pytest.raises(SourceError, match="unpacks to more than 512 MiB, which is the limit"):
        open_source(path)


POLICY = {
    "fields": {"sex": "quasi", "note": "insensitive", "n": "insensitive", "day": "insensitive"},
    "require": {"k": 2},
}
NUMBERS = [1, 2**60, 3, 4]


def test_a_release_as_a_workbook_holds_no_formula_and_is_verified(tmp_path: Path) -> None:
    notes = ["=1+1", "@x", "plain", "-5"]
    rows = [
        ["mf"[n % 2], notes[n % 4], NUMBERS[n % 4], date(2020, 1, 1 + n % 20)] for n in range(40)
    ]
    source = tmp_path / "x.csv"
    lines = "".join(",".join(map(str, row)) + "\n" for row in rows)
    source.write_text(f"sex,note,n,day\n{lines}", encoding="utf-8")
    made = release(source, policy_from_table(POLICY), to=tmp_path / "out", file_format="xlsx")
    assert str(made.table).endswith(".xlsx")
    assert not [check for check in verify(made.folder) if check.outcome == "fail"]
    cells = [cell for row in openpyxl.load_workbook(made.table).active.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert {cell.value for cell in cells} >= {"=1+1", "@x", "sex"}


def test_what_a_sheet_cannot_hold_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "x.csv"
    source.write_text("sex,note\n" + f"m,{'x' * 40_000}\n" * 4, encoding="utf-8")
    policy = policy_from_table(
        {"fields": {"sex": "quasi", "note": "insensitive"}, "require": {"k": 2}}
    )
    with pytest.raises(TargetError, match="at most 32,767 characters in a cell"):
        release(source, policy, to=tmp_path / "out", file_format="xlsx")
    assert not (tmp_path / "out").exists()


def test_numbers_beside_words_for_missing_values_stay_numbers(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["sex", "age", "note"],
        *([["f", 30 + n, "NA" if n else "x"] for n in range(4)]),
    ]
    path = workbook(tmp_path / "x.xlsx", people=[*rows, ["f", " NA", None]])
    fields = {"sex": "quasi", "age": "insensitive", "note": "insensitive"}
    policy = policy_from_table(
        {"fields": fields, "require": {"k": 2}, "source": {"null_words": ["NA"]}}
    )
    with open_source(path, policy=policy) as engine:
        assert {info.name: info.kind for info in engine.fields()}["age"] is FieldKind.INTEGER
    made = release(path, policy, to=tmp_path / "out", file_format="xlsx")
    cells = [
        row[1]
        for row in openpyxl.load_workbook(made.table).active.iter_rows(min_row=2, values_only=True)
    ]
    assert sorted(cells, key=str) == [30, 31, 32, 33, None]
