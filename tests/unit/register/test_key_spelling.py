"""Keys of people that are spelled otherwise in the next release: nobody passes as a newcomer."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cryptography")

from sfumato.errors import CandidateFailed, Mistake
from sfumato.keys import Key
from sfumato.register import Author, Charter, KeySpelling, PeopleLink, Register, release_checks
from sfumato.releases import manifest_digest, record_people
from sfumato.releases.person_keys import look_alike, plain_key
from sfumato.signatures import SigningKey

KEY, SIGN = Key(bytes(range(32))), SigningKey.generate()
ANN = Author(name="ann", key=SIGN)


@pytest.fixture
def register(tmp_path, monkeypatch) -> Register:
    monkeypatch.setattr(release_checks, "verify", lambda *_, **__: ())
    roles = ["administrator", "custodian"]
    charter = {"ledger": {"k": 3}, "members": {"ann": {"key": SIGN.public.line, "roles": roles}}}
    return Register.create(tmp_path / "r", Charter.of(charter), author=ANN)


def release(folder: Path, name: str, keys: list[str], cut: int):
    place = folder / name
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "name": name}))
    labels = ["low" if at < cut else "high" for at in range(len(keys))]
    batch = {"id": np.array(keys, object), "q": np.array(labels, object)}
    made = record_people(
        [batch], key=KEY, person="id", fields=["q"], release=manifest_digest(place)
    )
    return place, made


FIRST = [f"{each:03}Ä" for each in range(1, 13)]


@pytest.mark.parametrize(
    "spelled",
    [
        [f" {each}\u00a0" for each in FIRST],
        [each.replace("Ä", "A\u0308") for each in FIRST],
        [f"\ufeff{each}" for each in FIRST],
    ],
)
def test_blanks_and_composition_make_no_newcomer(register, tmp_path, spelled):
    one, record = release(tmp_path, "one", FIRST, 6)
    register.add(one, group="lab", people=record, author=ANN)
    two, record = release(tmp_path, "two", spelled, 5)
    with pytest.raises(CandidateFailed, match="1 person below 3, because of one and two"):
        register.add(two, group="lab", people=record, author=ANN)


def test_a_number_and_a_text_are_one_key():
    assert {plain_key(each) for each in ("7", "7.0", " 7 ", "7.000")} == {"7"}
    assert len({plain_key(each) for each in ("7", "007", "7.5", "a7", "A7")}) == 5


ALIKE = [
    ("7", "007", "7.0", "0007.00", "+7"),
    ("AB-12", "ab 12", "ab012", "Äb12", "A.B.12", "\u0410\u042c12"),  # Cyrillic
    ("1028", "1,028", "1 028", "1'028", "1,028.0", "1.028,00", "1.028e3", "０１０２８", "١٠٢٨"),
    ("1028", "1.028"),
    ("Ł12", "L12", "ł-12"),
    ("123-45-6789", "123 45 6789", "123.45.6789"),
    ("123-45-6789", "123456789"),
    ("19800301", "1980-03-01", "1980/3/1", "1980-03-01 00:00:00", "1980-03-01T00:00:00.000Z"),
    ("1980-03-01", "01.03.1980"),
    ("1980-03-01", "03/01/1980"),
    ("1980-03-01", "1980-03-01 14:30"),
    ("1980-03-01", "01-MAR-1980", "1 March 1980", "Mar 1, 1980", "Saturday, 1st March 1980"),
    ("1980-03-01", "1. März 1980", "1er mars 1980", "1 de marzo de 1980", "1 марта 1980"),
    ("1980-03-01", "1. 3. 1980", "1980. 3. 1.", "1980. 03. 01"),
    ("1980-03-01", "01MAR80", "1980年3月1日", "1980년 3월 1일", "1980-061", "1980-W09-6", "29281"),
    ("1980-03-01", "01.03.80", "03/01/80", "80-03-01", "3/1/1980 12:00:00 AM"),
    ("1980-03-01", "1980-03-01 00:00:00 UTC", "1980-02-29T23:00:00.000Z"),
    ("1980-03-01 14:30", "1 March 1980, 2:30 PM", "3/1/1980 14:30:00"),
    ("Ann Lee 1980-03-01", "ANN LEE, 1 mar. 1980", "Ann Lee 01.03.80"),
    ("2005-03-01", "01.03.05", "1 Mar 05"),
    ("1905-03-01", "01.03.05", "1 Mar 05"),
    ("-7", "\u22127", "\u20137"),
    ("urn:uuid:550e8400-e29b-41d4-a716-446655440001", "550E8400E29B41D4A716446655440001"),
    ("Müller", "MUELLER"),
    ("Søren", "Soeren", "Soren"),
    ("Straße 1", "STRASSE 1"),
    ("x\u3164y\ufe0f", "xy"),
]


@pytest.mark.parametrize("keys", ALIKE, ids=lambda keys: keys[0])
def test_keys_that_look_alike(keys):
    for other in keys[1:]:
        assert look_alike(keys[0], other)
        assert look_alike(other, keys[0])


def test_keys_that_do_not_look_alike():
    keys = (
        "1-23", "12-3", "7.5", "75", "-7", "7", "a1b", "a1c", "\u00df1", "", "1980-03-01",
        "1980-03-02", "1980-03-01 14:30", "1980-03-01 15:30", "12", "21", "10:30", "12:30",
        "2 March 1981", "3 May 1981", "1981-062", "1982-W09-6", "29283", "29284", "1980-366", "5 Smarch 1980",
        "a1dec2345678", "2 March", "March 1981",
    )  # fmt: skip
    pairs = [(a, b) for a, b in combinations(keys, 2) if look_alike(a, b)]
    assert pairs == [("1980-03-01", "1980-03-01 14:30"), ("1980-03-01", "1980-03-01 15:30")]


@given(st.text(max_size=12), st.text("0123456789-/.,: ab", max_size=20))
def test_a_key_looks_like_itself_in_other_forms(text, digits):
    for key in (text, digits):
        for form in ("NFKC", "NFKD"):
            assert look_alike(key, unicodedata.normalize(form, plain_key(key)))
        assert look_alike(key, f" {key}\u200b")


@pytest.mark.parametrize(
    "spelled",
    [
        [each.lower() for each in FIRST],
        [each.lstrip("0") for each in FIRST],
        [each.replace("Ä", "A") for each in FIRST],
        [each.replace("Ä", "\u0410") for each in FIRST],  # Cyrillic
        [each.replace("0", "\u0660") for each in FIRST],  # an Arabic digit
        [f"{each[:3]}-{each[3:]}" for each in FIRST],
        [*FIRST[:11], FIRST[11].lower()],
    ],
)
def test_keys_that_look_alike_are_refused_until_somebody_declares_them(register, tmp_path, spelled):
    one, record = release(tmp_path, "one", FIRST, 6)
    register.add(one, group="lab", people=record, author=ANN)
    two, record = release(tmp_path, "two", spelled, 5)
    with pytest.raises(Mistake, match="in spelling alone") as refused:
        register.add(two, group="other", people=record, author=ANN)
    assert not any(each in str(refused.value) for each in (*FIRST, *spelled))
    same = PeopleLink(name="people", key="number", sources={"t": "id"}, spelling=KeySpelling.SAME)
    register.declare_people(same, author=ANN)
    with pytest.raises(CandidateFailed, match="because of one and two"):
        register.add(two, group="lab", people=record, author=ANN)
    distinct = PeopleLink(
        name="people", key="number", sources={"t": "id"}, spelling=KeySpelling.DISTINCT
    )
    register.declare_people(distinct, author=ANN)
    if spelled[0] != FIRST[0]:  # Another twelve people.
        found = register.add(two, group="lab", people=record, author=ANN)["lab"]
        assert (found.people, found.newcomers) == (24, 12)
    register.verify()


def test_one_release_with_two_spellings_of_a_key(register, tmp_path):
    keys = [f"{each:02}" for each in range(6)] + [f"{each}" for each in range(6)]
    place, record = release(tmp_path, "one", keys, 6)
    with pytest.raises(Mistake, match="12 of its people"):
        register.add(place, group="lab", people=record, author=ANN)
    same = PeopleLink(name="people", key="number", sources={"t": "id"}, spelling=KeySpelling.SAME)
    register.declare_people(same, author=ANN)
    with pytest.raises(Mistake, match="one spelling per person"):
        register.add(place, group="lab", people=record, author=ANN)
    found = register.add(place, group="lab", people=record, author=ANN, imported=True)["lab"]
    assert "in spelling alone" in found.reason
    assert found.outcome == "review"


def test_dates_in_another_form_are_no_newcomers(register, tmp_path):
    """Records of keys with several readings have wider rows than records of other keys."""
    plain = [f"2005-03-{day:02}" for day in range(1, 13)]
    one, record = release(tmp_path, "one", plain, 6)
    register.add(one, group="lab", people=record, author=ANN)
    spelled = [*plain[:6], *(f"{each[8:]}.03.05" for each in plain[6:])]
    two, record = release(tmp_path, "two", spelled, 5)
    assert record.readings.shape[1] > 2
    with pytest.raises(Mistake, match="6 people have keys that differ"):
        register.add(two, group="lab", people=record, author=ANN)
    same = PeopleLink(name="people", key="number", sources={"t": "id"}, spelling=KeySpelling.SAME)
    register.declare_people(same, author=ANN)
    with pytest.raises(CandidateFailed, match="1 person below 3, because of one and two"):
        register.add(two, group="lab", people=record, author=ANN)


def test_a_key_of_blanks_is_nobody(tmp_path):
    _, record = release(tmp_path, "one", ["  ", "\u200b", *FIRST], 6)
    assert record.people == 12
    assert record.not_judged == ("2 rows without a person",)


def test_a_key_with_two_readings_is_nobody_s_second_key(register, tmp_path):
    """12345 looks like 123-45 and like 1-2345, which do not look like each other."""
    filler = [f"p{each}" for each in range(10)]
    one, record = release(tmp_path, "one", ["12345", *filler], 6)
    register.add(one, group="lab", people=record, author=ANN)
    same = PeopleLink(name="people", key="number", sources={"t": "id"}, spelling=KeySpelling.SAME)
    register.declare_people(same, author=ANN)
    two, record = release(tmp_path, "two", ["123-45", "1-2345", *filler], 6)
    with pytest.raises(Mistake, match="Two people of it"):
        register.add(two, group="lab", people=record, author=ANN)
    three, record = release(tmp_path, "three", ["123-45", *filler], 6)
    found = register.add(three, group="lab", people=record, author=ANN)["lab"]
    assert (found.people, found.newcomers) == (11, 0)


def test_people_whose_readings_were_not_kept_are_not_judged(register, tmp_path):
    one, record = release(tmp_path, "one", FIRST, 6)
    register.add(one, group="lab", people=replace(record, readings=None), author=ANN)
    two, record = release(tmp_path, "two", FIRST, 6)
    verdict = register.add(two, group="lab", people=record, author=ANN)["lab"]
    assert verdict.outcome == "review"
    assert "two: spellings of its person keys were not compared" in verdict.reason
