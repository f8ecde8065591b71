"""Recognition of the format of dates in text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime

from .evidence import GLANCE, Evidence

ISO = ""
FIRST_YEAR, LAST_YEAR = 1850, 2150

_DAY, _YEAR = r"\d{1,2}", r"\d{4}"
_TIME = r"( \d{1,2}:\d{2}(:\d{2})?)"
# The outline first, because strptime is slow. Where two formats fit all values, the earlier one is
# proposed.
FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (ISO, re.compile(r"\d{4}-\d{2}(-\d{2}([ T]\d{2}:\d{2}.*)?)?")),
    ("%m/%d/%Y", re.compile(rf"{_DAY}/{_DAY}/{_YEAR}")),
    ("%d/%m/%Y", re.compile(rf"{_DAY}/{_DAY}/{_YEAR}")),
    ("%d.%m.%Y", re.compile(rf"{_DAY}\.{_DAY}\.{_YEAR}")),
    ("%d-%m-%Y", re.compile(rf"{_DAY}-{_DAY}-{_YEAR}")),
    ("%m-%d-%Y", re.compile(rf"{_DAY}-{_DAY}-{_YEAR}")),
    ("%Y/%m/%d", re.compile(rf"{_YEAR}/{_DAY}/{_DAY}")),
    ("%Y-%m-%d", re.compile(rf"{_YEAR}-{_DAY}-{_DAY}")),
    ("%Y%m%d", re.compile(r"(18|19|20|21)\d{6}")),
    ("%d-%b-%Y", re.compile(rf"{_DAY}-[A-Za-z]{{3}}-{_YEAR}")),
    ("%d %b %Y", re.compile(rf"{_DAY} [A-Za-z]{{3}} {_YEAR}")),
    ("%d %B %Y", re.compile(rf"{_DAY} [A-Za-z]{{3,9}} {_YEAR}")),
    ("%b %d, %Y", re.compile(rf"[A-Za-z]{{3}} {_DAY}, {_YEAR}")),
    ("%B %d, %Y", re.compile(rf"[A-Za-z]{{3,9}} {_DAY}, {_YEAR}")),
    ("%m/%d/%Y %H:%M", re.compile(rf"{_DAY}/{_DAY}/{_YEAR} \d{{1,2}}:\d{{2}}")),
    ("%d/%m/%Y %H:%M", re.compile(rf"{_DAY}/{_DAY}/{_YEAR} \d{{1,2}}:\d{{2}}")),
    ("%m/%d/%Y %H:%M:%S", re.compile(rf"{_DAY}/{_DAY}/{_YEAR} \d{{1,2}}:\d{{2}}:\d{{2}}")),
    ("%d.%m.%Y %H:%M", re.compile(rf"{_DAY}\.{_DAY}\.{_YEAR} \d{{1,2}}:\d{{2}}")),
    ("%m/%Y", re.compile(rf"{_DAY}/{_YEAR}")),
    ("%m/%d/%y", re.compile(rf"{_DAY}/{_DAY}/\d{{2}}")),
    ("%d/%m/%y", re.compile(rf"{_DAY}/{_DAY}/\d{{2}}")),
    ("%d.%m.%y", re.compile(rf"{_DAY}\.{_DAY}\.\d{{2}}")),
    ("%d-%b-%y", re.compile(rf"{_DAY}-[A-Za-z]{{3}}-\d{{2}}")),
)


def writes(text: str, form: str, outline: re.Pattern[str]) -> bool:
    """Whether a text is a plausible date in one format.

    Example:
        >>> form, outline = FORMATS[1]
        >>> form, writes("9/20/1965", form, outline), writes("20/9/1965", form, outline)
        ('%m/%d/%Y', True, False)
    """
    if outline.fullmatch(text) is None:
        return False
    try:
        if form == ISO:
            found = datetime.fromisoformat(text if len(text) > 7 else f"{text}-01")
        else:
            found = datetime.strptime(text, form)
    except ValueError:
        return False
    return FIRST_YEAR <= found.year <= LAST_YEAR


def formats_that_fit(evidence: Evidence, *, needed: float = 0.9) -> tuple[tuple[str, float], ...]:
    """The formats that at least `needed` of the sampled values fit, each with its share, the best
    first."""
    found: list[tuple[str, float]] = []
    for form, outline in FORMATS:
        share = evidence.share(lambda text, f=form, o=outline: writes(text, f, o))  # type: ignore[misc]
        if share >= needed:
            found.append((form, share))
    return tuple(sorted(found, key=lambda pair: -pair[1]))


def format_of(values: Sequence[str]) -> str:
    """The format in which nearly all of some values write dates; empty for ISO, and for none.

    Example:
        >>> format_of(["1/20/1965", "12/3/1970"]), format_of(["1965-09-20"]), format_of(["7"])
        ('%m/%d/%Y', '', '')
    """
    glanced = [value.strip() for value in values[:GLANCE]]
    if not glanced or all(value.replace(".", "", 1).isdigit() for value in glanced[:3]):
        return ISO
    for form, outline in FORMATS:
        if sum(writes(value, form, outline) for value in glanced) >= 0.9 * len(glanced):
            return form
    return ISO


def read_as(form: str) -> str:
    """A format in the words that people use.

    Example:
        >>> read_as("%m/%d/%Y"), read_as("")
        ('MM/DD/YYYY', 'YYYY-MM-DD')
    """
    letters = {
        "%Y": "YYYY",
        "%y": "YY",
        "%m": "MM",
        "%d": "DD",
        "%b": "Mon",
        "%B": "Month",
        "%H": "HH",
        "%M": "MM",
        "%S": "SS",
    }
    for directive, shown in letters.items():
        form = form.replace(directive, shown)
    return form or "YYYY-MM-DD"


def last_year_for(form: str, *, today: date | None = None) -> dict[str, int]:
    """The latest year that a two-digit year can mean, which its format does not determine."""
    return {"last_year": (today or date.today()).year} if "%y" in form else {}


def ambiguous(forms: Sequence[str]) -> bool:
    """Whether days and months cannot be distinguished.

    Example:
        >>> ambiguous(["%m/%d/%Y", "%d/%m/%Y"]), ambiguous(["%Y-%m-%d", ""])
        (True, False)
    """
    orders = {
        form.index("%m") < form.index("%d") for form in forms if "%m" in form and "%d" in form
    }
    return len(orders) > 1
