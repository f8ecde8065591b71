"""Losses by hand, and on Adult by ARX's own definitions and figures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from sfumato.assessment.utility import bin_losses, label_values
from sfumato.bins import Bins, GlobalRecoding
from sfumato.engines import FieldKind, open_source
from sfumato.hierarchies import CsvHierarchy, Hierarchy
from sfumato.protection import KAnonymity
from sfumato.solvers.lattice import objective_for

DATA = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[4] / ".." / "shared" / "data"))


def read(before, after, hierarchies):
    return {
        name: label_values(
            name,
            (
                before.labels[f],
                np.bincount(before.codes[:, f], before.counts, len(before.labels[f])).astype(float),
            ),
            after.labels[f],
            kind=FieldKind.TEXT,
            hierarchy=hierarchies.get(name),
        )
        for f, name in enumerate(before.fields)
    }


def losses(before, after, hierarchies):
    return bin_losses(before, after, read(before, after, hierarchies), hierarchies)


TOWNS = Hierarchy.from_rows(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
)


def test_by_hand():
    before = Bins.of(("town",), {("a",): 4, ("b",): 4, ("c",): 7, ("d",): 1})
    after = Bins.of(("town",), {("ab",): 8, ("cd",): 6})
    found = losses(before, after, {"town": TOWNS})
    assert found.rows_suppressed == 2
    assert found.loss == pytest.approx((14 * 1 / 3 + 2) / 16)
    assert found.loss_arx == pytest.approx(found.loss)  # one field: both means are the same
    assert found.precision == pytest.approx(1 - (14 * 1 / 2 + 2) / 16)
    assert found.discernibility == pytest.approx((64 + 36 + 2 * 16) / 256)
    assert found.discernibility_before == pytest.approx((16 + 16 + 49 + 1) / 256)
    assert found.average_bin_size == 7
    assert found.entropy == pytest.approx(14 * 1 / (16 * 2))
    inside_cd = -(7 / 8) * np.log2(7 / 8) - (1 / 8) * np.log2(1 / 8)
    whole = -sum(p * np.log2(p) for p in (4 / 16, 4 / 16, 7 / 16, 1 / 16))
    assert found.non_uniform_entropy == pytest.approx(
        (8 * 1 + 6 * inside_cd + 2 * whole) / (16 * whole)
    )


def test_a_copy_lost_nothing():
    before = Bins.of(("town",), {("a",): 4, (None,): 4})
    found = losses(before, before, {})
    assert (found.loss, found.non_uniform_entropy, found.entropy, found.rows_suppressed) == (
        0,
        0,
        1,
        0,
    )
    assert found.precision == 1


def test_overlapping_labels_have_no_entropy():
    before = Bins.of(("town",), {("a",): 4, ("b",): 4, ("c",): 7})
    after = Bins.of(("town",), {("{a, b}",): 8, ("{b, c}",): 7})
    found = losses(before, after, {})
    assert found.entropy is None
    assert found.precision is None  # a set stands at no level
    assert found.loss == pytest.approx(0.5)


def test_non_uniform_entropy_is_the_solvers_where_no_row_goes():
    chance = np.random.default_rng(4)
    codes = chance.integers(0, 4, (300, 2)).astype(np.int32)
    sizes: dict = {}
    for one, other in codes.tolist():
        key = "abcd"[one], "abcd"[other]
        sizes[key] = sizes.get(key, 0) + 1
    before = _ordered(Bins.of(("x", "y"), sizes))
    hierarchies = {"x": TOWNS, "y": TOWNS}
    after = before.recode(hierarchies, {"x": 1, "y": 1})
    objective = objective_for("non-uniform-entropy", before, hierarchies)
    asked = float(objective.floor(np.array([[1, 1]], np.int8))[0])
    assert losses(before, after, hierarchies).non_uniform_entropy == pytest.approx(asked)


def _ordered(bins):
    """The same bins with codes in the order of the hierarchy's values."""
    codes = np.stack(
        [
            np.array(["abcd".index(label) for label in bins.labels[f]])[bins.codes[:, f]]
            for f in range(2)
        ],
        axis=1,
    )
    return Bins(bins.fields, (tuple("abcd"),) * 2, codes.astype(np.int32), bins.counts)


@pytest.mark.skipif(not (DATA / "adult").exists(), reason="left out: SFUMATO_DATA has no data sets")
@pytest.mark.parametrize(
    ("node", "score", "ncp", "suppressed"),
    [
        ("041132210", 0.57315, 0.6355, 0),
        ("030021120", 0.24193, 0.2696, 1_346),
        ("030021110", 0.22041, 0.2277, 2_553),
    ],
)
def test_arx_optima_have_arxs_scores(node, score, ncp, suppressed):
    """peers.md: ARX 3.9.2 at its optima for the objective loss, k = 5; measured from the released
    bins alone."""
    with open_source(DATA / "adult" / "adult.parquet") as engine:
        bins = Bins.count(engine, [info.name for info in engine.fields()])
    hierarchies = {
        name: CsvHierarchy.read(DATA / "adult" / f"hierarchy_{name}.csv").bind(bins.labels[f])
        for f, name in enumerate(bins.fields)
    }
    levels = dict(zip(bins.fields, map(int, node), strict=True))
    model = KAnonymity(k=5, fields=bins.fields)
    coarse, groups = bins.recoded(hierarchies, levels)
    recoding = GlobalRecoding(levels=levels, suppressed=model.failing(coarse)[groups])
    found = losses(bins, recoding.apply(bins, hierarchies), hierarchies)
    assert found.rows_suppressed == suppressed
    assert round(found.loss_arx, 5) == score
    assert round(found.loss, 4) == ncp
