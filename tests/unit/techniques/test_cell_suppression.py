"""Suppressing cells: by value and by rarity; the rest stays as it is."""

from __future__ import annotations

import pytest
from steps_by_hand import column, taken

from sfumato.engines import FieldKind
from sfumato.errors import PolicyError

TOWNS = ["Ürö", "Ürö", "Ürö", "Bo", "Bo", "", None, "Ax"]


def suppress(cells, **step):
    return taken({"town": cells}, {"technique": "suppress", "fields": ["town"], **step})


def test_cells_with_named_values_become_null():
    done = suppress(TOWNS, values=["Bo", "Ax"])
    assert column(done, "town") == ["Ürö", "Ürö", "Ürö", None, None, "", None, None]
    assert done.facts == {"share_suppressed": {"town": 0.375}}
    assert "one of 2 values that the policy lists" in done.words["town"]
    assert any("names the values" in warning for warning in done.warnings)


def test_cells_whose_value_is_rare_become_null():
    done = suppress(TOWNS, rarer_than=3)
    assert column(done, "town") == ["Ürö"] * 3 + [None] * 5
    assert done.warnings == ()
    assert "fewer than 3 rows" in done.words["town"]


def test_both_together():
    assert column(suppress(TOWNS, values=["Ürö"], rarer_than=2), "town") == [None] * 3 + [
        "Bo",
        "Bo",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize("values", [[None, None], ["x"], []])
def test_columns_of_nulls_one_row_and_none(values):
    assert column(suppress(values, rarer_than=2), "town") == [None] * len(values)


def test_values_that_occur_nowhere_are_counted_and_not_shown():
    done = suppress(TOWNS, values=["Bö", "Bo"])
    assert any(warning.startswith("1 of the 2 values") for warning in done.warnings)
    assert not any("Bö" in warning for warning in done.warnings)
    assert len(suppress(TOWNS, values=["nowhere"]).warnings) == 1


def test_a_field_that_goes_altogether_is_told():
    assert "Every cell of town is suppressed." in suppress(["a", "b"], rarer_than=9).warnings


def test_numbers_stay_numbers():
    done = taken(
        {"age": ["41", "7", "41"]},
        {"technique": "suppress", "fields": ["age"], "values": ["7"]},
        kinds={"age": FieldKind.INTEGER},
    )
    assert column(done, "age") == ["41", None, "41"]
    assert done.cells.given == {"age": None}


def test_nothing_to_suppress_is_a_problem():
    with pytest.raises(PolicyError, match="does not say which cells"):
        suppress(TOWNS)
