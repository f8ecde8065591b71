"""What every detector must hold: bids lie in the text, say who and why, tell nothing of it, and no
text breaks one."""

from __future__ import annotations

import pytest

from sfumato.text import Document, ReferenceKind, winners
from sfumato.text.detectors import DETECTORS, PATTERNS, RULES, WORDS
from sfumato.text.finder import find

LETTER = (
    "Wednesday, February 2, 1994\n\nMarjorie Long, M.D. RE: Virginia Townsend\nSt. John's "
    "Hospital CH#32-841-09787\n"
    "Huntington 18 DOB 05/26/86\nBoston, MA 02151\n\nDear Dr. Lang:\n\nDot (SSN "
    "123-45-6789, jane@example.org, "
    "10.0.0.77) is a 93 year old female seen at 10:30 a.m. in summer of 1993; MRN 998877, "
    "policy no. A-4471, "
    "plate AB12 CDE, IBAN GB82 WEST 1234 5698 7654 32, S/N 4471-88A, 51.5074, -0.1278, EUR "
    "5,000, two years, "
    "licence no. 445566, https://example.org, user name: dtown86, in 1925. Call 617-473-1214. "
    "SSN ends in 6789, phone six one seven five five, born May third nineteen sixty two, "
    "spelled T-O-W-N-S-E-N-D. Dictated by: RB/tlm"
)
HOSTILE = {
    "empty": "",
    "blank": " \t\r\n\u2028\u00a0 ",
    "control characters": "".join(map(chr, range(32))) * 3
    + "\x7f\x80\x9f call \x00617-473-1214\x00",
    "right to left": "התקשר אל 054-123-4567 ב-3 במאי 2001. اتصل على ٠٥٠١٢٣٤٥٦٧ في ٣ مايو ٢٠٠١",
    "marks of direction": "\u202e617-473-1214\u202c \u200f3 May 1999\u200e",
    "emoji": "👩‍⚕️📞617-473-1214🎂3 May 1999👨‍👩‍👧‍👦 1️⃣2️⃣3️⃣",
    "mixed scripts": "Д-р Иванов 12 мая 2001 г. 電話03-1234-5678。Ελένη τηλ. 210 1234567 ÅÄÖ",
    "digits that are not decimal": "², ½, Ⅻ, ①②③ 12² 5½ year old ٣٤ ௧௨௩ 𝟏𝟐𝟑-𝟒𝟓-𝟔𝟕𝟖𝟗",
    "letters that grow": "ŉ ß İ ı ﬁ MAİ 3 İSTANBUL 3 MAYIS ǰ",
    "combining": "e\u0301" * 50 + " 3 d\u0301ecembre 2001",
    "lone surrogates": "a\ud800b 617-473-1214 \udfff",
    "one word": "a" * 5_000,
    "one number": "7" * 5_000,
    "joints": "1-" * 3_000 + "/" * 3_000 + "." * 3_000,
    "signs": "@#:/.-+()[]{}*°'\"" * 300,
    "no blanks": "DOB05/26/86MRN998877Tel617-473-1214jane@example.org" * 40,
}
detectors = pytest.mark.parametrize("detector", RULES, ids=lambda detector: detector.name)


def test_names_are_different():
    assert len({detector.name for detector in RULES}) == len(RULES)
    assert set(RULES) == set(PATTERNS) | set(WORDS)
    assert {detector.name for detector in RULES} < set(DETECTORS)
    orders = [each.order for each in DETECTORS.all().values()]
    assert len(set(orders)) == len(orders), "of two bids that are worth the same, the order decides"


@detectors
def test_bids_are_of_their_form(detector):
    document = Document(LETTER)
    for bid in detector.bid(document):
        assert 0 <= bid.start < bid.end <= len(LETTER)
        assert 0 < bid.score <= 1
        assert bid.detector == detector.name
        assert bid.kind is None or isinstance(bid.kind, ReferenceKind)
        assert bid.kind is None or bid.kind in DETECTORS[detector.name].kinds
        assert bid.reason


@pytest.mark.parametrize("detector", PATTERNS, ids=lambda detector: detector.name)
def test_every_pattern_detector_finds_something_in_the_letter(detector):
    assert any(True for _ in detector.bid(Document(LETTER)))


@detectors
def test_reasons_hold_nothing_of_the_text(detector):
    for bid in detector.bid(Document(LETTER)):
        found = LETTER[bid.start : bid.end]
        assert found not in bid.reason or not any(
            character.isdigit() or character.isupper() for character in found
        )


@detectors
def test_keeps_nothing_between_two_documents(detector):
    first = list(detector.bid(Document(LETTER)))
    list(detector.bid(Document("Call Ann Lee, 020 7946 0958, in Boston on 3 May 1999.")))
    assert list(detector.bid(Document(LETTER))) == first


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_every_detector_survives_any_text(text):
    document = Document(text)
    for detector in RULES:
        places = [(bid.start, bid.end) for bid in detector.bid(document)]
        assert all(0 <= start < end <= len(text) for start, end in places), detector.name


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("control characters", "617-473-1214"),
        ("marks of direction", "617-473-1214"),
        ("emoji", "617-473-1214"),
        ("lone surrogates", "617-473-1214"),
        ("right to left", "054-123-4567"),
        ("mixed scripts", "12 мая 2001 г."),
    ],
)
def test_finds_between_what_is_strange(name, wanted):
    text = HOSTILE[name]
    assert wanted in [text[bid.start : bid.end] for bid in find(Document(text), PATTERNS)]


def test_a_line_of_five_megabytes():
    text = "loremipsumdolorsitametconsectetur " * 150_000 + "call 617-473-1214 on 3 May 1999"
    assert len(text) > 5_000_000
    bids = [bid for detector in RULES for bid in detector.bid(Document(text[-200_000:]))]
    assert len(winners(bids, threshold=0.5)) == 2
    assert len(find(Document(text), PATTERNS, spreads=False)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Dr.",
        "Seen by Dr.\n",
        "Prof. Dr.\n",
        "Dear Mrs.\n\nThank you",
        "Jr., M.D.",
        "Mr. and Mrs.\n",
    ],
)
def test_titles_alone_are_nobodys_name(text):
    names = [
        text[bid.start : bid.end]
        for bid in find(Document(text), threshold=0.03)
        if bid.kind is ReferenceKind.NAME
    ]
    assert not any(
        name.strip(".,").casefold() in {"dr", "mr", "mrs", "prof", "jr", "prof. dr"}
        for name in names
    )
