"""The assessment page, read by somebody who should not learn anything from it: no rare value, no
secret, no script.

The source has values that are marked: those that fewer than ten people have carry a mark of their
own. Nobody who searches the page, its numbers or what the command prints for these marks may find
one."""

from __future__ import annotations

import csv
import json
import random
import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

import sfumato
from sfumato.cli import main

RARE = 9
MARK = "QZX"
POLICY = """
release_to = "research"
[fields]
name = "direct"
diagnosis = "sensitive"
job = "sensitive"
ward = "insensitive"
cost = "insensitive"
[fields.town]
role = "quasi"
[fields.born]
role = "quasi"
hierarchy = { dates = ["year", "10 years"] }
[fields.origin]
role = "quasi"
hierarchy = { tree = { known = [ORIGINS] } }
[require]
k = 3
max_suppression = 0.2
[recipient.research]
description = "A research group under contract."
"""
ORIGINS = ("north", "south", f"{MARK}isle")


def people(seed: int = 11) -> list[dict[str, str]]:
    """400 people. What is marked stands in at most nine rows; every name, birth date and cost is
    somebody's own."""
    draw = random.Random(seed)
    out = []
    for number in range(400):
        rare = number < RARE
        out.append(
            {
                "name": f"{MARK}name{seed}-{number}",
                "town": f"{MARK}ville" if rare else f"town {number % 4}",
                "born": f"19{draw.randrange(30, 99)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
                "origin": ORIGINS[2] if 20 <= number < 20 + RARE else ORIGINS[number % 2],
                "diagnosis": f"{MARK}pox"
                if 40 <= number < 40 + RARE
                else ("flu", "gout", "asthma")[number % 3],
                "job": f"{MARK}queen" if number == 60 else ("cook", "smith", "clerk")[number % 3],
                "ward": f"{MARK}ward{number}" if number % 50 == 7 else f"ward {number % 5}",
                "cost": f"{7_000_000 + number}.25",
            }
        )
    return out


@dataclass(frozen=True)
class Assessed:
    page: str
    numbers: str
    said: str
    rows: list[dict[str, str]]
    folder: Path


@pytest.fixture(scope="module")
def assessed(tmp_path_factory) -> Assessed:
    folder = tmp_path_factory.mktemp("assessment")
    rows = people()
    for name, some in (("people.csv", rows), ("others.csv", people(seed=12))):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(some)
    origins = ", ".join(f'"{origin}"' for origin in ORIGINS)
    (folder / "people.policy.toml").write_text(POLICY.replace("ORIGINS", origins), encoding="utf-8")
    sfumato.release(folder / "people.csv", to=folder / "release")
    said: list[str] = []
    found = sfumato.assess(
        folder / "release",
        source=folder / "people.csv",
        population=folder / "people.csv",
        control=folder / "others.csv",
        progress=said.append,
    )
    numbers = json.dumps(found.as_dict(), ensure_ascii=False)
    return Assessed(
        found.page(), numbers, "\n".join([*said, repr(found), *found.notes]), rows, folder
    )


def readings(assessed: Assessed) -> dict[str, str]:
    return {
        "page": unescape(assessed.page),
        "numbers": assessed.numbers,
        "progress and notes": assessed.said,
    }


def test_nothing_that_is_marked_is_anywhere(assessed):
    for what, text in readings(assessed).items():
        assert MARK not in text, what


def test_the_marks_are_in_the_source_and_some_would_have_been_released(assessed):
    """The control of the test above: the release itself still has marked values, so a page could
    have shown them."""
    assert MARK in (assessed.folder / "people.csv").read_text(encoding="utf-8")
    assert MARK in (assessed.folder / "release" / "release.csv").read_text(encoding="utf-8")


def test_no_value_that_fewer_than_ten_people_have_is_shown(assessed):
    """Every text of the source that fewer than ten rows have, looked for as a whole word."""
    counts: dict[tuple[str, str], int] = {}
    for row in assessed.rows:
        for name, value in row.items():
            counts[name, value] = counts.get((name, value), 0) + 1
    rare = {value for (_, value), count in counts.items() if count < 10 and len(value) >= 6}
    assert len(rare) > 1_000
    for what, text in readings(assessed).items():
        words = set(re.findall(r"[\w.-]+", text)) | set(re.findall(r"\d{4}-\d\d-\d\d", text))
        # A class of dates may begin on a day that is somebody's birthday; what is looked for are
        # days inside classes.
        found = {value for value in rare & words if not value.endswith("-01")}
        assert not found, what


def test_the_page_runs_and_loads_nothing(assessed):
    page = assessed.page
    assert "<script" not in page.lower()
    assert not re.search(r"<[^>]+\son\w+=", page)
    assert not re.search(r"https?://", page)
    assert set(re.findall(r'href="([^"]*)"', page)) == {
        place for place in re.findall(r'href="(#[^"]*)"', page)
    }
    assert not re.search(r"\b(?:src|srcset|xlink:href|action)=", page)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for anchor in set(re.findall(r'href="#([^"]+)"', page)):
        assert anchor in ids


@pytest.mark.long("a whole page for each name; one stays", every=3)
@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a\"b'onload=x", "</style><b>"])
def test_hostile_names_of_fields_are_only_text(tmp_path, name):
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([(name, "sex"), *(("abc"[n % 3], "fm"[n % 2]) for n in range(60))])
    found = sfumato.assess(path, source=path, known=(name, "sex"), attacks=False)
    page = found.page()
    assert "<script" not in page
    assert "<b>" not in page
    assert page.count("</style>") == 1


def test_an_error_names_no_value_and_no_secret(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text(f"zip,weight\n02139,{MARK}\n")
    assert (
        main(
            [
                "assess",
                str(path),
                "--known",
                "zip",
                "--weight",
                "weight",
                "--to",
                str(tmp_path / "p.html"),
            ]
        )
        == 2
    )
    assert (
        main(
            ["assess", "postgresql://ann:secret@localhost:1/db#x", "--to", str(tmp_path / "p.html")]
        )
        != 0
    )
    said = capsys.readouterr()
    assert MARK not in said.out + said.err
    assert "secret" not in said.out + said.err
    assert not (tmp_path / "p.html").exists()
