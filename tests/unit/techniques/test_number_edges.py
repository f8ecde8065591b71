"""What every technique on numbers survives: few rows, nulls, equal, huge and tiny numbers; and what
it never tells."""

from __future__ import annotations

import json
import re

import duckdb
import numpy as np
import pytest
from numbers_by_hand import normal, numbers, step, texts

from sfumato.engines import FieldKind, open_source
from sfumato.errors import SourceError
from sfumato.techniques import Cells

STEPS = {
    "plain": {"technique": "round", "base": 5},
    "random": {"technique": "round", "base": 5, "method": "random"},
    "controlled": {"technique": "round", "base": 5, "method": "controlled", "within": ["group"]},
    "uncorrelated": {"technique": "noise", "share": 0.2},
    "correlated": {"technique": "noise", "share": 0.2, "method": "correlated"},
    "multiplicative": {"technique": "noise", "share": 0.2, "method": "multiplicative"},
    "perturb": {"technique": "perturb", "within": ["group"]},
    "outliers": {"technique": "outliers", "within": ["group"]},
    "shares": {"technique": "top_bottom", "top_share": 0.1, "bottom_share": 0.1},
    "limits": {"technique": "top_bottom", "top": 50, "bottom": -50, "to": "mean"},
    "together": {"technique": "microaggregate", "within": ["group"]},
    "each": {"technique": "microaggregate", "method": "each", "within": ["group"]},
}


@pytest.fixture(params=STEPS)
def apply(request):
    """The step on a column x, beside it a group that has two values and one more in a single
    row."""

    def run(values, *, real=False, groups=None):
        groups = groups or (["a", "b"] * len(values))[: max(len(values) - 1, 0)] + ["alone"] * (
            len(values) > 0
        )
        return step(columns={"x": values, "group": groups}, real=real, **STEPS[request.param])

    return run


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None],
        [None] * 30,
        ["41"],
        ["41", None],
        ["7"] * 40,
        ["0"] * 40,
        ["3", "9"],
        ["1", "2", "3"],
    ],
    ids=["empty", "null", "nulls", "one", "one and null", "equal", "zeros", "two", "three"],
)
def test_few_and_equal_numbers(apply, values):
    done = apply(values)
    assert len(done.cells) == len(values)
    for before, after in zip(values, done.cells.columns["x"], strict=True):
        assert after is None or (before is not None and re.fullmatch(r"-?\d+", after))


def test_one_row_never_leaves_with_its_number_unless_a_limit_or_multiple_covers_it(request, apply):
    """With one row, means, medians and spreads are that row's own: it is left empty, and the
    warning says so."""
    done = apply(["41"])
    if request.node.callspec.params["apply"] in ("plain", "random", "controlled"):
        assert int(done.cells.columns["x"][0]) % 5 == 0
    elif request.node.callspec.params["apply"] == "multiplicative":
        assert done.cells.columns["x"][0] is not None
    elif request.node.callspec.params["apply"] == "limits":
        assert done.cells.columns["x"][0] == "41"  # it is within them
    else:
        assert done.cells.columns["x"][0] is None
        assert any("1 cell of x was left empty" in warning for warning in done.warnings)


def test_nulls_stay_null_and_whole_numbers_whole(apply):
    values = texts(np.where(np.arange(200) % 7 == 0, np.nan, normal(200, 40, 20)))
    done = apply(values)
    for before, after in zip(values, done.cells.columns["x"], strict=True):
        assert (before is None) <= (after is None)
        assert after is None or re.fullmatch(r"-?\d+", after)
    assert sum(cell is None for cell in done.cells.columns["x"]) < 40


@pytest.mark.parametrize("scale", [1e15, 1e300, 1e-12, -1e4])
def test_huge_tiny_and_negative_numbers(apply, scale):
    values = [f"{value * scale:.6g}" for value in normal(60, 1, 0.3)]
    found = numbers(apply(values, real=True))
    assert np.isfinite(found[~np.isnan(found)]).all()
    assert np.isnan(found).sum() <= 1  # the row that is alone in its group


def test_whole_numbers_at_the_edge_of_their_type(apply):
    values = [str(value) for value in (2**63 - 1, -(2**63), 2**53 + 1) for _ in range(20)]
    done = apply(values)
    for text in done.cells.columns["x"]:
        assert text is None or -(2**63) <= int(text) < 2**63


def test_what_is_no_number_is_counted_and_not_shown(apply):
    with pytest.raises(SourceError, match="1 of its 3 cells") as caught:
        apply(["1", "Alice", "2"])
    assert "Alice" not in str(caught.value)


def test_the_same_secret_and_source_give_the_same_result(apply):
    values = texts(normal(50, 40, 20))
    assert apply(values).cells.columns["x"].tolist() == apply(values).cells.columns["x"].tolist()


def test_no_number_of_anyone_is_told(apply):
    """Words, facts and warnings go into the manifest. Numbers of six digits that are told could
    only be someone's."""
    values = texts(normal(300, 500_000, 90_000))
    done = apply(values)
    told = json.dumps([dict(done.words), dict(done.facts), list(done.warnings)])
    own = {value for value in values if value is not None}
    assert not own & set(re.findall(r"\d{6}", told))
    assert repr(done.cells) == "Cells(fields=('x', 'group'), rows=300)"


def test_results_that_do_not_fit_the_type_of_the_field_get_a_wider_one(tmp_path):
    """Ages in a type without negatives, amounts in a decimal of four digits."""
    path = tmp_path / "people.parquet"
    rows = "select (i % 90)::utinyint age, (i % 99 + 0.5)::decimal(3, 1) paid from range(200) t(i)"
    duckdb.sql(f"copy ({rows}) to '{path}'")
    with open_source(path) as engine:
        cells = Cells.of(engine, ("age", "paid"))
        same = cells.with_numbers("age", cells.numbers("age")[::-1])
        assert same.given == {"age": None}
        wider = cells.with_numbers("age", cells.numbers("age") - 50).with_numbers(
            "paid", cells.numbers("paid") * 1000
        )
        assert wider.given == {"age": FieldKind.INTEGER, "paid": FieldKind.REAL}
        stage = engine.gathered(wider.given, wider.batches())
        assert {info.name: info.kind for info in stage.fields()} == {
            "age": FieldKind.INTEGER,
            "paid": FieldKind.REAL,
        }
        assert Cells.of(stage, ("age",)).numbers("age").min() == -50
        assert Cells.of(stage, ("paid",)).numbers("paid").max() == 98_500
