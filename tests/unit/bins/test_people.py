"""Bins that know people, on toy tables; that they agree with counting from rows is in
tests/properties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sfumato.bins import PeopleBins
from sfumato.engines.engine import Witnesses
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.hierarchies import Hierarchy

ROWS = [
    {"who": "ann", "zip": "02138", "sex": "f"},
    {"who": "ann", "zip": "02139", "sex": "f"},
    {"who": "ann", "zip": "02139", "sex": "f"},
    {"who": "bob", "zip": "02139", "sex": "m"},
    {"who": "cyd", "zip": "02139", "sex": "m"},
    {"who": None, "zip": None, "sex": "m"},
]
ZIPS = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*"), (None, None, "*")])
SEXES = Hierarchy.from_rows([("f", "*"), ("m", "*")])
BOUNDS = {"zip": ZIPS, "sex": SEXES}


def counted(*, k: int = 3) -> PeopleBins:
    return PeopleBins.from_witnesses(
        ReferenceEngine(ROWS).witnesses(("zip", "sex"), person="who", k=k)
    )


def sizes(bins: PeopleBins) -> dict[tuple[str | None, ...], tuple[int, int]]:
    return dict(
        zip(
            bins.by_rows().tuples(),
            zip(bins.rows.tolist(), bins.people.tolist(), strict=True),
            strict=True,
        )
    )


def test_a_person_counts_once_in_a_bin() -> None:
    assert sizes(counted()) == {
        ("02138", "f"): (1, 1),
        ("02139", "f"): (2, 1),
        ("02139", "m"): (2, 2),
        (None, "m"): (1, 0),
    }


def test_people_of_a_coarser_bin_are_not_the_sum() -> None:
    assert sizes(counted().recode(BOUNDS, {"zip": 1})) == {
        ("0213*", "f"): (3, 1),
        ("0213*", "m"): (2, 2),
        (None, "m"): (1, 0),
    }
    assert sizes(counted().recode(BOUNDS, {"zip": 1, "sex": 1})) == {
        ("0213*", "*"): (5, 3),
        (None, "*"): (1, 0),
    }


def test_no_more_than_k_are_counted_and_those_need_no_names() -> None:
    bins = counted(k=2).recode(BOUNDS, {"zip": 2, "sex": 1})
    assert sizes(bins) == {("*", "*"): (6, 2)}
    assert (len(bins.bin_of), len(bins.person_of)) == (0, 0)


def test_the_coarser_bin_of_each() -> None:
    coarse, groups = counted().recoded(BOUNDS, {"zip": 1})
    assert groups.tolist() == [0, 0, 1, 2]
    assert sizes(coarse.recode({"zip": ZIPS, "sex": SEXES}, {"sex": 1}))[("0213*", "*")] == (5, 3)


def test_repr_has_no_value() -> None:
    assert repr(counted()) == "PeopleBins(fields=('zip', 'sex'), bins=4, rows=6, k=3, bins_below=4)"


def test_a_person_named_twice_in_a_bin_counts_once() -> None:
    found = Witnesses(
        fields=("zip",),
        values=(("02138",),),
        codes=np.zeros((1, 1), np.int32),
        rows=np.array([4]),
        bin_of=np.array([0, 0, 0]),
        person_of=np.array([-7, 2**62, -7]),
        k=3,
    )
    assert PeopleBins.from_witnesses(found).people.tolist() == [2]


def test_by_hand_and_from_an_engine_are_alike() -> None:
    by_hand = PeopleBins.of(("zip",), {("02138",): ["ann", "ann", None], (None,): [None]}, k=2)
    assert sizes(by_hand) == {("02138",): (3, 1), (None,): (1, 0)}


@pytest.mark.parametrize("fields", [(), ("zip",)])
def test_nothing_at_all(fields: tuple[str, ...]) -> None:
    empty = PeopleBins.of(fields, {}, k=2)
    assert sizes(empty.recode({"zip": ZIPS}, {"zip": 1})) == {}


def test_no_field_is_one_bin() -> None:
    bins = PeopleBins.from_witnesses(ReferenceEngine(ROWS).witnesses((), person="who", k=9))
    assert sizes(bins.recode({}, {})) == {(): (6, 3)}


def many(fields: int, *, seed: int, k: int) -> tuple[PeopleBins, np.ndarray, np.ndarray]:
    """Bins of a few thousand rows of some people; one half of them are of one person."""
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, 4, (3_000, fields)).astype(np.int32), axis=0)
    bin_of = np.repeat(np.arange(len(codes)), rng.integers(1, 4, len(codes)))
    person_of = np.where(rng.random(len(bin_of)) < 0.5, 0, rng.integers(0, 40, len(bin_of)))
    found = Witnesses(
        fields=tuple(str(f) for f in range(fields)),
        values=(("a", "b", "c", "d"),) * fields,
        codes=codes,
        rows=np.bincount(bin_of),
        bin_of=bin_of,
        person_of=person_of,
        k=k,
    )
    return PeopleBins.from_witnesses(found), bin_of, person_of


@pytest.mark.parametrize("k", [1, 5, 25, 60])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_large_bins_are_counted_as_exactly_as_small_ones(k: int, level: int) -> None:
    """Of large bins a part of the people is looked at first; the answer is the same."""
    hierarchy = Hierarchy.from_rows(
        [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
    )
    bins, bin_of, person_of = many(6, seed=level, k=k)
    levels = {str(f): min(level, 2) if f < 2 * level else 0 for f in range(6)}
    coarse, groups = bins.recoded(dict.fromkeys(bins.fields, hierarchy), levels)
    expected = [len(set(person_of[groups[bin_of] == g].tolist())) for g in range(len(coarse))]
    assert coarse.people.tolist() == np.minimum(expected, k).tolist()


def test_keys_too_wide_for_an_integer() -> None:
    """Labels that do not occur make the space of keys larger than 64 bits; the bins are the
    same."""
    bins, _, _ = many(6, seed=1, k=5)
    names = tuple("abcd") + tuple(f"unused {i}" for i in range(10_000))
    wide = replace(bins, labels=(names,) * 6)
    ladder = [(name, "ab" if name in "ab" else "cd" if name in "cd" else name) for name in names]
    levels = {"0": 1, "3": 1}
    found, groups = wide.recoded(dict.fromkeys(bins.fields, Hierarchy.from_rows(ladder)), levels)
    short, places = bins.recoded(
        dict.fromkeys(bins.fields, Hierarchy.from_rows(ladder[:4])), levels
    )
    assert sizes(found) == sizes(short)
    assert groups.tolist() == places.tolist()
