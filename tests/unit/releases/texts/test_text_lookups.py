"""What texts share with tables and with scrubbed files: the key, the days, the pseudonyms, the
person."""

from __future__ import annotations

from sfumato.policy import DateShift, Intervals, policy_from_table
from sfumato.releases import Key
from sfumato.releases.dates import offset
from sfumato.releases.texts.messages import Cue, Person, Text
from sfumato.releases.texts.text_lookups import (
    coarser_fields,
    days_of,
    given_by,
    person_of,
    text_secret,
)
from sfumato.scrubbing import scrub_run

KEY = Key(bytes(range(32)))


def somebody(name="7", *values):
    cues = tuple(Cue(kind="name", value=value, looks=frozenset({0}), of="name") for value in values)
    return Person(name=name, keys=(name,), texts=(Text(of=0, look=0, text="x"),), cues=cues)


def test_files_and_tables_have_one_secret():
    assert text_secret(KEY) == scrub_run.text_secret(KEY)


def test_dates_move_as_in_the_tables_or_by_days_of_their_own():
    shift = DateShift(days=30, per="id")
    moved = days_of(KEY, shift, per="id")
    assert moved(somebody()) == offset(KEY.derive("dates", "id"), "7", shift=shift)
    own = days_of(KEY, None, per=None)
    assert own(somebody()) == own(somebody()) != 0
    perturbed = days_of(KEY, DateShift(days=30, per="id", intervals=Intervals.PERTURB), per="id")
    assert perturbed(somebody()) == own(somebody())


class Upper:
    redrawn = 0
    asked = 0

    def replace(self, values):
        self.asked += 1
        return [value.upper() for value in values]

    def describe(self):
        return ""


def test_pseudonyms_are_asked_for_many_people_at_once():
    replacer = Upper()
    people = [somebody("7", "ada", "eva"), somebody("8"), somebody("9", "ada")]
    given = given_by({"name": replacer, "other": replacer})(people)
    assert given == [{"ada": "ADA", "eva": "EVA"}, {}, {"ada": "ADA"}]
    assert replacer.asked == 1


def test_whose_a_row_is():
    fields = {
        "id": "direct",
        "zip": "quasi",
        "day": {"role": "insensitive", "shift": {"days": 9, "per": "id"}},
    }
    assert person_of(policy_from_table({"fields": fields, "require": {"k": 2}})) == "id"
    fields |= {
        "other": "direct",
        "night": {"role": "insensitive", "shift": {"days": 9, "per": "other"}},
    }
    assert person_of(policy_from_table({"fields": fields, "require": {"k": 2}})) is None


def test_what_is_coarser_in_the_release():
    fields = {
        "id": {"role": "direct", "replace": "hash"},
        "zip": "quasi",
        "sex": "quasi",
        "day": {"role": "insensitive", "shift": {"days": 9, "per": "id"}},
        "ill": "sensitive",
    }
    steps = [{"technique": "pram", "fields": ["ill"], "keep": 0.9}]
    policy = policy_from_table(
        {"entity": "id", "fields": fields, "steps": steps, "require": {"k": 2}}
    )
    words = {
        "id": "hashed",
        "zip": "generalised",
        "sex": "kept as it is",
        "day": "shifted",
        "ill": "kept as it is",
    }
    assert coarser_fields(policy, words) == ["zip", "ill"]
