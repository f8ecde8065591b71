"""User names: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.user_names import UserNames

ARE = [
    ("follow @dot_townsend!", "@dot_townsend"),
    ("User name: dtown86", "dtown86"),
    ("username=jane.doe", "jane.doe"),
    ("login: vtownsend", "vtownsend"),
    ("insta wild.rose.84, write me", "wild.rose.84"),
    ("Skype: jane.doe.7", "jane.doe.7"),
    ("Benutzername: mmuster", "mmuster"),
    ("nom d'utilisateur : jdupont", "jdupont"),
    ("she logged in as jdoe", "jdoe"),
    ("user jdoe42 reported", "jdoe42"),
    ('the user name "dotty" is', "dotty"),
    ("u/gymnast_dot wrote", "gymnast_dot"),
    ("see C:\\Users\\vtownsend\\scan.pdf", "vtownsend"),
    ("kept in /home/dot.town/letters", "dot.town"),
    ("Login from 10.1.2.3 by dtown86 at noon", "dtown86"),
]
ARE_NOT = [
    "jane@example.org",
    "2 tablets @ night",
    "see C:\\Users\\Public\\scan.pdf",
    "http://example.org/home/visits/",
    "the user was told",
    "user name: required",
    "u/s of the abdomen",
    "login to the portal",
    "Login by phone",
    "diagnosis: diabetes",
]


@pytest.mark.parametrize(("text", "name"), ARE)
def test_finds(found, text, name):
    assert found(UserNames(), text) == [name]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(UserNames(), text) == []
