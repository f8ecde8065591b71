"""Holidays under shifted dates: a person's holidays stay holidays, other days stay others, and the
days between a person's dates are kept."""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta

import pytest

import sfumato
from sfumato.errors import PolicyError
from sfumato.keys import Key
from sfumato.policy import DateShift
from sfumato.releases.dates import FEWEST_SHIFTS, moved_days, offset, offset_beside

FIXED = ((1, 1), (5, 1), (7, 4), (10, 3), (12, 24), (12, 25), (12, 26), (12, 31))
HOLIDAYS = tuple(sorted(f"{year}-{m:02}-{d:02}" for year in range(2018, 2027) for m, d in FIXED))
SHIFT = DateShift(days=800, per="person", holidays=HOLIDAYS)
KEY = Key(bytes(range(32)))


def is_holiday(day: int) -> bool:
    return date.fromordinal(day).isoformat() in HOLIDAYS


def test_holidays_stay_holidays_and_gaps_stay_gaps():
    chance = random.Random(4)
    plainly = 0
    for number in range(60):
        start = date(2021, 1, 1).toordinal() + chance.randrange(700)
        days = {start, start + 30, date(2022, 12, 25).toordinal()}
        moved = moved_days(KEY, f"p{number}", days, shift=SHIFT)
        by = {new - old for old, new in moved.items()}
        assert len(by) == 1
        assert 0 < abs(min(by)) <= 800
        kept = all(is_holiday(old) == is_holiday(new) for old, new in moved.items())
        plainly += not kept
        assert kept or min(by) % 7 == 0
    assert plainly < 10


def test_too_few_shifts_are_whole_weeks_in_place_of_a_guess():
    """A person with every holiday of a year could be found by the few shifts that fit."""
    days = [date.fromisoformat(each).toordinal() for each in HOLIDAYS if each.startswith("2022")]
    weeks = DateShift(days=800, per="person", weekdays=True)
    assert offset_beside(KEY, "Ada", days, shift=SHIFT) == offset(KEY, "Ada", shift=weeks)


def test_every_shift_that_keeps_the_holidays_is_as_likely():
    christmas = [date(2022, 12, 25).toordinal()]
    found = [offset_beside(KEY, f"p{n}", christmas, shift=SHIFT) for n in range(2_000)]
    assert all(is_holiday(christmas[0] + each) for each in found)
    assert len(set(found)) >= FEWEST_SHIFTS
    assert max(map(found.count, set(found))) < 3 * 2_000 / len(set(found))


def write(folder, rows):
    source = folder / "visits.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("person", "seen", "left"), *rows])
    return source


def released(source, **shift):
    asked = {"days": 800, "per": "person", **shift}
    fields = {"person": {"role": "direct", "replace": "hash"}}
    fields |= {name: {"role": "insensitive", "shift": asked} for name in ("seen", "left")}
    policy = {"entity": "person", "fields": fields, "row_counts": {"linking": 0}}
    return sfumato.release(source, policy, to=source.parent / "out", key=KEY, replace=True)


@pytest.mark.parametrize("rows_each", [1, 2])
def test_a_release_keeps_holidays_over_the_fields_of_a_person(tmp_path, rows_each):
    holidays = tmp_path / "holidays.csv"
    holidays.write_text("date,name\n" + "".join(f"{day},x\n" for day in HOLIDAYS))
    start = date(2022, 12, 20)
    rows = [
        (f"p{n}", start + timedelta(n % 9), start + timedelta(n % 9 + 2 + row))
        for n in range(40)
        for row in range(rows_each)
    ]
    source = write(tmp_path, rows)
    made = released(source, holidays=str(holidays))
    before = sorted((b - a).days for _, a, b in rows)
    table = [
        (date.fromisoformat(str(a)[:10]), date.fromisoformat(str(b)[:10]))
        for a, b in zip(made.frame["seen"], made.frame["left"], strict=True)
    ]
    assert sorted((b - a).days for a, b in table) == before
    found = sum(each.isoformat() in HOLIDAYS for pair in table for each in pair)
    assert found >= 0.7 * sum(day.isoformat() in HOLIDAYS for _, *pair in rows for day in pair)
    assert "holidays stay holidays" in made.manifest["tables"]["release"]["fields"]["seen"]
    assert sfumato.verify(made.folder).outcome != "fail"


@pytest.mark.parametrize(
    ("shift", "words"),
    [
        ({"holidays": ["2022-13-01"]}, "no dates"),
        ({"holidays": "nothing.csv"}, "cannot be read"),
        ({"holidays": ["2022-12-25"], "intervals": "perturb"}, "perturbed"),
        ({"holidays": ["2022-12-25"], "days": 20}, "0 of 1 people"),
    ],
)
def test_holidays_that_cannot_be_kept_are_refused(tmp_path, shift, words):
    source = write(tmp_path, [("p1", "2022-12-25", "2022-12-26")])
    with pytest.raises(PolicyError, match=words):
        released(source, **shift)


def test_people_without_a_holiday_do_not_hide_that_no_holiday_is_kept(tmp_path):
    """Whole weeks take a holiday of one year to no other, and ordinary days to ordinary ones."""
    rows = [(f"p{n}", f"2022-03-{1 + n % 28:02}", f"2022-04-{1 + n % 28:02}") for n in range(60)]
    rows += [(f"q{n}", "2022-12-26", "2022-12-30") for n in range(3)]
    year = [day for day in HOLIDAYS if day.startswith("2022")]
    with pytest.raises(PolicyError, match="0 of 3 people with a holiday"):
        released(write(tmp_path, rows), holidays=year, days=182, weekdays=True)
