"""Whether a text can stand in a field of some type: a label that is no number makes a field of numbers a text."""

from __future__ import annotations

import math
import re
from datetime import date, datetime

from sfumato.engines import Kind

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def fits(kind: Kind | None, text: str) -> bool:
    """Whether `text` is of this kind; any text is of a kind that is no number, date or truth value.

    Example:
        >>> fits(Kind.INTEGER, "99"), fits(Kind.INTEGER, "other"), fits(Kind.TEXT, "other"), fits(Kind.DATE, "1999")
        (True, False, True, False)
    """
    try:
        match kind:
            case Kind.INTEGER:
                return _WHOLE.fullmatch(text) is not None
            case Kind.REAL:
                return math.isfinite(float(text))
            case Kind.BOOLEAN:
                return text in ("true", "false")
            case Kind.DATE:
                return date.fromisoformat(text).isoformat() == text
            case Kind.TIMESTAMP:
                return bool(datetime.fromisoformat(text))
            case _:
                return True
    except ValueError:
        return False
