"""Files of releases: folders are those of their manifests, and people records are as they were
sealed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cryptography")

import sfumato
from sfumato.errors import Mistake, SfumatoError
from sfumato.keys import Key
from sfumato.register import Author, Charter, LeakedRows, Register
from sfumato.releases import PeopleRecord
from sfumato.signatures import SigningKey

POLICY = """
[fields.id]
role = "direct"

[fields.sex]
role = "quasi"
hierarchy = { suppress = true }

[fields.ill]
role = "insensitive"

[require]
k = 2
"""
KEYS = {name: SigningKey.generate() for name in ("anna", "ben")}
ANNA, BEN = (Author(name=name, key=key) for name, key in KEYS.items())
ROWS = ["1,f,flu", "2,f,cold", "3,m,flu", "4,m,flu"]
KEY, OTHER = Key(bytes(range(32))), Key(bytes(range(1, 33)))


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "people.csv").write_text("\n".join(["id,sex,ill", *ROWS]) + "\n")
    (folder / "policy.toml").write_text(POLICY)
    sfumato.release(
        folder / "people.csv", folder / "policy.toml", to=folder / "one",
        key=KEY, keep_people=folder / "one.people", person="id",
    )  # fmt: skip
    return folder / "one"


@pytest.fixture
def register(tmp_path) -> Register:
    members = {
        name: {"key": key.public.line, "roles": ["administrator", "custodian"]}
        for name, key in KEYS.items()
    }
    charter = Charter.of({"ledger": {"k": 2}, "members": members})
    return Register.create(tmp_path / "r", charter, author=ANNA)


def other_rows(place: Path) -> None:
    (place / "release.csv").write_text("sex,ill\nf,flu\n")


def manifest_alone(place: Path) -> None:
    for each in place.iterdir():
        if each.name != "manifest.json":
            each.unlink()


@pytest.mark.parametrize("change", [other_rows, manifest_alone])
def test_other_files_beside_a_manifest_are_not_the_release(released, register, tmp_path, change):
    """A manifest alone says nothing about the rows that left."""
    other = tmp_path / "one"
    shutil.copytree(released, other)
    change(other)
    before = register.state().head
    with pytest.raises(SfumatoError):
        register.add(other, group="lab", author=ANNA, imported=True)
    assert register.state().head == before
    register.add(released, group="lab", author=ANNA, imported=True)
    before = register.state().head
    with pytest.raises(SfumatoError):
        register.confirm("one", other, reason="I sent it", author=BEN)
    with pytest.raises(Mistake, match="a folder was imported"):
        register.confirm("one", other / "manifest.json", reason="I sent it", author=BEN)
    assert register.state().head == before
    register.confirm("one", released, reason="I sent it", author=BEN)
    assert register.state().confirmed == {"one": "ben"}


def test_a_leaked_row_in_place_of_a_header_is_neither_shown_nor_recorded(
    released, register, tmp_path
):
    register.add(released, group="lab", author=ANNA, imported=True)
    (tmp_path / "rows.csv").write_text("1,Ann Lee,syphilis\n2,Bo Ray,flu\n")
    rows = LeakedRows.read(tmp_path / "rows.csv")
    found = register.incident(rows=rows, folders=[released], reason="a list", author=BEN)
    assert "it lacks 3 leaked fields" in str(found)
    for text in (str(found), str(register.moves()[-1].facts)):
        assert "Ann Lee" not in text
        assert "syphilis" not in text
    assert register.moves()[-1].facts["unknown"] == 3


def test_a_people_record_is_as_the_holder_sealed_it(released, register, tmp_path):
    """Exchanged bins have the same sizes: the released table cannot tell them apart."""
    kept = released.with_name("one.people")
    record = PeopleRecord.read(kept)
    forged = tmp_path / "forged.people"
    replace(record, bin_of=np.ascontiguousarray(record.bin_of[::-1])).save(forged)
    replace(record, seal=b"").save(tmp_path / "bare.people")
    before = register.state().head
    for file, key, words in (
        (forged, KEY, "was changed"),
        (forged, None, "was changed"),
        (tmp_path / "bare.people", KEY, "no seal"),
        (kept, OTHER, "seal is not of this key"),
    ):
        for imported in (False, True):
            with pytest.raises(Mistake, match=words):
                register.add(
                    released, group="lab", people=file, key=key, author=ANNA, imported=imported
                )
    assert register.state().head == before
    verdicts = register.add(released, group="lab", people=kept, key=KEY, author=ANNA)
    assert verdicts["lab"].outcome == "pass"


@pytest.mark.parametrize("read", [Path, PeopleRecord.read])
def test_a_people_record_that_nobody_checked_is_review(released, register, read):
    people = read(released.with_name("one.people"))
    verdicts = register.add(released, group="lab", people=people, author=ANNA)
    assert verdicts["lab"].outcome == "review"
    assert "holder's key" in verdicts["lab"].reason
    assert register.judge()["lab"].outcome == "review"


@pytest.mark.parametrize("name", ["tags", "bin_of", "labels", "readings", "person", "not_judged"])
def test_every_part_of_a_people_record_is_sealed(released, name):
    record = PeopleRecord.read(released.with_name("one.people"))
    assert record.is_sealed_by(KEY)
    old = getattr(record, name)
    new = old + 1 if isinstance(old, np.ndarray) else (*old, "x") if name == "not_judged" else "x"
    assert not replace(record, **{name: new}).is_sealed_by(KEY)
    assert replace(record, **{name: new}).digest != record.digest


def test_a_people_record_is_bound_to_its_release_without_a_key(released, tmp_path):
    """Somebody puts the record of another release in its place, with the digest of this one."""
    again = released.with_name("two")
    sfumato.release(
        released.with_name("people.csv"), released.with_name("policy.toml"), to=again,
        key=OTHER, keep_people=again.with_name("two.people"), person="id",
    )  # fmt: skip
    kept, other = (PeopleRecord.read(released.with_name(f"{n}.people")) for n in ("one", "two"))
    swapped = tmp_path / "swapped.people"
    replace(other, release=kept.release).save(swapped)
    for people, outcome, found in (
        (released.with_name("one.people"), "pass", "each names the digest of the other"),
        (swapped, "fail", "another people record"),
        (again.with_name("two.people"), "fail", "another people record"),
        (replace(kept, release=other.release), "fail", "names another release"),
    ):
        (check,) = (
            each
            for each in sfumato.verify(released, people=people)
            if "people record" in each.claim
        )
        assert (check.outcome, found in check.found) == (outcome, True)
    plain = tmp_path / "plain"
    sfumato.release(released.with_name("people.csv"), released.with_name("policy.toml"), to=plain)
    checks = sfumato.verify(plain, people=released.with_name("one.people"))
    assert "names no people record" in str([each.found for each in checks])
    assert checks.outcome == "fail"


def test_rows_without_a_known_header_may_be_in_each_release_that_nobody_looked_into(
    released, register, tmp_path
):
    (tmp_path / "people.csv").write_text("\n".join(["id,sex,ill", *ROWS, "5,f,flu"]) + "\n")
    sfumato.release(
        tmp_path / "people.csv", released.with_name("policy.toml"), to=tmp_path / "two",
        key=KEY, keep_people=tmp_path / "two.people", person="id",
    )  # fmt: skip
    for folder, group in ((released, "lab"), (tmp_path / "two", "clinic")):
        record = folder.with_name(f"{folder.name}.people")
        register.add(folder, group=group, people=record, key=KEY, name=folder.name, author=ANNA)
    for header, groups in (("Geschlecht,Diagnose\n", {"lab", "clinic"}), ("", {"lab", "clinic"})):
        (tmp_path / "rows.csv").write_text(f"{header}f,flu\nm,flu\n")
        rows = LeakedRows.read(tmp_path / "rows.csv")
        found = register.incident(rows=rows, folders=[released], reason="a list", author=BEN)
        assert {each.group for each in found} == groups
        assert not any(each.is_counted for each in found)
        (clinic,) = (each for each in found if each.group == "clinic")
        assert clinic.releases == ("two",)
        assert any("nobody looked for the leaked rows" in why for why in clinic.not_judged)
    (tmp_path / "rows.csv").write_text("sex,ill\nf,flu\nm,flu\n")
    rows = LeakedRows.read(tmp_path / "rows.csv")
    found = register.incident(rows=rows, folders=[released], reason="a list", author=BEN)
    assert all(each.is_counted for each in found)
