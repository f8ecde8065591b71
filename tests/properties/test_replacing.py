"""Replacing changes nothing outside findings, is the same every time for one secret, and leaves no
original behind."""

from __future__ import annotations

import hashlib
import re

from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.replacement import How, replace_findings, values_of
from sfumato.text.reversal import entries_of, restored
from sfumato.text.surrogates.real_values import RealValues
from sfumato.text.surrogates.styles import DateStyle, PlaceStyle, ReplacementMethod, Style, Trait

FILLER = (
    "seen in clinic by",
    "and then,",
    "\n\nwas well:",
    "since. It",
    "(with)",
    "—",
    "follow up for",
)
NAMES = (
    "Virginia Townsend",
    "Virginia",
    "TOWNSEND",
    "Dr. Lang",
    "Marjorie Long",
    "J. Frank",
    "van der Berg",
    "O'Brien",
)
VALUES = {
    ReferenceKind.NAME: NAMES,
    ReferenceKind.PHONE: ("473-1214", "(617) 473-1214", "+49 89 123456"),
    ReferenceKind.RECORD_NUMBER: ("32-841-09787", "3284109787", "A12/99"),
    ReferenceKind.NATIONAL_NUMBER: ("123-45-6789", "943 476 5919", "AB123456C"),
    ReferenceKind.FINANCIAL_NUMBER: ("4539 1488 0343 6467", "GB82 WEST 1234 5698 7654 32"),
    ReferenceKind.EMAIL: ("v.townsend@acme.com", "long@brigham.org"),
    ReferenceKind.URL: ("https://acme.com/townsend",),
    ReferenceKind.IP: ("10.1.2.3", "192.0.2.7"),
    ReferenceKind.TOWN: ("Boston", "Lyon", "Grimsditch"),
    ReferenceKind.REGION: ("MA", "Massachusetts", "Bavaria"),
    ReferenceKind.COUNTRY: ("France",),
    ReferenceKind.POSTCODE: ("02151", "SW1A 2AA"),
    ReferenceKind.STREET: ("12 Baker Street", "Huntington 18"),
    ReferenceKind.HOSPITAL: ("St. John's Hospital", "Brigham's"),
    ReferenceKind.ORGANISATION: ("Marina Corp", "General Hospital"),
    ReferenceKind.TEAM: ("U. S. Junior Gymnastics team",),
    ReferenceKind.AGE: ("94-year-old", "aged 93"),
    ReferenceKind.USER_NAME: ("@dot_townsend",),
    ReferenceKind.OTHER: ("the tall one",),
}
REFERENCES = [(kind, value) for kind, values in VALUES.items() for value in values]
DRAWN = tuple(
    (kind, value)
    for kind, value in REFERENCES
    if kind in (ReferenceKind.RECORD_NUMBER, ReferenceKind.EMAIL, ReferenceKind.NAME)
)
DATES = (
    "Wednesday, February 2, 1994",
    "05/26/86",
    "June of 1993",
    "May 3",
    "Christmas 1995",
    "Tuesday",
    "1993",
)

secrets = st.integers(0, 10**6).map(lambda seed: hashlib.sha256(str(seed).encode()).digest())
styles = st.builds(
    Style,
    method=st.sampled_from(ReplacementMethod),
    keep=st.frozensets(st.sampled_from(Trait)),
    dates=st.sampled_from(DateStyle),
    places=st.sampled_from(PlaceStyle),
    day_first=st.booleans(),
)
surrogate_styles = st.builds(
    Style,
    keep=st.frozensets(st.sampled_from(Trait)),
    dates=st.sampled_from(DateStyle),
    places=st.just(PlaceStyle.LIKE),
)
shifts = st.integers(-900, 900).filter(bool)


@st.composite
def letters(draw, references=tuple(REFERENCES), *, fewest=0):
    """A document in which every reference is found, and its findings."""
    text, bids = "", []
    for kind, value in draw(
        st.lists(st.sampled_from(references), min_size=fewest, max_size=12, unique=fewest > 0)
    ):
        text += draw(st.sampled_from(FILLER)) + " "
        bids.append(Bid(len(text), len(text) + len(value), kind, 0.9, "made"))
        text += value + " "
    return Document(text + draw(st.sampled_from(FILLER)), person="7"), bids


@st.composite
def strange_letters(draw):
    """Any text at all, with findings of any kind anywhere in it."""
    text = draw(st.text(max_size=120))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    return Document(text, person="7"), [
        Bid(*span, draw(st.sampled_from(ReferenceKind)), 0.9, "made") for span in spans
    ]


def replaced(letter, secret, style, days=30, **others):
    document, bids = letter
    return replace_findings(
        [document], [bids], secret=secret, style=style, days=lambda person: days, **others
    )[0]


def outside(text, spans):
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def stands_in(value, text):
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


@given(letter=st.one_of(letters(), strange_letters()), secret=secrets, style=styles, days=shifts)
def test_nothing_outside_findings_is_changed_and_the_holder_has_the_way_back(
    letter, secret, style, days
):
    document, bids = letter
    out = replaced(letter, secret, style, days)
    new = [(each.new_start, each.new_end) for each in out.replacements]
    assert outside(out.text, new) == outside(document.text, [(bid.start, bid.end) for bid in bids])
    assert restored(out.text, entries_of(out)) == document.text


@given(letter=st.one_of(letters(), strange_letters()), secret=secrets, style=styles, days=shifts)
def test_one_secret_gives_the_same_bytes_each_time(letter, secret, style, days):
    assert replaced(letter, secret, style, days) == replaced(letter, secret, style, days)


@given(letter=st.one_of(letters(), strange_letters()), secret=secrets, style=styles, days=shifts)
def test_no_surrogate_is_the_original_unless_it_says_no_more_than_is_left(
    letter, secret, style, days
):
    stays = {ReferenceKind.DATE} | (
        {ReferenceKind.REGION, ReferenceKind.COUNTRY}
        if style.places is PlaceStyle.REGION
        else set()
    )
    for each in replaced(letter, secret, style, days).replacements:
        assert (each.original == each.surrogate) == (each.how is How.KEPT)
        assert each.how is not How.KEPT or each.kind in stays


@given(letter=letters(DRAWN, fewest=3), secret=secrets, other=secrets, style=surrogate_styles)
def test_another_secret_gives_other_surrogates(letter, secret, other, style):
    """Two names of some hundreds agree now and then; all of three references do once in
    millions."""
    assume(secret != other)
    assert replaced(letter, secret, style).text != replaced(letter, other, style).text


@given(letter=letters(), secret=secrets, style=styles)
def test_no_original_is_left(letter, secret, style):
    out = replaced(letter, secret, style)
    for each in out.replacements:
        if each.how is not How.KEPT:
            assert not stands_in(each.original, out.text)


@given(one=letters(), other=letters(), secret=secrets, style=surrogate_styles)
def test_no_surrogate_is_another_real_value_of_the_collection(one, other, secret, style):
    real = RealValues([*values_of(*one), *values_of(*other)])
    out = replaced(one, secret, style, real=real)
    for each in out.replacements:
        assert not real.holds(each.surrogate) or each.how is How.KEPT


@given(letter=letters(), secret=secrets, style=styles)
def test_the_same_value_has_the_same_surrogate_and_no_two_names_one(letter, secret, style):
    by_value: dict[tuple[ReferenceKind, str], set[str]] = {}
    for each in replaced(letter, secret, style).replacements:
        by_value.setdefault((each.kind, each.original), set()).add(each.surrogate)
    assert all(len(given_) == 1 for given_ in by_value.values())
    if style.method is ReplacementMethod.SURROGATE:
        named = [
            next(iter(given_)).lower()
            for (kind, value), given_ in by_value.items()
            if kind is ReferenceKind.NAME
        ]
        assert len(set(named)) == len(
            {value.lower() for kind, value in by_value if kind is ReferenceKind.NAME}
        )


@given(first=letters(), second=letters(), secret=secrets, style=surrogate_styles)
def test_the_order_of_a_persons_documents_does_not_matter_to_surrogates(
    first, second, secret, style
):
    def together(*marked):
        documents, bids = zip(*marked, strict=True)
        return replace_findings(documents, bids, secret=secret, style=style, days=lambda person: 3)

    assert together(first, second) == together(second, first)[::-1]


@given(
    letter=letters(tuple((ReferenceKind.DATE, value) for value in DATES)),
    secret=secrets,
    style=styles,
    days=shifts,
)
def test_dates_keep_at_most_what_the_style_leaves(letter, secret, style, days):
    for each in replaced(letter, secret, style, days).replacements:
        if each.original in (
            "Wednesday, February 2, 1994",
            "05/26/86",
            "May 3",
            "Christmas 1995",
            "Tuesday",
        ):
            assert each.how is not How.KEPT
        if style.method is ReplacementMethod.SURROGATE and style.dates is DateStyle.YEAR:
            assert each.how is How.SUPPRESSED or re.fullmatch(r"(?:19)?\d\d", each.surrogate)
