"""Random counts asked of both tables."""

from __future__ import annotations

import numpy as np
import pytest
from side_tables import in_decades, people, subject_of

from sfumato.assessment.utility import query_error, side_by_side
from sfumato.assessment.utility.keyed_sums import narrowed
from sfumato.assessment.utility.query_error import _answers, _asked, _of_release


def measured(release, source, queries=300, **given):
    with subject_of(release, source, **given) as subject:
        return query_error(side_by_side(subject), queries=queries)


def test_a_copy_answers_everything():
    table = people()
    found = measured(table, table, known=("age", "sex", "town"))
    assert found.whole.mean == pytest.approx(0, abs=1e-12)
    assert [one.fields for one in found.by_fields] == [1, 2, 3]
    assert found.by_fields[0].baseline_median == pytest.approx(0, abs=1e-12)
    assert found.by_fields[2].baseline_median > 0


def test_coarser_is_worse_and_the_seed_decides():
    table = people(2000)
    release, hierarchies = in_decades(table)
    silent = {**table, "age": ["*"] * 2000}
    coarse = measured(release, table, known=("age", "sex", "town"), hierarchies=hierarchies)
    gone = measured(silent, table, known=("age", "sex", "town"))
    assert 300 <= coarse.whole.queries <= 320
    assert 0 < coarse.whole.mean < gone.whole.mean
    assert coarse == measured(release, table, known=("age", "sex", "town"), hierarchies=hierarchies)
    assert coarse != measured(
        release, table, known=("age", "sex", "town"), hierarchies=hierarchies, seed=1
    )


def test_an_answer_is_the_sum_over_rows_of_what_their_labels_may_mean():
    table = people(60)
    release, hierarchies = in_decades(table)
    with subject_of(release, table, known=("age", "town"), hierarchies=hierarchies) as subject:
        tables = side_by_side(subject, fields=("age", "town"))
    fields = list(tables.fields.values())
    chance = np.random.default_rng(0)
    asked = [_asked(field, 5, chance) for field in fields]
    shares = [_of_release(field, wanted) for field, wanted in zip(fields, asked, strict=True)]
    answers = _answers(narrowed(tables.after.held, ("age", "town")), shares)
    ages = {value: place for place, value in enumerate(fields[0].values)}
    towns = {value: place for place, value in enumerate(fields[1].values)}
    for query in range(5):
        total = 0.0
        for label, town in zip(release["age"], release["town"], strict=True):
            low, high = label.split("-")
            under = [place for value, place in ages.items() if int(low) <= int(value) <= int(high)]
            total += asked[0][query][under].mean() * asked[1][query][towns[town]]
        assert answers[query] == pytest.approx(total)


def test_rare_truths_are_held_against_the_floor():
    source = {"x": list(range(100)), "y": ["a"] * 100}
    release = {"x": ["*"] * 100, "y": ["a"] * 100}
    found = measured(release, source, known=("x", "y"))
    assert found.floor == 10
    assert found.whole.ninth_decile < 100 / 10


def test_nothing_to_ask_about():
    table = {"x": ["a"] * 20}
    assert measured(table, table, known=("x",)) is None
