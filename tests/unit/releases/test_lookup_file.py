"""A lookup file: random, remembered, whole at every moment, its owner's alone."""

from __future__ import annotations

import re
import sqlite3
import stat
from contextlib import closing

import pytest

from sfumato.errors import SecretError, SourceError
from sfumato.releases.identifiers import LookupFile, LookupReplacer


def test_the_file_is_made_and_extended(tmp_path):
    path = tmp_path / "people #1.lookup"
    first = LookupReplacer(path, domain="name").replace(["Ada", "Grace"])
    later = LookupReplacer(path, domain="name").replace(["Emmy", "Grace", "Ada"])
    assert [later[2], later[1]] == first
    assert all(re.fullmatch("[0-9a-f]{32}", pseudonym) for pseudonym in later)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_domains_are_kept_apart(tmp_path):
    file = LookupFile(tmp_path / "people.lookup")
    assert file.pseudonyms("patient", ["Ada"]) != file.pseudonyms("mother", ["Ada"])


def test_a_value_twice_in_a_batch_has_one_pseudonym(tmp_path):
    first, second = LookupFile(tmp_path / "people.lookup").pseudonyms("patient", ["Ada", "Ada"])
    assert first == second


def test_awkward_values_are_found_again(tmp_path):
    values = [
        "",
        "a\0b",
        "a\0c",
        "a",
        "A",
        "'; DROP TABLE pseudonyms; --",
        "1",
        "01",
        "1.0",
        "é",
        "e\u0301",
    ]
    file = LookupFile(tmp_path / "people.lookup")
    made = file.pseudonyms("x", values)
    assert len(set(made)) == len(values)
    assert [file.original(pseudonym) for pseudonym in made] == values


def test_pseudonyms_are_random(tmp_path):
    one, other = (LookupFile(tmp_path / name).pseudonyms("x", ["Ada"]) for name in ("one", "other"))
    assert one != other


def test_an_interrupted_batch_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    file = LookupFile(tmp_path / "people.lookup")
    [ada] = file.pseudonyms("x", ["Ada"])
    with pytest.raises(SourceError, match="not valid Unicode") as caught:
        file.pseudonyms("x", ["Grace", "\udc80 Hopper"])
    assert "Hopper" not in str(caught.value)
    assert caught.value.__cause__ is None
    with closing(sqlite3.connect(file.path)) as database, database:
        assert database.execute("SELECT original, pseudonym FROM pseudonyms").fetchall() == [
            ("Ada", ada)
        ]
    database.close()


def test_a_file_that_others_may_open_is_refused(tmp_path):
    file = LookupFile(tmp_path / "people.lookup")
    file.pseudonyms("x", ["Ada"])
    file.path.chmod(0o644)
    with pytest.raises(SecretError, match="0644"):
        file.pseudonyms("x", ["Ada"])
    with pytest.raises(SecretError, match="0644"):
        file.original("0" * 32)


@pytest.mark.parametrize("content", [b"", b"name,pseudonym\nAda,1\n" * 100, "a database"])
def test_another_file_is_neither_read_nor_changed(tmp_path, content):
    path = tmp_path / "other"
    if isinstance(content, str):
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE people (name TEXT)")
        database.close()
    else:
        path.write_bytes(content)
    path.chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(SecretError, match="not a lookup file of Sfumato") as caught:
        LookupFile(path).pseudonyms("x", ["Ada"])
    assert "Ada" not in str(caught.value)
    assert path.read_bytes() == before


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(SecretError, match="cannot be created"):
        LookupFile(tmp_path / "nowhere" / "people.lookup").pseudonyms("x", ["Ada"])
    with pytest.raises(SecretError, match="cannot be read"):
        LookupFile(tmp_path / "people.lookup").original("0" * 32)
