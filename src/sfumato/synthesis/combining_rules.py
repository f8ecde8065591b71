"""Combining rules: one estimate and its error from an analysis of several synthetic copies.

Each copy has an estimate q and its variance u, as the analyst's own method gives them. With their
means q and v, the variance b between the copies, m copies of k rows each, and n rows of the source:

| kind of synthesis | total variance | reference |
| --- | --- | --- |
| some fields replaced | v + b / m | Reiter 2003 |
| population drawn anew | (1 + 1 / m) b - v | Raghunathan, Reiter and Rubin 2003 |
| sample replaced whole | v (k / n + 1 / m) | Raab, Nowok and Dibben 2016 |

The second may be negative; then v k / n replaces it (Reiter 2002), which is too large rather than
too small. None of them knows the noise of private synthesis."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sfumato.errors import MissingExtra, Mistake

REITER: Final = "Reiter 2003"
RAGHUNATHAN: Final = "Raghunathan, Reiter and Rubin 2003"
RAAB: Final = "Raab, Nowok and Dibben 2016"


@dataclass(frozen=True, kw_only=True)
class CombiningRule:
    """The manifest's facts about analyses of its copies: the rule by name, the number of copies,
    the rows of each, and the rows of the source."""

    name: str
    copies: int
    rows: int
    source_rows: int

    def __post_init__(self) -> None:
        if self.name not in RULES or min(self.copies, self.rows, self.source_rows) < 1:
            raise ValueError("a rule has a known name, and counts above 0")

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "copies": self.copies,
            "rows": self.rows,
            "source_rows": self.source_rows,
        }


@dataclass(frozen=True, kw_only=True)
class CombinedEstimate:
    """An estimate of all copies with its standard error, and the interval that covers the true
    value in `level` of all sources. `note` states what was done in place of the rule."""

    estimate: float
    error: float
    low: float
    high: float
    level: float
    degrees: float
    rule: str
    note: str = ""


def combined(
    rule: CombiningRule,
    estimates: Sequence[float],
    variances: Sequence[float],
    *,
    level: float = 0.95,
) -> CombinedEstimate:
    """Combine the estimates of all copies, each with its variance.

    Example:
        >>> rule = CombiningRule(name=REITER, copies=3, rows=100, source_rows=100)
        >>> found = combined(rule, [1.0, 1.2, 1.1], [0.04, 0.05, 0.06])
        >>> round(found.estimate, 2), round(found.error, 3), found.rule
        (1.1, 0.231, 'Reiter 2003')
    """
    q, u = np.array(estimates, float), np.array(variances, float)
    _check(rule, q, u, level)
    between = float(q.var(ddof=1)) if len(q) > 1 else 0.0
    total, degrees, note = RULES[rule.name](rule, between, float(u.mean()))
    error = math.sqrt(total)
    reach = _quantile(degrees, level) * error
    estimate = float(q.mean())
    return CombinedEstimate(
        estimate=estimate,
        error=error,
        low=estimate - reach,
        high=estimate + reach,
        level=level,
        degrees=degrees,
        rule=rule.name,
        note=note,
    )


def least_copies(name: str) -> int:
    """How many copies a rule needs: two, where it measures how copies differ."""
    return 1 if name == RAAB else 2


_Variance = tuple[float, float, str]


def _reiter(rule: CombiningRule, between: float, within: float) -> _Variance:
    part = between / rule.copies
    degrees = (rule.copies - 1) * (1 + within / part) ** 2 if part > 0 else math.inf
    return within + part, degrees, ""


def _raghunathan(rule: CombiningRule, between: float, within: float) -> _Variance:
    part = (1 + 1 / rule.copies) * between
    total = part - within
    if total <= 0:
        return (
            within * rule.rows / rule.source_rows,
            math.inf,
            "the variance of the rule was negative; the mean variance of a copy, for as many rows "
            "as the source has, is in its place (Reiter 2002): try more copies",
        )
    return total, max((rule.copies - 1) * (1 - within / part) ** 2, 1.0), ""


def _raab(rule: CombiningRule, between: float, within: float) -> _Variance:
    # `between` is not read: the rule takes its value from the model, so that one copy is enough.
    return within * (rule.rows / rule.source_rows + 1 / rule.copies), math.inf, ""


RULES: Final[dict[str, Callable[[CombiningRule, float, float], _Variance]]] = {
    REITER: _reiter,
    RAGHUNATHAN: _raghunathan,
    RAAB: _raab,
}


def _check(rule: CombiningRule, q: Any, u: Any, level: float) -> None:
    asked = f"Estimates of {len(q)} copies and variances of {len(u)} were given."
    if not len(q) == len(u) == rule.copies or q.ndim != 1 or u.ndim != 1:
        raise Mistake(
            asked,
            found=f"The release has {rule.copies}.",
            attempt="one estimate and one variance of each copy, in the same order.",
        )
    if not (np.isfinite(q).all() and np.isfinite(u).all() and (u >= 0).all()):
        raise Mistake(
            asked,
            found="An estimate is not finite, or a variance is negative or not finite.",
            attempt="squared standard errors, and no copy whose analysis failed.",
        )
    if not 0 < level < 1:
        raise Mistake("A level outside of 0 to 1 was asked for.", attempt="level=0.95.")
    if rule.copies < least_copies(rule.name):
        raise Mistake(
            f"The rule of {rule.name} was asked for.",
            found="It measures how copies differ, and the release has one.",
            attempt="copies = 5 in the policy.",
        )


def _quantile(degrees: float, level: float) -> float:
    """The quantile of Student's t, or of the normal distribution for infinite degrees."""
    try:
        from scipy import special
    except ImportError:
        raise MissingExtra("Combining rules", extra="synthesis") from None
    upper = (1 + level) / 2
    found = special.ndtri(upper) if math.isinf(degrees) else special.stdtrit(degrees, upper)
    return float(found)
