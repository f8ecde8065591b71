"""The command line on databases: a folder of files, a database file, a PostgreSQL server."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import duckdb
import postgres_server
import psycopg
import pytest

from sfumato.cli import main
from sfumato.cli.shared_arguments import OPTIONS, as_source, as_target, source_options
from sfumato.datasets import HOSPITAL_DATABASE_TYPES, write_hospital_database
from sfumato.errors import Mistake
from sfumato.policy import read_policy

TABLES = tuple(HOSPITAL_DATABASE_TYPES)


def run(capsys, *words):
    """The exit code, and what was said on either stream, as one line."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    said = capsys.readouterr()
    return code, " ".join((said.out + said.err).split())


@pytest.fixture(scope="session")
def made_up(tmp_path_factory) -> Path:
    """The made-up database with its policy inside. Read only."""
    return write_hospital_database(tmp_path_factory.mktemp("database") / "hospital")


@pytest.fixture
def hospital(made_up, tmp_path, monkeypatch) -> Path:
    """A folder with the tables, and their policy where it is not looked for: reviewed.toml."""
    shutil.copytree(made_up, tmp_path / "hospital")
    (tmp_path / "hospital" / "hospital.policy.toml").replace(tmp_path / "reviewed.toml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")
    return tmp_path / "hospital"


def test_a_release_of_several_tables_passes_with_0_and_says_where_rows_went(hospital, capsys):
    with Path("reviewed.toml").open("a", encoding="utf-8") as policy:
        policy.write('\n[solve]\nsolver = "anytime"\n')  # one that leaves rows out
    code, said = run(capsys, "release", hospital, "--policy", "reviewed.toml", "--to", "out")
    assert code == 0, said
    facts = json.loads(Path("out/manifest.json").read_text(encoding="utf-8"))
    for name in TABLES:
        assert f"out/{name}.csv" in said
        source = len((hospital / f"{name}.csv").read_text(encoding="utf-8").splitlines()) - 1
        assert f"{name} {facts['tables'][name]['rows']['released']:,} {source:,}" in said
    assert "went with their parents bins too small to share numbers of rows" in said
    assert "without a person" not in said  # No row is, so there is no such column.
    assert f"of {facts['people']} people" in said
    code, said = run(capsys, "verify", "out")
    assert (code, "Every check holds." in said) == (0, True)


@pytest.mark.long("a large search; the same with one table stays in test_release.py")
def test_without_a_policy_one_is_proposed_beside_the_folder_and_the_exit_code_is_3(
    hospital, capsys
):
    code, said = run(capsys, "release", hospital)
    assert code == 3
    assert "One was proposed in" in said
    policy = read_policy(hospital.parent / "hospital.policy.toml")
    assert (policy.proposed, policy.entity, set(policy.tables)) == (
        True,
        "patients.patient_id",
        set(TABLES),
    )
    assert (hospital.parent / "hospital-release" / "visits.csv").exists()
    code, said = run(capsys, "check", "hospital.policy.toml", "hospital")
    assert code == 0
    assert "6 tables, 300 people by patients.patient_id, 5 links." in said
    text = Path("hospital.policy.toml").read_text(encoding="utf-8").replace("proposed = true\n", "")
    text = text.replace("open = true\n", "")
    Path("hospital.policy.toml").write_text(text, encoding="utf-8")
    assert run(capsys, "release", "hospital", "--replace")[0] == 0


def test_survey_of_a_folder_prints_proposes_once_and_speaks_json(hospital, capsys):
    code, said = run(capsys, "survey", ".", "--no-policy", "--combinations", 1)
    assert code == 2  # The folder above holds no table.
    code, said = run(capsys, "survey", "hospital", "--no-policy", "--json", "--combinations", 1)
    found = json.loads(said)
    assert (code, found["entity"], found["people"]) == (0, "patients.patient_id", 300)
    code, said = run(capsys, "survey", hospital, "--combinations", 1)
    assert code == 0
    assert "visit_id → visits" in said
    assert "Proposed policy:" in said
    code, said = run(capsys, "survey", hospital, "--combinations", 1)
    assert (code, "exists already" in said) == (2, True)


@pytest.mark.long("one more survey of six tables; that of a folder by its name stays")
def test_the_folder_one_is_in_has_a_name_too(hospital, capsys, monkeypatch):
    monkeypatch.chdir(hospital)
    assert run(capsys, "survey", ".", "--combinations", 1)[0] == 0
    assert (hospital.parent / "hospital.policy.toml").exists()


def test_check_tells_what_does_not_fit(hospital, capsys):
    assert run(capsys, "check", "reviewed.toml")[0] == 0
    text = (
        Path("reviewed.toml")
        .read_text(encoding="utf-8")
        .replace('"I10"', '"I1O"')
        .replace("ward =", "wart =")
    )
    Path("wrong.toml").write_text(text, encoding="utf-8")
    code, said = run(capsys, "check", "wrong.toml", hospital)
    assert (code, "wart" in said, "ward" in said) == (2, True, True)
    Path("wrong.toml").write_text(text.replace("wart =", "ward ="), encoding="utf-8")
    code, said = run(capsys, "check", "wrong.toml", hospital)
    assert code == 2
    assert "tables.visits.fields.principal_diagnosis.hierarchy" in said
    assert "tables.diagnoses.fields.code.hierarchy" in said


def test_check_counts_the_people_of_one_table_with_several_rows_of_each(hospital, capsys):
    policy = """
    entity = "visit_id"
    [fields]
    visit_id = { role = "direct", replace = "number" }
    position = "insensitive"
    code = { role = "sensitive", hierarchy = { prefix = [3, 1] } }
    [require]
    k = 5
    k_m = { field = "code", k = 5, m = 1 }
    """
    Path("diagnoses.toml").write_text(policy, encoding="utf-8")
    code, said = run(capsys, "check", "diagnoses.toml", hospital / "diagnoses.csv")
    assert (code, "3,794 rows of 1,796 people by visit_id." in said) == (0, True)
    sampled = policy + '[[steps]]\ntechnique = "sample"\nshare = 0.5\n'
    Path("sampled.toml").write_text(sampled, encoding="utf-8")
    code, said = run(capsys, "check", "sampled.toml", hospital / "diagnoses.csv")
    assert (code, "counted after a trial of the steps" in " ".join(said.split())) == (0, True)
    code, said = run(
        capsys, "release", hospital / "diagnoses.csv", "--policy", "diagnoses.toml", "--to", "out"
    )
    assert (code, "in 1 table, of 1,796 people" in said) == (0, True)
    code, said = run(capsys, "search", hospital / "diagnoses.csv", "--policy", "diagnoses.toml")
    assert (code, "several rows per person" in said) == (2, True)


def test_one_table_and_a_policy_of_several_do_not_go_together(hospital, capsys):
    words = ("--policy", "reviewed.toml", "--table", "visits")
    for command in (("release", hospital), ("search", hospital), ("hierarchy", hospital, "ward")):
        code, said = run(capsys, *command, *words)
        assert (code, "the policy is for several" in said) == (2, True)


@pytest.mark.long("several releases of one file; test_tables_sources.py stays")
def test_a_database_file_is_released_whole_or_one_table_of_it(hospital, capsys):
    with duckdb.connect("clinic.duckdb") as database:
        for name in TABLES:
            database.execute(
                f"CREATE TABLE {name} AS SELECT * FROM read_csv('hospital/{name}.csv')"
            )
    code, said = run(
        capsys, "release", "clinic.duckdb", "--policy", "reviewed.toml", "--format", "csv"
    )
    assert (code, "clinic-release/visits.csv" in said) == (0, True)
    code, said = run(capsys, "release", "clinic.duckdb", "--table", "patients", "--to", "one")
    assert (code, "one/release.csv" in said) == (3, True)


def test_fields_of_several_tables_are_named_with_their_table(hospital, capsys):
    words = ("--policy", "reviewed.toml")
    code, said = run(capsys, "hierarchy", hospital, "patients.zip", *words)
    assert (code, "0213*" in said) == (0, True)
    assert run(capsys, "hierarchy", hospital, "zip", *words)[0] == 0  # Only one table has it.
    code, said = run(capsys, "hierarchy", hospital, "code", *words)
    assert (code, "diagnoses.code, procedures.code" in said) == (2, True)
    code, said = run(capsys, "hierarchy", hospital, "patients.zap")
    assert (code, 'Did you mean "patients.zip"?' in said) == (2, True)
    assert (
        run(capsys, "hierarchy", hospital, "diagnoses.code", *words, "--csv", "codes.csv")[0] == 0
    )
    assert "I10;circulatory" in Path("codes.csv").read_text(encoding="utf-8")


def test_search_looks_at_the_persons_table_and_refuses_where_that_is_not_enough(hospital, capsys):
    code, said = run(capsys, "search", hospital, "--policy", "reviewed.toml", "--json")
    assert code == 0
    assert set(json.loads(said)["nodes"][0]["levels"]) == {"birth", "sex", "ethnicity", "zip"}
    text = (
        Path("reviewed.toml")
        .read_text(encoding="utf-8")
        .replace('ward = "insensitive"', 'ward = "quasi"')
    )
    Path("wards.toml").write_text(text, encoding="utf-8")
    for command in ("search", "explore"):
        code, said = run(capsys, command, hospital, "--policy", "wards.toml")
        assert code == 2
        assert "visits.ward may identify a person too" in said


def test_the_holder_of_the_key_finds_the_way_back_over_a_link(hospital, capsys):
    import csv

    text = Path("reviewed.toml").read_text(encoding="utf-8")
    number = 'patient_id = { role = "direct", replace = "number" }'
    text = text.replace(number, number.replace("number", "hash"))
    Path("hashed.toml").write_text(text, encoding="utf-8")
    assert run(capsys, "key", "hospital.key")[0] == 0
    words = ("--policy", "hashed.toml", "--key", "hospital.key")
    assert run(capsys, "release", hospital, *words, "--to", "out")[0] == 0
    with open("out/visits.csv", encoding="utf-8", newline="") as file:
        pseudonym = next(csv.DictReader(file))["patient_id"]
    code, said = run(capsys, "reveal", hospital, "visits.patient_id", pseudonym, *words)
    assert (code, said.startswith("1000")) == (0, True)


@pytest.mark.long("a whole demo; that of one table stays")
def test_the_demo_has_a_database_too(hospital, capsys):
    code, said = run(capsys, "demo", "--database", "--visits", 9_000, "--to", "demo")
    assert code == 0
    assert "9,000 made-up visits: demo/hospital" in said
    assert "demo/release/medications.csv" in said
    assert run(capsys, "check", "demo/hospital.policy.toml", "demo/hospital")[0] == 0
    assert (
        run(capsys, "demo", "--database", "--to", ".")[0] == 2
    )  # A hospital that is not the demo's.
    for words in (("--visits", 10), ("--database", "--rows", 10), ("--database", "--visits", 0)):
        assert run(capsys, "demo", *words)[0] == 2


# ------------------------------------------------------------------------------------------------------------
# addresses

SECRET = "geheim"


@pytest.fixture(scope="session")
def server(made_up) -> str:
    """The made-up database on a server of the tests' own; the address of a role that may only read
    it."""
    running = postgres_server.running()
    with psycopg.connect(running.uri(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE clinic")
        connection.execute(f"CREATE ROLE clinic_reader LOGIN PASSWORD '{SECRET}'")
    with psycopg.connect(running.uri("clinic")) as connection:
        for table, types in HOSPITAL_DATABASE_TYPES.items():
            columns = ", ".join(f"{name} {kind}" for name, kind in types.items())
            connection.execute(f"CREATE TABLE {table} ({columns})")
            with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT csv, HEADER)") as copy:
                copy.write((made_up / f"{table}.csv").read_bytes())
        connection.execute("ALTER TABLE patients ADD PRIMARY KEY (patient_id)")
        connection.execute("ALTER TABLE visits ADD FOREIGN KEY (patient_id) REFERENCES patients")
        connection.execute("ALTER TABLE visits RENAME patient_id TO whose")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO clinic_reader")
    return f"postgresql://clinic_reader:{SECRET}@127.0.0.1:{running.port}/clinic"


@pytest.mark.long("several commands on a server; test_postgres_tables.py releases one in place")
def test_a_database_of_postgres_is_surveyed_checked_and_released_in_place(server, hospital, capsys):
    code, said = run(capsys, "survey", server, "--combinations", 1)
    assert (code, "Proposed policy: clinic.policy.toml" in said, SECRET in said) == (0, True, False)
    assert "whose → patients" in said  # A declared foreign key, whatever it is called.
    code, said = run(capsys, "check", "clinic.policy.toml", server)
    assert (code, "fits 127.0.0.1/clinic.public" in said, SECRET in said) == (0, True, False)
    code, said = run(capsys, "release", server)
    assert (code, "clinic-release/visits.parquet" in said, SECRET in said) == (3, True, False)
    assert not any(
        SECRET in path.read_text(encoding="utf-8")
        for path in Path("clinic-release").glob("*.[jht]*")
    )
    code, said = run(capsys, "hierarchy", server, "patients.zip")
    assert (code, "0213*" in said) == (0, True)


def test_one_table_of_a_database_of_postgres(server, hospital, capsys):
    code, said = run(
        capsys, "release", server, "--table", "patients", "--schema", "public", "--to", "one"
    )
    assert (code, SECRET in said) == (3, False)
    assert "One was proposed in clinic.policy.toml" in said
    assert run(capsys, "survey", server, "--schema", "nothing")[0] == 2


@pytest.mark.parametrize(
    "words",
    [
        ("release", f"postgresql://ann:{SECRET}@127.0.0.1:1/clinic"),
        ("release", f"postgresql://ann:{SECRET}@127.0.0.1:1/clinic", "--engine", "duckdb"),
        ("release", f"postgresql://ann:{SECRET}@127.0.0.1:1/clinic", "--separator", ";"),
        ("release", "patients.csv", f"postgresql://ann:{SECRET}@host/clinic"),
        ("check", f"postgresql://ann:{SECRET}@host"),
        ("search", f"postgresql://ann:{SECRET}@host/clinic"),
        (f"postgresql://ann:{SECRET}@host/clinic",),
    ],
)
def test_no_complaint_repeats_a_password(words, hospital, capsys):
    code, said = run(capsys, *words)
    assert (code, SECRET in said) == (2, False)
    assert not Path("clinic-release").exists()


def test_paths_stay_paths_and_addresses_stay_as_they_are_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert as_source("data//patients.csv") == Path("data/patients.csv")
    assert as_source(".") == tmp_path.resolve()
    for address in ("postgresql://host/db", "spark:db.table", "hdfs://cluster/visits"):
        assert as_source(address) == address
    assert as_target("out/") == Path("out")
    assert as_target("postgresql://host/db#schema") == "postgresql://host/db#schema"


def asked(source, **given):
    return argparse.Namespace(source=source, **(dict.fromkeys(("engine", *OPTIONS), "") | given))


def test_an_engine_is_told_only_what_it_understands():
    assert source_options(asked(Path("a.csv"), separator=";")) == {
        "engine": "duckdb",
        "separator": ";",
    }
    assert source_options(asked("spark:db.table", scratch="/shared")) == {
        "engine": "spark",
        "scratch": "/shared",
    }
    assert source_options(asked(Path("a"), engine="reference")) == {"engine": "reference"}
    with pytest.raises(Mistake, match="duckdb takes no `schema` or `scratch`"):
        source_options(asked(Path("a.csv"), schema="s", scratch="t"))
