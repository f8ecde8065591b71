"""Value spread against a slow count that tries every interval."""

from __future__ import annotations

import statistics
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.bins.toy_bins import bins_of_rows
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.protection import IntervalWidth, VarianceDiversity
from sfumato.releases.pipeline import release

VALUES = st.sampled_from(["0", "1", "1.0", "1.5", "2", "7", "-3", "1e1", "words", None])
ROWS = st.lists(st.tuples(st.sampled_from("ab"), VALUES), min_size=1, max_size=20)


def by_bin(rows):
    found = defaultdict(list)
    for label, value in rows:
        found[label].append(value)
    return found


def largest_share(values, width):
    numbers = [float(value) for value in values if value not in ("words", None)]
    words = values.count("words")
    within = [sum(0 <= other - one < width for other in numbers) for one in numbers]
    return max(words + max(within, default=0), values.count(None)) / len(values)


def deviation(values):
    numbers = [float(value) for value in values if value not in ("words", None)]
    return -1.0 if "words" in values or not numbers else statistics.pstdev(numbers)


@given(rows=ROWS, width=st.sampled_from([0.25, 0.5, 1.0, 3.0, 100.0]))
def test_shares_and_deviations_are_those_of_a_slow_count(rows, width):
    bins = bins_of_rows(("q",), rows, sensitive=("s",))
    held = by_bin(rows)
    order = [label for (label,) in bins.sizes()]
    close = IntervalWidth(width=width, share=0.5, fields=("q",), sensitive="s")
    spread = VarianceDiversity(deviation=1, fields=("q",), sensitive="s")
    assert np.allclose(
        close.largest_shares(bins), [largest_share(held[one], width) for one in order]
    )
    assert np.allclose(spread.deviations(bins), [deviation(held[one]) for one in order])


def test_numbers_as_far_apart_as_the_width_are_not_within_it():
    bins = bins_of_rows(("q",), [("a", "10"), ("a", "20")], sensitive=("s",))
    asked = {"share": 0.5, "fields": ("q",), "sensitive": "s"}
    assert IntervalWidth(width=10, **asked).judge(bins).outcome == "pass"
    assert IntervalWidth(width=10.5, **asked).judge(bins).outcome == "fail"


def test_a_person_with_several_rows_is_refused(tmp_path):
    path = tmp_path / "pay.csv"
    path.write_text("who,sex,pay\n" + "".join(f"{n // 2},f,{n}\n" for n in range(40)))
    fields = {"who": {"role": "direct", "replace": "number"}, "sex": "quasi", "pay": "sensitive"}
    require = {"k": 2, "value_spread": {"width": 5}}
    policy = policy_from_table({"fields": fields, "entity": "who", "require": require})
    with pytest.raises(PolicyError, match="own numbers would be counted against each other"):
        release(path, policy, to=tmp_path / "out")
