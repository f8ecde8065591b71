"""What a release of several tables promises whichever engine makes it: the same rows, verdicts and
manifest.

A new engine adds a way into it to `WAYS`. Where the policy leaves something to chance (which rows
are dropped so that numbers are shared, which of a bin's rows get which label), what does not hang
on chance is compared."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import postgres_server
import psycopg
import pytest
import spark_local

from sfumato.datasets import HOSPITAL_DATABASE_TYPES, write_hospital_database
from sfumato.policy import policy_from_table, read_policy
from sfumato.policy.policy_text import policy_as_table
from sfumato.releases import Key, Release
from sfumato.releases.pipeline import release


def _typed(folder: Path) -> Path:
    """The tables as Parquet, with the types that they are meant to have."""
    out = folder.parent / "typed"
    if not out.exists():
        out.mkdir()
        for table, types in HOSPITAL_DATABASE_TYPES.items():
            columns = ", ".join(f"'{name}': '{kind}'" for name, kind in types.items())
            read = f"read_csv('{folder / table}.csv', header=true, columns={{{columns}}})"
            duckdb.sql(f"COPY (SELECT * FROM {read}) TO '{out / table}.parquet'")
    return out


@cache
def _loaded(folder: Path) -> str:
    """The tables in a database of a PostgreSQL server."""
    server = postgres_server.running()
    name = server.new_name()
    server.run(f"CREATE DATABASE {name}")
    with psycopg.connect(server.uri(name), autocommit=True) as connection:
        for table, types in HOSPITAL_DATABASE_TYPES.items():
            connection.execute(
                f"CREATE TABLE {table} "
                f"({', '.join(f'{field} {kind}' for field, kind in types.items())})"
            )
            with connection.cursor().copy(
                f"COPY {table} FROM STDIN (FORMAT csv, HEADER true)"
            ) as into:
                into.write((folder / f"{table}.csv").read_bytes())
    return server.uri(name)


def _for_spark(folder: Path) -> Path:
    spark_local.running()
    return _typed(folder)


WAYS: dict[str, Callable[[Path], Any]] = {
    "reference": lambda folder: folder,
    "duckdb": lambda folder: folder,
    "duckdb-parquet": _typed,
    "postgres": _loaded,
    "spark": _for_spark,
}
OTHERS = [way for way in WAYS if way != "reference"]
ENGINES = [way for way in OTHERS if "-" not in way]
KEY = Key(bytes(range(32)))
HASH = {"role": "direct", "replace": "hash"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_hospital_database(tmp_path_factory.mktemp("hospital") / "source", visits=1_500)


@pytest.fixture(scope="module")
def policies(folder) -> dict[str, dict[str, Any]]:
    """The hospital's own policy without chance, and others that change it."""
    calm = policy_as_table(read_policy(folder / "hospital.policy.toml"))
    for table in calm["tables"].values():
        for name, field in table["fields"].items():
            if field.get("replace") == "number":
                table["fields"][name] = HASH
        if "row_counts" in table:
            table["row_counts"] = {"linking": 0.0}
    people = without_sets(calm, "visits")
    for table in ("procedures", "medications"):  # Spark takes seconds for each.
        del people["tables"][table]
    visits = people["tables"]["visits"]["fields"]
    visits["admitted"] = {"role": "quasi", "hierarchy": {"dates": ["year", "10 years"]}}
    visits["ward"] = {"role": "quasi"}
    people["tables"]["physicians"]["fields"]["specialty"] = {
        "role": "insensitive",
        "may_tell": ["visits.ward"],
    }
    people["require"]["max_suppression"] = 0.3
    apart = without_sets(calm, *calm["tables"])
    for table in ("patients", "visits"):
        apart["tables"][table]["fields"]["patient_id"] = {"role": "direct"}
    chance = without_sets(calm, *calm["tables"])
    chance["tables"]["visits"]["row_counts"] = {"bin_size": 5, "linking": 0.5}
    chance["require"] = chance["require"] | {
        "max_suppression": 0.4
    }  # Chance moves a person or two.
    local = copy.deepcopy(chance) | {"solve": {"solver": "local"}}
    stepped = without_sets(calm, *calm["tables"])
    stepped["require"] = {}
    for name, field in stepped["tables"]["patients"]["fields"].items():
        if field["role"] == "quasi":  # So that nobody is left out but by the sample.
            stepped["tables"]["patients"]["fields"][name] = {"role": "direct"}
    stepped["tables"]["visits"]["key"] = "stay"
    stay = HASH | {"made_of": ["visit_id", "patient_id"]}
    stepped["tables"]["visits"]["fields"] |= {"stay": stay, "visit_id": "direct"}
    for table in ("diagnoses", "procedures", "medications"):
        del stepped["tables"][table]
    whole = copy.deepcopy(stepped)
    stepped["steps"] = [
        {"technique": "sample", "table": "patients", "share": 0.5},
        {"technique": "round", "table": "visits", "fields": ["charges"], "base": 1000},
    ]
    return {
        "calm": calm,
        "people": people,
        "apart": apart,
        "chance": chance,
        "local": local,
        "stepped": stepped,
        "whole": whole,
    }


def without_sets(policy: dict[str, Any], *tables: str) -> dict[str, Any]:
    """The policy without what it asks of sets of values in these tables, and the hierarchies that
    are for that."""
    out = copy.deepcopy(policy)
    sets = [one for one in out["require"].pop("k_m") if one["table"] not in tables]
    out["require"] |= {"k_m": sets} if sets else {}
    for table in tables:
        for field in out["tables"][table]["fields"].values():
            if field["role"] != "quasi":
                field.pop("hierarchy", None)
    return out


@pytest.fixture(scope="module")
def made(folder, policies, tmp_path_factory) -> Callable[[str, str], Release]:
    """The release of a policy by one way into an engine, made once."""

    @cache
    def make(policy: str, way: str) -> Release:
        target = tmp_path_factory.mktemp("made") / "release"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sfumato.releases.tables.flow.render_tables", lambda facts: "")
            return release(
                WAYS[way](folder),
                policy_from_table(policies[policy]),
                to=target,
                engine=way.split("-")[0],
                file_format=format_of(way),
                key=KEY,
                clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
            )

    return make


def format_of(way: str) -> str:
    """Spark writes Parquet only."""
    return "parquet" if way == "spark" else "csv"


def rows_of(found: Release, table: str, fields: tuple[str, ...] = ()) -> Counter[tuple[str, ...]]:
    """The rows as text; null and empty text are one, as in a CSV file."""
    place = found.tables[table]
    files = [str(file) for file in place.glob("*.parquet")] if place.is_dir() else [str(place)]
    read = (
        f"read_csv({files}, header=true, all_varchar=true)"
        if place.is_file()
        else f"read_parquet({files})"
    )
    rows = duckdb.sql(f"SELECT coalesce(CAST(COLUMNS(*) AS TEXT), '') FROM {read}")
    names = [rows.columns.index(name) for name in fields or sorted(rows.columns)]
    return Counter(tuple(row[i] for i in names) for row in rows.fetchall())


def told(found: Release, *, tables: tuple[str, ...] = ()) -> dict[str, Any]:
    """The manifest without what may differ: the engine, the state of the source, and the digests of
    files."""
    facts = {
        key: value
        for key, value in found.manifest.items()
        if key not in ("engine", "snapshot", "files")
    }
    facts["tables"] = {
        name: {key: value for key, value in said.items() if key not in ("sha256", "bytes", "file")}
        for name, said in facts["tables"].items()
        if not tables or name in tables
    }
    return facts


@pytest.mark.long(
    "nine releases; people who have rows in several tables stay, once on each engine",
    but=("people-duckdb", "people-postgres", "people-spark"),
)
@pytest.mark.parametrize(
    ("policy", "way"),
    [
        pytest.param(
            policy,
            way,
            marks=[pytest.mark.all_cells("people-spark asks Spark the same, and of visits more")]
            if (policy, way) == ("calm", "spark")
            else (),
        )
        for policy in ("calm", "people", "apart")
        for way in OTHERS
        if (policy, way)
        != ("apart", "spark")  # Nothing that it asks of an engine is new, and Spark takes its time.
    ],
)
def test_without_chance_every_engine_makes_the_same_release(made, policy, way):
    expected, found = made(policy, "reference"), made(policy, way)
    assert found.outcome == expected.outcome == "pass"
    assert found.verdicts == expected.verdicts
    for table in expected.tables:
        assert rows_of(found, table) == rows_of(expected, table)
    assert told(found) == told(expected)


@pytest.mark.long(
    "Spark takes a quarter of a minute; people-spark stays", but=("reference", "duckdb", "postgres")
)
@pytest.mark.parametrize("way", ["reference", *ENGINES])
def test_steps_and_keys_of_several_fields_work_in_every_engine(made, way):
    """Half of the people are drawn, with all their visits, each of which is still the visit that it
    was."""
    whole, found = made("whole", "reference"), made("stepped", way)
    rows = found.manifest["tables"]["patients"]["rows"]
    assert rows["after_steps"] == pytest.approx(rows["source"] / 2, abs=1)
    drawn = {row[0] for row in rows_of(found, "patients", ("patient_id",))}
    visits = rows_of(found, "visits", ("patient_id", "stay"))
    everything = rows_of(whole, "visits", ("patient_id", "stay"))
    expected = Counter({row: count for row, count in everything.items() if row[0] in drawn})
    assert visits == expected
    assert visits
    charges = [float(row[0]) for row in rows_of(found, "visits", ("charges",))]
    assert all(charge % 1000 == 0 for charge in charges)
    assert found.outcome == "review"  # Nothing is required.


@pytest.mark.long("many releases on each engine; one engine stays", but=("duckdb",))
@pytest.mark.parametrize(
    "way", [way for way in ENGINES if way != "spark"]
)  # The local one drops rows in Spark too.
def test_what_is_left_to_chance_is_only_which_rows_are_dropped(made, way):
    """As many rows of as many patients stay, the same patients keep all of theirs, and the verdicts
    are the same."""
    expected, found = made("chance", "reference"), made("chance", way)
    assert found.verdicts == expected.verdicts
    assert rows_of(found, "visits", ("patient_id",)) == rows_of(expected, "visits", ("patient_id",))
    assert (
        told(found, tables=("patients", "visits"))["tables"]["patients"]
        == told(expected)["tables"]["patients"]
    )
    assert found.accounts["visits"] == expected.accounts["visits"]


@pytest.mark.long("Spark takes half a minute; people-spark stays", but=("duckdb",))
@pytest.mark.parametrize("way", ENGINES)
def test_local_recoding_gives_the_same_bins(made, policies, way):
    expected, found = made("local", "reference"), made("local", way)
    quasi = tuple(
        n
        for n, f in policies["local"]["tables"]["patients"]["fields"].items()
        if f["role"] == "quasi"
    )
    assert rows_of(found, "patients", quasi) == rows_of(expected, "patients", quasi)
    assert found.verdicts[0] == expected.verdicts[0]
    assert found.manifest["recoding"] == expected.manifest["recoding"]


@pytest.mark.long("Spark takes long; people-spark stays", but=("duckdb", "postgres"))
@pytest.mark.parametrize("way", ENGINES)
def test_one_table_with_several_rows_per_person(folder, tmp_path, way):
    """The visits alone, whose patients have many; as rows of one table they are a file to every
    engine."""
    fields = {
        "visit_id": "direct",
        "patient_id": HASH,
        "physician_id": "direct",
        "admitted": {"role": "insensitive", "shift": {"days": 30}},
        "discharged": {"role": "insensitive", "shift": {"days": 30}},
        "ward": "quasi",
        "principal_diagnosis": {"role": "quasi", "hierarchy": {"prefix": [1]}},
        "charges": "sensitive",
    }
    decided = {"entity": "patient_id", "row_counts": {"linking": 0.0}, "fields": fields}
    policy = policy_from_table(decided | {"require": {"k": 5, "max_suppression": 0.2}})
    both = []
    for one in ("reference", way):
        place = WAYS[one](folder)
        more = {"table": "visits"} if isinstance(place, str) else {}
        source = place if more else next(path for path in place.iterdir() if path.stem == "visits")
        made = release(
            source,
            policy,
            to=tmp_path / one,
            engine=one,
            file_format=format_of(one),
            key=KEY,
            **more,
        )
        both.append(made)
    expected, found = both
    assert found.verdicts == expected.verdicts
    assert rows_of(found, "release") == rows_of(expected, "release")
    assert told(found) | {"created": ""} == told(expected) | {"created": ""}
