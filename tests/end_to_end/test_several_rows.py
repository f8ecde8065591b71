"""One table in which people have several rows: people are counted, and what cannot be is
refused."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest

import sfumato
from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.policy import policy_from_table, read_policy
from sfumato.releases.pipeline import release

FIELDS = ("who", "zip", "sex", "day", "ill", "note")
NUMBER = {"role": "direct", "replace": "number"}


def rows():
    """18 people with one to four rows; the zip of a person changes from row to row."""
    out = []
    for n in range(18):
        for i in range(1 + n % 4):
            day = f"2021-{1 + (n + i) % 6:02}-1{i}"
            out.append(
                (
                    f"P{n:02}",
                    f"0213{(n + i) % 3}",
                    "fm"[n % 2],
                    day,
                    "abcd"[(n * i) % 4],
                    f"note {n}",
                )
            )
    return out


TOLD = {
    "day": {"role": "insensitive", "may_tell": ["zip"]},
    "ill": {"role": "sensitive", "may_tell": ["sex"]},
}
"""With one row of each person, a day determines the zip code, and an illness the sex."""


def write(path: Path, given=None) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([FIELDS, *(rows() if given is None else given)])
    return path


def said(fields=None, **top):
    roles = {
        "who": NUMBER,
        "zip": {"role": "quasi", "hierarchy": {"prefix": [4]}},
        "sex": "quasi",
        "day": "insensitive",
    }
    return {
        "entity": "who",
        "fields": roles
        | {"ill": "sensitive", "note": {"role": "text", "replace": "remove"}}
        | (fields or {}),
        "require": {"k": 3, "max_suppression": 0.5},
    } | top


def made_of(decided, folder, *, given=None, engine="reference", **how):
    source = write(folder / "rows.csv", given)
    return release(source, policy_from_table(decided), to=folder / "out", engine=engine, **how)


def read(made):
    with made.table.open(newline="") as file:
        return list(csv.DictReader(file))


def failing(made):
    return [found.claim for found in sfumato.verify(made.folder) if found.outcome == "fail"]


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_every_bin_has_k_people_and_every_number_is_shared(tmp_path, engine):
    made = made_of(said(), tmp_path, engine=engine)
    found = read(made)
    people = defaultdict(set)
    for row in found:
        people[row["zip"], row["sex"]].add(row["who"])
    assert min(map(len, people.values())) >= 3
    assert min(Counter(Counter(row["who"] for row in found).values()).values()) >= 3
    assert [(v.model, v.outcome) for v in made.verdicts] == [
        ("k-people", "pass"),
        ("row counts", "pass"),
    ]
    assert list(found[0]) == ["who", "zip", "sex", "day", "ill"]
    assert made.table.name == "release.csv"
    assert failing(made) == []


def test_what_the_release_says_of_itself_is_about_one_table(tmp_path):
    """The policy in the folder, in the manifest and on the object is the one that was given, and
    makes a release."""
    decided = said(row_counts={"bin_size": 4})
    made = made_of(decided, tmp_path)
    assert made.policy == policy_from_table(decided)
    assert made.manifest["policy"]["entity"] == "who"
    assert "tables" not in made.manifest["policy"]
    again = read_policy(made.folder / "policy.toml")
    assert (again.entity, again.row_counts.bin_size, list(again.fields)) == ("who", 4, list(FIELDS))
    counted = made.accounts["release"]
    assert (
        counted["source"]
        == len(rows())
        == sum(count for what, count in counted.items() if what != "source")
    )
    assert made.manifest["people"] == len({row["who"] for row in read(made)})


@pytest.mark.long("a release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_sets_of_values_and_dates_that_move(tmp_path, engine):
    decided = said(
        {
            "ill": {"role": "sensitive", "hierarchy": {"tree": {"x": ["a", "b"], "y": ["c", "d"]}}},
            "day": {"role": "insensitive", "shift": {"days": 20}},
        },
        require={"k": 3, "max_suppression": 0.5, "k_m": {"field": "ill", "k": 4, "m": 2}},
    )
    made = made_of(decided, tmp_path, engine=engine)
    sets = defaultdict(set)
    for row in read(made):
        sets[row["who"]].add(row["ill"])
    held = Counter(
        some
        for found in sets.values()
        for size in (1, 2)
        for some in combinations(sorted(found), size)
    )
    assert min(held.values()) >= 4
    assert any("days between the dates" in warning for warning in made.manifest["warnings"])
    assert failing(made) == []


def test_sets_are_looked_at_also_where_each_has_one_row(tmp_path):
    """A requirement is not forgotten because nobody happens to have two rows."""
    once = list({row[0]: row for row in rows()}.values())
    tree = {"tree": {"x": ["a", "b"], "y": ["c", "d"]}}
    ill = {"ill": TOLD["ill"] | {"hierarchy": tree}}
    asked = {"k": 3, "k_m": {"field": "ill", "k": 9, "m": 1}}
    made = made_of(said(TOLD | ill, require=asked), tmp_path, given=once)
    assert [verdict.model for verdict in made.verdicts] == [
        "k-people",
        "row counts",
        "k^m-anonymity",
    ]
    assert min(Counter(row["ill"] for row in read(made)).values()) >= 9
    assert failing(made) == []


@pytest.mark.parametrize("replace", ["hash", "remove"])
def test_without_a_pseudonym_nobody_sees_numbers_of_rows(tmp_path, replace):
    """With one they are shared. Without, k is counted on what was written from, which the release
    alone cannot show."""
    made = made_of(said({"who": {"role": "direct", "replace": replace}}), tmp_path)
    models = [verdict.model for verdict in made.verdicts]
    assert models == (["k-people", "row counts"] if replace == "hash" else ["k-people"])
    outcome = {
        found.outcome for found in sfumato.verify(made.folder) if found.claim.startswith("k-people")
    }
    assert outcome == ({"pass"} if replace == "hash" else {"review"})
    assert failing(made) == []


REFUSED = {
    "combinations without a k": (
        {"require": {"combinations": {"k": 3, "sizes": [1, 2]}}},
        ["require.k"],
    ),
    "bin sizes without a k": ({"require": {"bin_sizes": {"zip": 3, "sex": 3}}}, ["require.k"]),
    "whom a row leads to": ({"require": {"k": 3, "null_map": True}}, ["require.null_map"]),
    "datafly's level without a number for rows": (
        {"require": {"anonymity": {"level": 0.5}}, "solve": {"solver": "datafly"}},
        ["require.k"],
    ),
    "nulls that match anything": ({"nulls": "matches-anything"}, ["nulls"]),
    "a wildcard reading": ({"require": {"k": 3, "reading": "wildcard"}}, ["require.reading"]),
    "households": ({"household": "note", "fields": {"note": "direct"}}, ["household"]),
    "dates that move by something else": (
        {
            "fields": {
                "day": {"role": "insensitive", "shift": {"days": 9, "per": "note"}},
                "note": "insensitive",
            }
        },
        ["fields.day.shift.per"],
    ),
    "sets within bins": (
        {
            "require": {"k": 3, "k_m": {"field": "ill", "k": 3, "m": 2, "within_bins": True}},
            "fields": {"ill": {"role": "sensitive", "hierarchy": {"suppress": True}}},
        },
        ["require.k_m.within_bins"],
    ),
    "a number that nobody bounds": (
        {"require": {}, "fields": dict.fromkeys(("zip", "sex"), "insensitive")},
        ["require.k"],
    ),
    "the number known with the quasi-identifiers": (
        {"row_counts": {"linking": 1.0}},
        ["row_counts.linking"],
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_asked_of_rows_is_refused_and_not_forgotten(tmp_path, what):
    top, places = REFUSED[what]
    decided = said(
        top.get("fields"), **{key: value for key, value in top.items() if key != "fields"}
    )
    with pytest.raises(PolicyError) as caught:
        made_of(decided, tmp_path)
    assert [problem.where for problem in caught.value.problems] == places
    assert not (tmp_path / "out").exists()


def test_the_same_is_allowed_where_each_has_one_row(tmp_path):
    """The control: nothing of this is refused for its own sake."""
    once = list({row[0]: row for row in rows()}.values())
    made = made_of(
        said(TOLD, require={"k": 3, "l_diversity": {"l": 2}}, solve={"solver": "k_similar"}),
        tmp_path,
        given=once,
    )
    assert {verdict.model for verdict in made.verdicts} == {"k-anonymity", "distinct l-diversity"}


def test_rows_of_nobody_and_a_limit_that_cannot_be_kept(tmp_path):
    with pytest.raises(PolicyError, match=r"1\. entity: 1 row is nobody's"):
        made_of(said(), tmp_path, given=[*rows(), (None, "02138", "f", "2021-01-01", "a", "x")])
    alone = [*rows(), *[("P00", "99999", "x", "2021-01-01", "a", "x")] * 9]
    strict = {
        "zip": {
            "role": "quasi",
            "hierarchy": {"tree": {"here": ["02130", "02131", "02132"], "there": ["99999"]}},
        }
    }
    with pytest.raises(NoRecodingFound):
        made_of(said(strict, require={"k": 19}), tmp_path, given=alone)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("solver", ["anytime", "optimal"])
def test_the_search_counts_people_against_the_limit(tmp_path, solver):
    """Four of twelve people have one row each in a small bin: few rows, and too many people."""
    given = [
        (f"P{n}", f"0213{n % 2}", "f", "2021-01-01", "a", "") for n in range(8) for _ in range(9)
    ]
    given += [(f"Q{n}", f"0214{n}", "f", "2021-01-01", "a", "") for n in range(4)]
    asked = said(
        require={"k": 3, "max_suppression": 0.1},
        row_counts={"linking": 0},
        solve={"solver": solver},
    )
    made = made_of(asked, tmp_path, given=given)
    assert made.manifest["recoding"]["levels"]["release.zip"] == 1
    assert made.manifest["tables"]["release"]["left_out"]["left_out"] == 0
    assert "proven optimal" in made.manifest["solver"]["proof"]["in_words"]


@pytest.mark.parametrize("entity", ["who", None])
def test_safe_harbor_warns_of_five_digits_that_nobody_declared(tmp_path, entity):
    fields = TOLD | {"who": "direct"}
    asked = said(fields=fields, require={"k": 2, "safe_harbor": True})
    asked = {key: value for key, value in asked.items() if key != "entity" or entity}
    made = made_of(asked, tmp_path, engine="duckdb")
    told = [each for each in made.manifest["warnings"] if "for Safe Harbor, and all" in each]
    assert len(told) == 1
    declared = said(fields=fields, require={"k": 2, "safe_harbor": {"zips": ["zip"]}})
    declared["fields"]["zip"] = {"role": "quasi", "hierarchy": {"prefix": [3]}}
    again = release(tmp_path / "rows.csv", policy_from_table(declared), to=tmp_path / "again")
    assert not [each for each in again.manifest["warnings"] if "Safe Harbor" in each]


def test_people_in_a_workbook_are_counted_and_verified(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    made = made_of(said(), tmp_path, engine="duckdb", file_format="xlsx")
    head, *cells = openpyxl.load_workbook(made.table).active.iter_rows(values_only=True)
    people = defaultdict(set)
    for row in (dict(zip(head, each, strict=True)) for each in cells):
        people[row["zip"], row["sex"]].add(row["who"])
    assert min(map(len, people.values())) >= 3
    assert failing(made) == []


def test_several_tables_in_workbooks_are_a_source_too(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    people = [(f"P{n}", "fm"[n % 2]) for n in range(12)]
    visits = [(f"P{n}", "ab"[n % 2]) for n in range(12) for _ in range(2)]
    (tmp_path / "clinic").mkdir()
    for name, rows in {
        "people": [("who", "sex"), *people],
        "visits": [("who", "ill"), *visits],
    }.items():
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "clinic" / f"{name}.xlsx")
    asked = {
        "entity": "people.who",
        "tables": {
            "people": {"key": "who", "fields": {"who": NUMBER, "sex": "quasi"}},
            "visits": {
                "links": {"who": "people.who"},
                "fields": {"who": NUMBER, "ill": "quasi"},
            },
        },
        "require": {"k": 3},
    }
    made = release(
        tmp_path / "clinic", policy_from_table(asked), to=tmp_path / "out", file_format="xlsx"
    )
    assert {path.name for path in made.tables.values()} == {"people.xlsx", "visits.xlsx"}
    assert failing(made) == []
