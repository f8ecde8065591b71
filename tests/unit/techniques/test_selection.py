"""Selecting: only eligible rows stay, as they are; null is not eligible; nothing left is refused."""

from __future__ import annotations

import pytest
from steps_by_hand import column, taken

from sfumato.engines import FieldKind
from sfumato.errors import Mistake, PolicyError

AGES = ["17", "18", None, "64", "65"]


def select(**step):
    kinds = {"age": FieldKind.INTEGER}
    return taken({"age": AGES}, {"technique": "select", "by": ["age"], **step}, kinds=kinds)


def test_rows_in_a_range_or_with_a_value_stay():
    assert column(select(least=18), "age") == ["18", "64", "65"]
    assert column(select(least=18, most=64), "age") == ["18", "64"]
    done = select(values=["17", "65"], most=20)
    assert column(done, "age") == ["17"]
    assert done.facts == {"rows_before": 5, "rows_selected": 1}


def test_nothing_left_is_refused_without_a_value_in_the_message():
    with pytest.raises(Mistake, match="None of the 5 rows"):
        select(values=["99"])


def test_whoever_is_in_the_release_is_known_to_keep_the_rule():
    columns = {"illness": ["flu", "gout"]}
    step = {"technique": "select", "by": ["illness"], "values": ["flu"]}
    done = taken(columns, step, fields={"illness": "sensitive"})
    assert "meets the rule" in done.warnings[0]


@pytest.mark.parametrize(
    ("step", "told"),
    [({}, "which rows stay"), ({"least": 3, "most": 2}, "more than most")],
)
def test_what_cannot_be_is_told_at_once(step, told):
    with pytest.raises(PolicyError, match=told):
        select(**step)
