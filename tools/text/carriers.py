"""Texts to put made-up identities into: open visit notes and dialogues, and templates, without what
names anybody."""

from __future__ import annotations

import csv
import random
import re
from functools import cache

from training_data import DATA

from sfumato.text import lexicons


@cache
def _read() -> tuple[list[str], list[list[str]]]:
    """Sentences of notes, and dialogues as lines; those that seem to name somebody or something are
    left out."""
    csv.field_size_limit(1 << 24)
    sentences: list[str] = []
    dialogues: list[list[str]] = []
    for file, columns in (
        ("aci_bench_train.csv", ("note", "dialogue")),
        ("mts_dialog_train.csv", ("section_text", "dialogue")),
    ):
        with (DATA / "carriers" / file).open(newline="") as opened:
            for row in csv.DictReader(opened):
                sentences += [
                    part.strip()
                    for part in re.split(r"(?<=[.!?])\s+|\n+", row[columns[0]])
                    if _is_bare(part)
                ]
                dialogues.append(
                    [
                        part.strip()
                        for part in row[columns[1]].splitlines()
                        if part.strip() and _is_bare(part)
                    ]
                )
    return sentences, [lines for lines in dialogues if lines]


_NAMING = re.compile(
    r"\b(?:Dr|Doctor [A-Z]|doctor [a-z]+|Mr|Mrs|Ms|Miss|dr|mr|mrs|miss)\b\.?|"
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}|\b(?:19|20)\d\d\b|\b\d{5,}|"
    r"\b(?:January|February|March|April|June|July|August|September|October|November|December|hospital|university)\b",
    re.IGNORECASE,
)


def _is_bare(sentence: str) -> bool:
    if not 8 < len(sentence) < 600 or _NAMING.search(
        sentence.removeprefix("[doctor]").removeprefix("Doctor:")
    ):
        return False
    words = re.findall(r"[^\W\d_]+", sentence)[1:]
    usual, medical, drugs = lexicons.words(), lexicons.medical_words(), lexicons.drugs()
    for word in words:
        bare = lexicons.folded(word)
        known = usual.get(bare, "0") >= "2" or bare in medical or bare in drugs or len(bare) < 3
        named = (
            lexicons.first_names().get(bare, "00")[-1] >= "3"
            or bare in lexicons.countries()
            or lexicons.towns().get(bare, "0")[-1] >= "6"
        )
        if not known and (named or (word[0].isupper() and not word.isupper())):
            return False
    return True


def carried(dice: random.Random, count: int) -> list[str]:
    """Sentences that stand together in the carriers."""
    sentences, _ = _read()
    start = dice.randrange(len(sentences) - count)
    return sentences[start : start + count]


def dialogue(dice: random.Random) -> list[str]:
    _, dialogues = _read()
    lines = dice.choice(dialogues)
    start = dice.randrange(len(lines))
    return lines[start : start + 12]


@cache
def presidio() -> list[str]:
    """Presidio's templates whose slots all have a value here."""
    out = []
    for line in (DATA / "presidio_templates.txt").read_text(errors="replace").splitlines():
        line = re.sub(
            r"\{\{?(\w+)\}\}?",
            lambda found: "{" + _PRESIDIO.get(found[1], "?" + found[1]) + "}",
            line,
        )
        if "{?" not in line and line.strip():
            out.append(line.replace("\\n", "\n"))
    return out


_PRESIDIO = {
    "person": "name",
    "name": "fullname",
    "name_male": "fullname",
    "name_female": "fullname",
    "first_name": "first",
    "first_name_male": "first",
    "first_name_female": "first",
    "first_name_nonbinary": "first",
    "last_name": "last",
    "last_name_male": "last",
    "last_name_female": "last",
    "prefix": "title",
    "prefix_male": "title",
    "prefix_female": "title",
    "address": "address",
    "city": "town",
    "country": "country",
    "state": "region",
    "state_abbr": "code",
    "zipcode": "postcode",
    "postcode": "postcode",
    "street_name": "streetname",
    "building_number": "house",
    "secondary_address": "flat",
    "organization": "org",
    "job": "job",
    "phone_number": "phone",
    "email": "email",
    "url": "url",
    "ip_address": "ip",
    "credit_card_number": "card",
    "iban": "iban",
    "ssn": "ssn",
    "us_driver_license": "number",
    "date_of_birth": "birth",
    "date_time": "date",
    "year": "year",
    "day_of_week": "weekday",
    "age": "years",
    "nationality": "demonym",
    "nation_woman": "demonym",
    "nation_man": "demonym",
    "nation_plural": "demonym",
}
