"""A release of several tables on its way through the world: checked by who has only it, tampered
with, replaced.

Who changes a file also changes its digest in the manifest, so that something else must notice.
"""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from linked_clinic import clinic, policy, read, released

import sfumato
from sfumato.errors import ReleaseBroken, TargetError
from sfumato.policy import policy_as_table, read_policy
from sfumato.releases.inventory import digest

SAID = policy(
    {
        "visits.row_counts": {"bin_size": 3},
        "visits.fields.ward": "quasi",
        "tests.fields.found": {"role": "sensitive", "hierarchy": {"suppress": True}},
    },
    require={
        "k": 4,
        "max_suppression": 0.5,
        "k_m": {"table": "tests", "field": "found", "k": 3, "m": 2},
    },
)


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    return released(clinic(), SAID, tmp_path_factory.mktemp("once") / "out")


@pytest.fixture
def made(once, tmp_path):
    """A copy of the release, to change."""
    folder = shutil.copytree(once.folder, tmp_path / "out")
    return replace(
        once, folder=folder, tables={name: folder / path.name for name, path in once.tables.items()}
    )


def failing(made):
    return {
        found.claim: found.found for found in sfumato.verify(made.folder) if found.outcome == "fail"
    }


def tamper(made, table, change, *, hide):
    """Change the rows of one table; with `hide`, its digest and size in the manifest too."""
    path = Path(made.tables[table])
    rows = read(made)[table]
    fields = list(rows[0])
    rows = change(rows)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)
    if hide:
        manifest = made.folder / "manifest.json"
        facts = json.loads(manifest.read_text())
        for said in (facts["tables"][table], facts["files"][path.name]):
            said.update(sha256=digest(path), bytes=path.stat().st_size)
        manifest.write_text(json.dumps(facts))


def edited(name, value, at=0):
    def change(rows):
        rows[at][name] = value
        return rows

    return change


def swapped(rows):
    """Two pseudonyms in the place of each other in one row each: every link still leads
    somewhere."""
    other = next(n for n, row in enumerate(rows) if row["person"] != rows[0]["person"])
    rows[0]["person"], rows[other]["person"] = rows[other]["person"], rows[0]["person"]
    return rows


def test_what_was_released_passes(made):
    checks = sfumato.verify(made.folder)
    assert failing(made) == {}
    claims = " ".join(found.claim for found in checks if found.outcome == "pass")
    for claim in (
        "digest of people.csv",
        "rows of visits",
        "fields of tests",
        "k-people",
        "row counts",
        "k^m-anonymity",
    ):
        assert claim in claims
    assert "keys and links are whole" in claims


@pytest.mark.parametrize("table", ["people", "doctors"])
def test_an_edited_cell_is_seen_by_its_digest(made, table):
    tamper(made, table, lambda rows: rows[::-1], hide=False)
    assert list(failing(made)) == [f"digest of {table}.csv"]
    assert "people.csv" in " ".join(path.name for path in made.folder.iterdir())


TAMPERED = {
    "a row too few": ("visits", lambda rows: rows[1:], "rows of visits"),
    "a row twice": ("people", lambda rows: [*rows, rows[0]], "keys and links are whole"),
    "a link that leads nowhere": ("visits", edited("person", "1"), "keys and links are whole"),
    "visits that tests link to are others": (
        "visits",
        lambda rows: [row | {"id": f"9{row['id']}"} for row in rows],
        "keys and links are whole",
    ),
    "a quasi-identifier of one person": (
        "people",
        edited("zip", "99999"),
        "k-people (k = 4 people in people",
    ),
    "a quasi-identifier of a visit": (
        "visits",
        edited("ward", "north"),
        "k-people (k = 4 people in visits",
    ),
    "a value that one person has": ("tests", edited("found", "plague"), "k^m-anonymity"),
    "all visits one person's": (
        "visits",
        lambda rows: [row | {"person": rows[0]["person"]} for row in rows],
        "row counts",
    ),
}


@pytest.mark.long("a forgery of each kind; each second stays", every=2)
@pytest.mark.parametrize("what", TAMPERED)
def test_what_is_hidden_from_the_digest_is_seen_by_counting(made, what):
    table, change, claim = TAMPERED[what]
    tamper(made, table, change, hide=True)
    found = failing(made)
    assert any(name.startswith(claim) for name in found), sorted(found)
    assert not any(name.startswith("digest") for name in found)
    assert not any(
        word in " ".join(found.values()) for word in ("plague", "99999", "north")
    )  # counts, no cells


def test_two_pseudonyms_swapped_are_seen_by_the_digest(made):
    tamper(made, "visits", swapped, hide=False)
    assert "digest of visits.csv" in failing(made)


def test_known_limit_a_swap_that_breaks_nothing_is_seen_by_the_digest_alone(made):
    """Not seen, and not to be: rows that keep every claim, under a digest that someone has changed
    with them."""
    tamper(made, "visits", swapped, hide=True)
    assert not any(name.startswith("digest") or "links" in name for name in failing(made))


def test_a_missing_table_and_a_field_too_many(made):
    tamper(made, "doctors", lambda rows: rows, hide=True)
    path = Path(made.tables["doctors"])
    lines = path.read_text().splitlines()
    path.write_text(
        "\n".join([f"{lines[0]},name", *(f"{line},Dr Who" for line in lines[1:])]) + "\n"
    )
    assert set(failing(made)) == {
        "bytes of doctors",
        "digest of doctors.csv",
        "fields of doctors",
        "fields of doctors, by the policy",
    }
    path.unlink()
    with pytest.raises(ReleaseBroken, match=r"doctors\.csv"):
        sfumato.verify(made.folder)


@pytest.mark.parametrize("change", ["tables", "policy", "verdicts"])
def test_a_manifest_that_was_cut_is_no_manifest(made, change):
    manifest = made.folder / "manifest.json"
    facts = json.loads(manifest.read_text())
    del facts[change]
    manifest.write_text(json.dumps(facts))
    with pytest.raises(ReleaseBroken):
        sfumato.verify(made.folder)


# ---------------------------------------------------------------------------------------------------------
# replacing


def test_a_release_is_replaced_only_when_told_and_as_a_whole(made, tmp_path):
    before = {path.name: path.read_bytes() for path in made.folder.iterdir()}
    with pytest.raises(TargetError, match="already holds a release"):
        released(clinic(), SAID, made.folder)
    assert {path.name: path.read_bytes() for path in made.folder.iterdir()} == before
    fewer = policy(
        {
            "tests": None,
            "doctors": None,
            "visits.links": {"person": "people.id"},
            "visits.fields.doctor": "direct",
        }
    )
    again = released(clinic(), fewer, made.folder, replace=True)
    assert {path.name for path in again.folder.iterdir()} == {
        "people.csv",
        "visits.csv",
        "manifest.json",
        "report.html",
        "policy.toml",
    }
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_folder_with_other_files_is_never_replaced(made):
    (made.folder / "thesis.doc").write_text("ten years")
    with pytest.raises(TargetError, match="holds more than a release"):
        released(clinic(), SAID, made.folder, replace=True)
    assert (made.folder / "thesis.doc").read_text() == "ten years"


def test_a_replacement_that_fails_leaves_the_earlier_release(made):
    before = {path.name: path.read_bytes() for path in made.folder.iterdir()}
    with pytest.raises(sfumato.errors.SfumatoError):
        released(clinic(), policy(require={"k": 99}), made.folder, replace=True)
    assert {path.name: path.read_bytes() for path in made.folder.iterdir()} == before


def test_the_policy_that_lies_in_the_release_makes_it_again(made, tmp_path):
    again = released(
        clinic(), policy_as_table(read_policy(made.folder / "policy.toml")), tmp_path / "again"
    )
    assert [verdict.model for verdict in again.verdicts] == [
        verdict.model for verdict in made.verdicts
    ]
    assert [verdict.requirement for verdict in again.verdicts] == [
        verdict.requirement for verdict in made.verdicts
    ]


@pytest.mark.parametrize("asked", [{"t_closeness": {"t": 0.9}}, {"beta_likeness": {"beta": 30.0}}])
def test_a_requirement_that_compares_with_the_source_is_left_undecided_without_it(asked, tmp_path):
    """It ended in a Mistake about values that were not counted."""
    tables = clinic()
    for number, row in enumerate(tables["people"]):
        row["ill"] = ("flu", "gout", "cold")[number % 3]
    said = policy(
        {"people.fields.ill": "sensitive", "tests.fields.found": "insensitive"},
        require={"k": 3, **asked},
    )
    made = released(tables, said, tmp_path / "out")
    (found,) = (check for check in sfumato.verify(made.folder) if check.requirement in asked)
    assert found.outcome == "review"
    assert "it needs the source" in found.found


def test_a_step_that_goes_by_a_hierarchy_is_verified_without_it(tmp_path):
    """Its field had no hierarchy any more, so that the manifest was none that Sfumato wrote."""
    tables = clinic()
    for number, row in enumerate(tables["people"]):
        row["ill"] = ("flu", "gout", "cold")[number % 3]
    tree = {"tree": {"some": ["flu", "gout"], "rest": ["cold"]}}
    step = {"table": "people", "technique": "substitute", "fields": ["ill"], "level": 1}
    said = policy({"people.fields.ill": {"role": "sensitive", "hierarchy": tree}}, steps=[step])
    made = released(tables, said, tmp_path / "out")
    assert {check.outcome for check in sfumato.verify(made.folder)} <= {"pass", "review"}
