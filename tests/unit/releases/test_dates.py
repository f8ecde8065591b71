"""Shifted dates: one person, one shift; order kept; bad dates refused together, by number."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.policy.records import DateShift, Intervals
from sfumato.releases.dates import describe_shift, moved_days, offset, shift_lookups
from sfumato.releases.identifiers import Key

KEY = Key(bytes(range(32)))
KEEP = DateShift(days=30, per="who")
PERTURB = DateShift(days=30, per="who", intervals=Intervals.PERTURB)
DAYS = st.sets(st.integers(min_value=500_000, max_value=760_000), min_size=1, max_size=30)
VISITS = [
    {"who": "Ada", "born": "1940-02-29", "seen": "2001-01-01 08:30:00", "left": "2001-01-02"},
    {"who": "Ada", "born": "1940-02-29", "seen": "2001-01-02T23:59:59.5Z", "left": "2001-03-01"},
    {"who": "Eve", "born": "1950-05-05", "seen": "2001-01-01 08:30:00", "left": None},
    {"who": "Eve", "born": None, "seen": "2003-01-01 00:00:00+02", "left": "2003-01-01"},
    {"who": None, "born": None, "seen": None, "left": None},
]


def day(text: str) -> int:
    return date.fromisoformat(text[:10]).toordinal()


def entries(lookups) -> dict[str, dict[tuple, str | None]]:
    out = {}
    for lookup in lookups:
        per, name = lookup.keys
        assert lookup.fields == (name,)
        assert not lookup.portions
        found = out[name] = {}
        for batch in lookup.batches():
            assert list(batch) == [f"key:{per}", f"key:{name}", f"new:{name}"]
            for *key, new in zip(*(column.tolist() for column in batch.values()), strict=True):
                assert tuple(key) not in found
                found[tuple(key)] = new
    return out


def shifted(engine, shift, key=KEY) -> dict[str, dict[tuple, str | None]]:
    return entries(shift_lookups(engine, dict.fromkeys(("born", "seen", "left"), shift), key=key))


@pytest.mark.parametrize("shift", [KEEP, PERTURB])
def test_every_person_and_date_has_one_entry(engine_of, shift):
    made = shifted(engine_of(VISITS), shift)
    for name, found in made.items():
        assert set(found) == {(row["who"], row[name]) for row in VISITS}
        for (_, old), new in found.items():
            assert (old is None) == (new is None)
            assert old is None or old[10:] == new[10:]  # the time of day, to the letter


def test_kept_intervals_move_all_dates_of_a_person_alike(engine_of):
    made = shifted(engine_of(VISITS), KEEP)
    moves: dict[str, set[int]] = {}
    for found in made.values():
        for (who, old), new in found.items():
            if old is not None:
                moves.setdefault(who, set()).add(day(new) - day(old))
    assert all(len(by) == 1 and 1 <= abs(*by) <= 30 for by in moves.values())
    assert moves["Ada"] != moves["Eve"]


def test_perturbed_intervals_keep_order_over_all_fields(engine_of):
    made = shifted(engine_of(VISITS), PERTURB)
    for who in ("Ada", "Eve"):
        pairs = {
            (day(old), day(new))
            for found in made.values()
            for (w, old), new in found.items()
            if w == who and old
        }
        old, new = zip(*sorted(pairs), strict=True)
        assert len(set(old)) == len(old) == len(set(new))  # equal days stay equal
        assert list(new) == sorted(new)
    assert made["seen"]["Ada", "2001-01-02T23:59:59.5Z"][:10] == made["left"]["Ada", "2001-01-02"]


@pytest.mark.parametrize("shift", [KEEP, PERTURB])
def test_key_and_person_decide_and_batches_do_not(engine_of, shift):
    made = shifted(engine_of(VISITS), shift)
    assert (
        made
        == shifted(engine_of(VISITS, batch=1), shift)
        == shifted(engine_of(VISITS[::-1], batch=99), shift)
    )
    assert made != shifted(engine_of(VISITS), shift, Key(bytes(range(1, 33))))
    assert made != shifted(engine_of(VISITS), shift, None)


def test_only_the_rows_of_a_person_need_to_be_together(engine_of):
    class Backwards:
        """An engine that sorts in another way, as numbers and other languages do."""

        def distinct(self, fields):
            for batch in reversed(list(engine_of(VISITS).distinct(fields))):
                yield {name: column[::-1] for name, column in batch.items()}

    assert shifted(Backwards(), PERTURB) == shifted(engine_of(VISITS), PERTURB)


@given(DAYS, st.text(max_size=5), st.integers(min_value=1, max_value=4000))
def test_kept(days, person, most):
    moved = moved_days(KEY, person, days, shift=DateShift(days=most, per="who"))
    [by] = {new - old for old, new in moved.items()}
    assert 1 <= abs(by) <= most


@given(DAYS, st.text(max_size=5), st.integers(min_value=7, max_value=4000))
def test_weekdays_stay(days, person, most):
    moved = moved_days(KEY, person, days, shift=DateShift(days=most, per="who", weekdays=True))
    assert {(new - old) % 7 for old, new in moved.items()} <= {0}
    assert all(7 <= abs(new - old) <= most for old, new in moved.items())


@given(DAYS, st.text(max_size=5), st.integers(min_value=1, max_value=4000))
def test_perturbed(days, person, most):
    shift = DateShift(days=most, per="who", intervals=Intervals.PERTURB)
    moved = moved_days(KEY, person, days, shift=shift)
    old = sorted(days)
    assert set(moved) == days
    assert 1 <= abs(moved[old[0]] - old[0]) <= most
    for before, after in pairwise(old):
        gap, now = after - before, moved[after] - moved[before]
        assert now >= 1
        assert abs(now - gap) <= min(max(1, gap // 5), most)


@pytest.mark.parametrize(
    "shift",
    [DateShift(days=5, per="who"), DateShift(days=41, per="who", weekdays=True)],
    ids=["days", "weeks"],
)
def test_offsets_are_even_and_never_nothing(shift):
    unit = 7 if shift.weekdays else 1
    counts = Counter(offset(KEY, f"person {n}", shift=shift) for n in range(10_000))
    assert sorted(counts) == [unit * n for n in (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)]
    assert all(
        850 < count < 1150 for count in counts.values()
    )  # 1000 expected, 5 standard deviations are 150


def test_perturbed_gaps_keep_their_length_on_average():
    days = range(700_000, 730_000, 3)
    moved = moved_days(KEY, "Ada", days, shift=PERTURB)
    assert abs(moved[days[-1]] - moved[days[0]] - 29_997) < 5 * (2 / 3 * 10_000) ** 0.5


@pytest.mark.parametrize(
    "bad",
    ["", "today", "2001-02-29", "01/02/2001", "20010101", "2001-W01-1", "2001-01-01 8:30", "2001-1-1", "infinity",
     "2001-01-01\n", "٢٠٠١-01-01", "2001-01-01 08:30:00 Zürich", "0044-03-15 BC"],
)  # fmt: skip
def test_what_is_no_iso_date_is_counted_and_not_shown(engine_of, bad):
    rows = [
        {"who": "Ada", "seen": bad},
        {"who": "Eve", "seen": bad},
        {"who": "Eve", "seen": "2001-01-01"},
    ]
    with pytest.raises(PolicyError, match=r"fields\.seen\.shift: 2 of 3 distinct pairs") as caught:
        shift_lookups(engine_of(rows), {"seen": KEEP}, key=KEY)
    assert not bad or bad not in str(caught.value)


def test_all_problems_of_all_fields_are_said_at_once(engine_of):
    rows = [
        {"who": None, "seen": "2001-01-01", "left": "9999-12-31"},
        {"who": "Eve", "seen": "sometime", "left": "0001-01-01"},
        {"who": "Ada", "seen": "2001-01-01", "left": None},
    ]
    with pytest.raises(PolicyError) as caught:
        shift_lookups(engine_of(rows), {"seen": KEEP, "left": KEEP}, key=KEY)
    found = [(problem.where, problem.found[:5]) for problem in caught.value.problems]
    seen, left = "fields.seen.shift", "fields.left.shift"
    assert found == [(seen, "1 of "), (seen, "1 of "), (left, "1 of "), (left, "2 of ")]
    assert not any(text in str(caught.value) for text in ("2001", "9999", "sometime", "Eve"))


def test_a_placeholder_is_refused_in_the_last_year_whatever_the_shift(engine_of):
    for bad in ("9999-01-02", "9999-12-31 23:59:59", "0001-12-01"):
        with pytest.raises(PolicyError, match="end of the calendar"):
            shift_lookups(engine_of([{"who": "Ada", "seen": bad}]), {"seen": KEEP}, key=KEY)
    assert shift_lookups(engine_of([{"who": "Ada", "seen": "9998-01-01"}]), {"seen": KEEP}, key=KEY)


def test_perturbing_never_leaves_the_calendar():
    shift = DateShift(days=366, per="who", intervals=Intervals.PERTURB)
    days = range(date(9000, 1, 1).toordinal(), date(9998, 12, 1).toordinal(), 2000)
    outcomes = Counter()
    for n in range(40):
        try:
            outcomes[
                max(moved_days(KEY, f"person {n}", days, shift=shift).values())
                <= date.max.toordinal()
            ] += 1
        except PolicyError as error:
            outcomes["refused"] += "end of the calendar" in str(error)
    assert outcomes[True] > 0 < outcomes["refused"]
    assert sum(outcomes.values()) == 40
    assert not outcomes[False]


@pytest.mark.parametrize(
    ("shifts", "where"),
    [
        ({"seen": DateShift(days=0, per="who")}, "fields.seen.shift.days"),
        ({"seen": DateShift(days=6, per="who", weekdays=True)}, "fields.seen.shift.days"),
        ({"seen": DateShift(days=9, per="seen")}, "fields.seen.shift.per"),
        ({"seen": KEEP, "left": DateShift(days=31, per="who")}, "fields.left.shift"),
        ({"seen": KEEP, "left": PERTURB}, "fields.left.shift"),
    ],
)
def test_a_policy_that_cannot_hold_is_refused_before_reading(engine_of, shifts, where):
    engine = engine_of(VISITS)
    with pytest.raises(PolicyError) as caught:
        shift_lookups(engine, shifts, key=KEY)
    assert [problem.where for problem in caught.value.problems] == [where]
    assert engine.passes == 0


def test_persons_of_different_fields_may_shift_differently(engine_of):
    shifts = {"born": DateShift(days=9, per="who"), "seen": DateShift(days=99, per="left")}
    rows = [row for row in VISITS if row["left"]]
    made = entries(shift_lookups(engine_of(rows), shifts, key=KEY))
    assert set(made["seen"]) == {(row["left"], row["seen"]) for row in rows}


def test_no_shift_makes_no_lookup(engine_of):
    assert shift_lookups(engine_of(VISITS), {}, key=None) == ()


def test_what_is_said():
    assert describe_shift(KEEP, kept=True).startswith(
        "shifted by 1 to 30 days either way, the same for all dates of"
    )
    assert "perturbed" in describe_shift(PERTURB, kept=False)
    assert "kept nowhere" in describe_shift(PERTURB, kept=False)
