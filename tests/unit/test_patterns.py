"""Patterns that people bring: which are refused, and that a slow one is stopped."""

from __future__ import annotations

import re
import time

import pytest

from sfumato.patterns import PatternRefused, PatternTooSlow, checked_pattern, matches_of

TAKEN = (
    r"ST-\d{6}",
    r"\bW\d+[a-z]?\b",
    r"(?:AB|CD)-\d+",
    r"(?i)ward\s+\d+",
    r"(?:\d{3}-)*\d{3}",
    r"(?:[A-Z][a-z]+ ){1,3}Ward",
    r"[()+*|]+x",
    r"\(\d+\)",
    r"(?<!\d)\d{4}(?!\d)",
    r"a\\1",
    r"[]a]+",
    r"(?P<number>\d+)x",
)
REFUSED = {
    r"(\d+)+x": "repeats a group",
    r"(?:a|a)*b": "repeats a group",
    r"((?:a?){9}){9}x": "repeats a group",
    r"(?:\w+\s?)*:": "repeats a group",
    r"(?:(?:a+){4}){4}x": "repeats a group",
    r"(x+x+)+y": "repeats a group",
    r"(?:a|b|ab){1,40}c": "repeats a group",
    r"(a)\1": "refers back",
    r"(?P<x>a)(?P=x)": "refers back",
    r"(a)?(?(1)b|c)": "refers back",
    r"\d*": "matches the empty text",
    r"a|": "matches the empty text",
    r"[a": "no regular expression",
    r"(": "no regular expression",
    r"a{99999999999999999999}": "no regular expression",
    "a" * 1_001: "more than 1,000 characters",
}


@pytest.mark.parametrize("pattern", TAKEN)
def test_what_is_taken(pattern: str) -> None:
    assert checked_pattern(pattern).pattern == pattern


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_refused_and_why(pattern: str) -> None:
    with pytest.raises(PatternRefused, match=REFUSED[pattern]) as refused:
        checked_pattern(pattern)
    assert refused.value.attempt


def test_what_is_slow_all_the_same_is_stopped() -> None:
    started = time.process_time()
    with pytest.raises(PatternTooSlow):
        list(matches_of(re.compile(r"(a+)+b"), "a" * 64, seconds=0.2))
    assert time.process_time() - started < 2
    assert [match.group() for match in matches_of(re.compile("a+"), "aa a")] == ["aa", "a"]


def test_an_empty_match_is_none() -> None:
    assert [match.group() for match in matches_of(re.compile(r"(?=a)|b"), "ab")] == ["b"]
