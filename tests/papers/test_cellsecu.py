"""Chiang et al. 2001, Tables 1 and 2: the most specific nodes under bin size 2 and
non-uniqueness."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import tables

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KAnonymity, NonUniqueness
from sfumato.solvers import Minimal

KNOWN = ("height", "weight", "blood_type")
TESTED = "test_result"


def interval(value: str) -> tuple[str, str]:
    """Ten wide, named by its two grid ends: 160 and 165 are 160-165."""
    low = int(value) // 10 * 10
    return value, f"{low}-{low + 5}"


def private_table() -> tuple[Bins, dict[str, Hierarchy]]:
    rows = tables.rows("cellsecu_table1.csv")
    bins = tables.bins_of(rows, KNOWN)
    place = {t: i for i, t in enumerate(bins.tuples())}
    inside = Counter((place[tuple(row[name] for name in KNOWN)], int(row[TESTED])) for row in rows)
    entries = sorted((b, v, n) for (b, v), n in inside.items())
    histogram = Histogram(
        values=("0", "1"),
        bin_of=np.array([e[0] for e in entries], np.int64),
        value_of=np.array([e[1] for e in entries], np.int32),
        counts=np.array([e[2] for e in entries], np.int64),
    )
    levels = {
        "height": Hierarchy.from_rows([interval(v) for v in bins.labels[0]]),
        "weight": Hierarchy.from_rows([interval(v) for v in bins.labels[1]]),
        "blood_type": Hierarchy.from_rows([(v, "ABO") for v in bins.labels[2]]),
    }
    return replace(bins, histograms={TESTED: histogram}), levels


def test_the_one_most_specific_node_is_table_2():
    bins, levels = private_table()
    models = (KAnonymity(k=2, fields=KNOWN), NonUniqueness(fields=KNOWN, sensitive=(TESTED,)))
    found = Minimal(models=models).search(bins, levels)
    assert [node.levels for node in found.nodes] == [(1, 1, 1)]
    printed = Counter(
        tuple(row[name] for name in KNOWN) for row in tables.rows("cellsecu_table2.csv")
    )
    assert bins.recode(levels, dict.fromkeys(KNOWN, 1)).sizes() == printed
