"""The holidays of a policy: days that a shift of dates keeps apart from others. A list of dates, or
a CSV file with a date at the start of each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from .table_cursor import Reader

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NEEDED = 'a list of dates, ["2024-12-25"], or a CSV file with a date at the start of each line.'


def read_holidays(reader: Reader, *, folder: Path) -> tuple[str, ...]:
    """The days of the key `holidays` as ISO dates in order; problems are reported."""
    given = reader.get("holidays")
    if given is None:
        return ()
    lines = list(_lines(reader, given, folder))
    days = {text for text in lines if _is_date(text)}
    if len(days) < len(set(lines)):
        wrong = len(set(lines)) - len(days)
        reader.report("holidays", f"{wrong} of its entries are no dates.", attempt=_NEEDED)
    elif not days:
        reader.report("holidays", "There is no day in it.", attempt=_NEEDED)
    return tuple(sorted(days))


def _lines(reader: Reader, given: object, folder: Path) -> Iterator[str]:
    if isinstance(given, str):
        try:
            text = (folder / given).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            reader.report("holidays", "The file cannot be read.", attempt=_NEEDED)
            return
        cells = (re.split(r"[,;\t]", line)[0].strip().strip('"') for line in text.splitlines())
        found = [cell for cell in cells if cell]
        headless = found[1:] if found and not any(map(str.isdigit, found[0])) else found
        yield from headless
    elif isinstance(given, list | tuple):
        yield from (each.isoformat() if isinstance(each, date) else str(each) for each in given)
    else:
        reader.report("holidays", "It is no list.", attempt=_NEEDED)


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text)) and date.fromisoformat(text) is not None
    except ValueError:
        return False
