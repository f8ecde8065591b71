"""Ages to "over 89" or five years, times of day to others; lengths of time keep their shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.keys import KeyedDraws

from ..detectors.spoken_numbers import WORD, number_of
from .numbers import quantity_surrogates

LAST_ORDINARY = 89
"""The last age that Safe Harbor allows (45 CFR 164.514)."""
_AGE = re.compile(
    r"(?P<years>\d{1,3})(?:(?:[ ,]*(?:and|&)?) ?\d{1,2}/\d{1,2}|[.,]\d{1,2}(?!\d)| ?[½¼¾]| "
    r"and a half|"
    r"(?P<unit>[- ]years?|[- ]?y(?:rs?)?\.?),?(?: and)? \d{1,2}[- ](?:months?|mos?\.?)(?!\w))?",
    re.IGNORECASE,
)
"""Years, and the finer units beside them: months, halves, days."""
_SPOKEN = re.compile(
    rf"(?i:(?<!\w)(?:(?:a|one) hundred(?:(?: and)? {WORD})?|{WORD}))",
)
_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-4])([:.hH])([0-5]\d)(?::?([0-5]\d))?(?!\d)", re.ASCII)
_HOUR = re.compile(
    r"(?<!\d)(1[0-2]|[1-9])(?=\s?[ap]\.?\s?m|\s?o['’]clock)", re.IGNORECASE | re.ASCII
)


def age_surrogate(value: str) -> str | None:
    """The age cut to five years, or to "over 89", also where it is in words; None where the number
    is unknown.

    Example:
        >>> age_surrogate("ninety-four-year-old"), age_surrogate("a hundred and one years old")
        ('over 89-year-old', 'over 89 years old')
        >>> age_surrogate("94-year-old"), age_surrogate("aged 37")
        ('over 89-year-old', 'aged 35 to 39')
        >>> age_surrogate("7 and 6/12 year old"), age_surrogate("7 years and 6 months old")
        ('5 to 9 year old', '5 to 9 years old')
    """
    found = _AGE.search(value)
    if found is None:
        return _in_words(value)
    age = int(found["years"])
    low = age // 5 * 5
    new = f"over {LAST_ORDINARY}" if age > LAST_ORDINARY else f"{low} to {low + 4}"
    return value[: found.start()] + new + (found["unit"] or "") + value[found.end() :]


def _in_words(value: str) -> str | None:
    found = _SPOKEN.search(value)
    age = None if found is None else number_of(found.group())
    if found is None or age is None:
        return None
    low = age // 5 * 5
    new = f"over {LAST_ORDINARY}" if age > LAST_ORDINARY else f"{low} to {low + 4}"
    return value[: found.start()] + new + value[found.end() :]


def time_surrogates(value: str, drawing: KeyedDraws) -> Iterator[str]:
    """Another time of the same half of the day, in the same form; other digits for a length of
    time."""
    if _CLOCK.search(value) is None and _HOUR.search(value) is None:
        yield from quantity_surrogates(value, drawing)
        return
    for number in drawing.numbers("time", value):
        out = _CLOCK.sub(lambda found, number=number: _other(found, number), value)  # type: ignore[misc]
        yield out if out != value else _HOUR.sub(str(1 + number % 12), value)


def _other(found: re.Match[str], number: int) -> str:
    number, hour = divmod(number, 12)
    number, minute = divmod(number, 60)
    hours = str(13 + hour % 11) if int(found[1]) > 12 else str(1 + hour % 12)
    hours = f"{hour:02d}" if found[1][0] == "0" else hours
    seconds = f":{number % 60:02d}" if found[4] else ""
    return f"{hours}{found[2]}{minute:02d}{seconds}"
