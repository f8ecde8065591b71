"""Row order: the table was sorted by name, and the release still is.

Every bin has k rows that look alike, and the register is sorted by name too. The attacker lines the
two up: the first row of a bin is the first of its people by name, and so on (Sweeney 1997, section
3.7). Rows that are scrambled say nothing by their place.

The baseline is a row of the right bin picked blindly. The control is the release in the order of
the source."""

from __future__ import annotations

from collections import defaultdict

import pytest
from clinic import interval
from register import Linking, mean, people, released

MANY, K = 300, 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("order")


@pytest.fixture(scope="module")
def patients(folder):
    by_name = sorted(people(folder, MANY), key=lambda person: person["name"])
    return [person | {"number": str(place)} for place, person in enumerate(by_name)]


def lined_up(rows, register):
    """How many people get their own row when each bin's rows and people are paired in order, and
    how many tried."""
    linking = Linking(rows, register)
    members = defaultdict(list)
    for person in register:
        members[tuple(linking.rows_of(person))].append(person["number"])
    whole = [
        (numbers, places) for numbers, places in members.items() if len(numbers) == len(places)
    ]
    pairs = [pair for numbers, places in whole for pair in zip(numbers, places, strict=True)]
    return sum(row == person for row, person in pairs), len(pairs)


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_control_rows_in_the_order_of_the_source_name_everyone(patients, folder, engine):
    rows = released(patients, folder, {"k": K}, order="keep", engine=engine)
    right, tried = lined_up(rows, patients)
    assert right == tried > MANY / 2


@pytest.mark.long("many releases on each engine; two cells stay", but=("*-anytime",))
@pytest.mark.parametrize(
    ("engine", "solver"), [("duckdb", "anytime"), ("duckdb", "k_similar"), ("reference", "anytime")]
)
def test_scrambled_rows_name_no_one(patients, folder, engine, solver):
    """Right as often as a row picked blindly: the interval of what was found holds the baseline."""
    rows = released(patients, folder, {"k": K}, engine=engine, solve={"solver": solver})
    right, tried = lined_up(rows, patients)
    blind = mean(Linking(rows, patients).chances())
    assert tried > 0
    # Right ones are about one per bin. Chance alone passes four times that once in thousands of
    # runs.
    assert right <= 4 * blind * tried + 12
    assert interval(right, tried)[0] <= max(2 * blind, 1 / K)


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_sorted_rows_tell_what_stands_in_them_and_no_more(patients, folder, engine):
    """Sorted by the released cells, the place of a row follows from what everyone reads in it
    anyway."""
    rows = released(patients, folder, {"k": K}, order="sorted", engine=engine)
    cells = [tuple(row.values()) for row in rows]
    assert cells == sorted(cells)
