"""The page of a wide table: 53 fields, 34 of them known. Nothing is cut off, and no list of names is
said again and again."""

from __future__ import annotations

import random
import re
from html import unescape

import pytest

from sfumato.assessment import assess
from sfumato.policy import policy_from_table

KNOWN = [f"known_field_number_{n}" for n in range(34)]
SENSITIVE = [f"measure_{n}" for n in range(9)]
OTHERS = [f"other_{n}" for n in range(10)]


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    draw = random.Random(34)
    path = tmp_path_factory.mktemp("wide") / "wide.csv"
    lines = [",".join([*KNOWN, *SENSITIVE, *OTHERS])]
    for n in range(120):
        known = ["*" if at > 5 else str(n % (at + 2)) for at in range(34)]
        rest = [str(draw.randrange(4)) for _ in range(19)]
        lines.append(",".join([*known, *rest]))
    path.write_text("\n".join(lines) + "\n")
    roles = (
        dict.fromkeys(KNOWN, "quasi")
        | dict.fromkeys(SENSITIVE, "sensitive")
        | dict.fromkeys(OTHERS, "insensitive")
    )
    policy = policy_from_table({"fields": roles, "require": {"k": 2}})
    return assess(path, source=path, policy=policy).page()


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.split("</style>")[-1])).split())


@pytest.mark.long("an assessment of 53 fields; pages of narrow tables stay in test_page.py")
def test_the_list_of_known_fields_is_said_once(page):
    """In the method; elsewhere they are counted, or some are named."""
    text = text_of(page)
    assert len(re.findall(r"known_field_number_20\b", text)) <= 12
    whole = ", ".join(KNOWN)
    assert text.count(whole) == 1


@pytest.mark.long("an assessment of 53 fields; pages of narrow tables stay in test_page.py")
def test_the_first_screen_says_pass_or_not_what_was_lost_and_what_to_do(page):
    first = text_of(page[: page.index('id="contents"')])
    assert re.search(r"(Red|Amber|Green):", first)
    for heading in ("Reasons against it", "What was lost", "What to do"):
        assert heading in first
    assert len(first.split()) < 260
    assert page.index('id="outcome"') < page.index('id="short"') < page.index('id="contents"')


@pytest.mark.long("an assessment of 53 fields; pages of narrow tables stay in test_page.py")
def test_nothing_is_cut_off_in_words(page):
    """Names of fields are whole wherever they stand in words; charts may shorten theirs."""
    words = re.sub(r"<svg.*?</svg>", " ", page, flags=re.S)
    cut = re.findall(r"known_field_number_?…|measure_…|other_…", text_of(words))
    assert cut == []


@pytest.mark.long("an assessment of 53 fields; pages of narrow tables stay in test_page.py")
def test_every_sensitive_field_is_named(page):
    text = text_of(page)
    assert all(name in text for name in SENSITIVE)
