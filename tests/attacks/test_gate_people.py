"""People with several rows, values that are written in two ways, and values that nobody has."""

from __future__ import annotations

import csv
from contextlib import suppress

import numpy as np
import pytest
from gate_world import held, keeping

from sfumato.errors import NotAdmitted, NotAnswered, Refused
from sfumato.gate.settings import Asker, Mode, Terms

EVE = Asker(name="eve", profile="public")
EXACT = Terms(mode=Mode.EXACT)
TOWNS = ("Aberdeen", "Bergen", "Cadiz")
POLICY = {
    "entity": "name",
    "fields": {
        "name": {"role": "direct"},
        "town": {"role": "quasi"},
        "test": {"role": "sensitive"},
    },
    "require": {"k": 5, "confidence_gain": {"gain": 0.1, "facts": 2}},
}


def table(path, rows):
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["name", "town", "test"])
        out.writerows(rows)
    return path


def visits(test, *, times=1):
    """Everybody has one row, but for the target: some in Aberdeen, and one in Bergen."""
    draw = np.random.default_rng(2)
    rows = [[f"p{n}", TOWNS[n % 3], t] for n, t in enumerate((draw.random(1500) < 0.5).astype(int))]
    return [*rows, *([["target", "Aberdeen", test]] * times), ["target", "Bergen", test]]


def in_both_towns(keeper):
    """How many people with a positive test have rows in both towns, from three counts of people."""
    asked = ("= 'Aberdeen'", "= 'Bergen'", "IN ('Aberdeen', 'Bergen')")
    one, other, either = (
        keeper.ask(
            EVE, f"SELECT COUNT(DISTINCT person) FROM people WHERE town {each} AND test = 1"
        ).rows[0][0]
        for each in asked
    )
    return one + other - either


@pytest.mark.parametrize("mode", [Mode.EXACT, Mode.EITHER])
def test_people_are_not_followed_from_one_group_to_another(tmp_path, mode):
    """Only the target was in both towns. People are counted exactly by what is known of them
    alone."""
    told = []
    for test in (0, 1):
        path = table(tmp_path / f"{test}.csv", visits(test))
        with keeping(held(path, POLICY), tmp_path / str(test), terms=Terms(mode=mode)) as keeper:
            try:
                told.append(in_both_towns(keeper))
            except NotAdmitted as refused:
                told.append(str(refused))
            everybody = keeper.ask(
                EVE, "SELECT COUNT(DISTINCT person) FROM people", mode=Mode.EXACT
            )
            assert everybody.rows == [(1501,)] or everybody.noise
    if mode is Mode.EXACT:
        assert told[0] == told[1]
    else:
        assert told != [0, 1]


def test_somebody_with_five_hundred_rows_is_one_person(tmp_path):
    """A town of the target and three others is a town of four, however many rows there are."""
    rows = (
        [["target", "Delphi", 1]] * 500 + [[f"q{n}", "Delphi", n % 2] for n in range(3)] + visits(0)
    )
    with keeping(
        held(table(tmp_path / "x.csv", rows), POLICY), tmp_path / "gate", terms=EXACT
    ) as keeper:
        try:
            shown = {row[0] for row in keeper.ask(EVE, "SELECT town, test FROM people").rows}
        except Refused:
            shown = set()
    assert "Delphi" not in shown


def test_one_and_one_point_nought_are_one_value(tmp_path):
    """Everybody in Delphi has 1, half of them written as 1.0: shown, it would be 1.0 for all of
    them."""
    spelt = [[f"p{n}", TOWNS[n % 3], ("2.5", "1", "7", "1.0")[n // 3 % 4]] for n in range(900)]
    spelt += [[f"q{n}", "Delphi", ("1", "1.0")[n % 2]] for n in range(120)]
    with keeping(
        held(table(tmp_path / "x.csv", spelt), POLICY), tmp_path / "gate", terms=EXACT
    ) as keeper:
        holding = keeper.holdings["people"]
        assert len(holding.fields["test"].values) == 3
        try:
            shown = {row[0] for row in keeper.ask(EVE, "SELECT town, test FROM people").rows}
        except Refused:
            shown = set()
    assert "Delphi" not in shown


def test_nobody_is_found_by_a_missing_value(tmp_path):
    """Nothing is known of the target's town, and null is a group as any other: of one person, so
    not shown."""
    rows = [*visits(0)[:-2], ["target", "", 1]]
    with keeping(
        held(table(tmp_path / "x.csv", rows), POLICY), tmp_path / "gate", terms=EXACT
    ) as keeper:
        with suppress(NotAnswered):
            assert len(keeper.ask(EVE, "SELECT test FROM people WHERE town IS NULL").rows) > 20
        keeper.ask(EVE, "SELECT COUNT(*) FROM people WHERE test = 1")
        with pytest.raises(NotAnswered):
            keeper.ask(EVE, "SELECT COUNT(*) FROM people WHERE test = 1 AND town IS NOT NULL")


def counted(keeper, sql):
    """The number, or how many rows there are; nothing where it is refused or noisy."""
    with suppress(NotAnswered, NotAdmitted):
        answer = keeper.ask(EVE, sql)
        return (
            None
            if answer.noise
            else answer.rows[0][0]
            if "COUNT" in sql
            else sum(t for _, t in answer.rows)
        )
    return None


@pytest.mark.parametrize(
    "sql", ["SELECT COUNT(*) FROM people WHERE test = 1", "SELECT town, test FROM people"]
)
@pytest.mark.parametrize("times", [5, 60])
def test_somebody_with_many_rows_is_not_seen_by_their_number(tmp_path, sql, times):
    """The attacker knows how many rows the target has. Counted as they are, they move the number by
    as many."""
    raw, told = [], []
    for test in (0, 1):
        rows = visits(test, times=times)
        raw.append(sum(int(t) for _, _, t in rows))
        with keeping(
            held(table(tmp_path / f"{test}.csv", rows), POLICY), tmp_path / str(test)
        ) as keeper:
            told.append(counted(keeper, sql))
    assert raw[1] - raw[0] == times + 1
    assert None in told or abs(told[1] - told[0]) <= 1


def test_of_people_with_several_rows_one_is_shown_and_always_the_same(tmp_path):
    rows = [[f"p{n // 4}", TOWNS[n % 3], n % 2] for n in range(2400)]
    path = table(tmp_path / "people.csv", rows)
    answers = []
    for _ in range(2):
        with keeping(held(path, POLICY), tmp_path / "gate") as keeper:
            answer = keeper.ask(EVE, "SELECT town, test FROM people")
            assert answer.one_each
            answers.append(sorted(answer.rows))
            everybody = keeper.ask(EVE, "SELECT COUNT(*) FROM people")
            assert not everybody.one_each
            assert everybody.rows == [(2400,)]
    assert len(answers[0]) == 600
    assert answers[0] == answers[1]
