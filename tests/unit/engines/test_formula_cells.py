"""Cells that a spreadsheet would run are quoted without loss, counted, warned of and accounted
for."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines import open_source
from sfumato.engines.formula_cells import is_formula, quote, quote_file, unquote
from sfumato.policy import policy_from_table
from sfumato.releases import release, verify

CELLS = st.text(alphabet="'=+-@\t\r\n,\"12.e ab", max_size=8)


@given(CELLS)
def test_quoting_loses_nothing_and_leaves_nothing_to_run(cell: str) -> None:
    assert unquote(quote(cell)) == cell
    assert not is_formula(quote(cell))


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_a_quoted_file_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("quoted") / "x.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([("=a", "b"), *rows])
    quote_file(path)
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    assert not any(is_formula(cell) for row in found for cell in row)
    assert [tuple(map(unquote, row)) for row in found] == [("=a", "b"), *rows]


NOTES = ["=HYPERLINK(0)", "@x", "plain", "-5"]


def people(folder: Path) -> Path:
    path = folder / "people.csv"
    rows = "".join(f"{n % 2},{NOTES[n % 4]},{n % 3}\n" for n in range(48))
    path.write_text(f"sex,=note,ill\n{rows}", encoding="utf-8")
    return path


POLICY = {
    "fields": {"sex": "quasi", "=note": "insensitive", "ill": "sensitive"},
    "require": {"k": 2},
}


def test_a_release_in_csv_warns_of_formulas(tmp_path: Path) -> None:
    made = release(people(tmp_path), policy_from_table(POLICY), to=tmp_path / "out")
    (warning,) = [text for text in made.manifest["warnings"] if "spreadsheet" in text]
    assert warning.startswith(
        "A spreadsheet would run 24 cells (24 in =note) and 1 name as formulas."
    )
    assert "HYPERLINK" not in json.dumps(made.manifest)


def test_a_release_in_parquet_does_not(tmp_path: Path) -> None:
    made = release(
        people(tmp_path), policy_from_table(POLICY), to=tmp_path / "out", file_format="parquet"
    )
    assert not any("spreadsheet" in text for text in made.manifest["warnings"])


@pytest.mark.parametrize("by_policy", [True, False])
def test_quoted_formulas_are_taken_off_before_anything_is_counted(
    tmp_path: Path, by_policy: bool
) -> None:
    policy = policy_from_table(POLICY | ({"quote_formulas": True} if by_policy else {}))
    made = release(people(tmp_path), policy, to=tmp_path / "out", quote_formulas=not by_policy)
    assert isinstance(made.table, Path)
    with made.table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["sex", "'=note", "ill"]
    assert {row[1] for row in rows[1:]} == {"'=HYPERLINK(0)", "'@x", "plain", "-5"}
    assert not [check for check in verify(made.folder) if check.outcome == "fail"]
    assert made.manifest["policy"]["quote_formulas"] is True
    with open_source(made.table, quoted_formulas=True) as engine:
        assert engine.frequencies(("=note",)).values == (("-5", "=HYPERLINK(0)", "@x", "plain"),)


def test_several_rows_per_person_are_quoted_too(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(
        "who,sex,note\n" + "".join(f"{n // 2},x,=1\n" for n in range(40)), encoding="utf-8"
    )
    policy = policy_from_table(
        {
            "entity": "who",
            "quote_formulas": True,
            "fields": {
                "who": {"role": "direct", "replace": "number"},
                "sex": "quasi",
                "note": "insensitive",
            },
            "require": {"k": 2},
        }
    )
    made = release(path, policy, to=tmp_path / "out")
    (table,) = made.tables.values()
    assert "'=1" in Path(table).read_text(encoding="utf-8")
    assert any("they have an apostrophe in front" in text for text in made.manifest["warnings"])
    assert not [check for check in verify(made.folder) if check.outcome == "fail"]
