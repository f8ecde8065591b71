"""The labels that HIPAA's Safe Harbor allows, kind by kind: 45 CFR 164.514(b)(2)(i) (B) and (C).

An unrecognised label is not allowed. Null and a suppressed cell always are. A label is read as a
person would read it: "1965-1969", "[80, 90)", "≥90", "90+", "<18", "before 1936", "021**"."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import SUPPRESSED, Label

OLDEST = 89
"""The highest age that may be released by itself."""

RESTRICTED = frozenset(
    "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()
)
"""Three-digit ZIP areas with 20,000 people or fewer in the census of 2000, which must read 000."""

_ZIP = re.compile(r"(\d{0,3})[*xX#_]*")
_NUMBER = r"(\d{1,4}(?:\.\d+)?)"
_ALONE = re.compile(_NUMBER)
_FROM_TO = re.compile(rf"{_NUMBER}\s*(?:-|–|\.\.|to)\s*{_NUMBER}")
_UP_TO = re.compile(rf"\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*([)\]])")
_AND_OVER = re.compile(
    rf"(?:(≥|>=|>|over )\s*{_NUMBER}|{_NUMBER}\s*(?:\+| ?(?:and|or) (?:over|older|later|more)))"
)
_AND_UNDER = re.compile(
    rf"(?:(≤|<=|<|under |before )\s*{_NUMBER}|{_NUMBER} (?:and|or) (?:under|younger|earlier|less))"
)
_DECADE = re.compile(r"(\d{3}0)s")
_TELLING = re.compile(
    r"\d{4}-\d{2}(?:-\d{2}.*)?|\d{4}-Q[1-4]|\d{4}-\d{2}\.\.\d{4}-\d{2}"  # dates and parts of a year
    r"|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
    r"|\d{3}-\d{2}-\d{4}"  # social security numbers
    r"|\+?1?[ .(-]*\d{3}[ .)-]+\d{3}[ .-]\d{4}"  # telephone and fax
    r"|\S+@\S+\.\S+|(?:https?|ftp)://\S+|www\.\S+|\d{1,3}(?:\.\d{1,3}){3}|\d{5}-\d{4}"
)


class SafeHarborKind(StrEnum):
    """The content of a field, as far as Safe Harbor treats it apart."""

    ZIP = "zip"
    DATE = "date"
    BIRTH = "birth"
    AGE = "age"
    UNDECLARED = "undeclared"


@lru_cache(maxsize=1024)
def forbidden(
    labels: tuple[Label, ...], part: SafeHarborKind, as_of: int | None
) -> NDArray[np.bool_]:
    """Mark the labels of a field that must not be released; cached, because a search repeats
    them."""
    out = np.array([not may_stay(label, part, as_of=as_of) for label in labels], bool)
    out.flags.writeable = False
    return out


def may_stay(label: Label, part: SafeHarborKind, *, as_of: int | None = None) -> bool:
    """Whether Safe Harbor allows a label. `as_of` is the year in which ages are counted.

    Example:
        >>> [may_stay(label, SafeHarborKind.ZIP) for label in ("021**", "0213*", "036**", "000**", "*")]
        [True, False, False, True, True]
        >>> [may_stay(label, SafeHarborKind.AGE) for label in ("89", "90", "80-89", "85-94", "≥85", "90+")]
        [True, False, True, False, True, True]
        >>> [may_stay(label, SafeHarborKind.BIRTH, as_of=2026) for label in ("1965", "1965-09", "1930", "before 1937")]
        [True, False, False, True]
    """
    if label is None or label.strip() in ("", SUPPRESSED):
        return True
    text = label.strip()
    if part is SafeHarborKind.ZIP:
        found = _ZIP.fullmatch(text)
        return found is not None and found[1] not in RESTRICTED
    if part is SafeHarborKind.UNDECLARED:
        return _TELLING.fullmatch(text) is None
    span = _span(text)
    if span is None:
        return False
    low, high = span
    if part is SafeHarborKind.AGE:
        return low <= OLDEST + 1 if high == np.inf else high <= OLDEST
    years = all(
        bound in (-np.inf, np.inf) or (bound == int(bound) and bound >= 1000) for bound in span
    )
    if part is SafeHarborKind.DATE or not years:
        return years
    return as_of is not None and (low == -np.inf or low >= as_of - OLDEST)


def _span(text: str) -> tuple[float, float] | None:
    """The lowest and highest number of a label, whole numbers assumed; None where it is no
    range."""
    if found := _ALONE.fullmatch(text):
        return float(found[1]), float(found[1])
    if found := _FROM_TO.fullmatch(text):
        return float(found[1]), float(found[2])
    if found := _UP_TO.fullmatch(text):
        return float(found[1]), float(found[2]) - (found[3] == ")")
    if found := _DECADE.fullmatch(text):
        return float(found[1]), float(found[1]) + 9
    if found := _AND_OVER.fullmatch(text):
        return float(found[2] or found[3]) + (found[1] in (">", "over ")), np.inf
    if found := _AND_UNDER.fullmatch(text):
        return -np.inf, float(found[2] or found[3]) - (found[1] in ("<", "under ", "before "))
    return None
