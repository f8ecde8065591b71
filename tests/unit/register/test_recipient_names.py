"""One recipient under two names: what it holds is judged as one, or somebody declares the names."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("cryptography")

from sfumato.errors import CandidateFailed, Mistake
from sfumato.keys import Key
from sfumato.register import Author, Charter, NamesAre, Register, release_checks
from sfumato.register.recipient_names import look_alike, recipient_key
from sfumato.releases import manifest_digest, record_people
from sfumato.signatures import SigningKey

KEY, SIGN = Key(bytes(range(32))), SigningKey.generate()
ANN = Author(name="ann", key=SIGN)
SAME = [
    ("Acme Ltd", "ACME B.V."),
    ("\u0410cme", "Acme e. V."),  # a Cyrillic letter
    ("Łódź University", "university, lodz"),
    ("Ａｃｍｅ Inc.", "the acme company"),
    ("Lab\u200b", "lab"),
]
ALIKE = [
    ("Stat Lab", "StatLab"),
    ("Lab One", "Lab 01"),
    ("Lab I", "Lab 1"),
    ("Univ. Leiden", "University of Leiden"),
    ("Dept of Health", "Department of Health"),
    ("LUMC", "Leiden University Medical Center"),
    ("LUMC Leiden", "Leiden University Medical Center"),
    ("IoA", "Institute of Ageing"),
    ("Institute of Ageing", "Institute for Aging"),
    ("J. Smith", "John Smith"),
    ("Natl Inst of Health", "National Institutes of Health"),
    ("Mathernatics", "Mathematics"),
    ("C0ntoso", "Contoso"),
    ("labs", "lab"),
]
APART = [
    ("lab", "unit"),
    ("Lab 1", "Lab 2"),
    ("Group A", "Group B"),
    ("Group 1", "Group 10"),
    ("researchers", "auditors"),
    ("Statistics Office", "Health Agency"),
]


@pytest.mark.parametrize("names", SAME)
def test_spellings_of_one_name(names):
    assert recipient_key(names[0]) == recipient_key(names[1])
    assert not look_alike(*names)


@pytest.mark.parametrize("names", ALIKE)
def test_names_that_look_alike(names):
    assert look_alike(*names)
    assert look_alike(*reversed(names))


@pytest.mark.parametrize("names", APART)
def test_names_that_do_not_look_alike(names):
    assert not look_alike(*names)
    assert recipient_key(names[0]) != recipient_key(names[1])


@pytest.fixture
def register(tmp_path, monkeypatch) -> Register:
    monkeypatch.setattr(release_checks, "verify", lambda *_, **__: ())
    roles = ["administrator", "custodian", "applicant"]
    charter = {"ledger": {"k": 3}, "members": {"ann": {"key": SIGN.public.line, "roles": roles}}}
    return Register.create(tmp_path / "r", Charter.of(charter), author=ANN)


def add(register: Register, name: str, cut: int, group: str, **options: bool):
    place = register.folder / name
    place.mkdir(exist_ok=True)
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "name": name}))
    batch = {
        "id": np.array([f"p{at}" for at in range(12)], object),
        "q": np.array(["low" if at < cut else "high" for at in range(12)], object),
    }
    made = record_people(
        [batch], key=KEY, person="id", fields=["q"], release=manifest_digest(place)
    )
    return register.add(place, group=group, people=made, author=ANN, **options)


@pytest.mark.parametrize(("first", "second"), ALIKE[1:7])
def test_a_group_that_looks_like_another_is_declared(register, first, second):
    add(register, "one", 6, first)
    before = register.state().head
    with pytest.raises(Mistake, match="looks like") as refused:
        add(register, "two", 5, second)
    assert "register recipients" in str(refused.value)
    assert register.state().head == before
    register.declare_recipients(first, second, NamesAre.SAME, reason="asked", author=ANN)
    with pytest.raises(CandidateFailed, match="because of one and two"):
        add(register, "two", 5, second)
    register.declare_recipients(first, second, NamesAre.DIFFERENT, reason="wrong", author=ANN)
    assert add(register, "two", 5, second)[second].outcome == "pass"
    register.declare_recipients(second, first, NamesAre.SAME, reason="right", author=ANN)
    assert {each.outcome for each in register.judge().values()} == {"fail"}
    register.verify()


def test_names_are_the_same_over_a_third(register):
    for name, group in (("one", "lab"), ("two", "unit"), ("three", "clinic")):
        add(register, name, 6, group)
    register.declare_recipients("lab", "Nobody yet", NamesAre.SAME, reason="asked", author=ANN)
    register.declare_recipients("clinic", "nobody, yet", NamesAre.SAME, reason="asked", author=ANN)
    assert register.state().joined("lab") == ("lab", "clinic")
    assert register.judge()["clinic"].joined == ("lab",)


@pytest.mark.parametrize("names", [("lab", "LAB"), ("lab", "the public"), ("everybody", "lab")])
def test_what_is_no_question_is_not_declared(register, names):
    with pytest.raises(Mistake, match="judged"):
        register.declare_recipients(*names, NamesAre.DIFFERENT, reason="so", author=ANN)


@pytest.mark.parametrize("name", ["Every body", "\u0435verybody", "the general public"])
def test_a_name_like_everybody_s_is_none(register, name):
    with pytest.raises(Mistake, match="one name"):
        add(register, "one", 6, name)


def test_names_that_nobody_declared_are_no_pass(register, monkeypatch):
    """Somebody went around the commands, or a gate has an account of such a name."""
    from sfumato.register import signed_moves

    monkeypatch.setattr(signed_moves, "check_group", lambda *_: None)
    add(register, "one", 6, "Stat Lab")
    add(register, "two", 6, "StatLab")
    verdict = register.judge()["StatLab"]
    assert verdict.outcome == "review"
    assert "StatLab looks like Stat Lab" in verdict.reason
    register.declare_recipients(
        "Stat Lab", "StatLab", NamesAre.DIFFERENT, reason="asked", author=ANN
    )
    assert register.judge()["StatLab"].outcome == "pass"
