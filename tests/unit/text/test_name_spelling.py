"""One name has one surrogate, however it is spelt."""

from __future__ import annotations

import re

import pytest

from sfumato.keys import KeyedDraws
from sfumato.text.documents import Document
from sfumato.text.hidden import as_seen, visible
from sfumato.text.kinds import ReferenceKind
from sfumato.text.name_spelling import name_key, name_spellings, spelling_pattern
from sfumato.text.scrubber import scrub
from sfumato.text.surrogates.names import Cast
from sfumato.text.surrogates.real_values import RealValues
from sfumato.text.surrogates.surrogate_choice import SurrogateChoice
from sfumato.text.surrogates.tags import Tags

SECRET = bytes(range(32))
SPELLINGS = {
    "Keller": ("KELLER", "K e l l e r", "K E L L E R", "K-e-l-l-e-r"),
    "Müller": ("Mueller", "MUELLER", "MÜLLER", "Mu\u0308ller"),
    "O'Brien": ("OBrien", "O’Brien", "O'BRIEN", "OBRIEN", "O Brien", "Oʼbrien"),
    "Weiß": ("Weiss", "WEISS"),
    "Sørensen": ("Soerensen", "Sorensen"),
    "Anne-Marie": ("ANNE-MARIE", "Anne\u2011Marie"),
}


def surrogates_of(names, *, known=None):
    cast = Cast(
        [visible(name) for name in names],
        KeyedDraws(SECRET),
        choosing=SurrogateChoice(),
        known=known,
    )
    return {re.sub(r"[^a-z]", "", (cast.surrogate(visible(name)) or "").lower()) for name in names}


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_has_the_surrogate_of_the_name(name):
    assert len(surrogates_of([name, *SPELLINGS[name]])) == 1


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_has_the_surrogate_of_the_table(name):
    for written in (name, *SPELLINGS[name]):
        assert surrogates_of([written], known={name: "Rojas"}) == {"rojas"}


@pytest.mark.parametrize("name", [name for name in SPELLINGS if "-" not in name])
def test_every_spelling_is_found_where_one_is(name):
    text = f"Mr. {name} came. " + " ".join(
        f"Then {other} was seen again." for other in SPELLINGS[name]
    )
    done = scrub([Document(text, person="7")], secret=SECRET).documents[0].text
    seen = as_seen(Document(done)).document.text
    assert re.search(spelling_pattern(name.replace("'", "")), seen, re.IGNORECASE) is None


@pytest.mark.parametrize("name", [name for name in SPELLINGS if name != "Anne-Marie"])
def test_every_spelling_has_one_tag(name):
    values = [
        (ReferenceKind.NAME, visible(each))
        for each in (name, *SPELLINGS[name])
        if each != "O Brien"
    ]
    tags = Tags(values)
    assert {tags.tag(*value) for value in values} == {"[NAME 1]"}


def test_different_names_stay_different():
    assert len(surrogates_of(["Michael", "Michal", "Bauer", "Baur", "Muller", "Mueller"])) == 6


def test_keys():
    assert name_key("O’Brien's") == "obrien"
    assert name_spellings("Größe") == {"grosse", "groesse"}


def test_no_surrogate_is_a_real_name_in_another_spelling():
    real = RealValues([(ReferenceKind.NAME, "Ann O'Brien"), (ReferenceKind.NAME, "Jörg Müller")])
    assert all(real.holds(name) for name in ("OBrien", "Mueller", "Muller", "Joerg"))


@pytest.mark.parametrize(
    "text", ["A B", "p r n", "J. R. R. Long", "vitamin A I B", "a b c", "G.P.S."]
)
def test_short_rows_of_letters_are_no_word(text):
    assert visible(text) == text


def test_two_spaced_words_are_two():
    assert visible("A n n a L e e came") == "Anna Lee came"
