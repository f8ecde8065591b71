"""Steps in one of several tables: cells of that table change, people are drawn with all that is
theirs."""

from __future__ import annotations

import pytest
from linked_clinic import PEOPLE, clinic, policy, problems, read, released

from sfumato.releases import Key, outcome_of, verify

ENGINES = ("reference", "duckdb")
ROUNDED = {
    "technique": "round",
    "table": "visits",
    "fields": ["cost"],
    "base": 100,
    "method": "plain",
}
HALF = {"technique": "sample", "table": "people", "share": 0.5}
COST = {"visits.fields.cost": "insensitive"}


def with_costs():
    """The clinic with what each visit cost."""
    tables = clinic()
    for number, visit in enumerate(tables["visits"]):
        visit["cost"] = 103 + 7 * number
    return tables


def fails(folder):
    return [check for check in verify(folder) if check.outcome == "fail"]


@pytest.mark.long("a large release on each engine; one engine stays", every=2)
@pytest.mark.parametrize("engine", ENGINES)
def test_cells_of_one_table_change_and_no_others(tmp_path, engine):
    made = released(with_costs(), policy(COST, steps=[ROUNDED]), tmp_path / "out", engine=engine)
    rows = read(made)
    assert {int(row["cost"]) % 100 for row in rows["visits"]} == {0}
    assert len(rows["visits"]) == len(clinic()["visits"])
    assert "rounded" in made.manifest["tables"]["visits"]["fields"]["cost"]
    (step,) = made.manifest["steps"]
    assert (step["technique"], step["table"]) == ("round", "visits")
    assert not fails(made.folder)


@pytest.mark.long("a large release on each engine; one engine stays", every=2)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_of_people_takes_their_rows_along_in_every_table(tmp_path, engine):
    made = released(clinic(), policy(steps=[HALF]), tmp_path / "out", engine=engine)
    rows, source = read(made), clinic()
    drawn = {row["mark"] for row in rows["people"]}
    assert len(drawn) == PEOPLE // 2
    for name in ("visits", "tests"):
        assert sorted(row["mark"] for row in rows[name]) == sorted(
            r["mark"] for r in source[name] if r["mark"] in drawn
        )
    assert len(rows["doctors"]) == 3
    people = made.manifest["tables"]["people"]
    assert (people["rows"]["source"], people["rows"]["after_steps"]) == (PEOPLE, PEOPLE // 2)
    assert people["left_out"]["sampling"] == {"not drawn into the sample": PEOPLE // 2}
    assert people["left_out"]["left_out"] == 0
    assert not fails(made.folder)


@pytest.mark.long("a large release on each engine; one engine stays", every=2)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_of_a_table_below_draws_people_who_keep_all_their_rows(tmp_path, engine):
    step = {"technique": "sample", "table": "tests", "share": 0.5}
    made = released(clinic(), policy(steps=[step]), tmp_path / "out", engine=engine)
    rows, source = read(made), clinic()
    assert len(rows["people"]) == PEOPLE
    assert len(rows["visits"]) == len(source["visits"])
    drawn = {row["mark"] for row in rows["tests"]}
    everyone = {row["mark"] for row in source["tests"]}
    assert len(drawn) == pytest.approx(len(everyone) / 2, abs=1)
    assert len(rows["tests"]) == sum(row["mark"] in drawn for row in source["tests"])
    left_out = made.manifest["tables"]["tests"]["left_out"]
    assert left_out["sampling"] == {"not drawn into the sample": len(everyone) - len(drawn)}
    assert not fails(made.folder)


def test_rows_that_hang_on_a_visit_that_was_not_drawn_leave_with_it(tmp_path):
    step = {"technique": "sample", "table": "visits", "share": 0.5}
    made = released(clinic(), policy(steps=[step]), tmp_path / "out")
    rows = read(made)
    visits = {row["id"] for row in rows["visits"]}
    assert rows["tests"]
    assert {row["visit"] for row in rows["tests"]} <= visits
    assert not fails(made.folder)


def test_real_orphans_are_still_refused_after_a_sample(tmp_path):
    tables = clinic()
    tables["visits"][0]["person"] = 999
    found = problems(tables, policy(steps=[HALF]), tmp_path / "out")
    assert any("nobody's" in what for _, what in found)


def test_a_recoded_field_says_what_a_step_did_first(tmp_path):
    step = {"technique": "pram", "table": "people", "fields": ["sex"], "keep": 0.5}
    made = released(clinic(), policy(steps=[step]), tmp_path / "out", key=Key(bytes(range(32))))
    assert made.manifest["tables"]["people"]["fields"]["sex"].startswith("randomised")
    assert made.manifest["steps"][0]["truthful"] is False
    assert not fails(made.folder)


def test_a_manifest_whose_step_names_another_table_fails(tmp_path):
    import json

    made = released(with_costs(), policy(COST, steps=[ROUNDED]), tmp_path / "out")
    path = made.folder / "manifest.json"
    facts = json.loads(path.read_text())
    facts["steps"][0]["table"] = "people"
    path.write_text(json.dumps(facts))
    assert any("steps are those of the policy" in check.claim for check in fails(made.folder))
    assert outcome_of(list(verify(made.folder))) == "fail"


def test_a_made_up_number_of_people_not_drawn_fails(tmp_path):
    import json

    made = released(with_costs(), policy(COST, steps=[ROUNDED]), tmp_path / "out")
    path = made.folder / "manifest.json"
    facts = json.loads(path.read_text())
    facts["tables"]["visits"]["left_out"]["sampling"] = {"not drawn into the sample": 3}
    path.write_text(json.dumps(facts))
    assert any(
        "reasons for which people of visits left" in check.claim for check in fails(made.folder)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_linked_field_that_tells_what_a_step_changed_is_refused(tmp_path, engine):
    """The site of a test names the true ward of its visit, though not the one that chance put
    there: dependences are counted before the steps."""
    tables = clinic()
    ward = {row["id"]: row["ward"] for row in tables["visits"]}
    tables["tests"] = [row | {"site": f"at {ward[row['visit']]}"} for row in tables["tests"]]
    step = {"technique": "pram", "table": "visits", "fields": ["ward"], "keep": 0.5}
    said = policy({"tests.fields.site": "insensitive"}, steps=[step])
    [(where, found)] = problems(tables, said, tmp_path / "out", engine=engine)
    assert where == "tables.tests.fields.site"
    assert "visits.ward is changed by pram, and tests.site in clear" in found
