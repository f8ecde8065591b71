"""PRAM: the chances that are told are the chances that were taken, and what they allow to be
corrected is right."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from steps_by_hand import column, taken

from sfumato.engines import FieldKind
from sfumato.errors import PolicyError
from sfumato.techniques.post_randomisation import transition

ILL = ["flu"] * 6_000 + ["gout"] * 3_000 + ["Ärger"] * 1_000
order = sorted(set(ILL))


def pram(columns, **step):
    return taken(columns, {"technique": "pram", "fields": ["ill"], **step})


def shares(values):
    found = Counter(values)
    return np.array([found[value] for value in order]) / len(values)


def moved(before, after):
    out = np.zeros((len(order), len(order)))
    for a, b in zip(before, after, strict=True):
        out[order.index(a), order.index(b)] += 1
    return out / out.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("invariant", [True, False])
@pytest.mark.parametrize("keep", [0.0, 0.5, 0.8])
def test_categories_change_by_the_matrix_that_is_told(invariant, keep):
    after = column(pram({"ill": ILL}, keep=keep, invariant=invariant), "ill")
    told = transition(shares(ILL), keep=keep, invariant=invariant)
    assert np.allclose(told.sum(axis=1), 1.0)
    assert np.abs(moved(ILL, after) - told).max() < 0.05


def test_invariant_keeps_shares_on_average():
    told = transition(shares(ILL), keep=0.5, invariant=True)
    assert np.allclose(shares(ILL) @ told, shares(ILL))
    assert np.abs(shares(column(pram({"ill": ILL}, keep=0.5), "ill")) - shares(ILL)).max() < 0.02


def test_shares_are_corrected_from_what_the_manifest_says():
    """Keep and the number of categories are all that a recipient needs."""
    done = pram({"ill": ILL}, keep=0.7, invariant=False)
    released = shares(column(done, "ill"))
    assert np.abs(released - shares(ILL)).max() > 0.1
    many = done.facts["fields"]["ill"]["most_categories"]
    told = transition(np.full(many, np.nan), keep=done.facts["keep"], invariant=False)
    assert np.abs(released @ np.linalg.inv(told) - shares(ILL)).max() < 0.03


def test_a_table_with_another_field_is_corrected_too():
    """Invariant PRAM blurs relations; the matrix from the released shares sharpens them again."""
    sex = [
        "f" if number % 10 < (9 if ill == "flu" else 3) else "m" for number, ill in enumerate(ILL)
    ]
    done = pram({"ill": ILL, "sex": sex}, keep=0.6)
    after = column(done, "ill")
    told = transition(shares(after), keep=done.facts["keep"], invariant=True)

    def table(values):
        found = Counter(zip(sex, values, strict=True))
        return np.array([[found[one, ill] for ill in order] for one in "fm"])

    assert np.abs(table(after) - table(ILL)).max() > 500
    assert np.abs(table(after) @ np.linalg.inv(told) - table(ILL)).max() < 150


def test_what_is_told_names_no_category_and_no_share():
    done = pram({"ill": ILL}, keep=0.5)
    assert set(done.facts) == {"keep", "invariant", "matrix", "fields"}
    assert done.facts["fields"] == {"ill": {"fewest_categories": 3, "most_categories": 3}}
    said = f"{done.facts} {done.words} {done.warnings}"
    assert not any(ill in said for ill in ("flu", "gout", "Ärger", "0.6", "0.3,"))


@pytest.mark.parametrize("invariant", [True, False])
def test_only_categories_of_the_own_group(invariant):
    columns = {"sex": ["f", "m"] * 500, "ill": ["birth", "gout", "flu", "flu"] * 250}
    after = column(pram(columns, keep=0.1, invariant=invariant, within=["sex"]), "ill")
    assert set(zip(columns["sex"], after, strict=True)) == {
        ("f", "birth"),
        ("f", "flu"),
        ("m", "gout"),
        ("m", "flu"),
    }


def test_one_category_stays_and_is_counted():
    for invariant in (True, False):
        done = pram({"ill": ["flu"] * 5 + [None]}, keep=0.0, invariant=invariant)
        assert column(done, "ill") == ["flu"] * 5 + [None]
        assert done.warnings == (
            "5 cells of ill have no other category to become, and stay as they are.",
        )


@pytest.mark.parametrize("invariant", [True, False])
@pytest.mark.parametrize("values", [[], [None, None], ["x"]])
def test_nothing_to_change(values, invariant):
    assert column(pram({"ill": values}, keep=0.0, invariant=invariant), "ill") == values


def test_null_is_no_category():
    before = ["a", None] * 200
    after = column(pram({"ill": before}, keep=0.0), "ill")
    assert after == before
    mixed = column(pram({"ill": ["a", "b", None] * 100}, keep=0.0, invariant=False), "ill")
    assert mixed == ["b", "a", None] * 100


def test_numbers_stay_numbers():
    done = taken(
        {"grade": ["1", "2"] * 10},
        {"technique": "pram", "fields": ["grade"]},
        kinds={"grade": FieldKind.INTEGER},
    )
    assert done.cells.given == {"grade": None}


def test_keeping_everything_is_a_problem():
    with pytest.raises(PolicyError, match="nothing would change"):
        pram({"ill": ILL}, keep=1.0)
