"""The survey as a whole, on odd tables and with the real engine."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from sfumato.engines import FieldKind, open_source
from sfumato.errors import SourceError
from sfumato.policy.records import Role
from sfumato.surveys import LooksLike, propose_policy, survey


def hospital(rows: int) -> pd.DataFrame:
    chance = random.Random(11)
    return pd.DataFrame(
        {
            "patient_id": [f"P{chance.randrange(rows):06d}" for _ in range(rows)],
            "Birth Date": [
                f"19{chance.randrange(30, 99)}-{chance.randrange(1, 13):02d}-15"
                for _ in range(rows)
            ],
            "ZIP": [f"{chance.randrange(2100, 2200):05d}" for _ in range(rows)],
            "sex": [chance.choice(["M", "F", None]) for _ in range(rows)],
            "diagnosis": [chance.choice(["J45.20", "E11.9", "I10"]) for _ in range(rows)],
            "charges": [round(chance.lognormvariate(8, 1), 2) for _ in range(rows)],
        }
    )


@pytest.mark.parametrize("as_file", [True, False])
def test_a_hospital_table_from_a_frame_and_from_a_file(tmp_path, as_file):
    frame = hospital(400)
    frame.to_csv(tmp_path / "hospital.csv", index=False)
    with open_source(tmp_path / "hospital.csv" if as_file else frame) as source:
        found = survey(source)
    assert [item.proposal.role for item in found.fields] == [
        Role.DIRECT, Role.QUASI, Role.QUASI, Role.QUASI, Role.SENSITIVE, Role.SENSITIVE,
    ]  # fmt: skip
    assert found.entity == "patient_id"
    assert found.title == ("hospital.csv" if as_file else "the frame")
    assert found.field("sex").missing == int(frame["sex"].isna().sum())
    assert found.field("ZIP").kind is FieldKind.TEXT
    assert found.field("charges").kind is FieldKind.REAL
    assert propose_policy(found).proposed


def test_typed_fields(tmp_path):
    frame = pd.DataFrame(
        {
            "admitted": pd.to_datetime(["2001-01-31 10:00", "2002-02-28 11:30", None]),
            "adult": [True, False, True],
            "weight": [70.5, 80.25, 61.0],
        }
    )
    with open_source(frame) as source:
        found = survey(source)
    assert found.field("admitted").looks_like is LooksLike.DATE
    assert "day" in found.field("admitted").proposal.hierarchy["dates"]
    assert found.field("adult").kind is FieldKind.BOOLEAN
    assert found.field("weight").proposal.role is Role.QUASI


def test_one_row(survey_of):
    found = survey_of({"name": ["Ann Smith"], "zip": ["02138"], "x": [None]})
    assert (found.rows, len(found.fields)) == (1, 3)
    assert found.field("zip").unique_share == 1
    with pytest.raises(SourceError, match="It is about 1 person"):
        propose_policy(found)


def test_no_rows(tmp_path):
    (tmp_path / "empty.csv").write_text("name,zip\n", encoding="utf-8")
    with open_source(tmp_path / "empty.csv") as source:
        found = survey(source)
    assert found.rows == 0
    assert found.field("zip").unique_share == found.field("zip").missing_share == 0
    with pytest.raises(SourceError, match="It is about 0 people"):
        propose_policy(found)


def test_names_and_values_in_any_script(survey_of):
    found = survey_of(
        {
            "имя": ["Иван", "Анна", "Олег", "Ольга", "Пётр"],
            "出生日期": ["1965-09-20", "1964-02-29", "1970-01-31", "1971-12-24", "1980-07-01"],
            'a "b" c': [*"äöüßé"],
        }
    )
    assert [item.name for item in found.fields] == ["имя", "出生日期", 'a "b" c']
    assert found.field("出生日期").looks_like is LooksLike.DATE
    assert propose_policy(found).fields['a "b" c'].name == 'a "b" c'


def test_progress_is_told_from_nought_to_one(survey_of):
    told: list[tuple[str, float]] = []
    survey_of(
        {"a": ["x", "y"], "b": ["1", "2"]}, progress=lambda what, share: told.append((what, share))
    )
    assert told[0] == ("fields", 0.0)
    assert told[-1] == ("done", 1.0)
    assert all(0 <= share <= 1 for _, share in told)


def test_combinations_need_at_least_one_field(survey_of):
    with pytest.raises(SourceError, match="max_combination"):
        survey_of({"a": ["x"]}, max_combination=0)
    assert all(
        len(item.fields) == 1
        for item in survey_of({"a": ["x", "y"]}, max_combination=1).uniqueness.counted
    )


def test_warnings_say_what_to_look_at(survey_of):
    found = survey_of(
        {
            "dob": ["1965-09-20", "1964-02-29"],
            "admission": ["2001-09-20", "2001-02-28"],
            "comment": ["He came in on a Monday and left.", "She came in on a Friday and left."],
            "qqq": ["ab", "cd"],
        }
    )
    warned = " ".join(found.warnings)
    assert "dob, admission are dates of one row" in warned
    assert "comment is free text" in warned
    assert "1 field is an open question" in warned
    assert found.open_questions == ("qqq",)
    assert "The source has 2 rows" in warned
