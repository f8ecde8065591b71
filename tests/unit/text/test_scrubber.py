"""Scrubbing a collection: the letter of Fig. 21, a patient's letters together, unusual ones, and
the way back."""

from __future__ import annotations

import json
import re
import stat

import pytest

from sfumato.errors import SecretError
from sfumato.text.decision import Purpose
from sfumato.text.documents import Document
from sfumato.text.replacement import How
from sfumato.text.reversal import entries_of, restored, reverse, write_mapping
from sfumato.text.scrubber import DE_IDENTIFIED, scrub
from sfumato.text.surrogates import DateStyle, ReplacementMethod, Style
from sfumato.text.unusualness import unusualness

SECRET = bytes(range(7, 39))
LETTER = """Wednesday, February 2, 1994

Marjorie Long, M.D. RE: Virginia Townsend
St. John's Hospital CH#32-841-09787
Huntington 18 DOB 05/26/86
Boston, MA 02151

Dear Dr. Lang:

I feel much better after seeing Virginia this time. As you know, Dot is a 7 and 6/12 year old female in follow up for \
insulin dependent diabetes mellitus diagnosed in June of 1993 by Dr. Frank at Brigham's. She is currently on Lily \
Human Insulin and is growing and gaining weight normally. She will start competing again with the U. S. Junior \
Gymnastics team. We will contact Mrs. Hodgkins in a week at Marina Corp 473-1214 to schedule a follow-up visit for \
her daughter.

Patrick Hayes, M.D. 34764
"""
GONE = (
    "Wednesday Marjorie Long Virginia Townsend John 32-841-09787 Huntington 05/26/86 "
    "Boston 02151 Lang Dot "
    "Frank Brigham Gymnastics Hodgkins Marina 473-1214 Patrick Hayes 34764"
).split()
KEPT = (
    "7 and 6/12 year old female|insulin dependent diabetes mellitus|June of 1993|Lily Human "
    "Insulin|M.D.|her daughter"
)
USUAL = (
    "She was seen in the clinic today for a routine visit and is doing well on her present "
    "dose of insulin with no new "
    "complaints, a normal examination, good growth and weight, and will come back in three "
    "months for another visit."
)
LIFE_STORY = (
    "At the age of two she was sexually assaulted. At the age of three she set fire to her "
    "home. At the age of four "
    "her parents divorced. At the age of five she was placed in foster care after stabbing "
    "her nursery school teacher "
    "with scissors."
)


def test_the_letter_of_figure_21():
    """000, Fig. 21 and 22: dates to the month, the team suppressed, all else replaced, the medicine
    kept."""
    [done] = scrub([LETTER], secret=SECRET, style=Style(dates=DateStyle.MONTH)).documents
    assert done.text.startswith("February, 1994\n")
    assert "DOB 05/86" in done.text
    assert [word for word in GONE if re.search(rf"\b{re.escape(word)}\b", done.text)] == []
    assert all(words in done.text for words in KEPT.split("|"))
    assert "competing again with the [...]. We will" in done.text
    assert done.replaced.count(How.SUPPRESSED) == 1


def test_a_name_of_one_letter_is_found_in_the_patients_others():
    texts = ["RE: Virginia Townsend, seen today.", "Growing normally. Townsend will return."]
    one, other = scrub([Document(text, person="7") for text in texts], secret=SECRET).documents
    assert "Townsend" not in one.text + other.text
    assert re.search(r"normally\. (\w+) will", other.text)[1] in one.text


def test_surrogates_agree_within_a_person_only():
    texts = ["Dear Dr. Brugge: RE: Virginia Townsend"] * 2
    same = scrub([Document(text, person="7") for text in texts], secret=SECRET).documents
    apart = scrub(
        [Document(text, person=str(n)) for n, text in enumerate(texts)], secret=SECRET
    ).documents
    assert same[0].text == same[1].text
    assert apart[0].text != apart[1].text


def test_a_number_is_masked_wherever_it_stands():
    texts = ["MRN: 32-841-09787", "see 32-841-09787 again"]
    done = scrub([Document(text, person="7") for text in texts], secret=SECRET).documents
    assert not any("32-841-09787" in each.text for each in done)


def test_days_and_names_come_from_tables_where_given():
    letter = Document("RE: Virginia Townsend seen 1994-02-02.", person="7")
    asked = []
    [done] = scrub(
        [letter],
        secret=SECRET,
        days=lambda person: asked.append(person) or 5,
        known=lambda person: {"Virginia Townsend": "Kathel Wallams"},
    ).documents
    assert done.text == "RE: Kathel Wallams seen 1994-02-07."
    assert asked == ["7"]


def test_for_direct_identifiers_the_rest_stays():
    letter = "RE: Virginia Townsend, Boston, MA, 617-473-1214."
    [done] = scrub([letter], secret=SECRET, purpose=Purpose.DIRECT).documents
    assert "Boston" in done.text and "Townsend" not in done.text and "473-1214" not in done.text  # noqa: PT018


def test_a_life_story_stands_out_and_is_left_as_it_is():
    """000, Fig. 25: nothing to scrub, and one such child."""
    letters = [
        f"Patient {n}. {USUAL.replace('three', month)}"
        for n, month in enumerate(["two", "three", "six"] * 5)
    ]
    done = scrub([*letters, LIFE_STORY], secret=SECRET)
    assert done.standing_out == (15,)
    assert done.documents[15].text == LIFE_STORY
    assert done.documents[15].unusualness.score > 2 * done.documents[0].unusualness.score
    assert done.words.startswith(DE_IDENTIFIED)
    assert "1 document is unusual" in done.words


def test_unusualness_is_not_said_where_it_cannot_be():
    few = unusualness([Document(LIFE_STORY)] * 3, [()] * 3)
    short = unusualness([Document("She is well.")] * 12, [()] * 12)
    assert all(
        each.score is None and each.reason and not each.stands_out for each in (*few, *short)
    )


def test_every_document_is_told_of_twice():
    told = []
    scrub(
        [USUAL, LIFE_STORY, "", USUAL],
        secret=SECRET,
        progress=lambda done, of: told.append((done, of)),
    )
    assert told[-1] == (8, 8) and told == sorted(told)  # noqa: PT018


@pytest.mark.parametrize("text", ["", "\x00\x01", "🙂" * 50, "שלום ‏עולם", "\ud800", "a" * 10_000])
def test_strange_texts_come_through(text):
    """Some are names: "shalom" is one in Hebrew."""
    [done] = scrub([text], secret=SECRET).documents
    assert restored(done.text, entries_of(done.replaced)) == text


def test_the_way_back(tmp_path):
    letters = [
        Document(LETTER, name="a", person="7"),
        Document("Dear Virginia Townsend", name="b", person="7"),
    ]
    done = scrub(letters, secret=SECRET, style=Style(method=ReplacementMethod.TAG))
    file = tmp_path / "mapping"
    write_mapping(file, {each.name: each.replaced for each in done.documents})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert reverse(file, {each.name: each.text for each in done.documents}) == {
        each.name: each.text for each in letters
    }
    with pytest.raises(SecretError, match="not overwritten"):
        write_mapping(file, {})
    with pytest.raises(SecretError, match="1 of 1 texts"):
        reverse(file, {"a": done.documents[0].text + " "})
    file.chmod(0o644)
    with pytest.raises(SecretError, match="others"):
        reverse(file, {})


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", json.dumps({"format": "x"}).encode()])
def test_another_file_is_refused_without_quoting_it(tmp_path, content):
    file = tmp_path / "mapping"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(SecretError, match="not a mapping file"):
        reverse(file, {})


TITLES_ALONE = [
    "Dr.",
    "Seen by Dr.\n",
    "Referred by Prof. Dr.\n",
    "Mr. and Mrs.\n",
    "Jr., M.D.\n",
    "to the Hospital\n",
    "J.\n",
]


@pytest.mark.parametrize("line", TITLES_ALONE)
def test_a_line_that_names_nobody_changes_no_other_document(line):
    letters = [
        Document("Dr. Patel and Prof. Dr. Hayes of Mercy Hospital wrote.", person="7", name="a"),
        Document("Dear Mrs. Townsend, Dr. Patel will see J. Hayes.", person="7", name="b"),
    ]
    alone = scrub(letters, secret=SECRET)
    beside = scrub([*letters, Document(line, person="7", name="c")], secret=SECRET)
    assert [each.text for each in beside.documents[:2]] == [each.text for each in alone.documents]
    assert "[...]" not in alone.documents[0].text + alone.documents[1].text
    assert "Patel" not in beside.documents[0].text


@pytest.mark.parametrize("style", [Style(), Style(method=ReplacementMethod.TAG)])
def test_a_number_read_as_two_kinds_has_one_surrogate(style):
    letter = "Call 617-473-1214 today. MRN: 6174731214 was seen."
    done = scrub([Document(letter, person="7")], secret=SECRET, style=style).documents[0]
    kinds = {bid.kind for bid in done.findings}
    assert len(kinds) == 2
    put = {re.sub(r"\W", "", each.surrogate) for each in done.replaced.replacements}
    assert len(put) == 1


class CountingDetector:
    """Bids for nothing, and counts the documents that it is shown."""

    name = "counting"

    def __init__(self):
        self.shown = 0

    def bid(self, document):
        self.shown += 1
        return ()


def test_documents_that_read_alike_are_looked_at_once():
    counting = CountingDetector()
    done = scrub([Document("Virginia came.", person="7")] * 50, secret=SECRET, detectors=[counting])
    assert (counting.shown, len(done.documents)) == (1, 50)


def test_a_name_that_is_given_is_found_also_where_it_is_an_ordinary_word():
    note = Document(
        "Will came. So did Will's wife, who will return so soon.",
        person="7",
        cues={"name": ("Will So",)},
    )
    text = scrub([note], secret=SECRET).documents[0].text
    assert re.search(r"\b(Will|So)\b", text) is None
    assert "who will return so soon" in text


def test_numbers_that_stand_together_have_the_surrogates_they_have_alone():
    letter = "MRN 6174731214. Call 617-473-1214 or (617) 473-1214. From abroad +1 617 473 1214."
    done = scrub([Document(letter, person="7")], secret=SECRET).documents[0]
    put = {re.sub(r"\D", "", each.surrogate)[-10:] for each in done.replaced.replacements}
    assert len(put) == 1
    assert " or (" in done.text


@pytest.mark.parametrize("line", ["Seen by Dr.\nMetoprolol 50 mg daily"])
def test_a_title_at_a_lines_end_does_not_take_the_next_line(line):
    done = scrub([Document(line, person="7")], secret=SECRET)
    assert done.documents[0].text == line


def test_a_name_is_not_put_together_over_the_end_of_a_sentence():
    note = Document(
        "He got the bill. Young Bill paid 5 ng.",
        person="7",
        cues={"name": ("Bill Young", "Ada Ng")},
    )
    text = scrub([note], secret=SECRET).documents[0].text
    assert text.startswith("He got the bill. ")
    assert "5 ng" in text
    assert "Young" not in text
