"""What the tables have of a person is found in their texts however it is written, and nothing else
is taken for it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.releases.texts.find_pass import with_places
from sfumato.releases.texts.known_values import KnownSpan, OwnNames, OwnRow, spots, stands_in
from sfumato.releases.texts.messages import Cue, Forbidden
from sfumato.releases.texts.replace_pass import without
from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind

EVERYONE = frozenset({0})


def found(cue, text):
    places = OwnRow([cue]).places(Document(text))
    return [
        text[start:end] for start, end in sorted({(place.start, place.end) for place in places})
    ]


def direct(kind, value):
    return Cue(kind=kind, value=value, looks=EVERYONE)


def coarser(kind, value):
    return Cue(kind=kind, value=value, looks=EVERYONE, is_coarser=True)


FOUND = {
    "a phone in other spelling": (
        direct("phone", "617-555-0123"),
        "call (617) 555.0123 now",
        ["617) 555.0123"],
    ),
    "a record without its letters": (
        direct("record number", "MRN1234567"),
        "no. 1234567",
        ["1234567"],
    ),
    "a record with its letters apart": (
        direct("record number", "MRN1234567"),
        "MRN 1234567",
        ["MRN 1234567"],
    ),
    "a number inside a run": (direct("record number", "1234567"), "see MRN1234567", ["1234567"]),
    "a name the other way round": (direct("name", "Ada Stone"), "STONE, Ada", ["STONE, Ada"]),
    "a name with an accent": (direct("name", "José Peña"), "Jose Pena came", ["Jose Pena"]),
    "a possessive": (direct("name", "Tara Okafor"), "Okafor's pain", ["Okafor"]),
    "an ordinary word that is the name": (
        direct("name", "Ben Hall"),
        "Hall is in the hall",
        ["Hall"],
    ),
    "the commonest words opening a sentence": (
        direct("name", "Will May"),
        "Will left. May left.",
        ["Will", "May"],
    ),
    "a name of two letters": (direct("name", "Anh So"), "So came.", ["So"]),
    "a zip": (coarser("postcode", "02138"), "of 02138-4432", ["02138"]),
    "an age": (coarser("age", "47"), "She was 47, on 47 mg; 47 %", ["47"]),
    "a birthday": (coarser("age", "47"), "her 47th birthday", ["47"]),
    "a word in small letters": (coarser("demographic", "widowed"), "Widowed since", ["Widowed"]),
    "a word with a capital": (coarser("demographic", "Black"), "Black, black stools", ["Black"]),
}


@pytest.mark.parametrize("case", FOUND)
def test_found(case):
    cue, text, expected = FOUND[case]
    parts = found(cue, text)
    assert set(expected) <= set(parts)
    covered = [part for part in parts if not any(part in whole for whole in expected)]
    assert covered == []


NOT_FOUND = {
    "a longer number": (direct("phone", "5550123"), "15550123"),
    "a short code": (coarser("region", "MA"), "MA and ma"),
    "a single digit": (coarser("other", "3"), "3 visits"),
    "a dose": (coarser("age", "47"), "takes 47 mg, BP 147/47"),
    "a common word in small letters": (
        direct("name", "Will May"),
        "he will return and may repeat it so",
    ),
    "a disease": (direct("name", "Ann Parkinson"), "has Parkinson's disease"),
    "nothing in it": (direct("name", "—"), "a — b"),
}


@pytest.mark.parametrize("case", NOT_FOUND)
def test_not_found(case):
    assert found(*NOT_FOUND[case]) == []


@pytest.mark.parametrize(
    "written", ["June 8, 1957", "6/8/57", "08.06.1957", "1957", "June 8", "June 1957", "1957-06-08"]
)
def test_a_date_of_the_same_year_or_day_is_ones_own(written):
    assert OwnRow([coarser("date", "1957-06-08")]).is_own_date(written)


@pytest.mark.parametrize("written", ["June 8, 1958", "2001", "July 8", "5/3/2001"])
def test_another_date_is_not(written):
    assert not OwnRow([coarser("date", "1957-06-08")]).is_own_date(written)


words = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=8)
gaps = st.sampled_from([" ", ", ", ". ", "\n", " – ", " ("])
numbers = st.from_regex(r"[0-9]{3}-[0-9]{3}-[0-9]{4}", fullmatch=True)


@given(
    st.lists(words, max_size=6),
    numbers,
    st.sampled_from(["-", " ", ".", ""]),
    st.lists(words, max_size=6),
    gaps,
)
def test_a_number_is_found_in_any_text_and_gone_once_it_is_taken_out(
    before, number, joint, after, gap
):
    text = gap.join((*before, number.replace("-", joint), *after))
    row = OwnRow([direct("phone", number)])
    places = list(row.places(Document(text)))
    assert any(text[place.start : place.end] == number.replace("-", joint) for place in places)
    left, taken = without(
        [Forbidden(value=number.replace("-", joint), as_written=False)], text, suppressed="[...]"
    )
    assert taken >= 1
    assert number.replace("-", joint) not in left


bids = st.builds(
    lambda start, size, kind: Bid(start, start + size, kind, 0.9, "x"),
    st.integers(0, 30),
    st.integers(1, 8),
    st.sampled_from([ReferenceKind.NAME, ReferenceKind.DATE, ReferenceKind.OTHER]),
)
places = st.builds(
    lambda start, size, coarse: KnownSpan(
        start=start, end=start + size, kind=ReferenceKind.TOWN, is_coarser=coarse
    ),
    st.integers(0, 30),
    st.integers(1, 8),
    st.booleans(),
)


@given(st.lists(bids, max_size=5), st.lists(places, max_size=5))
def test_findings_and_own_values_cover_the_same_and_never_overlap(masked, own):
    out = with_places(masked, own)
    assert all(one.end <= other.start for one, other in pairwise(out))
    spans = [(bid.start, bid.end) for bid in masked] + [(place.start, place.end) for place in own]
    covered = {at for start, end in spans for at in range(start, end)}
    assert covered == {at for bid in out for at in range(bid.start, bid.end)}
    for place in own:
        around = [bid for bid in out if bid.start <= place.start and place.end <= bid.end]
        assert len(around) == 1
        assert around[0].kind is ReferenceKind.OTHER or not place.is_coarser


def test_where_a_value_stands():
    assert list(spots(Forbidden(value="Ada Stone", as_written=False), "ADA\nSTONE, Adastone")) == [
        (0, 9)
    ]
    assert not stands_in(Forbidden(value="--", as_written=False), "--")


def test_names_that_are_words_of_medicine_are_exempt_only_where_they_are_that():
    names = OwnNames()
    forbidden = names.add(["parkinson"])
    text = "Parkinson has Parkinson's disease."
    assert names.exempt(text, dates=[]) == {(14, 23)}
    left, taken = without(
        forbidden, text, suppressed="[...]", exempt=lambda new: names.exempt(new, dates=[])
    )
    assert (left, taken) == ("[...] has Parkinson's disease.", 1)
    assert stands_in(Forbidden(value="Parkinson", as_written=True, allowed=1), text)
    assert not stands_in(Forbidden(value="Parkinson", as_written=True, allowed=1), left)


def test_a_month_is_exempt_inside_a_moved_date_and_nowhere_else():
    names = OwnNames()
    forbidden = names.add(["may"])
    text = "May came on May 12, 2001, in May."
    left, taken = without(
        forbidden,
        text,
        suppressed="[...]",
        exempt=lambda new: names.exempt(new, dates=["May 12, 2001"]),
    )
    assert (left, taken) == ("[...] came on May 12, 2001, in [...].", 2)
