"""The solver best through a whole release: one row per person, and several of each."""

import csv
import random
from collections import Counter

import pytest

import sfumato
from sfumato.policy import policy_from_table


def table(tmp_path, *, visits):
    """Two crowds, and a few people who are far from both: a global recoding pays for them."""
    draw = random.Random(5)
    path = tmp_path / "people.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["who", "age", "sex", "ill"])
        for place in range(60):
            age = 20 if place < 28 else 60 if place < 56 else 33 + place % 7
            for _ in range(visits):
                rows.writerow([f"p{place}", age, "FM"[place % 2], draw.choice("abc")])
    return path


def policy(**solve):
    ages = {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10, 20]}}}
    fields = {"who": {"role": "direct", "replace": "number"}, "age": ages, "sex": "quasi"}
    return policy_from_table(
        {
            "fields": {**fields, "ill": "sensitive"},
            "entity": "who",
            "require": {"k": 3, "max_suppression": 0.0},
            "solve": {"solver": "best", **solve},
        }
    )


@pytest.mark.parametrize("visits", [1, 3])
def test_the_recoding_that_loses_less_is_released_and_verified(tmp_path, visits):
    source = table(tmp_path, visits=visits)
    made = sfumato.release(source, policy(), to=tmp_path / "release")
    told = made.manifest["solver"]
    assert made.outcome == "pass"
    assert made.manifest["recoding"]["kind"] == "local"
    assert told["choice"].startswith("local recoding, ")
    assert told["notes"][0] == f"{told['choice']}."
    assert told["choice"] in (made.folder / "report.html").read_text(encoding="utf-8")
    checked = sfumato.verify(made.folder)
    assert not [each for each in checked if each.outcome == "fail"]
    with made.table.open(newline="") as file:
        assert sum(row["age"] in ("20", "60") for row in csv.DictReader(file)) >= 50 * visits


def test_the_same_work_gives_the_same_release(tmp_path):
    source = table(tmp_path, visits=1)
    made = [
        sfumato.release(source, policy(work=50, rounds=5), to=tmp_path / f"release{turn}")
        for turn in range(2)
    ]
    rows = [
        sorted(line.split(",", 1)[1] for line in each.table.read_text().splitlines())
        for each in made
    ]
    assert rows[0] == rows[1]


def linked_tables(folder):
    """The same crowds with visits of their own table, of which a few have a rare length."""
    folder.mkdir()
    people = [
        (f"p{n}", 20 if n < 28 else 60 if n < 56 else 33 + n % 7, "FM"[n % 2]) for n in range(60)
    ]
    visits = [(f"p{n}", 30 if n == 5 else 1 + n % 2, "abc"[n % 3]) for n in range(60)]
    tables = {
        "people": [("who", "age", "sex"), *people],
        "visits": [("who", "days", "ill"), *visits],
    }
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    return folder


def test_linked_tables_are_recoded_bin_by_bin_where_a_global_recoding_loses_much(tmp_path):
    source = linked_tables(tmp_path / "clinic")
    number = {"role": "direct", "replace": "number"}
    ages = {"role": "quasi", "hierarchy": {"numbers": {"widths": [5]}}}
    asked = policy_from_table(
        {
            "entity": "people.who",
            "tables": {
                "people": {"key": "who", "fields": {"who": number, "age": ages, "sex": "quasi"}},
                "visits": {
                    "links": {"who": "people.who"},
                    "row_counts": {"linking": 0},
                    "fields": {"who": number, "days": "quasi", "ill": "sensitive"},
                },
            },
            "require": {"k": 3, "max_suppression": 0.0},
            "solve": {"solver": "best"},
        }
    )
    made = sfumato.release(source, asked, to=tmp_path / "release")
    told = made.manifest["solver"]
    assert made.outcome == "pass"
    assert told["choice"].startswith("local recoding, ")
    checked = sfumato.verify(made.folder)
    assert not [each for each in checked if each.outcome == "fail"]
    with made.tables["people"].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["age"] in ("20", "60") for row in rows) >= 40
    joined = {row["who"]: (row["age"], row["sex"]) for row in rows}
    with made.tables["visits"].open(newline="") as file:
        bins = Counter((*joined[row["who"]], row["days"]) for row in csv.DictReader(file))
    assert min(bins.values()) >= 3
    assert min(Counter(joined.values()).values()) >= 3
