"""The page shows everything in its facts, to a reader, in order."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import report_example
from pages import Page, text_of

from sfumato.measures import Ads0, Utility
from sfumato.report import BinFacts, ReportFacts, render

ORDER = (
    "outcome recipient summary verdicts bins chance levels usefulness ads0 fields steps "
    "warnings hierarchies policy "
    "method files"
)


@pytest.fixture(scope="module")
def facts() -> ReportFacts:
    return report_example.facts()


@pytest.fixture(scope="module")
def page(facts: ReportFacts) -> str:
    return render(facts)


def test_the_parts_stand_in_the_order_of_reading(page: str):
    assert Page(page).ids == ORDER.split()


def test_every_verdict_field_step_warning_note_and_file_appears(page: str, facts: ReportFacts):
    text = text_of(page)
    for verdict in facts.verdicts:
        assert verdict.requirement in text
        assert verdict.reason in text
    for field in facts.fields:
        assert f"{field.name} {field.role} {field.treatment}" in text
    for shown in (
        *facts.warnings,
        *facts.notes,
        *facts.files,
        *facts.files.values(),
        *(s.what for s in facts.steps),
    ):
        assert shown in text


def test_the_summary_says_it_in_plain_words(page: str):
    text = text_of(page)
    assert "9,870 of 10,000 rows are released (98.7 %); 130 rows are suppressed." in text
    assert "Every combination of age, zip and sex is shared by at least 5 released rows" in text
    assert "before, 5,612 rows had a unique combination" in text


def test_the_chance_is_one_over_the_bin_size(page: str):
    assert (
        "Highest 1 in 1 (100 %) 1 in 5 (20 %) Average 1 in 1.3 (74.8 %) 1 in 33.7 (3 %)"
        in text_of(page)
    )


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("pass", "every requirement holds"),
        ("review", "a person has to decide"),
        ("fail", "do not share this table"),
    ],
)
def test_the_outcome_is_told_in_words_and_colour(facts: ReportFacts, outcome: str, words: str):
    made = render(replace(facts, outcome=outcome))
    assert f'class="banner {outcome}"' in made
    assert words in text_of(made)


def test_a_proposed_policy_is_told(facts: ReportFacts, page: str):
    assert "No person has confirmed it" not in text_of(page)
    assert "No person has confirmed it" in text_of(render(replace(facts, proposed=True)))


def test_rows_that_stand_alone_are_not_passed_over(facts: ReportFacts):
    alone = replace(facts.after, smallest=1, unique_rows=3)
    text = text_of(render(replace(facts, after=alone)))
    assert (
        "3 released rows are still the only one with a certain combination of age, zip and sex"
        in text
    )
    assert "Every combination" not in text


def test_it_breaks_off_nowhere(page: str):
    assert Page(page).unclosed == []
    assert len(page) < 400_000


def test_charts_are_drawn_and_described(page: str):
    charts = re.findall(r"<svg [^>]*>", page)
    assert len(charts) == 5
    assert all('role="img"' in chart and 'aria-label="' in chart for chart in charts)


def test_many_steps_are_cut_short_in_the_middle(facts: ReportFacts):
    steps = tuple(replace(facts.steps[0], what=f"move {index}") for index in range(500))
    text = text_of(render(replace(facts, steps=steps)))
    assert "460 steps not shown" in text
    assert "move 499" in text
    assert "move 250" not in text


def test_a_candidate_without_rows_and_a_policy_without_requirements_still_make_a_page(
    facts: ReportFacts,
):
    nothing = BinFacts(
        count=0, smallest=0, average=0.0, edges=(1,), bins=(0,), rows=(0,), unique_rows=0
    )
    empty = replace(
        facts,
        outcome="review",
        rows_released=0,
        verdicts=(),
        ads0=Ads0(
            holds=True,
            tuples=0,
            pointing_to_one=0,
            pointing_to_nobody=0,
            offending=0,
            k_map=0,
            reason="empty",
        ),
        utility=Utility(
            precision=1,
            loss=0,
            entropy=1,
            rows_released=0,
            rows_suppressed=0,
            per_field={},
            mean_level={},
        ),
        before=nothing,
        after=nothing,
        fields=(),
        steps=(),
        notes=(),
        warnings=(),
        files={},
        hierarchies={},
    )
    text = text_of(render(empty))
    assert "nothing was judged" in text
    assert "There are no warnings." in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (("x7",), "1 field is open; a person must decide what is in it: x7."),
        (("x7", "x8"), "2 fields are open; a person must decide what is in them: x7 and x8."),
    ],
)
def test_open_fields_agree_with_their_number(facts: ReportFacts, fields, words: str):
    assert words in text_of(render(replace(facts, open_fields=fields)))
