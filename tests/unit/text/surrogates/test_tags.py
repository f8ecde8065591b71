"""Tags number people, not spellings; masks keep lengths; secrets are refused where weak and never
shown."""

from __future__ import annotations

import copy
import pickle

import pytest

from sfumato.errors import SecretError
from sfumato.keys import KeyedDraws
from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.replacement import replace_findings
from sfumato.text.surrogates.ages_and_times import age_surrogate, time_surrogates
from sfumato.text.surrogates.styles import Style
from sfumato.text.surrogates.tags import Tags, masked


def test_a_part_counts_as_the_name_it_belongs_to():
    names = ["Virginia Townsend", "Virginia", "Mrs. Townsend", "Dr. Long"]
    tags = Tags([(ReferenceKind.NAME, name) for name in names])
    assert [tags.tag(ReferenceKind.NAME, name) for name in names] == ["[NAME 1]"] * 3 + ["[NAME 2]"]


def test_a_part_of_two_names_is_neither():
    tags = Tags(
        [
            (ReferenceKind.NAME, "Ann Lee"),
            (ReferenceKind.NAME, "Bob Lee"),
            (ReferenceKind.NAME, "Lee"),
        ]
    )
    assert [tags.tag(ReferenceKind.NAME, name) for name in ("Ann Lee", "Bob Lee", "Lee")] == [
        "[NAME 1]",
        "[NAME 2]",
        "[NAME 3]",
    ]


def test_a_number_that_is_real_is_passed_over():
    assert (
        Tags([(ReferenceKind.TEAM, "x")], is_real={"1", "2"}.__contains__).tag(
            ReferenceKind.TEAM, "x"
        )
        == "[TEAM 3]"
    )


def test_masks_keep_lines_and_lengths():
    assert masked("Ann Lee\r\n7") == "*******\r\n*"
    assert masked("**") != "**"


@pytest.mark.parametrize(
    ("age", "new"),
    [
        ("92 years old", "over 89 years old"),
        ("aged 40", "aged 40 to 44"),
        ("ninety", "over 89"),
        ("some", None),
    ],
)
def test_ages_are_cut(age, new):
    assert age_surrogate(age) == new


@pytest.mark.parametrize("time", ["10:30 am", "07:05", "21:15:09", "3 pm", "14h30"])
def test_times_stay_times(time):
    new = next(iter(time_surrogates(time, KeyedDraws(bytes(range(32))))))
    assert new != time
    assert new[-2:].isalpha() == time[-2:].isalpha()
    assert (":" in new) == (":" in time)


@pytest.mark.parametrize("secret", [b"", b"short", bytes(32), b"ab" * 16])
def test_weak_secrets_are_refused(secret):
    with pytest.raises(SecretError):
        KeyedDraws(secret)


def test_a_secret_is_neither_shown_pickled_nor_copied():
    drawing = KeyedDraws(bytes(range(32)))
    assert repr(drawing) == "KeyedDraws(...)"
    for take in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SecretError):
            take(drawing)


@pytest.mark.long("a long finding of each kind; each third stays", every=3)
@pytest.mark.parametrize("kind", ReferenceKind)
@pytest.mark.parametrize("text", ["1" * 60_000, "Ab1 -./:'" * 6_000])
def test_a_huge_finding_is_suppressed_at_once(kind, text):
    document = Document(text, person="7")
    bids = [Bid(0, len(text), kind, 0.9, "x")]
    [new] = replace_findings([document], [bids], secret=bytes(range(32)), days=lambda person: 3)
    assert new.text == Style().suppressed
