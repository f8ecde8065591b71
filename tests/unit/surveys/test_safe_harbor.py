from __future__ import annotations

from sfumato.surveys import LooksLike, Presence
from sfumato.surveys.safe_harbor import IDENTIFIERS


def test_all_18_in_the_rules_order(survey_of):
    found = survey_of({"colour": ["red", "red", "blue", "blue"] * 5}).safe_harbor
    assert [item.number for item in found] == list(range(1, 19))
    assert found[0].identifier == "Names"
    assert found[-1].identifier.startswith("Any other")


def test_what_is_there_is_found_with_its_fields(survey_of):
    found = survey_of(
        {
            "first name": ["Ann", "Bob"],
            "last name": ["Smith", "Jones"],
            "zip": ["02138", "02139"],
            "dob": ["1965-09-20", "1964-02-29"],
            "fax": ["617-555-0123", "617-555-0124"],
            "patient id": ["P1", "P2"],
        }
    ).safe_harbor
    present = {item.number: item.fields for item in found if item.presence is Presence.FOUND}
    assert present == {
        1: ("first name", "last name"),
        2: ("zip",),
        3: ("dob",),
        5: ("fax",),
        18: ("patient id",),
    }
    assert found[5].presence is Presence.NOT_FOUND


def test_pictures_and_fingerprints_cannot_be_told_from_a_table(survey_of):
    found = survey_of({"zip": ["02138", "02139"]}).safe_harbor
    assert [item.number for item in found if item.presence is Presence.CANNOT_TELL] == [16, 17]
    shown = survey_of({"portrait": ["1.jpg", "2.jpg"], "zip": ["02138", "02139"]}).safe_harbor
    assert shown[16].presence is Presence.FOUND


def test_text_may_hold_nearly_anything(survey_of):
    text = ["He came in on a Monday and left.", "She came in on a Friday and left."]
    found = survey_of({"notes": text, "e-mail": ["a@example.org", "b@example.org"]}).safe_harbor
    assert found[5].presence is Presence.FOUND
    others = [item for item in found if item.number not in (6, 16, 17)]
    assert {item.presence for item in others} == {Presence.CANNOT_TELL}
    assert {item.fields for item in others} == {("notes",)}
    assert {item.note for item in others} == {"text may hold it"}


def test_an_unknown_field_leaves_all_of_them_open(survey_of):
    found = survey_of({"qqq": [f"{chr(97 + n)}{chr(98 + n)}" for n in range(20)]}).safe_harbor
    assert {item.presence for item in found} == {Presence.CANNOT_TELL}
    assert (found[17].presence, found[17].fields) == (Presence.CANNOT_TELL, ("qqq",))


def test_a_yes_or_no_leaves_all_of_them_open_until_a_person_decides(survey_of):
    found = survey_of({"qqq": ["yes", "no"] * 20}).safe_harbor
    assert {item.presence for item in found} == {Presence.CANNOT_TELL}


def test_a_second_likeness_is_a_doubt(survey_of):
    found = survey_of({"c": [str(219099900 + 7 * n) for n in range(50)]})
    assert found.field("c").looks_like is LooksLike.SSN
    assert found.safe_harbor[17].presence is Presence.CANNOT_TELL


def test_every_direct_likeness_is_on_the_list():
    from sfumato.policy.records import Role
    from sfumato.surveys.roles import RULES

    listed = {likeness for identifier in IDENTIFIERS for likeness in identifier.looks_like}
    assert {likeness for likeness, rule in RULES.items() if rule.role is Role.DIRECT} <= listed
