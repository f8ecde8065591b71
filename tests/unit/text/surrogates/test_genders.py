"""Gender that a text tells: surrogates agree with titles, relatives and pronouns."""

from __future__ import annotations

import pytest

from sfumato.text import Document
from sfumato.text.lexicons import first_names
from sfumato.text.scrubber import scrub


def genders_of(text, names):
    done = scrub([Document(text)], secret=bytes(range(32))).documents[0]
    new = {each.original: each.surrogate for each in done.replaced.replacements}
    return [first_names()[new[name].split()[-1].lower()][0] for name in names]


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        ("Lives with wife Marisol and sons Teo and Bram.", ["Teo", "Bram"], ["m", "m"]),
        ("Her daughter Ngozi drives her.", ["Ngozi"], ["f"]),
        ("He came with his niece Xochi.", ["Xochi"], ["f"]),
    ],
)
def test_a_surrogate_has_the_gender_that_the_text_tells(text, names, wanted):
    assert genders_of(text, names) == wanted


def test_a_number_in_words_stays_one():
    text = "MRN is four four seven two nine one."
    done = scrub([Document(text)], secret=bytes(range(32))).documents[0].text
    digits = set("zero one two three four five six seven eight nine".split())
    assert set(done.removeprefix("MRN is ").rstrip(".").split()) <= digits
    assert done != text


def test_the_words_of_a_spelling_alphabet_do_not_stay():
    text = "Her name is Katarzyna, K as in kilo, A as in alpha, T as in tango."
    done = scrub([Document(text)], secret=bytes(range(32))).documents[0].text
    assert not {"kilo", "alpha", "tango"} & set(done.replace(",", "").replace(".", "").split())
