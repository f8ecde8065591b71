"""How files were read, in sentences for a person: their encoding, their separator, and what to look
at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .csv_dialect import WORDS


def reading_sentences(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """One sentence for each way in which files were read, and those about which there is something
    to know.

    `facts` are those of a snapshot.

    Example:
        >>> reading_sentences({"read": [{"encoding": "latin-1", "separator": ";", "header": True}]})
        ('Read as latin-1, separated by semicolons.',)
    """
    read: Sequence[Mapping[str, Any]] = facts.get("read", ())
    ways: dict[str, list[str]] = {}
    for one in read:
        if "sheet" in one or "separator" in one:
            ways.setdefault(_way(one), []).append(str(one.get("table", "")))
    out = [_of(tables, sentence) for sentence, tables in ways.items()]
    for one in read:
        of = f"{one['table']}: " if one.get("table") else ""
        out.extend(f"{of}{note}" for note in one.get("notes", ()))
    return tuple(out)


def _way(one: Mapping[str, Any]) -> str:
    if "sheet" in one:
        return f"Read from sheet {one['sheet']!r}."
    separator = str(one["separator"])
    mark = f"{WORDS[separator]}s" if separator in WORDS else repr(separator)
    header = "" if one.get("header", True) else ", without a header"
    return f"Read as {one['encoding']}, separated by {mark}{header}."


def _of(tables: Sequence[str], sentence: str) -> str:
    return f"{', '.join(tables)}: {sentence}" if any(tables) else sentence
