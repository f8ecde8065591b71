"""The page by itself: what a board reads first, what is said where something is missing, and
without charts."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from sfumato.assessment import assess
from sfumato.assessment.page import render_assessment


@pytest.fixture(scope="module")
def assessed(made):
    return assess(made.release, source=made.source, attacks=False)


@pytest.fixture(scope="module")
def page(assessed) -> str:
    return assessed.page()


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.split("</style>")[-1])).split())


def test_the_order_is_that_in_which_a_board_reads(page):
    places = re.findall(r'<(?:section|div) id="([^"]+)"', page.replace('class="banner pass" ', ""))
    wanted = [
        "verdicts",
        "subject",
        "required",
        "five-safes",
        "chapter-risk",
        "ads0",
        "chapter-usefulness",
        "method",
    ]
    assert [place for place in places if place in wanted] == wanted
    assert page.index('id="outcome"') < page.index('id="verdicts"')


@pytest.mark.usefixtures("without_charts")
@pytest.mark.long("a page for each colour; one stays", every=3)
@pytest.mark.parametrize(
    ("outcome", "word"), [("pass", "Green"), ("review", "Amber"), ("fail", "Red")]
)
def test_the_colour_is_said_in_words(assessed, outcome, word):
    page = render_assessment(replace(assessed.facts, outcome=outcome))
    assert f'class="banner {outcome}"' in page
    assert f'<p class="headline">{word}: ' in page


def test_every_question_of_the_five_has_a_line_to_write_on(page):
    assert re.findall(r"<h3>(\d\. Safe \w+)</h3>", page) == [
        "1. Safe projects",
        "2. Safe people",
        "3. Safe settings",
        "4. Safe data",
        "5. Safe outputs",
    ]
    for part in page.split('<div class="safe">')[1:]:
        assert 'class="room"' in part.split('<div class="safe')[0]


def test_links_on_the_page_lead_somewhere(page):
    ids = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ids


def test_what_was_left_out_is_said_where_it_would_stand(page):
    said = text_of(page.split('id="chapter-attacks"')[1])
    assert "Not measured: they were switched off when the assessment was made." in said


def test_the_method_has_every_parameter_and_version(page, assessed):
    said = text_of(page.split('<section id="method">')[1])
    for word in (
        "Seed 0",
        "Sfumato",
        "numpy",
        "duckdb",
        "Known of a person sex, zip, birth",
        "ward.csv, 240 rows",
    ):
        assert word in said
    digest = next(
        row[1] for one in assessed.facts.accounts if one.caption == "Files" for row in one.rows
    )
    assert len(digest) == 64
    assert digest in said


def test_without_charts_the_numbers_stand_as_tables(assessed, monkeypatch, page):
    monkeypatch.setattr("sfumato.assessment.page.page.can_draw", lambda: False)
    plain = assessed.page()
    assert "pip install 'sfumato[assess]'" in unescape(plain)
    assert plain.count("<svg") == 1  # The lattice is drawn by hand.
    assert plain.count("<table") >= page.count("<table")
