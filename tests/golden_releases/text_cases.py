"""Cases of text: text fields of tables, letters in every format, and the page of an assessment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import docx

from .case import RELEASE, VERIFY, Case, policy_text
from .one_table_cases import FIELDS, WORK, K, table
from .people import Row, doctors, people, visits, write_table
from .several_rows_cases import PEOPLE, VISITS, tables_policy

FORMS = (
    "{name} (record {id}) was seen on {seen}. {last} is {age} years old and lives in "
    "{zip}. Takes 50 mg daily.",
    "Seen on {seen} by Dr. {doctor}. Patient {name}, born {birth}, works as a {job}. No "
    "fever. Call 617-555-{line}.",
    "RE: {name}, MRN {id}. Dear Dr. {doctor}, {first} came on {seen} and left well. Mail "
    "{first}.{last}@example.org.",
    "Follow-up of {last}: stable since {seen}. The {job} from {zip} asked for a letter.",
)
SURNAMES = ("Hayes", "Long", "Moreno", "Okafor", "Petrov")


def note(chance: Random, person: Row) -> str:
    """A made-up note about a person."""
    first, _, last = str(person["name"]).partition(" ")
    more = {
        "first": first,
        "last": last,
        "doctor": chance.choice(SURNAMES),
        "line": f"{chance.randrange(10_000):04}",
    }
    return chance.choice(FORMS).format(**person | more)


def with_notes(name: str, *, rows: int = 100) -> Callable[[Path], object]:
    """The people, each with a note."""

    def write(folder: Path) -> None:
        chance = Random(11)
        write_table(
            [row | {"note": note(chance, row)} for row in people(rows, seed=7)], folder / name
        )

    return write


def linked_notes(folder: Path) -> None:
    """The clinic with a note in each visit."""
    (folder / "clinic").mkdir()
    persons, chance = people(100, seed=7), Random(11)
    known = {person["id"]: person for person in persons}
    seen = [visit | {"note": note(chance, known[visit["id"]])} for visit in visits(persons, seed=8)]
    for name, rows in {"people": persons, "visits": seen, "doctors": doctors()}.items():
        write_table(rows, folder / "clinic" / f"{name}.csv")


def letters(folder: Path) -> None:
    """Letters of six people in plain text, Markdown, HTML, RTF and Word."""
    chance = Random(13)
    for number, person in enumerate(people(6, seed=7)):
        home = folder / "letters" / str(person["id"])
        home.mkdir(parents=True)
        texts = [note(chance, person) for _ in range(4)]
        (home / "first.txt").write_text("\n".join(texts[:2]) + "\n", encoding="utf-8")
        (home / "visit.md").write_text(f"# Visit\n\n{texts[2]}\n", encoding="utf-8")
        if number % 3 == 0:
            (home / "page.html").write_text(
                f"<html><body><p>{texts[3]}</p></body></html>\n", encoding="utf-8"
            )
        elif number % 3 == 1:
            (home / "old.rtf").write_text("{\\rtf1\\ansi " + texts[3] + "}", encoding="ascii")
        else:
            word = docx.Document()
            word.add_paragraph(texts[3])
            word.save(str(home / "letter.docx"))


def tables_of_letters(folder: Path) -> None:
    """Texts in columns: CSV and JSON lines."""
    (folder / "letters").mkdir()
    chance = Random(17)
    rows: list[Row] = [
        {"id": row["id"], "ward": "north", "note": note(chance, row)} for row in people(30, seed=7)
    ]
    write_table(rows[:15], folder / "letters" / "one.csv")
    lines = "".join(json.dumps(row) + "\n" for row in rows[15:])
    (folder / "letters" / "two.jsonl").write_text(lines, encoding="utf-8")


def letters_and_people(folder: Path) -> None:
    letters(folder)
    write_table(people(6, seed=7), folder / "people.csv")


TEXT_FIELD = FIELDS | {
    "id": '{ role = "direct", replace = "made-up" }',
    "name": '{ role = "direct", replace = { method = "surrogate", kind = "name" } }',
    "note": '{ role = "text", scrub = { detectors = "crf" } }',
}
SCRUB = ("scrub", "letters", "--to", "out", "--key", "golden.key", "--detectors", "crf")
"""Without the transformer, whose sums differ in the last bits from processor to processor."""

TEXTS = (
    Case(
        name="text-field",
        write=with_notes("people.csv"),
        policy=policy_text(TEXT_FIELD, K, solve=WORK, top='entity = "id"'),
    ),
    Case(
        name="text-field-tags-local-jsonl",
        write=with_notes("people.jsonl", rows=60),
        source="people.jsonl",
        policy=policy_text(
            TEXT_FIELD
            | {
                "note": '{ role = "text", scrub = { method = "tag", dates = "year", detectors = '
                '"rules" } }'
            },
            "k = 4",
            solve='solver = "local"\nwork = 20',
            top='entity = "id"',
        ),
    ),
    Case(
        name="text-in-several-tables",
        write=linked_notes,
        source="clinic",
        policy=tables_policy(
            "k = 4\nmax_suppression = 0.2",
            persons=PEOPLE
            | {"name": '{ role = "direct", replace = { method = "surrogate", kind = "name" } }'},
            seen=VISITS | {"note": '{ role = "text", scrub = { detectors = "rules" } }'},
        ),
    ),
    Case(
        name="letters",
        write=letters,
        commands=((*SCRUB, "--person-from", "folder"), VERIFY),
        quick=True,
    ),
    Case(
        name="letters-tags-everything",
        write=letters,
        commands=(
            (
                *SCRUB,
                "--style",
                "tags",
                "--purpose",
                "everything",
                "--dates",
                "year",
                "--detectors",
                "rules",
            ),
            VERIFY,
        ),
    ),
    *(
        Case(
            name=f"letters-in-{name}",
            write=tables_of_letters,
            commands=((*SCRUB, *columns, "--person-column", "id", "--detectors", "rules"), VERIFY),
        )
        for name, columns in (("columns", ()), ("some-columns-refused", ("--columns", "note")))
    ),
    Case(
        name="letters-beside-tables",
        write=letters_and_people,
        policy=policy_text(
            {name: said for name, said in TEXT_FIELD.items() if name != "note"},
            K,
            top='entity = "id"',
        ),
        commands=(
            (*SCRUB, "--policy", "policy.toml", "--known", "people.csv", "--person-from", "folder"),
            VERIFY,
        ),
    ),
    Case(
        name="assessed",
        write=table(rows=200),
        policy=policy_text(FIELDS, K, solve=WORK),
        commands=(
            RELEASE,
            (
                "assess",
                "out",
                "--source",
                "SOURCE",
                "--no-attacks",
                "--to",
                "board.html",
                "--json",
                "board.json",
            ),
        ),
    ),
)
