"""What channels let infer, held against counting by hand and against trying every draw."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from sfumato.assessment.channel_inference import (
    infer_together,
    infer_values,
    posteriors,
    query_hits,
)
from sfumato.protection import ChannelAccount


def account(sizes, counts, *entries):
    channel_of, input_of, subjects = (
        np.array(column, np.int64) for column in zip(*entries, strict=True)
    )
    return ChannelAccount(
        sizes=np.array(sizes),
        counts=np.array(counts),
        channel_of=channel_of,
        input_of=input_of,
        subjects=subjects,
    )


# Two input channels: all 2 of the first are ill, none of the 4 of the second. Two of the second go
# with them into channel 0; two stay by themselves.
TOY = account([2, 4], [[2], [0]], (0, 0, 2), (0, 1, 2), (1, 1, 2))


def test_a_posterior_is_the_share_among_the_subjects_of_a_channel():
    assert posteriors(TOY).ravel().tolist() == [0.5, 0.0]
    (value,), nearness = infer_values(TOY, {"ill": 0.5})
    assert (value.prior, value.highest, value.over_for) == (pytest.approx(1 / 3), 0.5, 0)
    assert (value.raised_for, value.gain) == (4, pytest.approx(0.25))
    assert nearness == {
        "up to 0.25": 2, "up to 0.5": 0, "up to 0.75": 0, "up to 0.9": 0, "up to 1": 4, "over 1": 0,
    }  # fmt: skip
    (value,), _ = infer_values(TOY, {"ill": 0.4})
    assert value.over_for == 4


def test_a_query_returns_everybody_who_could_fit():
    by_field, whole = query_hits(TOY, (("H",), ("N",)), ("crp",))
    # For H: 4 subjects of channel 0, 2 of them rightly. For N: all 6, 4 of them rightly.
    assert by_field.others_per_hit == pytest.approx((2 + 2) / 6)
    assert by_field.most_others_per_hit == 1.0
    assert (whole.queries, whole.others_per_hit) == (2, by_field.others_per_hit)


def test_two_draws_together_are_what_trying_every_draw_finds():
    """Of the subjects 0, 1 (ill) and 2 to 5, each release draws who of the last four is with the
    first two. Who is in channel 0 twice is ill with the chance that the formula gives."""
    ill = both = Fraction(0)
    for first in combinations(range(2, 6), 2):
        for second in combinations(range(2, 6), 2):
            twice = {0, 1} | (set(first) & set(second))
            ill += 2
            both += len(twice)
    found = infer_together(TOY, TOY, np.array([[0, 0], [0, 1], [1, 1]]), (0.5,))
    assert found.together * 0.5 == pytest.approx(float(ill / both))
    assert (found.subjects, found.alone, found.over_for) == (3, 1.0, 1)


def test_who_is_only_possible_in_one_input_is_certain():
    other = account([2, 4], [[2], [0]], (0, 0, 2), (1, 1, 4))
    found = infer_together(TOY, other, np.array([[0, 0]]), (0.5,))
    assert (found.certain_for, found.over_for) == (1, 1)
