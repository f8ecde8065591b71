"""A frame in, a frame out: made in memory, counted itself, saved, assessed; nothing stays on
disk."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from people_frames import KINDS, ROWS, columns, frame, rows

import sfumato as sf
from sfumato.errors import Mistake, NoRecodingFound, PolicyError, SourceError

ASKED = {
    "quasi": ["age", "zip", "sex"],
    "sensitive": ["problem"],
    "insensitive": ["seen", "weight", "visits"],
    "k": 4,
    "l": 2,
}
CLASSES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "arrow": pa.Table,
    "duckdb relation": duckdb.DuckDBPyRelation,
}


@pytest.fixture(scope="module")
def made():
    return sf.release(frame("pandas"), **ASKED)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.mark.long("a release of each kind of frame; two kinds stay", but=("pandas", "polars"))
@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_that_came_in_comes_out(kind):
    made = sf.release(frame(kind), **ASKED)
    assert isinstance(made.frame, CLASSES[kind])
    assert made.outcome == "pass"
    found = rows(made.frame)
    assert len(found) == made.rows == len(made)
    assert set(found[0]) == set(columns()) - {"name"}
    bins = Counter((row["age"], row["zip"], row["sex"]) for row in found)
    assert min(bins.values()) >= 4
    kept = ("seen", "weight", "visits")
    if made.rows == ROWS:
        before = Counter(zip(*(columns()[name] for name in kept), strict=True))
        assert Counter(tuple(row[name] for name in kept) for row in found) == before


def test_unchanged_fields_keep_their_types_and_recoded_ones_are_text(made):
    frame_ = made.frame
    assert frame_["visits"].dtype == "int64"
    assert frame_["weight"].dtype == "float64"
    assert isinstance(frame_["seen"].iloc[0], date)
    assert pd.api.types.is_string_dtype(frame_["age"].dtype)
    assert frame_.index.equals(pd.RangeIndex(len(frame_)))


def test_a_category_has_no_value_of_a_suppressed_row():
    given = pd.DataFrame({"age": [30] * 6 + [95], "ward": [*"aabbab", "rare"]})
    given["ward"] = pd.Categorical(given["ward"], categories=["rare", "b", "a"], ordered=True)
    made = sf.release(given, quasi=["age"], insensitive=["ward"], k=3, max_suppression=0.2)
    dtype = made.frame["ward"].dtype
    assert (list(dtype.categories), dtype.ordered) == (["b", "a"], True)


def test_types_of_polars_and_arrow_come_back():
    given = pl.DataFrame(
        {
            "age": [30, 31] * 3,
            "ward": pl.Series(["a", "b"] * 3, dtype=pl.Enum(["rare", "a", "b"])),
            "small": pl.Series([1, 2] * 3, dtype=pl.Int8),
        }
    )
    found = sf.release(given, quasi=["age"], insensitive=["ward", "small"], k=2).frame
    assert found.schema["small"] == pl.Int8
    assert found.schema["ward"] == pl.Enum(["a", "b"])
    arrow = pa.table(
        {
            "age": [30, 31] * 3,
            "ward": pa.array(["a", "b"] * 3).dictionary_encode(),
            "large": pa.array(["x"] * 6, pa.large_string()),
        }
    )
    found = sf.release(arrow, quasi=["age"], insensitive=["ward", "large"], k=2).frame
    assert pa.types.is_dictionary(found.schema.field("ward").type)
    assert found.schema.field("large").type == pa.large_string()


def test_fields_that_nobody_named_are_surveyed_and_listed():
    made = sf.release(frame("pandas"), quasi=["age"], k=4)
    assert made.surveyed["name"].startswith("left out")
    others = set(columns()) - {"name", "age"}
    assert {name for name, why in made.surveyed.items() if why.startswith("quasi")} == others
    assert "name" not in made.frame
    for name in made.surveyed:
        assert name in repr(made)
    bins = Counter(tuple(row.values()) for row in rows(made.frame))
    assert min(bins.values()) >= 4


def test_a_sensitive_field_without_a_model_is_review():
    asked = {**ASKED, "l": None}
    made = sf.release(frame("pandas"), **asked)
    assert made.outcome == "review"
    assert "problem" in made.reviews[0]
    assert sf.release(frame("pandas"), made.policy.confirmed()).outcome == "pass"


def test_nobody_asked_for_protection_is_review():
    made = sf.release(frame("pandas"), quasi=["age", "zip", "sex"], insensitive=["seen"])
    assert (made.outcome, made.policy.require.k) == ("review", 5)


@pytest.mark.long("five releases of one table; each way by itself stays")
def test_keywords_dict_text_file_and_policy_make_the_same_release(made, tmp_path):
    path = made.policy.save(tmp_path / "policy.toml")
    as_dict = __import__("tomllib").loads(str(made.policy))
    for policy in (path, str(path), str(made.policy), as_dict, made.policy):
        again = sf.release(frame("pandas"), policy)
        assert [v.as_dict() for v in again.verdicts] == [v.as_dict() for v in made.verdicts]


def test_a_release_saves_reports_and_verifies(made, tmp_path):
    folder = made.save(tmp_path / "release")
    assert {path.name for path in folder.iterdir()} == {
        "release.parquet",
        "manifest.json",
        "report.html",
        "policy.toml",
    }
    assert all(check.outcome != "fail" for check in sf.verify(folder, digest=made.digest))
    assert all(check.outcome != "fail" for check in sf.verify(made))
    report = made.report(tmp_path / "r.html")
    assert stat.S_IMODE(report.stat().st_mode) == stat.S_IMODE(
        (folder / "report.html").stat().st_mode
    )
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert pd.read_parquet(folder / "release.parquet").shape == made.frame.shape


@pytest.mark.usefixtures("without_charts")
def test_a_release_in_memory_is_assessed(made):
    found = sf.assess(made, source=frame("pandas"), attacks=False)
    assert found.outcome in ("pass", "review")
    assert "release in memory" in repr(found)
    assert "<table>" in found._repr_html_()
    assert "/tmp" not in found.page()


def test_a_release_in_a_folder_has_a_frame_too(tmp_path):
    made = sf.release(frame("pandas"), **ASKED, to=tmp_path / "release", file_format="parquet")
    assert made.folder == tmp_path / "release"
    assert len(made.frame) == made.rows
    (made.folder / "manifest.json").write_text("{}")
    with pytest.raises(sf.errors.ReleaseBroken):
        made.frame  # noqa: B018


def test_a_release_of_csv_in_a_folder_has_a_frame_of_text(tmp_path):
    given = tmp_path / "given.csv"
    given.write_text('zip,"it\'s, so"\n' + '02138,"a, ""b"""\n02139,\n' * 3)
    made = sf.release(given, quasi=["zip"], insensitive=["it's, so"], k=2, to=tmp_path / "release")
    assert made.table.suffix == ".csv"
    cells = made.frame.sort_values(["zip", "it's, so"]).astype(object)
    assert cells.where(cells.notna(), None).to_numpy().tolist() == (
        [["02138", 'a, "b"']] * 3 + [["02139", None]] * 3
    )


def test_rows_of_the_frame_are_those_of_the_file(monkeypatch):
    """Cells that changed places within their fields are noticed."""
    from sfumato.releases import frame_recount

    true = frame_recount.read_released_frame

    def other(path: Path, like: object) -> pd.DataFrame:
        found = true(path, like)
        found["visits"] = sorted(found["visits"])
        return found

    monkeypatch.setattr(frame_recount, "read_released_frame", other)
    with pytest.raises(sf.errors.Bug, match="other rows than its file"):
        sf.release(frame("pandas"), **ASKED)


def test_nothing_stays_on_disk(temporary):
    sf.release(frame("duckdb relation"), **ASKED)
    with pytest.raises(NoRecodingFound):
        sf.release(
            frame("pandas"), quasi=["age", "zip", "sex"], k=40, max_suppression=0, solver="given"
        )
    assert list(temporary.iterdir()) == []


def test_nothing_stays_after_an_error_or_an_exit(temporary):
    program = (
        "import pandas as pd, sfumato as sf, sys, os\n"
        "def stop(stage):\n"
        "    if stage.startswith('counting what is handed out'):\n"
        "        modes = [oct(os.stat(os.path.join(at, f)).st_mode & 0o777)\n"
        "                 for at, _, fs in os.walk(os.environ['TMPDIR']) for f in fs if 'parquet' in f]\n"
        "        print(modes)\n"
        "        sys.exit(7)\n"
        "df = pd.DataFrame({'age': [30, 31] * 5, 'sex': ['f', 'm'] * 5})\n"
        "sf.release(df, quasi=['age', 'sex'], k=2, progress=stop)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 7, done.stderr
    assert done.stdout.strip() == "['0o600']"
    assert list(temporary.iterdir()) == []


def test_the_frame_itself_is_counted(monkeypatch):
    """A frame that is not its file is not handed out."""
    from sfumato.releases import frame_recount

    true = frame_recount.read_released_frame

    def other(path: Path, like: object) -> pd.DataFrame:
        found = true(path, like)
        found.loc[0, "visits"] = 99
        return found

    monkeypatch.setattr(frame_recount, "read_released_frame", other)
    with pytest.raises(sf.errors.Bug, match="other values than its file in visits"):
        sf.release(frame("pandas"), **ASKED)


@pytest.mark.long("a release for each kind of index; one stays", every=2)
@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_an_index_is_no_field(backend):
    given = frame("pandas").convert_dtypes(dtype_backend=backend).set_index("sex")
    asked = {**ASKED, "quasi": ["age", "zip"]}
    made = sf.release(given, **asked)
    assert "sex" not in made.frame.columns
    assert made.surveyed.keys() == {"name"}
    assert made.frame.index.name is None


def test_numbers_as_names_come_back():
    given = pd.DataFrame({0: [30, 31] * 3, 1: ["f", "m"] * 3})
    made = sf.release(given, quasi=[0, 1], k=2)
    assert list(made.frame.columns) == [0, 1]


def test_frames_of_several_tables_are_a_mapping():
    people = pd.DataFrame(
        {"id": [f"p{n}" for n in range(12)], "sex": ["f", "m"] * 6, "birth": ["1980-01-02"] * 12}
    )
    visits = pd.DataFrame(
        {"visit": range(24), "id": [f"p{n % 12}" for n in range(24)], "ward": ["a", "b"] * 12}
    )
    policy = {
        "entity": "people.id",
        "tables": {
            "people": {
                "key": "id",
                "fields": {
                    "id": {"role": "direct", "replace": "number"},
                    "sex": "quasi",
                    "birth": "quasi",
                },
            },
            "visits": {
                "links": {"id": "people.id"},
                "fields": {
                    "visit": "direct",
                    "id": {"role": "direct", "replace": "number"},
                    "ward": "insensitive",
                },
            },
        },
        "require": {"k": 3},
    }
    made = sf.release({"people": people, "visits": visits}, policy)
    assert set(made.frame) == {"people", "visits"}
    assert len(made.frame["visits"]) == 24
    assert "people (12 rows)" in repr(sf.survey({"people": people, "visits": visits}))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' is the name of columns 1 and 2"),
        (pd.DataFrame({("a", "b"): [1]}), "several levels"),
        (pd.DataFrame({"a": []}), "no row"),
        ([{"a": 1}], "type list is not read"),
    ],
)
def test_frames_that_are_no_table_are_refused(given, said):
    with pytest.raises(SourceError, match=said):
        sf.release(given, quasi=["a"], k=2)


def test_no_cell_is_in_a_repr(made):
    shown = "".join((repr(made), repr(made.policy), made._repr_html_(), made.policy._repr_html_()))
    found = sf.survey(frame("pandas"))
    shown += "".join((repr(found), found._repr_html_()))
    cells = {str(cell) for name in ("name", "zip", "seen") for cell in columns()[name]}
    assert not [cell for cell in cells if cell in shown]
    assert "pass" in made._repr_html_()
    assert "Precision" in made._repr_html_()


def test_a_frame_is_surveyed_and_its_policy_releases():
    found = sf.survey(frame("polars"))
    assert found.field("name").proposal.role == "direct"
    assert found.policy.proposed
    assert sf.release(frame("polars"), found.policy).outcome == "review"


def test_problems_of_keywords_are_told_at_once():
    with pytest.raises(PolicyError) as told:
        sf.release(frame("pandas"), quasi=["agee", "zip"], sensitive=["zip", "colour"], k=4)
    assert [problem.where for problem in told.value.problems] == ["quasi", "sensitive", "sensitive"]
    assert 'Did you mean "age"?' in str(told.value)


def test_a_policy_and_keywords_together_are_refused(made):
    with pytest.raises(Mistake, match="A policy was given, and k too"):
        sf.release(frame("pandas"), made.policy, k=9)
