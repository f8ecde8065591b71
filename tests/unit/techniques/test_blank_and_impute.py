"""Blank and impute: so many cells, filled in from like rows that were not blanked."""

from __future__ import annotations

from collections import Counter

import pytest
from steps_by_hand import column, taken

from sfumato.engines import FieldKind
from sfumato.errors import PolicyError


def impute(columns, **step):
    kinds = {name: FieldKind.INTEGER if name == "age" else FieldKind.TEXT for name in columns}
    return taken(columns, {"technique": "blank_and_impute", **step}, kinds=kinds)


def test_a_share_of_the_cells_is_filled_in_anew():
    before = [str(number) for number in range(1000)] + [None] * 50
    done = impute({"age": before}, fields=["age"], share=0.2)
    after = column(done, "age")
    changed = [b for a, b in zip(before, after, strict=True) if a != b]
    assert len(changed) == 200  # no two values are equal, so that what was filled in differs
    assert after[1000:] == [None] * 50
    # Blanked rows lend to nobody: what was blanked is gone for good.
    gone = {a for a, b in zip(before, after, strict=True) if a != b}
    assert not gone & set(after)
    assert done.facts == {"share_imputed": {"age": round(200 / 1050, 4)}}
    assert "which cells is not released" in done.words["age"]
    assert done.cells.given == {"age": None}


def test_shares_stay_about_the_same():
    before = (["a"] * 6 + ["b"] * 3 + ["c"]) * 200
    after = Counter(column(impute({"ill": before}, fields=["ill"], share=0.5), "ill"))
    assert abs(after["a"] - 1200) < 90
    assert abs(after["c"] - 200) < 60


def test_like_rows_lend():
    columns = {"sex": ["f", "m"] * 500, "ill": ["birth", "gout"] * 500}
    after = column(impute(columns, fields=["ill"], share=0.9, like=["sex"]), "ill")
    assert after == columns["ill"]
    assert column(impute(columns, fields=["ill"], share=0.9), "ill") != columns["ill"]


def test_rare_values_are_blanked_and_come_back_nowhere():
    done = impute(
        {"ill": ["flu"] * 8 + ["gout"] * 3 + ["plague"]}, fields=["ill"], share=0.0, rarer_than=4
    )
    assert column(done, "ill") == ["flu"] * 12
    assert done.facts == {"share_imputed": {"ill": round(4 / 12, 4)}}


def test_where_no_like_row_has_a_value_any_row_lends_and_is_counted():
    columns = {"sex": ["f", "f", "m", "x"], "ill": ["flu", "flu", "gout", "gout"]}
    done = impute(columns, fields=["ill"], share=0.0, rarer_than=3, like=["sex"])
    assert column(done, "ill") == [None] * 4
    assert done.warnings == ("4 cells of ill stay empty: no row has a value left to lend.",)
    columns = {"sex": ["f", "f", "f", "x"], "ill": ["flu", "flu", "flu", "gout"]}
    done = impute(columns, fields=["ill"], share=0.0, rarer_than=3, like=["sex"])
    assert column(done, "ill") == ["flu"] * 4
    assert done.warnings == ("1 cell of ill was filled in from rows that are not like theirs.",)


@pytest.mark.parametrize("values", [[], [None, None], ["é"]])
def test_nothing_there_and_one_row(values):
    done = impute({"ill": values}, fields=["ill"], share=1.0)
    assert column(done, "ill") == [None] * len(values)


def test_blanking_nothing_is_a_problem():
    with pytest.raises(PolicyError, match="does not say which cells are blanked"):
        impute({"ill": ["a"]}, fields=["ill"], share=0.0)
    with pytest.raises(PolicyError, match="the rows cannot be grouped by it"):
        impute({"ill": ["a"]}, fields=["ill"], like=["ill"])


def test_what_cannot_be_filled_in_or_is_too_little_to_blank_is_told():
    everything = taken(
        {"a": ["x", "y"]}, {"technique": "blank_and_impute", "fields": ["a"], "share": 1.0}
    )
    assert everything.words["a"] == "left empty"
    nothing = taken(
        {"a": ["x", "y"]}, {"technique": "blank_and_impute", "fields": ["a"], "share": 0.1}
    )
    assert any("No cell of a was blanked" in warning for warning in nothing.warnings)
