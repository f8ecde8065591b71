"""Releases whose policy takes steps: composed, on several engines, judged, told, verified and gone
back on."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import postgres_server
import psycopg
import pytest

import sfumato
from sfumato.cli import main
from sfumato.engines import open_source
from sfumato.errors import Mistake, PolicyError
from sfumato.policy import policy_as_toml, policy_from_table, read_policy
from sfumato.releases import Key, reveal_encrypted, verify
from sfumato.releases.steps import take_steps

KEY = Key(bytes(range(32)))
TYPES = {
    "id": "VARCHAR",
    "person": "VARCHAR",
    "age": "INTEGER",
    "sex": "VARCHAR",
    "town": "VARCHAR",
    "job": "VARCHAR",
    "ill": "VARCHAR",
    "came": "DATE",
    "weight": "INTEGER",
}
JOBS = {"care": ["nurse", "medic"], "sea": ["pilot", "sailor"], "law": ["judge"], "rest": ["other"]}
MANY = 240


def rows() -> list[dict[str, str]]:
    """People about nobody: a rare illness, a rare job, cells that are missing, letters of other
    alphabets."""
    jobs = ["nurse", "medic", "pilot", "sailor"]
    return [
        {
            "id": f"ID-{number:06d}",
            "person": f"Żó{number}",
            "age": "" if number % 40 == 7 else str(20 + number * 7 % 60),
            "sex": "fm"[number * 11 % 23 % 2],
            "town": ["Bo", "Ürö", "Ax", "Ey"][number * 13 % 29 % 4],
            "job": "judge" if number == 5 else jobs[number * 5 % 17 % 4],
            "ill": "plague" if number in (3, 99) else ["flu", "gout", "cold"][number * 17 % 31 % 3],
            "came": f"2025-{1 + number % 12:02d}-{1 + number % 28:02d}",
            "weight": str(10 + number % 3),
        }
        for number in range(MANY)
    ]


def write(path: Path, given: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(given[0]))
        out.writeheader()
        out.writerows(given)
    return path


def _parquet(source: Path) -> tuple[Any, dict[str, str]]:
    out = source.with_suffix(".parquet")
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in TYPES.items())
    duckdb.sql(
        f"COPY (SELECT * FROM read_csv('{source}', header=true, columns={{{columns}}})) TO '{out}'"
    )
    return out, {}


def _postgres(source: Path) -> tuple[Any, dict[str, str]]:
    server = postgres_server.running()
    name = server.new_name()
    with psycopg.connect(server.uri(), autocommit=True) as connection:
        connection.execute(
            f"CREATE TABLE {name} ({', '.join(f'{field} {kind}' for field, kind in TYPES.items())})"
        )
        with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv, HEADER true)") as into:
            into.write(source.read_bytes())
    return server.uri(), {"table": name}


WAYS: dict[str, Callable[[Path], tuple[Any, dict[str, str]]]] = {
    "reference": lambda source: (source, {"engine": "reference"}),
    "duckdb": _parquet,
    "postgres": _postgres,
}

FIELDS = """\
[fields]
id = { role = "direct", replace = "hash" }
person = "direct"
age = "insensitive"
sex = "quasi"
town = "quasi"
job = { role = "sensitive", hierarchy = { tree = { care = ["nurse", "medic"], sea = ["pilot", "sailor"], \
rest = ["judge", "other"] } } }
ill = "sensitive"
came = "insensitive"
weight = "insensitive"

[require]
k = 2
max_suppression = 0.2
"""
STEPS = """
[[steps]]
technique = "sample"
share = 0.75
within = ["sex"]
weight = ["weight"]

[[steps]]
technique = "suppress"
fields = ["age"]
rarer_than = 2

[[steps]]
technique = "merge_small"
fields = ["job"]
least = 5

[[steps]]
technique = "substitute"
fields = ["job"]
share = 0.5

[[steps]]
technique = "pram"
fields = ["ill"]
keep = 0.7
within = ["sex"]

[[steps]]
technique = "blank_and_impute"
fields = ["came"]
share = 0.25
like = ["sex"]

[[steps]]
technique = "swap"
fields = ["age"]
window = 0.1

[[steps]]
technique = "swap"
fields = ["sex", "town"]
method = "unit"

[[steps]]
technique = "encrypt"
fields = ["person"]

[[steps]]
technique = "add_rows"
share = 0.5
"""
AFTER_SAMPLE, ADDED = MANY * 3 // 4, MANY * 3 // 8


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("people") / "people.csv", rows())


@pytest.fixture(scope="module")
def policy_file(source) -> Path:
    path = source.with_suffix(".toml")
    path.write_text(FIELDS + STEPS, encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=WAYS)
def made(request, source, policy_file, tmp_path_factory):
    opened, options = WAYS[request.param](source)
    to = tmp_path_factory.mktemp(request.param) / "out"
    return sfumato.release(opened, policy_file, to=to, key=KEY, file_format="csv", **options)


def read(path: Path) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_steps_are_composed_and_the_release_passes(made):
    released = read(made.table)
    assert made.outcome == "pass"
    assert len(released) + made.rows_suppressed == AFTER_SAMPLE + ADDED
    assert min(Counter((row["sex"], row["town"]) for row in released).values()) >= 2


def test_what_was_taken_out_is_gone(made):
    released = read(made.table)
    assert not {row["person"] for row in rows()} & {row["person"] for row in released}
    assert {row["job"] for row in released} <= {
        "nurse",
        "medic",
        "pilot",
        "sailor",
        "other",
        "judge",
    }
    assert (
        len({row["person"] for row in released})
        == len(released)
        == len({row["id"] for row in released})
    )
    assert all(len(row["person"]) == 64 for row in released)


def test_types_stay_what_they_were(made):
    for row in read(made.table):
        assert row["age"] == "" or row["age"].isdigit()
        assert len(row["came"].split("-")) == 3
        assert float(row["weight"]) > 12


def test_no_made_up_row_is_told_apart_by_a_missing_cell(made):
    empty = Counter(name for row in read(made.table) for name, cell in row.items() if not cell)
    assert set(empty) <= {"age"}


def test_the_manifest_says_what_was_done_in_words(made):
    words, steps = made.manifest["tables"]["release"]["fields"], made.manifest["steps"]
    assert [step["technique"] for step in steps] == [
        line.split('"')[1] for line in STEPS.splitlines() if line.startswith("technique")
    ]
    assert words["person"].startswith("encrypted under the holder's key")
    assert "exchanged between rows as a unit with town" in words["sex"]
    assert words["weight"].startswith(
        "multiplied by the number of rows that each now represents, then "
    )
    assert "made-up rows were added" in words["id"]
    assert words["id"].endswith("a later release") or "hashed" in words["id"]
    assert steps[0]["found"]["each_stands_for"] == pytest.approx(4 / 3, abs=1e-3)
    assert steps[4]["found"]["keep"] == 0.7
    assert steps[-1]["found"]["rows_added"] == ADDED
    assert [step["truthful"] for step in steps] == [True, True, True] + [False] * 6 + [False]


def test_the_manifest_holds_no_cell_that_is_not_released(made):
    said = json.dumps(made.manifest, ensure_ascii=False)
    assert not any(word in said for word in ("Żó", "plague", "ID-0"))


def test_it_can_be_verified_by_others(made):
    checks = sfumato.verify(made.folder)
    assert checks
    assert not [check for check in checks if check.outcome == "fail"]


def test_the_policy_comes_back_as_it_was(made, policy_file):
    written = read_policy(made.folder / "policy.toml")
    assert written.steps == read_policy(policy_file).steps
    assert policy_as_toml(written) == policy_as_toml(made.policy)


def test_the_holder_goes_back_from_an_encrypted_value(made, source):
    policy = made.policy
    with open_source(source) as engine:
        back = [
            reveal_encrypted(row["person"], engine, policy=policy, field="person", key=KEY)
            for row in read(made.table)
        ]
        other = Key(bytes(range(1, 33)))
        assert (
            reveal_encrypted(
                read(made.table)[0]["person"], engine, policy=policy, field="person", key=other
            )
            is None
        )
        with pytest.raises(Mistake, match="does not encrypt"):
            reveal_encrypted("x", engine, policy=policy, field="age", key=KEY)
    people = {row["person"] for row in rows()}
    real = [person for person in back if person in people]
    assert len(real) == len(set(real))
    assert AFTER_SAMPLE * 0.7 < len(real) <= AFTER_SAMPLE


def test_the_same_key_draws_the_same_and_no_key_draws_anew(source, policy_file, tmp_path):
    """And without a key nothing can be encrypted."""
    policy = read_policy(policy_file)
    calm = replace(
        policy, steps=tuple(step for step in policy.steps if step.technique != "encrypt")
    )

    def drawn(key: Key | None) -> list[str]:
        with open_source(source, engine="reference") as engine:
            stage = take_steps(engine, calm, key=key, progress=lambda said: None).engine
            return [str(batch["cell:job"].tolist()) for batch in stage.cells(("job",))]

    assert drawn(KEY) == drawn(KEY)
    assert drawn(None) != drawn(None)
    with pytest.raises(Mistake, match="encrypt needs a key"):
        sfumato.release(source, policy_file, to=tmp_path / "without")
    assert not (tmp_path / "without").exists()


def test_the_command_line_releases_and_reveals(source, policy_file, tmp_path, capsys):
    key = tmp_path / "own.key"
    assert main(["key", str(key)]) == 0
    words = [str(source), "--policy", str(policy_file), "--key", str(key)]
    assert main(["release", *words, "--to", str(tmp_path / "out")]) == 0
    people = {row["person"] for row in rows()}
    capsys.readouterr()
    found = set()
    for row in read(tmp_path / "out" / "release.csv")[:12]:
        code = main(["reveal", str(source), "person", row["person"], *words[1:]])
        found.add(code)
        said = capsys.readouterr().out.strip()
        assert (said in people) or code == 1  # a made-up row is nobody's
    assert 0 in found
    assert main(["reveal", str(source), "person", "00" * 32, *words[1:]]) == 1


def test_all_problems_are_told_at_once(source):
    wrong = """
[[steps]]
technique = "swop"

[[steps]]
technique = "swap"
fields = ["aeg"]
window = 0

[[steps]]
technique = "pram"
fields = ["ill", "ill"]
keep = 2

[[steps]]
technique = "encrypt"
fields = ["id"]

[[steps]]
technique = "sample"
fields = ["age"]

[[steps]]
technique = "merge_small"
fields = ["job"]
label = "unheard of"
lest = 3
"""
    path = source.with_name("wrong.toml")
    path.write_text(FIELDS + wrong, encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    told = [problem.where for problem in caught.value.problems if problem.where.startswith("steps")]
    assert sorted(told) == [
        "steps[0].technique",
        "steps[1].fields",
        "steps[1].window",
        "steps[2].fields",
        "steps[2].keep",
        "steps[3].fields",
        "steps[4].fields",
        "steps[4].share",
        "steps[5].label",
        "steps[5].lest",
    ]


def test_a_person_with_several_rows_keeps_one_encrypted_key(tmp_path):
    """People are drawn, their key is encrypted, and rows of one person are found by it and by
    nothing else."""
    given = [
        row | {"person": f"P{number // 2:05d}", "id": f"{number}"}
        for number, row in enumerate(rows())
    ]
    fields = (
        FIELDS[: FIELDS.index("job =")] + 'job = "sensitive"\n' + FIELDS[FIELDS.index("ill =") :]
    )
    fields = fields.replace("[fields]", 'entity = "person"\n\n[fields]', 1)
    steps = (
        '[[steps]]\ntechnique = "sample"\nshare = 0.5\n\n[[steps]]\ntechnique = '
        '"encrypt"\nfields = ["person"]\n'
    )
    (tmp_path / "p.toml").write_text(fields + steps, encoding="utf-8")
    made = sfumato.release(
        write(tmp_path / "p.csv", given), tmp_path / "p.toml", to=tmp_path / "out", key=KEY
    )
    released = read(made.table)
    assert made.outcome == "pass"
    people = Counter(row["person"] for row in released)
    assert not set(people) & {row["person"] for row in given}
    assert len(people) <= 60
    assert max(people.values()) == 2
    assert made.manifest["steps"][0]["found"]["drawn"] == "people"
    assert not [check for check in sfumato.verify(made.folder) if check.outcome == "fail"]


def test_steps_meet_hierarchies_in_files(tmp_path, source):
    """A quasi field with a file: its label must be in the file, and what substitution draws is
    recoded by it."""
    (tmp_path / "jobs.csv").write_text(
        "\n".join(f"{job};{group};*" for group, jobs in JOBS.items() for job in jobs),
        encoding="utf-8",
    )
    fields = FIELDS[: FIELDS.index("job =")] + 'job = { role = "quasi", hierarchy = "jobs.csv" }\n'
    fields += FIELDS[FIELDS.index("ill =") :]
    steps = '[[steps]]\ntechnique = "substitute"\nfields = ["job"]\n\n'
    steps += '[[steps]]\ntechnique = "merge_small"\nfields = ["job"]\nleast = 5\nlabel = "{}"\n'
    (tmp_path / "good.toml").write_text(fields + steps.format("other"), encoding="utf-8")
    (tmp_path / "bad.toml").write_text(fields + steps.format("rarely"), encoding="utf-8")
    with pytest.raises(PolicyError, match='no place for "rarely"'):
        read_policy(tmp_path / "bad.toml")
    made = sfumato.release(source, tmp_path / "good.toml", to=tmp_path / "out", key=KEY)
    assert made.outcome == "pass"
    assert "judge" not in {row["job"] for row in read(made.table)}
    assert not [check for check in sfumato.verify(made.folder) if check.outcome == "fail"]


def test_commands_that_release_nothing_count_after_the_steps(tmp_path, capsys):
    """A trial of the steps, under a key that is thrown away."""
    (tmp_path / "people.csv").write_text(
        "age,secret\n" + "".join(f"{n},s{n}\n" for n in range(20, 40)), encoding="utf-8"
    )
    (tmp_path / "policy.toml").write_text(
        '[[steps]]\ntechnique = "round"\nfields = ["age"]\nbase = 100\n\n'
        '[[steps]]\ntechnique = "encrypt"\nfields = ["secret"]\n\n'
        '[fields.age]\nrole = "quasi"\n\n[fields.secret]\nrole = "sensitive"\n\n[require]\nk = 5\n',
        encoding="utf-8",
    )
    assert main(["check", str(tmp_path / "policy.toml"), str(tmp_path / "people.csv")]) == 0
    assert "20 rows, 1 bin over" in capsys.readouterr().out
    found = sfumato.sweep(tmp_path / "people.csv", tmp_path / "policy.toml", over="k=2,20")
    assert [point.smallest for point in found.map.points] == [20, 20]


def test_the_manifest_says_how_many_rows_there_were_before_a_sample(source: Path) -> None:
    table = {
        "fields": {"ill": "sensitive"},
        "other_fields": "remove",
        "steps": [{"technique": "sample", "share": 0.5}],
    }
    made = sfumato.release(source, policy_from_table(table), to=source.parent / "sampled", key=KEY)
    rows_told = made.manifest["tables"]["release"]["rows"]
    assert rows_told == {
        "source": MANY,
        "after_steps": MANY // 2,
        "released": MANY // 2,
        "suppressed": 0,
    }
    assert not [check for check in verify(made.folder) if check.outcome == "fail"]


def test_noise_on_what_all_rows_of_a_person_say_alike_is_warned_of(tmp_path: Path) -> None:
    visits = [
        row | {"id": f"ID-{n // 4:06d}", "weight": str(n // 4)} for n, row in enumerate(rows())
    ]
    source = write(tmp_path / "visits.csv", visits)
    fields = {
        "id": {"role": "direct", "replace": "hash"},
        "weight": "insensitive",
        "ill": "sensitive",
    }
    table = {"fields": fields, "entity": "id", "other_fields": "remove"}
    with open_source(source) as engine:
        for name, warned in (("weight", True), ("ill", False)):
            step = {"technique": "swap", "method": "random", "fields": [name]}
            stepped = take_steps(
                engine,
                policy_from_table(table | {"steps": [step]}),
                key=KEY,
                progress=lambda _: None,
            )
            assert (
                any("in all rows of a person" in warning for warning in stepped.warnings) is warned
            )


def test_verify_does_not_call_swapped_values_ancestors_of_the_sources(source: Path) -> None:
    steps = [{"technique": "swap", "method": "random", "fields": ["ill"]}]
    table = {
        "fields": {"ill": "sensitive", "town": "insensitive"},
        "other_fields": "remove",
        "steps": steps,
    }
    made = sfumato.release(source, policy_from_table(table), to=source.parent / "swapped", key=KEY)
    claims = [check.claim for check in verify(made.folder) if "ancestors" in check.claim]
    assert claims == [
        "released values are ancestors of the source's, except of ill, which steps changed"
    ]
