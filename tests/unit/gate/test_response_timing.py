"""How long something took is not told, and nobody asks too often."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import NotAnswered, TooMany
from sfumato.gate import response_timing
from sfumato.gate.limits import (
    FROM_ONE_PLACE,
    LIMIT_OF_BUCKETS,
    OF_A_NAME,
    OF_AN_ADDRESS,
    Buckets,
    Limits,
)
from sfumato.gate.response_timing import leaves_at, paced

SECONDS = st.floats(0, 1000)


@given(SECONDS)
def test_nothing_leaves_before_it_is_done_nor_after_twice_the_time(taken):
    assert taken <= leaves_at(taken) * (1 + 1e-9)
    assert leaves_at(taken) <= max(
        2 * taken, response_timing.STEP, taken + response_timing.STEP
    ) * (1 + 1e-6)


@given(SECONDS, SECONDS)
def test_what_took_longer_does_not_leave_earlier(one, other):
    assert leaves_at(min(one, other)) <= leaves_at(max(one, other))


@given(SECONDS)
def test_there_are_few_times_to_leave_at(taken):
    at = leaves_at(taken)
    assert leaves_at(at) == pytest.approx(at)
    assert at <= response_timing.EVEN + 1e-9 or any(
        at == pytest.approx(response_timing.EVEN * 2**n) for n in range(1, 20)
    )


@pytest.mark.parametrize("refused", [False, True])
def test_answers_and_refusals_wait_for_the_same_time(monkeypatch, refused):
    slept = []
    times = iter([10.0, 10.013])

    async def sleep(seconds):
        slept.append(seconds)

    async def asks():
        async with paced(clock=lambda: next(times)):
            if refused:
                raise NotAnswered("q-1", profile="public")

    monkeypatch.setattr(response_timing.asyncio, "sleep", sleep)
    if refused:
        with pytest.raises(NotAnswered):
            asyncio.run(asks())
    else:
        asyncio.run(asks())
    assert slept == [pytest.approx(0.037)]


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@given(st.integers(1, 50), st.lists(st.floats(0, 10), max_size=100))
def test_in_no_minute_is_more_taken_than_a_bucket_and_a_minute_give(size, pauses):
    clock = Clock()
    buckets = Buckets(size, seconds=60, now=clock)
    taken = []
    for pause in pauses:
        clock.now += pause
        if buckets.take("ann") == 0:
            taken.append(clock.now)
    for start in taken:
        assert sum(start <= at < start + 60 for at in taken) <= 2 * size


def test_whoever_waits_as_long_as_told_is_let_in(tmp_path):
    clock = Clock()
    limits = Limits(queries_per_minute=3, now=clock)
    for _ in range(3):
        limits.asks("ann")
    limits.asks("bob")
    with pytest.raises(TooMany) as told:
        limits.asks("ann")
    clock.now += told.value.seconds
    limits.asks("ann")


def let_in(limits, attempts):
    """How many of several attempts to log in are let through to the password."""
    count = 0
    for name, address in attempts:
        with suppress(TooMany):
            limits.logs_in(name, address)
            count += 1
    return count


def test_guessing_from_one_place_does_not_lock_out_whoever_has_the_name():
    limits = Limits(queries_per_minute=1, now=Clock())
    assert let_in(limits, [("ann", "6.6.6.6")] * 100) == FROM_ONE_PLACE
    limits.logs_in("ann", "1.2.3.4")


def test_a_name_is_guessed_from_many_places_only_so_often():
    limits = Limits(queries_per_minute=1, now=Clock())
    assert let_in(limits, [("ann", f"10.0.0.{place}") for place in range(100)]) == OF_A_NAME


def test_an_address_tries_only_so_many_names():
    limits = Limits(queries_per_minute=1, now=Clock())
    assert let_in(limits, [(f"name {name}", "6.6.6.6") for name in range(100)]) == OF_AN_ADDRESS


def test_made_up_names_do_not_use_up_the_memory():
    buckets = Buckets(1, now=Clock())
    for number in range(LIMIT_OF_BUCKETS + 100):
        buckets.take(str(number))
    assert len(buckets._left) == LIMIT_OF_BUCKETS
