"""Whether a text fits a field of some type: a label that is no number makes a field of numbers a
text."""

from __future__ import annotations

import math
import re
from datetime import date, datetime

from sfumato.engines import FieldKind

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def fits(kind: FieldKind | None, text: str) -> bool:
    """Whether `text` is of this kind; any text is of a kind that is no number, date or truth value.

    Example:
        >>> fits(FieldKind.INTEGER, "99"), fits(FieldKind.INTEGER, "other")
        (True, False)
        >>> fits(FieldKind.TEXT, "other"), fits(FieldKind.DATE, "1999")
        (True, False)
    """
    try:
        match kind:
            case FieldKind.INTEGER:
                return _WHOLE.fullmatch(text) is not None
            case FieldKind.REAL:
                return math.isfinite(float(text))
            case FieldKind.BOOLEAN:
                return text in ("true", "false")
            case FieldKind.DATE:
                return date.fromisoformat(text).isoformat() == text
            case FieldKind.TIMESTAMP:
                return bool(datetime.fromisoformat(text))
            case _:
                return True
    except ValueError:
        return False
