"""Tables as they come: files, typed files, database files and frames, keys of different types, and
odd names."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from linked_clinic import NUMBER, clinic, failing, policy, problems, released, write

from sfumato.errors import CandidateFailed, SourceError, TargetError
from sfumato.releases import Key

KEY = Key(bytes(range(32)))
HASH = {"role": "direct", "replace": "hash"}
SAID = policy(
    {
        **dict.fromkeys(
            ("people.fields.id", "visits.fields.person", "visits.fields.id", "tests.fields.visit"),
            HASH,
        ),
        **dict.fromkeys(("visits.fields.doctor", "doctors.fields.id"), HASH),
        "visits.fields.day": {"role": "insensitive", "shift": {"days": 30}},
        "people.fields.born": {
            "role": "quasi",
            "hierarchy": {"dates": ["year", "10 years", "100 years"]},
        },
    }
)


def frames():
    tables = {name: pandas.DataFrame(rows) for name, rows in clinic().items()}
    tables["visits"]["day"] = (
        pandas.to_datetime(tables["visits"]["day"]).astype("datetime64[us]").dt.date
    )
    tables["people"]["born"] = pandas.to_datetime(tables["people"]["born"]).dt.date
    return tables


def as_parquet(folder):
    for name, frame in frames().items():
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(frame), folder / f"{name}.parquet")
    return folder


def as_duckdb(folder):
    with duckdb.connect(str(folder / "clinic.duckdb")) as database:
        for name, frame in frames().items():
            database.register("rows", pyarrow.Table.from_pandas(frame))
            database.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
    return folder / "clinic.duckdb"


def as_sqlite(folder):
    with closing(sqlite3.connect(folder / "clinic.sqlite")) as database, database:
        for name, rows in clinic().items():
            kinds = ", ".join(
                f"{n} {'INTEGER' if isinstance(v, int) else 'TEXT'}" for n, v in rows[0].items()
            )
            database.execute(f"CREATE TABLE {name} ({kinds})")
            database.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})",
                [tuple(r.values()) for r in rows],
            )
    database.close()
    return folder / "clinic.sqlite"


WAYS = {
    "csv": lambda folder: write(clinic(), folder),
    "parquet": as_parquet,
    "duckdb file": as_duckdb,
    "sqlite": as_sqlite,
    "pandas": lambda folder: frames(),
    "polars": lambda folder: {name: polars.from_pandas(frame) for name, frame in frames().items()},
}


def content(made):
    """The released rows of each table as texts, whatever file they are in."""
    out = {}
    for name, path in made.tables.items():
        reader = "read_parquet" if path.suffix == ".parquet" else "read_csv"
        more = "" if path.suffix == ".parquet" else ", all_varchar=true"
        rows = duckdb.sql(
            f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {reader}('{path}'{more})"
        ).fetchall()
        out[name] = Counter(rows)
    return out


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    made = released(clinic(), SAID, tmp_path_factory.mktemp("expected") / "out", key=KEY)
    return made, content(made)


@pytest.mark.long("a release from each kind of source; three stay", but=("csv", "sqlite", "pandas"))
@pytest.mark.parametrize("way", WAYS)
def test_the_same_tables_from_anywhere_make_the_same_release(tmp_path, expected, way):
    folder = tmp_path / "source"
    folder.mkdir()
    made = released(WAYS[way](folder), SAID, tmp_path / "out", key=KEY)
    assert made.verdicts == expected[0].verdicts
    assert content(made) == expected[1]
    assert failing(made) == []


def test_keys_of_another_type_than_the_links_to_them(tmp_path):
    """Text in one table and whole numbers in another: what is written alike is the same key."""
    tables = frames()
    tables["people"]["id"] = tables["people"]["id"].astype(str)
    tables["tests"]["visit"] = tables["tests"]["visit"].astype(str)
    for name in ("people", "visits"):
        tables[name] = tables[name].drop(columns=["born", "day"], errors="ignore")
    made = released(
        tables, policy({"people.fields.born": None, "visits.fields.day": None}), tmp_path / "out"
    )
    people, visits = (
        dict(duckdb.sql(f"SELECT id, mark FROM '{made.tables[n]}'").fetchall())
        for n in ("people", "visits")
    )
    assert all(
        people[who] == mark
        for who, mark in duckdb.sql(
            f"SELECT person, mark FROM '{made.tables['visits']}'"
        ).fetchall()
    )
    assert all(
        visits[of] == mark
        for of, mark in duckdb.sql(f"SELECT visit, mark FROM '{made.tables['tests']}'").fetchall()
    )


def test_keys_that_are_written_differently_lead_nowhere_and_are_refused(tmp_path):
    """007 is not 7, and 7.0 is not 7: a guess would put rows of two people together."""
    tables = frames()
    tables["people"]["id"] = tables["people"]["id"].map("{:03}".format)
    [(where, said)] = problems(tables, policy(), tmp_path / "out")
    assert where == "tables.visits"
    assert said.startswith(f"{len(tables['visits'])} rows are nobody's")


ODD = {
    "people": {"id": 'the "key"', "zip": "zip, code", "sex": "select", "mark": "rows"},
    "visits": {
        "id": "v.id",
        "person": "person's",
        "ward": "Ünï ward",
        "day": "keep",
        "mark": "place",
    },
    "tests": {"visit": "order", "found": "person", "mark": "draw"},
}
TABLES = {"people": "all people", "visits": 'visits "old"', "tests": "tests.2020"}


@pytest.mark.long("a release of each kind of source; one stays", every=2)
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_names_with_quotes_spaces_dots_and_words_of_sql(tmp_path, engine):
    given = clinic()
    tables = {
        TABLES.get(name, name): [
            {ODD.get(name, {}).get(f, f): cell for f, cell in row.items()} for row in rows
        ]
        for name, rows in given.items()
        if name != "doctors"
    }
    said = policy(
        {
            "visits.links": {"person's": 'all people.the "key"'},
            "visits.fields.doctor": "direct",
            "visits.fields.ward": "quasi",
            "tests.fields.found": {"role": "sensitive", "may_tell": ['visits "old".doctor']},
        },
        entity='all people.the "key"',
        require={"k": 3, "max_suppression": 0.5},
    )
    named = {}
    for name in TABLES:
        table = said["tables"][name]
        table["fields"] = {
            ODD[name].get(field, field): decided for field, decided in table["fields"].items()
        }
        if "key" in table:
            table["key"] = ODD[name][table["key"]]
        if table.get("row_counts"):
            table["row_counts"] = {"bin_size": 3}
        named[TABLES[name]] = table
    named["tests.2020"]["links"] = {"order": 'visits "old".v.id'}
    made = released(tables, said | {"tables": named}, tmp_path / "out", engine=engine)
    assert failing(made) == []
    assert {path.name for path in made.tables.values()} == {
        f"{name}.csv" for name in TABLES.values()
    }
    assert "Ünï ward" in made.manifest["tables"]['visits "old"']["fields"]


@pytest.mark.long("a release for each name; one stays", every=3)
@pytest.mark.parametrize("name", ["../elsewhere", "a/b", ".hidden"])
def test_a_table_whose_name_no_file_can_have_is_refused(tmp_path, name):
    """It would have been written beside the release, and stayed there."""
    tables = frames() | {name: frames()["doctors"]}
    said = policy()
    said["tables"][name] = {"fields": {"id": "direct", "name": "direct", "field": "insensitive"}}
    with pytest.raises(TargetError, match="No file can be called"):
        released(tables, said, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_missing_and_a_source_that_is(tmp_path):
    tables = clinic()
    del tables["doctors"]
    assert [where for where, _ in problems(tables, policy(), tmp_path / "out")] == [
        "tables.doctors"
    ]
    with pytest.raises(SourceError):
        released(tmp_path / "nowhere", policy(), tmp_path / "out")


def test_tables_that_the_policy_does_not_name_are_not_released(tmp_path):
    tables = clinic() | {"secrets": [{"id": 1, "word": "rose"}]}
    made = released(tables, policy(), tmp_path / "out")
    assert "secrets" not in made.tables
    assert not any("rose" in path.read_text() for path in made.folder.iterdir())


def test_numbers_stay_numbers_in_parquet(tmp_path):
    """A key of whole numbers is replaced by whole numbers, so that who joins the tables joins
    numbers."""
    made = released(frames(), policy(), tmp_path / "out")
    for name, field in (("people", "id"), ("visits", "person"), ("tests", "visit")):
        assert duckdb.sql(
            f"SELECT DISTINCT typeof({field}) FROM '{made.tables[name]}'"
        ).fetchall() == [("BIGINT",)]


@pytest.mark.parametrize("first", [10**17 + 1, 10**18 + 1])
def test_numbers_in_the_place_of_long_keys_are_none_of_them(tmp_path, first):
    """Numbers have a digit more than the longest key. Where 64 bits do not hold that, a meeting is
    seen and refused."""
    people = pandas.DataFrame({"id": range(first, first + 8), "sex": list("fm") * 4})
    visits = pandas.DataFrame({"person": people["id"], "ward": ["east"] * 8})
    fields = {
        "people": {"id": NUMBER, "sex": "quasi"},
        "visits": {"person": NUMBER, "ward": "sensitive"},
    }
    said = {
        "entity": "people.id",
        "tables": {
            "people": {"key": "id", "fields": fields["people"]},
            "visits": {"links": {"person": "people.id"}, "fields": fields["visits"]},
        },
        "require": {"k": 2},
    }
    if first > 10**18:
        with pytest.raises(CandidateFailed, match="original value"):
            released({"people": people, "visits": visits}, said, tmp_path / "out")
        return
    made = released({"people": people, "visits": visits}, said, tmp_path / "out")
    found = {
        number for (number,) in duckdb.sql(f"SELECT id FROM '{made.tables['people']}'").fetchall()
    }
    assert len(found) == 8
    assert not found & set(people["id"])
