"""Text fields in a policy: read, checked with every problem at once, written and read back."""

from __future__ import annotations

import policies
import pytest

from sfumato.policy import (
    TEXT_KINDS,
    ScrubPolicy,
    TextDates,
    TextDetectors,
    TextMethod,
    TextPattern,
    TextPlaces,
    TextPurpose,
    TextTrait,
    TextWords,
    policy_as_table,
    policy_from_table,
    scrubbed_fields,
)
from sfumato.releases.policy_copy import policy_facts
from sfumato.text.decision import Purpose
from sfumato.text.detectors.sets import Detectors
from sfumato.text.kinds import ReferenceKind
from sfumato.text.surrogates import DateStyle, PlaceStyle, ReplacementMethod, Trait

NOTE = {
    "role": "text",
    "scrub": {
        "purpose": "everything",
        "method": "tag",
        "methods": {"name": "surrogate"},
        "keep": ["origin"],
        "dates": "month",
        "places": "region",
        "thresholds": {"profession": 0.9},
        "detectors": "rules",
        "cues": {"id": "record number"},
    },
}


def test_everything_is_read_and_written_as_it_was_said():
    policy = policy_from_table(policies.table(fields={"note": NOTE}))
    assert policy.fields["note"].scrub == ScrubPolicy(
        purpose=TextPurpose.EVERYTHING,
        method=TextMethod.TAG,
        methods={"name": TextMethod.SURROGATE},
        keep=(TextTrait.ORIGIN,),
        dates=TextDates.MONTH,
        places=TextPlaces.REGION,
        thresholds={"profession": 0.9},
        detectors=TextDetectors.RULES,
        cues={"id": "record number"},
    )
    assert policy_as_table(policy)["fields"]["note"] == NOTE


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (TextPurpose, Purpose),
        (TextMethod, ReplacementMethod),
        (TextTrait, Trait),
        (TextDates, DateStyle),
        (TextPlaces, PlaceStyle),
        (TextDetectors, Detectors),
        (TEXT_KINDS, ReferenceKind),
    ],
)
def test_the_words_are_those_of_the_text_room(mine, theirs):
    assert [str(word) for word in mine] == [str(word) for word in theirs]


def test_text_is_scrubbed_unless_it_is_removed():
    fields = {
        "a": "text",
        "b": {"role": "text", "scrub": {}},
        "c": {"role": "text", "replace": "remove"},
    }
    assert scrubbed_fields(policy_from_table(policies.table(fields=fields)).fields) == ("a", "b")


def test_every_problem_at_once():
    wrong = {
        "role": "text",
        "replace": "hash",
        "scrub": {
            "purpose": "all",
            "method": "tags",
            "methods": {"names": "tag"},
            "keep": ["gendre"],
            "thresholds": {"name": 2},
            "cues": ["idd", "note"],
            "colour": 1,
        },
    }
    found = policies.problems(
        policies.table(fields={"note": wrong, "problem": {"role": "sensitive", "scrub": {}}})
    )
    assert set(found) == {
        "fields.note.scrub.purpose",
        "fields.note.scrub.method",
        "fields.note.scrub.methods.names",
        "fields.note.scrub.keep",
        "fields.note.scrub.thresholds.name",
        "fields.note.scrub.cues",
        "fields.note.scrub.colour",
        "fields.note.replace",
        "fields.problem.scrub",
    }
    assert "Did you mean" in found["fields.note.scrub.methods.names"]


NOTES = {"note": "text"}
REFUSED = {
    "made-up rows have no text": (
        {"fields": NOTES, "steps": [{"technique": "add_rows", "share": 0.1}]},
        "steps",
        "distinguishes them from the others",
    ),
    "whose text is it": (
        {"fields": NOTES, "steps": [{"technique": "pram", "fields": ["problem"], "keep": 0.9}]},
        "steps",
        "no field identifies the person",
    ),
    "safe harbor": (
        {"fields": NOTES, "require": {"k": 2, "safe_harbor": True}},
        "require.safe_harbor",
        "no free text",
    ),
    "gaps that the text would keep": (
        {
            "fields": NOTES
            | {
                "day": {"role": "insensitive", "shift": {"days": 9, "intervals": "perturb"}},
                "id": {"role": "direct", "replace": "hash"},
            },
            "entity": "id",
        },
        "fields.note.scrub.dates",
        "would keep them otherwise",
    ),
    "removed and scrubbed": (
        {"fields": {"note": {"role": "text", "replace": "remove", "scrub": {}}}},
        "fields.note.scrub",
        "is not scrubbed",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_with_scrubbed_text_is_refused(case):
    changes, where, said = REFUSED[case]
    assert said in policies.problems(policies.table(**changes))[where]


def test_steps_go_with_text_where_a_person_key_stays():
    steps = [{"technique": "pram", "fields": ["problem"], "keep": 0.9}]
    given = policies.table(
        fields=NOTES | {"id": {"role": "direct", "replace": "hash"}}, entity="id", steps=steps
    )
    assert policy_from_table(given).steps


def test_cues_of_several_tables_are_called_by_table_and_field():
    fields = {"id": {"role": "direct", "replace": "number"}, "name": "direct", "zip": "quasi"}
    note = {"role": "text", "scrub": {"cues": ["people.name", "who"]}}
    given = {
        "entity": "people.id",
        "tables": {
            "people": {"key": "id", "fields": fields},
            "notes": {
                "links": {"person": "people.id"},
                "fields": {"person": fields["id"], "note": note},
            },
        },
        "require": {"k": 2},
    }
    found = policies.problems(given)
    assert list(found) == ["tables.notes.fields.note.scrub.cues"]
    note["scrub"]["cues"] = ["people.name"]
    assert policy_from_table(given).tables["notes"].fields["note"].scrub.cues == {"people.name": ""}


OWN = {
    "role": "text",
    "scrub": {
        "patterns": {
            "ward": "W-[0-9]+",
            "study": {"pattern": "ST-[0-9]{6}", "kind": "record number"},
        },
        "words": {"projects": "lists/projects.txt", "staff": {"file": "staff.txt", "kind": "name"}},
    },
}


def test_patterns_and_word_lists_are_read_and_written_as_they_were_said():
    policy = policy_from_table(policies.table(fields={"note": OWN}))
    scrub = policy.fields["note"].scrub
    assert scrub is not None
    assert scrub.patterns["study"] == TextPattern(pattern="ST-[0-9]{6}", kind="record number")
    assert scrub.words["projects"] == TextWords(file="lists/projects.txt")
    assert policy_as_table(policy)["fields"]["note"] == OWN


@pytest.mark.parametrize(
    ("scrub", "where", "said"),
    [
        (
            {"patterns": {"a": "(x+)+y"}},
            "fields.note.scrub.patterns.a.pattern",
            "could take for ever",
        ),
        ({"patterns": {"a": "["}}, "fields.note.scrub.patterns.a.pattern", "no regular expression"),
        ({"patterns": {"a": 7}}, "fields.note.scrub.patterns.a", "a text, or a table"),
        (
            {"patterns": {"a": {"kind": "name"}}},
            "fields.note.scrub.patterns.a",
            "a text, or a table",
        ),
        (
            {"patterns": {"a": {"pattern": "x", "kind": "nobody"}}},
            "fields.note.scrub.patterns.a.kind",
            "not one of",
        ),
        (
            {"words": {"a": {"file": "x", "stile": 1}}},
            "fields.note.scrub.words.a.stile",
            "no such key",
        ),
        ({"words": ["a"]}, "fields.note.scrub.words", "must be a table"),
    ],
)
def test_what_is_wrong_with_patterns_and_lists_is_told_where_it_is(scrub, where, said):
    found = policies.problems(policies.table(fields={"note": {"role": "text", "scrub": scrub}}))
    assert said in found[where]


def test_only_the_name_of_a_word_list_travels():
    policy = policy_from_table(policies.table(fields={"note": OWN}))
    travels = policy_facts(policy)["fields"]["note"]["scrub"]["words"]
    assert travels == {"projects": "projects.txt", "staff": {"file": "staff.txt", "kind": "name"}}
