"""Dominance over random classes: against the definition, and two classes that pass together pass."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from sfumato.bins.toy_bins import bins_of_rows
from sfumato.gate.decide.sensitive_numbers import Dominance

numbers = some.lists(some.integers(-50, 1000), min_size=1, max_size=8)


def fails(pay: list[int]) -> bool:
    sizes = sorted(map(abs, pay), reverse=True)
    return sum(sizes[2:]) < 0.1 * sizes[0] - 1e-9 * sum(sizes)


@given(numbers, numbers)
def test_dominance_is_as_defined_and_classes_that_pass_pass_together(one, other):
    rows = [("a", str(each)) for each in one] + [("b", str(each)) for each in other]
    bins = bins_of_rows(("class",), rows, sensitive=("pay",))
    model = Dominance(fields=("class",), sensitive="pay")
    found = model.failing(bins).tolist()
    assert found == [fails(one), fails(other)]
    merged = bins_of_rows(("class",), [("a", each) for _, each in rows], sensitive=("pay",))
    if not any(found):
        assert not model.failing(merged).any()
