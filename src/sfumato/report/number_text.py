"""Numbers and lists as a reader who does not program expects them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sfumato.wording import counted as counted

from .markup import clean

_NBSP = "\u00a0"


def number(value: int | float) -> str:
    """A count with thousands separators; an average with one decimal.

    Example:
        >>> number(9812), number(27.64), number(5.0)
        ('9,812', '27.6', '5')
    """
    return f"{value:,.1f}".removesuffix(".0") if isinstance(value, float) else f"{value:,}"


def percent(share: float) -> str:
    """A share in per cent, never rounded to nothing or to everything.

    Example:
        >>> [percent(share).replace(chr(160), " ") for share in (0, 0.0002, 0.188, 0.99999, 1)]
        ['0 %', 'under 0.1 %', '18.8 %', 'over 99.9 %', '100 %']
    """
    if 0 < share < 0.001:
        return f"under{_NBSP}0.1{_NBSP}%"
    if 0.999 < share < 1:
        return f"over{_NBSP}99.9{_NBSP}%"
    return f"{share * 100:.1f}".removesuffix(".0") + f"{_NBSP}%"


def share_of(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def listed(names: Sequence[str], *, most: int = 0) -> str:
    """Names in a sentence, all or at `most` so many.

    Example:
        >>> listed(["age"]), listed(["age", "zip", "sex"]), listed(["age", "zip", "sex", "race"], most=2)
        ('age', 'age, zip and sex', 'age, zip and 2 more')
    """
    if 0 < most < len(names) - 1:
        names = [*names[:most], f"{number(len(names) - most)} more"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def one_in(size: float) -> str:
    """The chance to pick the right one of `size`.

    Example:
        >>> one_in(5), one_in(27.64), one_in(0)
        ('1 in 5', '1 in 27.6', 'none')
    """
    return f"1 in {number(float(size))}" if size else "none"


def one_line(text: str, *, limit: int = 60) -> str:
    """A name in a drawing: one line, and where it is long its middle cut out.

    Example:
        >>> one_line("length of stay in the ward", limit=16)
        'length of…e ward'
    """
    flat = " ".join(clean(text).split())
    end = (limit - 1) * 2 // 5
    return flat if len(flat) <= limit else f"{flat[: limit - 1 - end]}…{flat[-end:]}"


def risk_classes(edges: Sequence[float]) -> list[str]:
    """The names of the classes between some shares; the first and the last are open.

    Example:
        >>> [name.replace(chr(160), " ") for name in risk_classes((0, 0.01, 0.05, 0.5, 1))]
        ['up to 1 %', '1 to 5 %', '5 to 50 %', 'over 50 %']
    """
    middle = [
        f"{percent(low).removesuffix(_NBSP + '%')} to {percent(high)}"
        for low, high in pairwise(edges[1:-1])
    ]
    return [f"up to {percent(edges[1])}", *middle, f"over {percent(edges[-2])}"]
