"""Numbers of rows: the attacker sends the bills, and so knows how often each patient by name came.

No field of the release says it, but visits of one patient share a pseudonym, and twenty of them are
one patient's only (Sweeney 1997, section 3.8: 15 % of the patients of its hospital have a number of
visits that nobody shares). The attacker holds the bills against the release; with the register of
the town as well, birth, sex and ZIP too.

The baseline is 1/b, for b people who share a number (b_tabf). The control is the same attack on the
tables as they were, which finds many. The attacker is even told which number each patient's has
become: nobody can do better."""

from __future__ import annotations

import csv
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hospital import (
    Demographics,
    K,
    chances,
    hospital,
    mean,
    numbers_of,
    policy,
    read,
    release_of,
    released,
)
from sfumato import verify
from sfumato.datasets import HOSPITAL_DATABASE_POLICY, write_hospital_database
from sfumato.keys import Key
from sfumato.policy import read_policy
from sfumato.policy.table_records import RowCountMerging
from sfumato.releases.pipeline import release
from sfumato.solvers import merge_row_counts

MERGED = {"bin_size": K}
BILLED = "visits.row_counts"


@pytest.fixture(scope="module")
def tables():
    return hospital()


def by_number(rows):
    """How a released patient is recognised by a number: those who have as many visits as the known
    one has there."""
    numbers = numbers_of(rows)
    mine = {person["mark"]: numbers[person["pid"]] for person in rows["patients"]}
    return lambda known, person: numbers[person["pid"]] == mine[known["mark"]]


def billed(tables):
    """The number that each patient was billed for."""
    return numbers_of(tables)


def test_control_the_bills_name_patients_in_the_tables_as_they_were(tables):
    found = chances(tables["patients"], tables["patients"], by_number(tables))
    assert max(found) == 1
    assert sum(chance > 1 / K for chance in found) > 10  # patients found better than the baseline


@pytest.mark.long("a large release on each engine; one engine stays", but=("reference-*",))
@pytest.mark.parametrize("merging", ["fewest-rows", "datafly"])
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_every_number_is_that_of_enough_people(tables, tmp_path, engine, merging):
    rows = released(
        tables, tmp_path, policy({BILLED: MERGED | {"merging": merging}}), engine=engine
    )
    found = chances(tables["patients"], rows["patients"], by_number(rows))
    assert len(found) == len(rows["patients"])
    assert max(found) <= 1 / K
    assert len(rows["visits"]) > 0.9 * len(
        tables["visits"]
    )  # what it cost: the numbers are not all made one


def test_who_works_out_what_the_algorithm_did_finds_no_one(tables, tmp_path):
    """The attacker runs the algorithm on the bills, so that a number which stands nowhere in the
    release leads on."""
    decided = policy({BILLED: MERGED}, require={"max_suppression": 0.0})
    rows = released(tables, tmp_path, decided)
    sizes = sorted(Counter(billed(tables).values()).items())
    numbers, people = (np.array(column, np.int64) for column in zip(*sizes, strict=True))
    keep = merge_row_counts(
        np.zeros(len(numbers), np.int64),
        numbers,
        people,
        bin_size=K,
        merging=RowCountMerging.FEWEST_ROWS,
    )
    became = dict(zip(numbers.tolist(), keep.tolist(), strict=True))
    there = numbers_of(rows)

    def fits(known, person):
        return there[person["pid"]] == became[billed(tables)[known["pid"]]]

    known = [person for person in tables["patients"] if billed(tables)[person["pid"]] > 8]
    found = chances(known, rows["patients"], fits)
    assert min(found) > 0  # the attacker is right about what became of whom,
    assert max(found) <= 1 / K  # and it does not help


def test_without_the_protection_the_bills_win(tables, tmp_path):
    """The same policy, where it says that nobody knows the numbers: many are found, and the
    manifest says so."""
    made = release_of(tables, tmp_path, policy())
    rows = read(made)
    found = chances(tables["patients"], rows["patients"], by_number(rows))
    assert max(found) == 1
    assert any("visits is not protected" in said for said in made.manifest["warnings"])


# ------------------------------------------------------------------------------------- the bills
# and the register


def both(decided, tables, rows):
    demographics, alike = Demographics(decided, tables["patients"]), by_number(rows)
    return lambda known, person: demographics.fits(known, person) and alike(known, person)


@pytest.mark.long("a large release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_counted_together_the_bills_and_the_register_find_no_one(tables, tmp_path, engine):
    decided = policy({BILLED: {"linking": 1.0}}, require={"max_suppression": 0.3})
    rows = released(tables, tmp_path, decided, engine=engine)
    found = chances(tables["patients"], rows["patients"], both(decided, tables, rows))
    assert max(found) <= 1 / K
    assert mean(found) > 1 / len(found)  # it still helps, by as much as was allowed


def test_counted_together_after_local_recoding(tables, tmp_path):
    """Each bin has labels of its own; the numbers are shared within what is released, not within
    what was there."""
    decided = policy(
        {BILLED: {"linking": 1.0}}, require={"max_suppression": 0.3}, solve={"solver": "local"}
    )
    rows = released(tables, tmp_path, decided)
    found = chances(tables["patients"], rows["patients"], both(decided, tables, rows))
    assert max(found) <= 1 / K


@pytest.mark.long("a release for a limit that is documented; what is promised stays")
def test_known_limit_numbers_shared_by_themselves_against_who_also_has_the_register(
    tables, tmp_path
):
    """Not protected, and the manifest says so: K people share the number, but one of them is a
    woman of that age."""
    decided = policy({BILLED: MERGED | {"linking": 0.5}})
    made = release_of(tables, tmp_path, decided)
    rows = read(made)
    found = chances(tables["patients"], rows["patients"], both(decided, tables, rows))
    assert max(found) == 1
    assert any("linking = 1 counts them together" in said for said in made.manifest["warnings"])


def pairs_of_numbers(made):
    """How many patients have each pair of numbers: of visits, and of diagnoses at them."""
    rows = read(made)
    visits = numbers_of(rows)
    of_visit = {row["vid"]: row["pid"] for row in rows["visits"]}
    counted = Counter(of_visit[row["vid"]] for row in rows["diagnoses"])
    return Counter((visits[person["pid"]], counted[person["pid"]]) for person in rows["patients"])


def test_numbers_in_two_tables_are_protected_together_where_that_is_asked(tables, tmp_path):
    """Each number is shared, and a pair of them is one patient's, unless they are counted
    together; the manifest says so."""
    require = {"max_suppression": 0.9}
    for together in (False, True):
        numbers = MERGED | {"together": True} if together else MERGED
        asked = policy({BILLED: MERGED, "diagnoses.row_counts": numbers}, require=require)
        made = release_of(tables, tmp_path / str(together), asked)
        fewest = min(pairs_of_numbers(made).values())
        assert fewest >= K if together else fewest == 1
        warned = any("together = true" in said for said in made.manifest["warnings"])
        assert warned is not together


@pytest.mark.long("five releases for a limit that is documented; what is promised stays")
def test_known_limit_several_releases_show_what_each_has_dropped(tmp_path):
    """Not protected: rows are dropped at random each time, and charges tell which were dropped
    before.

    Whoever gets the release again and again gathers the rows of each patient, until the old number
    is there."""
    tables, gathered = hospital(80), {}
    for _ in range(5):
        rows = released(
            tables, tmp_path, policy({BILLED: MERGED}, require={"max_suppression": 0.5})
        )
        for row in rows["visits"]:
            gathered.setdefault(row["mark"], set()).add(row["charges"])
    sizes = Counter(len(found) for found in gathered.values())
    assert min(sizes.values()) < K


def test_known_limit_a_field_that_numbers_rows_tells_how_many_there_were(tables, tmp_path):
    """Not protected, and a reason to remove such a field: the largest position of a patient is at
    least their old number of visits less what was dropped at the end, and nobody else's is as
    large."""
    turn, visits = Counter(), []
    for visit in tables["visits"]:
        turn[visit["pid"]] += 1
        visits.append(visit | {"position": str(turn[visit["pid"]])})
    numbered = {BILLED: MERGED, "visits.fields.position": "insensitive"}
    rows = released(tables | {"visits": visits}, tmp_path, policy(numbered))
    last = {person["pid"]: 0 for person in rows["patients"]}
    for row in rows["visits"]:
        last[row["pid"]] = max(last[row["pid"]], int(row["position"]))
    most = max(turn.values())
    assert max(chances(tables["patients"], rows["patients"], by_number(rows))) <= 1 / K
    assert sum(position > sorted(turn.values())[-K] for position in last.values()) in range(1, K)
    assert max(last.values()) <= most


# ------------------------------------------------------------------------------------------ the
# paper's own hospital


def test_the_paper_s_skew_and_its_end(tmp_path):
    """As in the paper, more than one patient in eight has a number of visits of their own; in the
    release no one."""
    folder = write_hospital_database(tmp_path / "source", visits=2_500)
    (folder / "hospital.policy.toml").write_text(HOSPITAL_DATABASE_POLICY, encoding="utf-8")
    decided = read_policy(folder / "hospital.policy.toml")
    decided = replace(decided, require=replace(decided.require, max_suppression=0.9))
    made = release(folder, decided, to=tmp_path / "release", engine="reference")
    rows = read(made)
    with (folder / "visits.csv").open() as file:
        before = Counter(Counter(line.split(",")[1] for line in file.readlines()[1:]).values())
    alone = sum(1 for people in before.values() if people == 1)
    assert alone > before.total() / 8
    for table, name in (
        ("visits", "patient_id"),
        ("diagnoses", "visit_id"),
        ("medications", "visit_id"),
    ):
        whose = {row["visit_id"]: row["patient_id"] for row in rows["visits"]}
        counted = Counter(
            row[name] if name == "patient_id" else whose[row[name]] for row in rows[table]
        )
        people = Counter(counted[person["patient_id"]] for person in rows["patients"])
        assert min(people.values()) >= 5
        assert "position" not in rows[table][0]  # it would tell how many there were; see above


TWO_TABLES = """
entity = "people.id"
[tables.people]
key = "id"
fields.id = { role = "direct", replace = "hash" }
fields.sex = "quasi"
[tables.visits]
fields.person = { role = "direct", replace = "hash" }
fields.illness = "insensitive"
links.person = "people.id"
[tables.bills]
fields.person = { role = "direct", replace = "hash" }
fields.cost = "insensitive"
links.person = "people.id"
row_counts = { together = false }
[require]
k = 4
max_suppression = 0.9
"""


def write_two_tables(folder):
    """A hundred people with up to three visits and three bills."""
    chance = random.Random(1)

    def write(name, head, rows):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([head, *rows])

    people = [f"p{number}" for number in range(100)]
    write("people", ["id", "sex"], [[each, chance.choice("fm")] for each in people])
    for name, field, values in (("visits", "illness", "ab"), ("bills", "cost", "123")):
        rows = [[p, chance.choice(values)] for p in people for _ in range(chance.randrange(4))]
        write(name, ["person", field], rows)


def smallest_of_both(folder, *, with_sex):
    """How few people have the same numbers of visits and of bills, and the same sex."""

    def rows(name):
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    visits, bills = (Counter(row["person"] for row in rows(name)) for name in ("visits", "bills"))
    found = Counter(
        (person["sex"] if with_sex else "", visits[person["id"]], bills[person["id"]])
        for person in rows("people")
    )
    return min(found.values()), bills.total()


@pytest.mark.long("three releases on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_numbers_in_two_tables_together_are_those_of_enough_people(engine, tmp_path):
    """The attacker has the bills and the diary of visits."""
    (tmp_path / "source").mkdir()
    write_two_tables(tmp_path / "source")

    def made(name, text):
        options = {"key": Key(bytes(range(32))), "engine": engine}
        return release(tmp_path / "source", text, to=tmp_path / name, **options).folder

    apart = made("apart", TWO_TABLES)
    assert smallest_of_both(apart, with_sex=False)[0] < 4
    together = made("together", TWO_TABLES.replace("false", "true"))
    smallest, bills = smallest_of_both(together, with_sex=False)
    assert smallest >= 4
    assert bills > 0.9 * smallest_of_both(apart, with_sex=False)[1]
    joint = made("joint", TWO_TABLES.replace("false", "true, linking = 1"))
    assert smallest_of_both(joint, with_sex=True)[0] >= 4
    assert not [check for check in verify(joint) if check.outcome == "fail"]
