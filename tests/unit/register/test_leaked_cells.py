"""Leaked cells beside released labels: a row is ruled out only where that is proven."""

from __future__ import annotations

import pytest

from sfumato.engines import open_source
from sfumato.register import LeakedRows
from sfumato.register.leaked_cells import FieldTreatment, day_spans

KEPT = FieldTreatment(is_kept=True)
TOWNS = FieldTreatment(made_by={"tree": {"south": ["leiden", "delft"], "north": ["assen"]}})
DATES = FieldTreatment(made_by={"dates": ["year", "5 years"]})


def fits(folder, leaked, released, **treatments):
    (folder / "rows.csv").write_text(leaked)
    (folder / "release.csv").write_text(released)
    with open_source(folder / "release.csv") as table:
        rows = LeakedRows.read(folder / "rows.csv")
        found = rows.fits([table], known=treatments, treatments=[treatments])
    return found.occurs, found.coarser, found.unclear, found.is_ruled_out


IN_IT, MAY_BE, OPEN, ABSENT = (1, 0, 0, False), (0, 1, 0, False), (0, 0, 1, False), (0, 0, 0, True)


@pytest.mark.parametrize(
    ("leaked", "expected"),
    [
        ("f,leiden", MAY_BE),  # leiden occurs, for others
        ("f,Leiden ", MAY_BE),
        ("f,delft", MAY_BE),
        ("m,leiden", IN_IT),
        ("o,assen", MAY_BE),
        ("f,assen", ABSENT),  # The north occurs, for others.
        ("o,leiden", ABSENT),
        ("f,berlin", OPEN),  # It occurs nowhere, and may be written otherwise.
        ("x,assen", OPEN),
        ("f,", OPEN),  # An empty cell says nothing.
    ],
)
def test_local_recoding_by_a_named_tree(tmp_path, leaked, expected):
    released = "sex,town\nf,south\nm,leiden\no,north\n"
    found = fits(tmp_path, f"sex,town\n{leaked}\n", released, sex=KEPT, town=TOWNS)
    assert found == expected


@pytest.mark.parametrize(
    "treatment",
    [
        FieldTreatment(),  # noise, a swap, a file of another tool
        FieldTreatment(made_by={"tree": {"south": ["delft"]}}),  # which does not have the value
    ],
)
def test_a_field_that_was_changed_in_unknown_ways_rules_nothing_out(tmp_path, treatment):
    released = "sex,town\nf,south\nm,leiden\n"
    assert fits(tmp_path, "sex,town\nf,leiden\n", released, sex=KEPT, town=treatment) == OPEN


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ('"1,100"', MAY_BE), ("1.100", MAY_BE), ("1 100", MAY_BE), ("1100.00", IN_IT),
        ("1.1", ABSENT), ('"1,1"', ABSENT), ("", OPEN),
    ],
)  # fmt: skip
def test_every_reading_of_a_number_counts(tmp_path, cost, expected):
    released = "a,cost\nx,1100\ny,1.1\n"
    assert fits(tmp_path, f"a,cost\nx,{cost}\n", released, a=KEPT, cost=KEPT) == expected


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("1980-01-03", IN_IT), ("03/01/1980", MAY_BE), ("01/03/1980", MAY_BE), ("3 Jan 80", MAY_BE),
        ("19800103", MAY_BE), ("29223", MAY_BE), ("1980", MAY_BE), ("1980-03-01", ABSENT),
        ("1 March 1980", ABSENT), ("1981-03-01", OPEN),
    ],
)  # fmt: skip
def test_every_reading_of_a_date_counts(tmp_path, day, expected):
    released = "a,day\nx,1980-01-03\ny,1980-03-01\n"
    assert fits(tmp_path, f"a,day\nx,{day}\n", released, a=KEPT, day=KEPT) == expected


def test_released_dates_in_another_order(tmp_path):
    released = "a,day\nx,03/01/1980\ny,01/03/1980\n"
    assert fits(tmp_path, "a,day\nx,01/03/1980\n", released, a=KEPT, day=KEPT) == MAY_BE


@pytest.mark.parametrize(
    ("day", "expected"),
    [("1982-05-06", MAY_BE), ("06.05.1982", MAY_BE), ("1991-05-06", ABSENT), ("1971-05-06", OPEN)],
)
def test_a_day_is_compared_with_years(tmp_path, day, expected):
    released = "a,day\nx,1980-1984\ny,1991\n"
    assert fits(tmp_path, f"a,day\nx,{day}\n", released, a=KEPT, day=DATES) == expected


def test_numbers_are_not_taken_for_dates(tmp_path):
    released = "a,pay\nx,29281\ny,1980\n"  # 29281 is a day of 1980 in a spreadsheet.
    assert fits(tmp_path, "a,pay\nx,1980\n", released, a=KEPT, pay=KEPT) == ABSENT


def test_a_suppressed_row_may_be_anybody(tmp_path):
    released = "sex,town\n*,*\nm,leiden\nf,delft\n"
    hidden = FieldTreatment(made_by={"suppress": True})
    assert fits(tmp_path, "sex,town\nf,leiden\n", released, sex=hidden, town=hidden) == OPEN


def test_treatments_are_those_of_the_manifest():
    manifest = {
        "tables": {
            "t": {
                "fields": {
                    "a": "kept as it is",
                    "b": "generalised in 4 of 44 rows",
                    "c": "generalised to year (level 1 of 2)",
                    "d": "generalised bin by bin",
                    "e": "kept as it is; 5 % of the cells were swapped",
                }
            }
        },
        "hierarchies": {
            "b": {"made_by": {"prefix": [3]}},
            "c": {"made_by": "tree.csv"},
            "d": {"made_by": {"prefix": [3]}},
        },
    }
    assert FieldTreatment.of(manifest, "t") == {
        "a": KEPT,
        "b": FieldTreatment(made_by={"prefix": [3]}),
        "c": FieldTreatment(),
        "d": FieldTreatment(),
        "e": FieldTreatment(),
    }


def test_spans_of_days():
    assert [len(day_spans(each)) for each in ("1980", "1980-03", "1980-Q1", "3/1980", "x")] == [
        1, 1, 1, 1, 0,
    ]  # fmt: skip
    (first, last), = day_spans("1980-01..1980-02")  # fmt: skip
    assert last - first + 1 == 31 + 29
