"""Several tables from source to release: roles, solvers, pseudonyms, empty tables, and what is
hidden or below."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from linked_clinic import PEOPLE, assert_whole, clinic, failing, policy, problems, read, released

import sfumato
from sfumato.errors import CandidateFailed, NoRecodingFound, SourceError
from sfumato.releases import Key
from sfumato.solvers import b_tabf

HIDDEN = dict.fromkeys(("people.fields.id", "visits.fields.person"), "direct")


# ----------------------------------------------------------------------------------------------------
# roles and solvers


def test_every_role_in_every_table(tmp_path):
    changes = {
        "people.fields.name": {"role": "direct", "replace": "hash"},
        "people.fields.born": {"role": "sensitive", "shift": {"days": 9}},
        "visits.fields.ward": {"role": "text", "replace": "remove"},
        "visits.fields.day": {"role": "insensitive", "shift": {"days": 9}},
        "tests.fields.found": {"role": "direct", "replace": "mask"},
        "doctors.fields.name": {
            "role": "direct",
            "replace": {"method": "surrogate", "kind": "name"},
        },
        "doctors.fields.field": "sensitive",
    }
    tables = clinic()
    tables["tests"][0]["found"] = None
    made = released(tables, policy(changes), tmp_path / "out")
    rows = read(made)
    assert_whole(rows)
    assert list(rows["people"][0]) == ["id", "mark", "name", "zip", "sex", "born"]
    assert list(rows["visits"][0]) == ["id", "person", "doctor", "mark", "day"]
    assert Counter(row["found"] for row in rows["tests"]) == {
        "XXXXXX": len(rows["tests"]) - 1,
        None: 1,
    }
    names = {row["name"] for name in ("people", "doctors") for row in rows[name]}
    assert len(names) == PEOPLE + 3
    assert not names & {row["name"] for name in ("people", "doctors") for row in tables[name]}
    said = made.manifest["tables"]
    assert said["visits"]["fields"]["ward"].startswith("removed: free text")
    assert "shifted" in said["people"]["fields"]["born"]
    assert any(
        "Free text is removed, not released: visits.ward" in told
        for told in made.manifest["warnings"]
    )
    assert failing(made) == []


SOLVERS = {
    "anytime": {},
    "best": {},
    "optimal": {},
    "given": {"solve": {"levels": {"zip": 1}}},
    "datafly": {},
    "datafly2": {},
    "k_similar": {},
    "local": {},
    "mu_argus": {"require": {"combinations": {"k": 4, "sizes": [1]}}},
}


@pytest.mark.long("a release for each solver; each third stays", every=3)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_on_the_table_of_people(tmp_path, solver):
    """Six alike and three of another kind: bins are recoded or left out, and the rows below go with
    them."""
    tables = clinic()
    for n in (2, 9, 20):
        tables["people"][n]["zip"] = "99999"
    more = SOLVERS[solver]
    asked = more.get("require", {"k": 4, "max_suppression": 0.2})
    said = policy(require=asked, solve={"solver": solver} | more.get("solve", {}))
    made = released(tables, said, tmp_path / "out")
    rows = read(made)
    assert made.outcome == "pass"
    assert_whole(rows)
    combinations = [("zip",), ("sex",)] if solver == "mu_argus" else [("zip", "sex")]
    for (
        fields
    ) in combinations:  # mu-Argus looks at single fields here, and not at cells that it has blanked
        bins = Counter(tuple(row[name] for name in fields) for row in rows["people"])
        assert (
            min(size for cells, size in bins.items() if solver != "mu_argus" or "*" not in cells)
            >= 4
        )
    stay = {row["mark"] for row in rows["people"]}
    for name in ("visits", "tests"):  # nothing is lost but what hangs on a row that is gone
        assert sorted(row["mark"] for row in rows[name]) == sorted(
            r["mark"] for r in tables[name] if r["mark"] in stay
        )
    assert failing(made) == []


@pytest.mark.long("a release for each level; one level stays", every=3)
@pytest.mark.parametrize("linking", [0.25, 0.5, 1.0])
def test_datafly_s_anonymity_level_sets_how_many_share_a_number(tmp_path, linking):
    """b_tabf is worked out from P_tabf (Sweeney 1997, section 3.8), for as many people as are
    released."""
    loss = (
        0.5 if linking == 1 else 0.1
    )  # To share numbers of rows within bins takes every visit of so few people.
    asked = {"anonymity": {"level": 0.5, "r1": 0.0, "r2": 6.0, "e": 3.0, "loss": loss}}
    said = policy(
        {"visits.row_counts": {"linking": linking}}, require=asked, solve={"solver": "datafly"}
    )
    made = released(clinic(), said, tmp_path / "out")
    expected = b_tabf(linking, r1=0.0, r2=6.0)
    assert made.manifest["tables"]["visits"]["bin_size_of_row_counts"] == expected
    rows = read(made)
    visits = Counter(row["mark"] for row in rows["visits"])
    joint = ("zip", "sex") if linking == 1 else ()
    people = Counter(
        (visits[row["mark"]], *(row[name] for name in joint)) for row in rows["people"]
    )
    assert min(people.values()) >= expected
    unprotected = any("anonymity level and linking" in told for told in made.manifest["warnings"])
    assert unprotected == (expected < 2)
    assert failing(made) == []


# --------------------------------------------------------------------------------------------------
# nothing, and nobody


@pytest.mark.long("a release for each table; each second stays", every=2)
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
@pytest.mark.parametrize("empty", [("tests",), ("visits", "tests")])
def test_a_table_without_rows(tmp_path, engine, empty):
    """Empty tables are released empty, whatever is asked of them."""
    tables = clinic() | {name: [] for name in empty}
    said = policy(
        {
            "visits.fields.ward": "quasi",
            "visits.row_counts": {},
            "tests.fields.found": {"role": "sensitive", "hierarchy": {"suppress": True}},
        },
        require={
            "k": 3,
            "max_suppression": 1.0,
            "k_m": {"table": "tests", "field": "found", "k": 3, "m": 2},
        },
    )
    made = released(tables, said, tmp_path / "out", engine=engine)
    assert made.outcome == "pass"
    rows = read(made)
    assert [len(rows[name]) for name in empty] == [0] * len(empty)
    assert len(rows["people"]) == PEOPLE
    assert failing(made) == []


def test_no_people_at_all_and_no_quasi_field_at_all(tmp_path):
    with pytest.raises(SourceError, match="holds no row"):
        released(
            {name: [] for name in clinic() if name != "doctors"} | {"doctors": clinic()["doctors"]},
            policy(),
            tmp_path / "no",
        )
    plain = dict.fromkeys(("people.fields.zip", "people.fields.sex"), "insensitive")
    made = released(
        clinic(),
        policy(plain | {"visits.row_counts": {"bin_size": 3}}, require={}),
        tmp_path / "out",
    )
    assert [(verdict.model, verdict.outcome) for verdict in made.verdicts] == [
        ("row counts", "pass")
    ]
    assert made.manifest["solver"]["name"] == ""
    assert failing(made) == []


@pytest.mark.parametrize("below", [False, True])
def test_where_everyone_would_be_suppressed_nothing_is_released(tmp_path, below):
    tables = clinic()
    for n, row in enumerate(tables["people"]):
        row["zip"] = f"{n}000"
    changes = {"people.fields.zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}}} | (
        {"visits.fields.ward": "quasi"} if below else {}
    )
    said = policy(changes, require={"k": 30, "max_suppression": 1.0})
    with pytest.raises(NoRecodingFound):
        released(tables, said, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------------------------------ what is
# below, and what is hidden


@pytest.mark.long("a large release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_bins_of_people_and_numbers_of_rows_at_once(tmp_path, engine):
    """Rows in small bins go, so that numbers change; rows go so that numbers are shared, so that
    bins change."""
    said = policy(
        {
            "visits.fields.ward": "quasi",
            "visits.fields.day": {"role": "quasi", "hierarchy": {"dates": ["quarter", "year"]}},
            "tests.fields.found": "quasi",
            "visits.row_counts": {"linking": 1.0},
            "tests.row_counts": {"bin_size": 2},
        },
        require={"k": 2, "max_suppression": 0.9},
    )
    made = released(clinic(), said, tmp_path / "out", engine=engine)
    rows = read(made)
    assert_whole(rows)
    whose, visit = (
        {row[key]: row for row in rows[name]}
        for name, key in (("people", "mark"), ("visits", "id"))
    )
    people = defaultdict(set)
    for row in rows["tests"]:
        person, seen = whose[row["mark"]], visit[row["visit"]]
        people[person["zip"], person["sex"], seen["ward"], seen["day"], row["found"]].add(
            row["mark"]
        )
    assert all(len(found) >= 2 for found in people.values())
    visits = Counter(row["mark"] for row in rows["visits"])
    joint = Counter((visits[row["mark"]], row["zip"], row["sex"]) for row in rows["people"])
    assert min(joint.values()) >= 2
    counted = made.accounts["visits"]
    assert counted["source"] == sum(count for what, count in counted.items() if what != "source")
    assert failing(made) == []


@pytest.mark.long("a release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_tables_that_do_not_show_whose_rows_they_have(tmp_path, engine):
    """Without the person key nothing is known of numbers of rows; k is counted on what was written
    from."""
    said = policy(
        HIDDEN | {"visits.fields.ward": "quasi", "visits.row_counts": {}},
        require={"k": 4, "max_suppression": 0.3},
    )
    made = released(clinic(), said, tmp_path / "out", engine=engine)
    rows = read(made)
    assert ("id" in rows["people"][0], "person" in rows["visits"][0]) == (False, False)
    assert {row["visit"] for row in rows["tests"]} <= {row["id"] for row in rows["visits"]}
    bins = defaultdict(set)
    whose = {row["mark"]: row for row in rows["people"]}
    for row in rows["visits"]:
        bins[row["ward"], whose[row["mark"]]["zip"], whose[row["mark"]]["sex"]].add(row["mark"])
    assert min(map(len, bins.values())) >= 4
    checks = sfumato.verify(made.folder)
    assert not [found for found in checks if found.outcome == "fail"]
    assert {found.outcome for found in checks if found.claim.startswith("k-people")} == {"review"}


def test_a_field_that_follows_another_in_a_table_below(tmp_path):
    changes = {
        "visits.fields.day": {"role": "quasi", "hierarchy": {"suppress": True}},
        "visits.fields.ward": {"role": "insensitive", "follows": "day"},
    }
    made = released(clinic(), policy(changes), tmp_path / "out")
    assert {(row["day"], row["ward"]) for row in read(made)["visits"]} == {("*", "*")}
    assert "suppressed where day is" in made.manifest["tables"]["visits"]["fields"]["ward"]


def test_what_cannot_be_done_is_refused_before_anything_is_made(tmp_path):
    tables = clinic()
    tables["tests"] = [row | {"people.id": "x"} for row in tables["tests"]]
    moved = {"visits.fields.day": {"role": "quasi", "shift": {"days": 3}}}
    said = policy(moved, order="keep", other_fields="remove")
    assert [where for where, _ in problems(tables, said, tmp_path / "out")] == [
        "order",
        "tables.tests.fields",
        "tables.visits.fields.day.shift",
    ]


METHODS = ("number", "hash", "made-up", "lookup", {"method": "surrogate", "kind": "name"})


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_key_under_every_method(tmp_path, method):
    """One to one, the same in both tables, and none of the originals."""
    tables = clinic()
    for row in tables["people"]:
        row["id"] = f"AB-{row['id']:05}"
    for row in tables["visits"]:
        row["person"] = f"AB-{row['person']:05}"
    replaced = {"role": "direct", "replace": method}
    said = policy({"people.fields.id": replaced, "visits.fields.person": replaced})
    rows = read(released(tables, said, tmp_path / "out", key=Key(bytes(range(32)))))
    assert_whole(rows)
    assert not {row["id"] for row in rows["people"]} & {row["id"] for row in tables["people"]}


def test_replacements_that_meet_originals_are_refused_with_what_helps(tmp_path):
    """Made-up numbers of two digits are among the 24 that there are."""
    replaced = {"role": "direct", "replace": "made-up"}
    said = policy({"people.fields.id": replaced, "visits.fields.person": replaced})
    with pytest.raises(CandidateFailed, match=r"people\.id still has (.|\n)*\"number\""):
        released(clinic(), said, tmp_path / "out", key=Key(bytes(range(32))))
    assert not (tmp_path / "out").exists()
