"""What each value becomes at each level, from the definition of each hierarchy. Imports nothing of
Sfumato."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .cells import Cell

Ladder = tuple[Cell, ...]
TOP = "*"

DIVISIONS = {
    "ma": ("New England", "Northeast"), "maine": ("New England", "Northeast"), "ny": ("Middle Atlantic", "Northeast"),
    "texas": ("West South Central", "South"), "ca": ("Pacific", "West"), "wa": ("Pacific", "West"),
    "ohio": ("East North Central", "Midwest"), "fl": ("South Atlantic", "South"), "ga": ("South Atlantic", "South"),
}  # fmt: skip
CATEGORIES = {
    "J45": ("J40-J4A", "J00-J99"), "J20": ("J20-J22", "J00-J99"), "I10": ("I10-I1A", "I00-I99"),
    "I21": ("I20-I25", "I00-I99"), "E11": ("E08-E13", "E00-E89"), "E66": ("E65-E68", "E00-E89"),
}  # fmt: skip


def ladders(spec: Any, values: Sequence[Cell]) -> dict[Cell, Ladder] | None:
    """For each value what it becomes, level by level; None where the definition leaves the labels
    open (quantiles)."""
    if spec is None:
        spec = {"suppress": True}
    if "numbers" in spec and "quantiles" in spec["numbers"]:
        return None
    build = next(builder for key, builder in BUILDERS.items() if key in spec)
    rise = build(spec, [value for value in values if value is not None])
    top = _top(spec)
    out: dict[Cell, Ladder] = {}
    for value in values:
        if value is not None:
            out[value] = (value, *rise(value), top)
    if None in values:
        height = len(rise_height(spec)) if not out else len(next(iter(out.values()))) - 2
        out[None] = (None, *([None] * height), top)
    if "rows" in spec and None in values:
        out[None] = (None, *spec["rows"][None]) if None in spec["rows"] else out[None]
    return out


def rise_height(spec: Any) -> list[object]:
    """As many entries as there are levels between the value and the top."""
    inner = spec.get("numbers", {})
    given = (
        spec.get("prefix") or spec.get("dates") or inner.get("widths") or spec.get("widths") or []
    )
    if isinstance(given, dict):
        given = given["keep"]
    if "ranges" in inner:
        given = [0, *inner.get("groups", [])]
    if "icd" in spec:
        given = [0, 0, 0]
    if "us_states" in spec:
        given = [0, 0]
    if "tree" in spec:
        given = [0] * (_depth(spec["tree"]) - 1)
    if "rows" in spec:
        given = next(iter(spec["rows"].values()))[:-1]
    return list(given)


def _top(spec: Any) -> str:
    if "rows" in spec:
        return str(next(iter(spec["rows"].values()))[-1])
    if isinstance(spec.get("suppress"), str):
        return str(spec["suppress"])
    return str(spec.get("top", TOP))


def _suppress(spec: Any, values: Sequence[str]) -> Any:
    return lambda value: ()


def _prefix(spec: Any, values: Sequence[str]) -> Any:
    given = spec["prefix"] if isinstance(spec["prefix"], dict) else {"keep": spec["prefix"]}
    fill, length = given.get("fill", "*"), given.get("length")

    def rise(value: str) -> tuple[str, ...]:
        code = value.rjust(length, "0")[:length] if length else value
        return tuple(code[:keep] + fill * max(len(code) - keep, 0) for keep in given["keep"])

    return rise


def _dates(spec: Any, values: Sequence[str]) -> Any:
    def rise(value: str) -> tuple[str, ...]:
        year, month = int(value[:4]), int(value[5:7])
        return tuple(_window(step, year, month, value) for step in spec["dates"])

    return rise


def _window(step: str, year: int, month: int, value: str) -> str:
    named = {
        "day": value[:10],
        "month": f"{year:04d}-{month:02d}",
        "quarter": f"{year:04d}-Q{(month + 2) // 3}",
    }
    if step in named:
        return named[step]
    size = 1 if step == "year" else int(step.split()[0])
    first = year // size * size
    return f"{year:04d}" if size == 1 else f"{first:04d}-{first + size - 1:04d}"


def _number(value: Fraction) -> str:
    """A number as labels write it: digits, and decimal places only where there are some."""
    if value.denominator == 1:
        return str(value.numerator)
    places = next(n for n in range(1, 40) if (value * 10**n).denominator == 1)
    digits = str(abs(value) * 10**places).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + f"{digits[:-places]}.{digits[-places:]}"


def _numbers(spec: Any, values: Sequence[str]) -> Any:
    given = spec["numbers"]
    if "ranges" in given:
        return _named_ranges(given)
    whole = all(Fraction(value).denominator == 1 for value in values)
    origin = Fraction(str(given.get("origin", 0)))
    low = None if "bottom" not in given else Fraction(str(given["bottom"]))
    high = None if "top" not in given else Fraction(str(given["top"]))

    def label(value: Fraction, width: Fraction) -> str:
        if low is not None and value < low:
            return f"<{_number(low)}"
        if high is not None and value >= high:
            return f"≥{_number(high)}"
        start = origin + math.floor((value - origin) / width) * width
        end = start + width
        start, end = (
            (start if low is None else max(start, low)),
            (end if high is None else min(end, high)),
        )
        if whole and width.denominator == 1:
            dash = ".." if start < 0 else "-"
            return (
                _number(start) if end - start == 1 else f"{_number(start)}{dash}{_number(end - 1)}"
            )
        return f"[{_number(start)}, {_number(end)})"

    return lambda value: tuple(
        label(Fraction(value), Fraction(str(width))) for width in given["widths"]
    )


def _named_ranges(given: Any) -> Any:
    def rise(value: str) -> tuple[str, ...]:
        number = Fraction(value)
        name = next(
            r["name"]
            for r in given["ranges"]
            if "below" not in r or number < Fraction(str(r["below"]))
        )
        out = [str(name)]
        for groups in given.get("groups", ()):
            out.append(next(group for group, names in groups.items() if out[-1] in names))
        return tuple(out)

    return rise


def _states(spec: Any, values: Sequence[str]) -> Any:
    return lambda value: DIVISIONS[value.lower()]


def _diagnoses(spec: Any, values: Sequence[str]) -> Any:
    return lambda value: (value[:3].upper(), *CATEGORIES[value[:3].upper()])


def _depth(tree: Any) -> int:
    return 1 + (
        max((_depth(sub) for sub in tree.values()), default=0) if isinstance(tree, dict) else 0
    )


def _tree(spec: Any, values: Sequence[str]) -> Any:
    paths: dict[str, tuple[str, ...]] = {}

    def walk(tree: Any, above: tuple[str, ...]) -> None:
        for name, inner in tree.items():
            if isinstance(inner, dict):
                walk(inner, (name, *above))
            elif inner:
                paths.update({value: (name, *above) for value in inner})
            else:
                paths[name] = above

    walk(spec["tree"], ())
    height = _depth(spec["tree"]) - 1
    return lambda value: paths[value] + (paths[value][-1],) * (height - len(paths[value]))


def _ordered(spec: Any, values: Sequence[str]) -> Any:
    order = spec["ordered"]

    def rise(value: str) -> tuple[str, ...]:
        groups = [order[order.index(value) // width * width :][:width] for width in spec["widths"]]
        return tuple(
            group[0] if len(group) == 1 else f"{group[0]}..{group[-1]}" for group in groups
        )

    return rise


def _rows(spec: Any, values: Sequence[str]) -> Any:
    return lambda value: spec["rows"][value][:-1]


BUILDERS = {
    "prefix": _prefix,
    "dates": _dates,
    "numbers": _numbers,
    "us_states": _states,
    "icd": _diagnoses,
    "tree": _tree,
    "ordered": _ordered,
    "rows": _rows,
    "suppress": _suppress,
}
