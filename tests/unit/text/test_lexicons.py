"""Lexicons: they know what a reader knows, are small, and are read fast and only when asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from time import process_time

import pytest

from sfumato.text import lexicons

NAMES = [name for name in lexicons.__all__ if name not in ("folded", "openings")]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_read_fast(name):
    """In CPU time, beside the same number of strings put into a set; reading names is no more than
    a few times that."""
    entries = getattr(lexicons, name)()
    assert entries
    start = process_time()
    for _ in range(3):
        set(" ".join(entries).split(" "))
    plain = (process_time() - start) / 3
    getattr(lexicons, name).cache_clear()
    lexicons.openings.cache_clear()
    start = process_time()
    getattr(lexicons, name)()
    assert process_time() - start < 20 * plain + 0.1


def test_all_together_are_a_few_megabytes():
    sizes = [
        len(file.read_bytes())
        for file in files(lexicons.__name__).iterdir()
        if file.name.endswith(".xz")
    ]
    assert len(sizes) >= 20
    assert sum(sizes) < 4_000_000


def test_nothing_is_read_at_import():
    code = (
        "import sys, sfumato.text.lexicons as l; sys.exit(any(f.cache_info().currsize for f in "
        "(l.towns, l.words)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", NAMES)
def test_entries_are_folded(name):
    entries = list(getattr(lexicons, name)())
    if name == "region_codes":
        assert all(entry.isupper() for entry in entries)
        return
    assert [
        entry
        for entry in entries
        if lexicons.folded(entry) != entry or entry != entry.strip() or not entry
    ] == []


def test_common_names_are_known_with_gender_and_commonness():
    first = lexicons.first_names()
    assert first["mary"] == "f5"
    assert first["john"] == "m5"
    assert first["leslie"][0] == "u"
    assert lexicons.last_names()["smith"] == "5"
    assert {
        "patel",
        "garcia",
        "nguyen",
        "muller",
        "yilmaz",
        "kowalski",
    } <= lexicons.last_names().keys()


def test_words_are_no_names_and_names_no_words():
    assert not {"john", "smith", "boston", "france"} & lexicons.words().keys()
    assert {"hope", "long", "will", "patient", "started"} <= lexicons.words().keys()


def test_places():
    assert lexicons.towns()["boston"] == "US-MA 6"
    assert lexicons.towns()["munich"].startswith("DE")
    assert lexicons.towns()["new york"][-1] >= "7"
    assert lexicons.regions()["worcester county"] == "US"
    assert lexicons.countries()["cote d'ivoire"] == "CI"
    assert lexicons.zip_codes()["02139"] == "MA"
    assert lexicons.demonyms()["turkish"] == "TR"


def test_medicine():
    assert {"metformin", "lasix", "lily human insulin"} <= lexicons.drugs()
    assert "lymphoma" in lexicons.eponyms()["hodgkin"].split()
    assert "insulin dependent diabetes mellitus" in lexicons.conditions()
    assert {"cholecystectomy", "femur", "wbc"} <= lexicons.medical_words()


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("José", "jose"),
        ("ÅSE", "ase"),
        ("O’BRIEN", "o'brien"),
        ("Straße", "strasse"),
        ("Ελένη", "ελενη"),
    ],
)
def test_folding(word, wanted):
    assert lexicons.folded(word) == wanted
