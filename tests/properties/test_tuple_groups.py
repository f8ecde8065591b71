"""Equal rows are numbered as `numpy.unique` numbers them, whichever way is taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.bins import tuple_groups
from sfumato.bins.tuple_groups import group, number_keys


def _is_unique(keys: np.ndarray) -> None:
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    found = number_keys(keys)
    assert found[0].tolist() == numbers.tolist()
    assert found[1].tolist() == first.tolist()
    assert found[0].dtype == found[1].dtype == np.int64


@pytest.mark.parametrize("highest", [0, 3, 60, 10**6, 2**40, 2**62])
@given(drawn=st.data())
def test_keys_are_numbered_in_their_order(highest: int, drawn: st.DataObject) -> None:
    keys = drawn.draw(st.lists(st.integers(0, highest), max_size=40))
    _is_unique(np.array(keys, np.int64))


@given(st.lists(st.integers(-5, 2**62), max_size=30))
def test_any_keys_are_numbered(keys: list[int]) -> None:
    _is_unique(np.array(keys, np.int64))


@pytest.mark.parametrize("dense", [0, 4, 1000])
@given(seed=st.integers(0, 1000), widths=st.lists(st.integers(1, 2**30), min_size=1, max_size=6))
def test_rows_are_grouped_by_all_columns(dense: int, seed: int, widths: list[int]) -> None:
    chance = np.random.default_rng(seed)
    codes = np.column_stack([chance.integers(0, min(w, 4), 50) for w in widths]).astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuple_groups, "DENSE", dense)
        groups, first = group(codes, widths)
    rows, expected, numbers = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    assert groups.tolist() == numbers.ravel().tolist()
    assert first.tolist() == expected.tolist()
    assert (codes[first] == rows).all()
