"""Every pattern takes time in proportion to the text, on texts made of what it almost matches.

No clock decides: the processor time of a text is compared with that of one sixteen times as long,
from 1 kB to 256 kB, so that a pattern that goes back and forth fails at once instead of taking hours.
Patterns that end in \\Z are left out, as they only see a few dozen characters before something that
was found; detectors are run whole on shorter texts."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from sfumato.text import Document
from sfumato.text.detectors import PATTERNS

LONGEST = 256_000
FOLD = 16
SLACK = 2.5
"""Quadratic time would take FOLD times as long again; caches and the clock's own grain take
some."""
GRAIN = 0.004
NEAR = {
    "phones": ("617-473-121 ", "+1 617 473 ", "(617) ", "0123 45 ", "(((((", "1234567890" * 3, "ext. ", "1-800-F"),
    "emails": ("jane.doe@", "a.b.c.d", "@@@@", "jane at example ", "x dot ", "a-", "@a.", "@a-"),
    "urls": ("http://", "www.", "a.com.", "://", "x.y.z", "http:/", "www.((("),
    "ip_addresses": ("192.168.0.", "fe80::", "::::", "1.2.3.4.", "abcdef", "2001:db8:"),
    "user_names": ("user name: ", "@@@", "user a1_", "login: user id: ", "u/u/", "@a.b-", "logged in as "),
    "dates": ("3 to 5 and 7 ", "May May ", "12 March ", "3rd of ", "the twenty-", "1, 2, 3, 4, 5 and 6 May "),
    "numeric_dates": ("12/12/", "1986-05-", "12.", "26MAY", "1/1", "年月"),
    "years": ("1993-", "summer of ", "1990", "19901990", "early ", "Day Eve ", "1993 to "),
    "times": ("10:30:", "12.", "10 a.", "1:1:1:", "8 p. ", "T10:"),
    "durations": ("two years and six ", "years ", "2 months, ", "a few "),
    "ages": ("7 and 6/12 ", "aged ", "93-year-", "nine year", "in his late ", "90th ", "99 yr "),
    "packed_languages": (
        "nombre: A", "el los las Nombre ", "Dra. De La ", "calle de la ", "domicilio: ", "NHC: 1 ",
        "Hospital de la Hospital ", "C/ A, 1 2 3 ", "vive en la ",
    ),
    "cued": ("no. ", "12/12/", "mg mg ", "1993"),
    "national_numbers": ("123-45-", "last four of ", "XXX-XX-", "AB 12 34 ", "***", "943 476 "),
    "financial_numbers": ("4539 1488 ", "GB82 WEST ", "DEUT", "card ending in ", "1" * 40 + " ", "0x", "bc1", "x4111"),
    "record_numbers": ("123e4567-e89b-", "1 BvR ", "C-12", "[1992] 2 SCR ", "18403/", "A-1-", "12-34-", "NCT"),
    "accounts": ("account number ", "policy no. ", "member id 12 "),
    "licences": ("AB123456", "M.D. ", "MORGA", "D123-4567-", "AAAAA111"),
    "plates": ("AB12 ", "M-AB ", "plate ", "registration number ", "1M8GDM9AXKP04278", "A1 B2 C3 ", "Kennzeichen: "),
    "devices": ("00:1B:44:", "(01)0084458", "+A123", "001b.44", "49-015420-", "a:a:a:"),
    "coordinates": ("51.5074, -", "40° 26′ ", "lat: ", "TQ 123 ", "9C3XGV4C", "///a.b.", "33T 50", "1.2345 "),
    "quantities": ("EUR 5,", "1,000,000,", "12 000 000 ", "$", "100 Polish ", "three other ", "1.1.1.", "9 square "),
    "sign_offs": ("dictated by ", "d: AB", ". /a", "AB/", "A.B.", "\nAB:cd "),
    "spelled_names": ("A-", "A as in a, ", "spelled a, ", "spelled it as ", "a-b ", "A for "),
    "dictated_numbers": ("one ", "one-", "double ", "seven, ", "oh dash ", "phone one two "),
    "spoken_dates": ("May third ", "the first of ", "May nineteen ", "twenty-", "two thousand "),
    "number_parts": ("mrn ends ", "last four of ", "social security number ", "id, last 4 ", "record "),
    "script_names": ("王 ", "王小明 ", "а-", "αβ", "نام: "),
    "families": ("the Ab", "the Abers' ", "The The ", "the O'Neills "),
    "days_of_month": ("on the 3", "discharged the 25th ", "seen on the ", "the 1st "),
    "family_facts": ("has two ", "mother of ", "divorced ", "separated from ", "and 3 adult ", "FH "),
}  # fmt: skip


def patterns_of(value: object) -> Iterator[re.Pattern[str]]:
    """Every pattern inside a value of a module: itself, in a form, in a tuple."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from patterns_of(each)
    elif isinstance(getattr(value, "pattern", None), re.Pattern):
        yield value.pattern


def compiled(module: str) -> dict[str, re.Pattern[str]]:
    values = vars(importlib.import_module(f"sfumato.text.detectors.{module}")).values()
    found = {pattern.pattern: pattern for value in values for pattern in patterns_of(value)}
    return {text: pattern for text, pattern in found.items() if not text.endswith(r"\Z")}


def seconds(work: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


def tries(pattern: re.Pattern[str], text: str) -> int:
    """Look for a pattern everywhere; one that may match nothing is only ever tried behind something
    that was found."""
    if pattern.match(""):
        return sum(pattern.match(text, place) is not None for place in range(0, len(text), 20))
    return sum(1 for _ in pattern.finditer(text))


def is_linear(work: Callable[[str], object], nears: tuple[str, ...], *, longest: int) -> bool:
    """Whether no text takes much more than sixteen times as long as one of a sixteenth of its
    length.

    A length that seems to take too long is tried again, as somebody else may have been using the
    caches."""
    length = longest // FOLD**2
    before = max(seconds(work, text_of(nears, length)), GRAIN)
    while length < longest:
        length *= FOLD
        text = text_of(nears, length)
        taken = seconds(work, text)
        if taken > SLACK * FOLD * before:
            taken = min(taken, seconds(work, text))
        if taken > SLACK * FOLD * before:
            return False
        before = max(taken, GRAIN)
    return True


def text_of(nears: tuple[str, ...], length: int) -> str:
    """A long run of each near-match, one after the other."""
    each = length // len(nears)
    return "\n".join((near * (each // len(near) + 1))[:each] for near in nears)


@pytest.mark.long("a pattern that is slow on purpose; the detectors stay in this file")
def test_the_test_sees_a_pattern_that_goes_back():
    assert not is_linear(partial(tries, re.compile(r"\w+@")), ("b c ", "a"), longest=LONGEST // 4)


def test_every_module_with_patterns_has_near_matches():
    modules = {type(detector).__module__.rsplit(".", 1)[-1] for detector in PATTERNS}
    assert modules <= NEAR.keys()


@pytest.mark.parametrize("module", NEAR)
def test_patterns_are_linear(module):
    for text, pattern in compiled(module).items():
        assert is_linear(partial(tries, pattern), NEAR[module], longest=LONGEST), text


@pytest.mark.long(
    "a long text for each detector; each third stays, and the patterns of every module", every=3
)
@pytest.mark.parametrize("detector", PATTERNS, ids=lambda detector: detector.name)
def test_detectors_are_linear(detector):
    nears = NEAR[type(detector).__module__.rsplit(".", 1)[-1]]
    assert is_linear(
        lambda text: sum(1 for _ in detector.bid(Document(text))), nears, longest=LONGEST // 16
    )
