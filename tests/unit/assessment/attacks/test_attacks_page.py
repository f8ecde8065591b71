"""The attacks on the page: each told, each number with its interval, no value in it, and a chart
that can be read."""

from __future__ import annotations

import re
from dataclasses import replace

from village import PROBLEMS, copied, inside, protected, subject

from sfumato.assessment.attacks import run_attacks
from sfumato.assessment.charts.attack_charts import draw
from sfumato.assessment.page.attacks_part import part


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ")


def test_each_attack_is_told_with_its_numbers():
    found = run_attacks(subject(copied(inside()), control=True))
    charts = draw(found)
    page = part(found, charts)
    words = text(page)
    for run in found:
        assert run.title in words
        assert run.story.attacker in words
        assert run.got in words
    assert "7 of 7 attacks do better than a guess" in words
    assert charts["attacks"] in page
    assert "The numbers" in words
    assert page.count("<section") == 2


def test_no_value_of_the_source_stands_on_the_page():
    found = run_attacks(subject(copied(inside()), control=True))
    words = text(part(found, draw(found)))
    values = {row[name] for row in inside() for name in ("zip", "birth", "name")} | set(PROBLEMS)
    assert not [value for value in values if value in words]


def test_a_protected_release_is_told_as_such():
    found = run_attacks(subject(protected(), control=True), only=("linkage", "homogeneity"))
    words = text(part(found, {}))
    assert "None of 2 attacks does better than a guess." in words
    assert "no better than a guess" in words


def test_what_cannot_be_said_is_said():
    found = run_attacks(subject(protected(), source=None))
    words = text(part(found, draw(found)))
    assert "No attack could be measured" in words
    assert "Without the source, the person of a row is unknown." in words
    assert draw(found) == {}


def test_the_chart_shows_attack_guess_and_control_group():
    found = run_attacks(subject(copied(inside()), control=True), only=("linkage",))
    with_control = draw(found)["attacks"]
    assert all(word in with_control for word in ("attack", "guess", "control group"))
    without = draw(replace(found, runs=tuple(replace(run, control=None) for run in found)))[
        "attacks"
    ]
    assert "control group" not in without
