"""Regular expressions that people bring: refused where matching could take for ever, and bounded in
time.

Python's matcher tries alternatives one after the other. A repeat within a repeat, `(a+)+`, has
exponentially many ways to match the same text, and so may a repeated choice. Such patterns are
refused by their form; a clock stops what is slow all the same."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

LONGEST: Final = 1_000
"""Characters of a pattern."""
FEW: Final = 5
"""So often a group with repeats or choices in it may be repeated."""
SECONDS: Final = 5.0
"""CPU seconds that one pattern may take for one text."""

_QUANTIFIER = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_REFERENCE = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")


class PatternRefused(ValueError):
    """A pattern that is not used: `found` is the reason, `attempt` what to try."""

    def __init__(self, found: str, *, attempt: str) -> None:
        super().__init__(found)
        self.found, self.attempt = found, attempt


class PatternTooSlow(Exception):
    """A pattern that took longer than it may; nothing of the text is in it."""


@dataclass(slots=True)
class _Group:
    """The content of an open group so far."""

    varies: bool = False
    """There is more than one way to match it: a choice, or a repeat of varying length."""
    repeated: bool = False
    """Such a group in it is repeated, a few times."""


def checked_pattern(text: str) -> re.Pattern[str]:
    """The pattern, compiled; `PatternRefused` where it is none, or one that could take for ever.

    Example:
        >>> checked_pattern(r"ST-\\d{4,6}").findall("ST-12345 and ST-1")
        ['ST-12345']
        >>> checked_pattern("[a")
        Traceback (most recent call last):
        sfumato.patterns.PatternRefused: It is no regular expression: unterminated character set at position 0.
    """
    if len(text) > LONGEST:
        raise PatternRefused(
            f"It has more than {LONGEST:,} characters.", attempt="a word list, or several patterns."
        )
    try:
        compiled = re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        why = (
            f"{error.msg} at position {error.pos}"
            if isinstance(error, re.error)
            else "it is too deep"
        )
        raise PatternRefused(
            f"It is no regular expression: {why}.", attempt=r"one such as ST-\d{6}."
        ) from None
    if _REFERENCE.search(re.sub(r"\\\\", "", text)):
        raise PatternRefused(
            "It refers back to what it matched before, so that matching could take for ever.",
            attempt="a pattern without \\1, (?P=name) and (?(1)…).",
        )
    if _repeats_repeats(text):
        raise PatternRefused(
            "It repeats a group that repeats or chooses, so that matching could take for ever.",
            attempt=f"a repeat of one character or class, or at most {{1,{FEW}}} of the group.",
        )
    if compiled.match("") is not None:
        raise PatternRefused(
            "It matches the empty text, which is everywhere.", attempt="+ in place of *."
        )
    return compiled


def _repeats_repeats(text: str) -> bool:
    """Whether a group that holds a choice or a repeat of varying length is itself repeated more
    than a few times."""
    open_groups = [_Group()]
    closed: _Group | None = None
    place = 0
    while place < len(text):
        character = text[place]
        quantifier = _QUANTIFIER.match(text, place)
        if quantifier is not None and place:
            most, varies = _counts(quantifier)
            if closed is not None and closed.varies and most > (1 if closed.repeated else FEW):
                return True
            open_groups[-1].repeated |= closed is not None and closed.varies and most > 1
            open_groups[-1].varies |= varies
            closed = None
            place = quantifier.end()
            place += text[place : place + 1] in ("?", "+")  # lazy, or possessive
            continue
        closed = None
        if character == "\\":
            place += 2
        elif character == "[":
            place = _end_of_class(text, place)
        elif character == "(":
            open_groups.append(_Group())
            place += 1
            place += (
                1 if text[place : place + 1] == "?" else 0
            )  # the mark of a special group is no quantifier
        elif character == ")" and len(open_groups) > 1:
            closed = open_groups.pop()
            open_groups[-1].varies |= closed.varies
            open_groups[-1].repeated |= closed.repeated
            place += 1
        else:
            open_groups[-1].varies |= character == "|"
            place += 1
    return False


def _counts(quantifier: re.Match[str]) -> tuple[float, bool]:
    """How often at most, and whether the number varies."""
    mark = quantifier.group()
    if mark in "*+?":
        return (1 if mark == "?" else float("inf")), True
    least, comma, most = quantifier.groups()
    if not comma:
        return float(least or 1), False
    return (float(most) if most else float("inf")), most != least


def _end_of_class(text: str, place: int) -> int:
    """The place after a class of characters, in which a bracket may be first."""
    place += 1
    place += text[place : place + 1] == "^"
    place += text[place : place + 1] == "]"
    while place < len(text) and text[place] != "]":
        place += 2 if text[place] == "\\" else 1
    return place + 1


def matches_of(
    pattern: re.Pattern[str], text: str, *, seconds: float = SECONDS
) -> Iterator[re.Match[str]]:
    """Every match that holds a character; `PatternTooSlow` where they take longer than `seconds` of
    CPU time.

    Example:
        >>> [match.group() for match in matches_of(re.compile("[a-z]+"), "one two")]
        ['one', 'two']
    """
    with _clock(seconds):
        started = time.process_time()
        found = []
        for match in pattern.finditer(text):
            if time.process_time() - started > seconds:  # where there is no timer
                raise PatternTooSlow
            if match.end() > match.start():
                found.append(match)
    yield from found


@contextmanager
def _clock(seconds: float) -> Iterator[None]:
    """A timer of CPU time, which interrupts the matcher too; only the main thread of a Unix process
    can have one."""
    main = threading.current_thread() is threading.main_thread()
    if (
        not main
        or not hasattr(signal, "setitimer")
        or signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0
    ):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise PatternTooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
