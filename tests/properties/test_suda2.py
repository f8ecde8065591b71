"""Minimal sample uniques against their definition, tried set by set and record by record."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import few_bins

from sfumato.assessment.risk.suda2 import suda2
from sfumato.assessment.risk.suda2_scores import weight
from sfumato.assessment.risk.suda2_search import lone, minimal_uniques
from sfumato.bins import Bins
from sfumato.hierarchies import SUPPRESSED, Label

quick = settings(max_examples=example_count(120), deadline=None)
cells = st.sampled_from(["p", "q", "r", None, SUPPRESSED])


@st.composite
def bins(draw: st.DrawFn, *, most: int = 6) -> Bins:
    """Up to six fields of five values, and up to 25 tuples: uniques of every size occur."""
    fields = draw(st.integers(1, most))
    sizes = st.dictionaries(
        st.tuples(*[cells] * fields), st.sampled_from([1, 1, 1, 2, 3]), max_size=25
    )
    return Bins.of([f"f{number}" for number in range(fields)], draw(sizes))


def by_definition(bins: Bins, largest: int, *, left_out: bool) -> dict[int, set[tuple[str, ...]]]:
    """For each bin the sets on which it is alone and on no part of which it is; nothing is clever
    here."""
    tuples = list(bins.tuples())
    found: dict[int, set[tuple[str, ...]]] = {number: set() for number in range(len(bins))}
    for size in range(1, largest + 1):
        for chosen in combinations(range(len(bins.fields)), size):
            rows: Counter[tuple[Label, ...]] = Counter()
            for values, count in zip(tuples, bins.counts.tolist(), strict=True):
                rows[tuple(values[at] for at in chosen)] += count
            names = tuple(bins.fields[at] for at in chosen)
            for number, values in enumerate(tuples):
                held = tuple(values[at] for at in chosen)
                if left_out and any(value is None or value == SUPPRESSED for value in held):
                    continue
                if rows[held] == 1 and not any(
                    set(smaller) < set(names) for smaller in found[number]
                ):
                    found[number].add(names)
    return found


@quick
@given(st.one_of(bins(), few_bins), st.integers(1, 6), st.sampled_from(["value", "left out"]))
def test_they_are_those_of_the_definition(table: Bins, largest: int, missing: str) -> None:
    result = suda2(table, largest=largest, missing=missing)
    expected = by_definition(table, min(largest, len(table.fields)), left_out=missing == "left out")
    assert {number: set(result.fields_of(number)) for number in range(len(table))} == expected


@quick
@given(bins(), st.sampled_from(["elliot", "ihsn"]))
def test_scores_and_shares_are_sums_over_them(table: Bins, scoring: str) -> None:
    fields = len(table.fields)
    result = suda2(table, scoring=scoring)
    for number, sets in by_definition(table, fields, left_out=False).items():
        weights = {
            names: weight(len(names), fields=fields, largest=fields, scoring=scoring)
            for names in sets
        }
        score = sum(weights.values())
        assert result.scores[number] == pytest.approx(score)
        for column, name in enumerate(table.fields):
            part = sum(amount for names, amount in weights.items() if name in names)
            assert result.shares[number, column] == pytest.approx(part / score if score else 0.0)
    assert sum(result.by_size) == sum(
        map(len, by_definition(table, fields, left_out=False).values())
    )


@quick
@given(bins(), st.randoms())
def test_the_order_of_the_bins_says_nothing(table: Bins, random) -> None:
    order = list(range(len(table)))
    random.shuffle(order)
    shuffled = Bins(table.fields, table.labels, table.codes[order], table.counts[order])
    assert suda2(shuffled).scores.tolist() == suda2(table).scores[order].tolist()
    assert suda2(shuffled).dis.tolist() == pytest.approx(suda2(table).dis[order].tolist())


@quick
@given(bins())
def test_cells_left_out_only_take_uniques_away(table: Bins) -> None:
    strict, lenient = suda2(table), suda2(table, missing="left out")
    for number in range(len(table)):
        assert set(lenient.fields_of(number)) <= set(strict.fields_of(number))
    assert (lenient.scores <= strict.scores).all()


@quick
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), max_size=60))
def test_lone_entries_are_found_however_many_words_there_are(
    rows: list[tuple[int, int, int]],
) -> None:
    keys = [np.array([row[at] for row in rows], np.uint64) << np.uint64(20 * at) for at in range(3)]
    counted = Counter(rows)
    assert lone(keys).tolist() == [counted[row] == 1 for row in rows]


@quick
@given(bins(most=4))
def test_fields_too_many_for_one_word_change_nothing(table: Bins) -> None:
    """Codes of 31 bits: two fields fill a word, so four need two of them."""
    wide = table.codes * np.int32(400_000_001)
    single, usable = table.counts == 1, np.ones(table.codes.shape, bool)
    plain = minimal_uniques(table.codes, single, usable=usable, largest=4)
    spread = minimal_uniques(wide, single, usable=usable, largest=4)
    assert [(chosen, at.tolist()) for chosen, at in spread] == [
        (chosen, at.tolist()) for chosen, at in plain
    ]
