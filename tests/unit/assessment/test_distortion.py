"""The distortion of a field, held against channels whose entropies are known."""

import numpy as np
import pytest

from sfumato.assessment.distortion import GONE, DistortionScale, distortion, entropy

RANDOM = np.random.default_rng(7)
ROWS = 4_000
FEW = RANDOM.choice([1, 2, 3, 4], ROWS, p=[0.4, 0.3, 0.2, 0.1])


def drawn(make, *, source=FEW, times=5):
    return distortion([(source, make()) for _ in range(times)])


def test_cells_as_they_are_and_cells_that_are_all_alike():
    assert drawn(lambda: FEW) == 0.0
    assert drawn(lambda: np.zeros(ROWS, np.int64)) == 1.0


def test_generalising_loses_what_is_left_to_guess_below_the_label():
    coarse = np.where(FEW <= 2, 8, 9)
    assert drawn(lambda: coarse) == pytest.approx(1 - entropy(coarse) / entropy(FEW), abs=0.005)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_cells_suppressed_at_random_lose_their_share(share):
    gone = lambda: np.where(RANDOM.random(ROWS) < share, GONE, FEW)  # noqa: E731
    assert drawn(gone) == pytest.approx(share, abs=0.03)


def test_a_symmetric_channel():
    """Two values, kept with 0.8: 1 - (1 - H(0.8)) / 1 by Shannon."""
    source = RANDOM.integers(1, 3, 20_000)
    flipped = lambda: np.where(RANDOM.random(20_000) < 0.8, source, 3 - source)  # noqa: E731
    expected = -(0.8 * np.log2(0.8) + 0.2 * np.log2(0.2))
    assert drawn(flipped, source=source) == pytest.approx(expected, abs=0.02)


def test_a_permutation_says_nothing_even_where_values_nearly_all_differ():
    assert drawn(lambda: RANDOM.permutation(FEW)) > 0.99
    many = np.arange(500)
    assert drawn(lambda: RANDOM.permutation(many), source=many, times=3) > 0.99


def test_a_cipher_says_nothing_to_one_without_the_key():
    """Under each key every value has its own text, which no other key gives."""
    keys = iter(range(100))
    assert drawn(lambda: FEW + 1_000 * (1 + next(keys))) == 1.0
    assert drawn(lambda: FEW + 1_000) == pytest.approx(
        0.0, abs=1e-3
    )  # one key for all: a code book


def test_a_field_without_entropy_has_nothing_to_lose():
    assert drawn(lambda: FEW, source=np.ones(ROWS, np.int64)) is None


def test_one_draw_cannot_be_learned_from():
    with pytest.raises(ValueError, match="two are needed"):
        distortion([(FEW, FEW)])


def test_numbers_are_read_in_classes_of_about_as_many_rows():
    numbers = np.array([f"{n}.5" for n in range(2_000)], object)
    scale = DistortionScale.of(numbers, are_numbers=True)
    sizes = np.bincount(scale.read(numbers))[1:]
    assert (len(sizes), sizes.min() >= 60) == (32, True)
    assert scale.read(np.array(["-7", "1e9"], object)).tolist() == [1, 32]


def test_texts_keep_their_order_and_few_values_their_own_class():
    names = np.array([f"{n:04d}" for n in range(1_500)], object)
    codes = DistortionScale.of(names, are_numbers=False).read(names)
    assert (np.diff(codes) >= 0).all()
    few = np.array(["f", "m", None, "f"], object)
    assert DistortionScale.of(few, are_numbers=False).read(
        np.array(["m", "f", None, "*", "x", "*"], object)
    ).tolist() == [
        2,
        1,
        3,
        4,
        5,
        4,
    ]
