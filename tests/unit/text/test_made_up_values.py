"""tools/text/made_up_values.py: what generated texts are filled with, and what of it is kept from
training."""

from __future__ import annotations

import importlib.util
import ipaddress
import sys
from pathlib import Path

import pytest

pytest.importorskip("faker")
TOOL = Path(__file__).parents[3] / "tools" / "text" / "made_up_values.py"


@pytest.fixture(scope="module")
def made_up():
    spec = importlib.util.spec_from_file_location("made_up_values", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["made_up_values"] = module
    spec.loader.exec_module(module)
    return module


def test_one_seed_one_series(made_up):
    def series(seed):
        values = made_up.Values(seed)
        return [values("fullname") for _ in range(20)]

    assert series(7) == series(7)
    assert series(7) != series(8)


def test_names_kept_from_training_are_never_drawn_for_it(made_up):
    learned, held = made_up.Values(1, held_out=False), made_up.Values(1, held_out=True)
    drawn = {
        name: {values.draw(name) for _ in range(2000)}
        for name in ("last", "town")
        for values in (learned,)
    }
    assert all(held.draw(name) not in drawn[name] for name in drawn for _ in range(500))
    assert set(learned.locales).isdisjoint(held.locales)


def test_a_house_number_is_part_of_a_street_and_no_age(made_up):
    [(number, label)] = made_up.Values(3)("house")
    assert number.isdecimal()
    assert label == "STREET"


def test_addresses_of_machines_are_valid(made_up):
    values = made_up.Values(3)
    for _ in range(50):
        [(address, label)] = values("ip")
        assert ipaddress.ip_address(address).version == 4
        assert label == "URL"


def test_a_flat_keeps_its_word(made_up):
    values = made_up.Values(3)
    words = {values.text("flat").split()[0].rstrip(".") for _ in range(200)}
    assert all(
        word.startswith("#") or word in {"Apt", "Apartment", "Suite", "Unit", "Floor", "Flat"}
        for word in words
    )
