"""Words for missing values are found, counted and proposed, and do not make a number a text."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.engines import FieldKind, open_source
from sfumato.surveys import Survey, propose_policy, proposed_toml, survey


def surveyed(columns: dict[str, list[str]]) -> Survey:
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    with open_source(rows, engine="reference") as engine:
        return survey(engine)


AGES = [str(20 + n % 60) for n in range(100)]


@pytest.mark.parametrize("word", ["NA", "n/a", "unknown", "?", "  ", "none", "-", "NULL", "#NULO#"])
def test_one_word_does_not_make_a_number_a_text(word: str) -> None:
    found = surveyed({"age": [*AGES, word, word]})
    item = found.field("age")
    assert (item.kind, item.missing, dict(item.null_words)) == (
        FieldKind.INTEGER,
        2,
        {word.strip(): 2},
    )
    assert "taken for missing values" in " ".join(found.warnings)
    policy = propose_policy(found)
    assert policy.fields["age"].null_words == (word.strip(),)
    assert (
        policy.fields["age"].hierarchy
        == propose_policy(surveyed({"age": AGES})).fields["age"].hierarchy
    )
    assert "in 2 cells" in proposed_toml(found)


@pytest.mark.parametrize(
    ("cells", "proposed"),
    [
        (["none", "mild", "severe"] * 5, {}),
        (["NA", "DE", "FR"] * 5, {}),
        (["NA", "north", "south"] * 5, {"NA": 5}),
        (["unknown", "north"] * 5, {"unknown": 5}),
        (["north", "south"] * 5, {}),
        (["-1", "2", "999"] * 5, {}),
        (["1970-01-02", "1971-02-03", "none"] * 5, {"none": 5}),
    ],
)
def test_what_is_a_value_elsewhere_is_left_alone(
    cells: list[str], proposed: dict[str, Any]
) -> None:
    assert dict(surveyed({"x": cells}).field("x").null_words) == proposed
