"""Names of fields: which can be used, which are missing or repeated, and what they are called
instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sfumato.errors import SourceError
from sfumato.wording import counted

from .limits import FIELDS, NAME

_NUMBER_OR_DATE = re.compile(r"(?=.*\d)[\d+\-.,:/eE $%]+")
_SHORTENED = 200


def is_data(name: str) -> bool:
    """Whether a cell of the first line looks like a cell of a row.

    Example:
        >>> [is_data(name) for name in ("2019", "1970-01-02", "age", "")]
        [True, True, False, False]
    """
    return _NUMBER_OR_DATE.fullmatch(name.strip()) is not None


def numbered_names(count: int) -> list[str]:
    """Names for the fields of a file without a header.

    Example:
        >>> numbered_names(2)
        ['column_1', 'column_2']
    """
    return [f"column_{place}" for place in range(1, count + 1)]


def mend_names(names: Sequence[str]) -> list[str]:
    """Names of which none is missing, too long, or like another: upper and lower case are one.

    Example:
        >>> mend_names(["", "score", "age", "Score"])
        ['column_1', 'score', 'age', 'Score.1']
    """
    taken = {name.casefold() for name in names}
    used: set[str] = set()
    out: list[str] = []
    for place, name in enumerate(names, start=1):
        plain = name[:_SHORTENED] if len(name) > NAME else name
        new = plain if plain.strip() else f"column_{place}"
        number = 0
        while new.casefold() in used or (new != name and new.casefold() in taken):
            number += 1
            new = f"{plain if plain.strip() else f'column_{place}'}.{number}"
        used.add(new.casefold())
        out.append(new)
    return out


def renamed_note(first: Sequence[str], names: Sequence[str], *, told: bool) -> str:
    """Which names of a header were changed, in a sentence; empty where none was. Where a name may
    be a cell, `told` is false, and only their number is reported.

    Example:
        >>> renamed_note(["age", "age"], ["age", "age.1"], told=True)
        '1 name of a field was missing, repeated or too long, and changed: age.1.'
    """
    new = [name for old, name in zip(first, names, strict=True) if old != name]
    if not new:
        return ""
    changed = counted(len(new), "name of a field was", "names of fields were")
    which = f": {_shortened(', '.join(new))}" if told else ""
    return f"{changed} missing, repeated or too long, and changed{which}."


class ClashingNames(SourceError):
    """Names of a header that are missing, too long or repeated, and that could be changed."""


def check_names(title: str, names: Sequence[str], *, told: bool = True, attempt: str = "") -> None:
    """Every field has a name, and no two names are one: most engines do not distinguish upper and
    lower case.

    All faults are reported at once. Where a name may be a cell, `told` is false, and only its place
    is reported. `attempt` is an option that changes the names."""
    if len(names) > FIELDS:
        raise SourceError(f"{title} has {len(names):,} fields; at most {FIELDS:,} are read.")
    wrong = [*_blank(names), *_long(names), *_repeated(names, told=told)]
    if not wrong:
        return
    shown = ", ".join(
        new for old, new in zip(names, mend_names(names), strict=True) if old != new and told
    )
    option = f"{attempt}, which calls them {_shortened(shown)}" if shown else attempt
    kind = (
        ClashingNames if attempt and told else SourceError
    )  # A cell is nobody's name for a field.
    raise kind(
        f"{title} needs one name for each field.",
        found=" ".join(wrong),
        attempt=f"{option}, or other names in the header." if attempt else "renaming them.",
    )


def _shortened(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]} …"


def _columns(places: Sequence[str]) -> str:
    return f"{'Column' if len(places) == 1 else 'Columns'} {', '.join(places)}"


def _blank(names: Sequence[str]) -> list[str]:
    blank = [str(place) for place, name in enumerate(names, start=1) if not name.strip()]
    return [f"{_columns(blank)} {'has' if len(blank) == 1 else 'have'} no name."] if blank else []


def _long(names: Sequence[str]) -> list[str]:
    long = [str(place) for place, name in enumerate(names, start=1) if len(name) > NAME]
    return [f"{_columns(long)}: a name exceeds {NAME} characters, the limit."] if long else []


def _repeated(names: Sequence[str], *, told: bool) -> list[str]:
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, start=1):
        if name.strip():
            places.setdefault(name.casefold(), []).append(place)
    out = []
    for found in places.values():
        if len(found) > 1:
            spellings = {names[place - 1] for place in found}
            first = names[found[0] - 1]
            who = repr(first) if told and len(first) <= NAME else "One name"
            case = "" if len(spellings) == 1 else " (upper and lower case are one)"
            out.append(f"{who} is the name of columns {' and '.join(map(str, found))}{case}.")
    return out
