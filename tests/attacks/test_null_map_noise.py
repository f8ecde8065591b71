"""Linking people to rows that `null_map_noise` moved.

The attacker has a register with everybody's true numbers, and the manifest. Who links on equal
numbers must find nobody; on the same table moved by plain noise, that attacker finds people. Who
links on the nearest numbers is not held by null-map, only by the size of the noise: that is
documented, and tested as such."""

from __future__ import annotations

import numpy as np
import pytest
from test_noise import linked, released

MANY = 400
KEYS = [bytes([number]) * 32 for number in range(6)]


@pytest.fixture(scope="module")
def register() -> dict[str, np.ndarray]:
    chance = np.random.default_rng(5)
    return {
        "age": np.round(chance.normal(50, 15, MANY)),
        "height": np.round(chance.normal(170, 10, MANY)),
    }


def moved(register: dict[str, np.ndarray], key: bytes, *, share: float) -> dict[str, np.ndarray]:
    return released(register, key, technique="null_map_noise", share=share)


def equal(release: dict[str, np.ndarray], register: dict[str, np.ndarray]) -> int:
    """How many released rows have the numbers of somebody in the register."""
    people = set(zip(*register.values(), strict=True))
    return sum(row in people for row in zip(*release.values(), strict=True))


@pytest.mark.parametrize("share", [0.05, 0.1, 1.0])
def test_who_links_on_equal_numbers_finds_nobody(register, share):
    assert equal(moved(register, KEYS[0], share=share), register) == 0
    plain = released(register, KEYS[0], technique="noise", share=share)
    assert equal(plain, register) > MANY // 20


def test_the_nearest_person_is_hidden_by_the_size_of_the_noise_alone(register):
    baseline = 0.02
    assert linked(moved(register, KEYS[0], share=0.1), register) > 0.2  # Documented.
    assert linked(moved(register, KEYS[0], share=2.0), register) < baseline


def test_noise_of_one_key_is_not_averaged_away(register):
    first, second = (moved(register, KEYS[0], share=2.0) for _ in range(2))
    assert all((first[name] == second[name]).all() for name in register)


def test_noise_of_several_keys_is_averaged_away_in_part(register):
    """Documented: use one key for all releases of a table."""
    releases = [moved(register, key, share=0.5) for key in KEYS]
    mean = {name: np.mean([each[name] for each in releases], axis=0) for name in register}
    assert linked(mean, register) > 2 * linked(releases[0], register)
