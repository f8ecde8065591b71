"""Noise: random amounts added to numbers, or random factors (Kim 1986; Brand 2002; Garfinkel 2016,
4.3.2 "noise infusion").

Uncorrelated: each field gets normal noise of its own. Correlated: noise with the fields' own
correlations, then Kim's linear transformation, so that means, variances and correlations are those
of the source on average. Multiplicative: a log-normal factor with mean 1 for each cell. Results are
written with the digits that the field had, so that whole numbers stay whole. Departures: a field
with too few numbers to have a spread is left empty, not released as it is; correlations are those
of the rows that have all the fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.parts import parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration, Wants

from .cells import Cells, Reals
from .grid import on_grid
from .keyed_random import KeyedRandom
from .stated_numbers import deviation, drawn_anew, left_empty, two_digits
from .step_result import StepContext, StepResult

FEWEST = 3
"""The fewest numbers whose spread does not disclose one of them."""

_MOSTLY = 0.5
_SQUARED = 1e150
_LEFT = 0.6
_WORDS = {
    "uncorrelated": "a normal random amount was added: means are the same on average, variances are larger "
    "by the "
    "variance of the noise, which the manifest states",
    "correlated": "normal random amounts were added that are correlated as the fields are, and the "
    "result was drawn "
    "towards the mean, so that means, variances and correlations are the same on average; "
    "how far the mean of some of "
    "the rows is from the mean of all is to be divided by {factor:.4f}",
    "multiplicative": "multiplied by a log-normal random factor with mean 1 and variance {variance:.4g}: "
    "means are the "
    "same on average, 0 and signs are kept",
}
_CONSTANT = "not changed: all its numbers are equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveNoise:
    """How large the noise is, and to what it is added."""

    share: float = parameter("its deviation, as a share of the field's", default=0.1, above=0)
    method: str = parameter(
        "to each field by itself, keeping the fields' correlations, or in proportion to the value",
        default="uncorrelated",
        words=("uncorrelated", "correlated", "multiplicative"),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Noised:
    """Numbers with noise, one column per field, the deviation of the noise in each cell, and the
    numbers that correct results."""

    numbers: Reals
    deviations: Reals
    facts: Mapping[str, object]


def noised(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Each number with a random amount; its deviation is `share` of the field's, or of the number
    if multiplicative."""
    share, method, fields = step.number("share"), step.word("method"), step.fields
    table = np.stack([cells.numbers(name) for name in fields], axis=1)
    units = np.array([10.0 ** -cells.decimals(name) for name in fields])
    spreads = np.array([_spread(column[~np.isnan(column)]) for column in table.T])
    chance = around.chance.bound_to(*table.T, purpose=step)
    with np.errstate(over="ignore"):  # what is too large is cut off when it is written
        made = _METHODS[method](table, spreads, units, share, chance)
    factor, variance = 1 / math.sqrt(1 + share**2), share**2
    words: dict[str, str] = {}
    warnings = [drawn_anew(fields)] if made.deviations.any() else []
    warnings += _filtered(table, spreads, share, fields) if method == "uncorrelated" else []
    for at, name in enumerate(fields):
        before, after = table[:, at], made.numbers[:, at].copy()
        there = ~np.isnan(before)
        words[name] = _WORDS[method].format(factor=factor, variance=variance)
        if 0 < there.sum() < FEWEST and method != "multiplicative":
            after[:] = np.nan
            words[name] = "left empty"
            warnings.append(
                left_empty(
                    name, int(there.sum()), "too few numbers have no spread to measure noise by"
                )
            )
        elif not there.any():
            words[name] = "no number to change"
        elif not made.deviations[there, at].any():
            words[name] = _CONSTANT
            warnings.append(f"No noise was added to {name}: all its numbers are equal.")
        else:
            warnings += _limits(
                name, before[there], after[there], made.deviations[there, at], units[at]
            )
        cells = cells.with_numbers(name, after)
    facts = {"method": method, "share": share, **_by_field(made.facts, fields)}
    return StepResult(cells=cells, words=words, facts=facts, warnings=tuple(warnings))


def _uncorrelated(
    table: Reals, spreads: Reals, units: Reals, share: float, chance: KeyedRandom
) -> _Noised:
    # The deviation is used as it is told, with two digits, so that it corrects exactly and tells
    # little.
    deviations = np.array([two_digits(share * spread) for spread in spreads])
    noise = np.stack([chance.normal(len(table)) * one for one in deviations], axis=1)
    variances = [_variance_told(one, unit) for one, unit in zip(deviations, units, strict=True)]
    spread_out = np.broadcast_to(deviations, table.shape)
    return _Noised(
        numbers=table + noise, deviations=spread_out, facts={"noise_variance": variances}
    )


def _correlated(
    table: Reals, spreads: Reals, units: Reals, share: float, chance: KeyedRandom
) -> _Noised:
    """y = x + e with the covariance of e share² times that of x; then z = m + c (y - m), c = 1 /
    sqrt(1 + share²)."""
    lengths, directions = np.linalg.eigh(correlations(table))
    root = directions * np.sqrt(np.maximum(lengths, 0.0))
    drawn = np.stack([chance.normal(len(table)) for _ in spreads], axis=1)
    noise = drawn @ root.T * (share * spreads)
    means = np.array(
        [
            column[~np.isnan(column)].mean() if (~np.isnan(column)).any() else 0.0
            for column in table.T
        ]
    )
    factor = 1 / math.sqrt(1 + share**2)
    told = {"shrunk_by": factor, "noise_share_of_variance": share**2 / (1 + share**2)}
    spread_out = np.broadcast_to(factor * share * spreads, table.shape)
    return _Noised(
        numbers=means + factor * (table - means + noise), deviations=spread_out, facts=told
    )


def _multiplicative(
    table: Reals, spreads: Reals, units: Reals, share: float, chance: KeyedRandom
) -> _Noised:
    """y = x f; log f is normal with mean -s²/2 and deviation s: f has mean 1 and variance exp(s²) -
    1 = share²."""
    sigma = math.sqrt(math.log1p(share**2))
    drawn = np.stack([chance.normal(len(table)) for _ in spreads], axis=1)
    factors = np.exp(sigma * drawn - sigma**2 / 2)
    return _Noised(
        numbers=table * factors,
        deviations=np.abs(table) * share,
        facts={"factor_variance": share**2},
    )


_METHODS = {
    "uncorrelated": _uncorrelated,
    "correlated": _correlated,
    "multiplicative": _multiplicative,
}


def _spread(values: Reals) -> float:
    return deviation(values) if len(values) >= FEWEST else 0.0


def _variance_told(stated: float, unit: float) -> float | None:
    """The variance of noise of a stated deviation after it was written in units of the last digit;
    None where it is more than a float can hold.

    Example:
        >>> _variance_told(10.0, 1.0), _variance_told(10.0, 1e-3), _variance_told(1e200, 1.0)
        (100.083, 100.0, None)
    """
    return float(f"{variance_on_grid(stated, unit):.6g}") if stated < _SQUARED else None


def _by_field(facts: Mapping[str, object], fields: Sequence[str]) -> dict[str, object]:
    return {
        key: dict(zip(fields, value, strict=True)) if isinstance(value, list) else value
        for key, value in facts.items()
    }


def _filtered(table: Reals, spreads: Reals, share: float, fields: Sequence[str]) -> list[str]:
    """Whether a regression of each field on all of them removes noise (for two equal fields, half
    of it)."""
    left = filtered(correlations(table), np.where(spreads > 0, share, 0.0))
    return [
        f"Over two fifths of the noise's variance in {name} can be taken off again with "
        "the help of the step's other "
        'fields, which are correlated with it. Try method = "correlated", whose noise cannot.'
        for name, one in zip(fields, left, strict=True)
        if one < _LEFT
    ]


def _limits(name: str, before: Reals, after: Reals, deviations: Reals, unit: float) -> list[str]:
    """Warnings about numbers that noise of this size does not hide. No number of rows is disclosed:
    it would reveal that somebody can be found."""
    out = []
    if recovered(float(np.median(deviations[deviations > 0])), heaped(before, unit)) >= _MOSTLY:
        out.append(
            f"Most numbers of {name} are multiples of a step that is larger than the noise: "
            "rounding removes it. Try a larger share, or rounding."
        )
    if still_alone(before, deviations):
        out.append(
            f"Some numbers of {name} are so far from all others that the noise does not hide "
            "them. Try top_bottom or outliers before noise."
        )
    if before.min() >= 0 and after.min() < 0:
        out.append(
            f'Some numbers of {name} are below 0 and none was: method = "multiplicative" '
            "keeps signs."
        )
    return out


DECLARATION = TechniqueDeclaration(
    key="noise",
    doc="random amounts are added",
    title="additive noise",
    record=AdditiveNoise,
    apply=noised,
    wants=Wants.NUMBERS,
    trials=(
        {"share": 0.05},
        {"share": 0.1},
        {"share": 0.3},
        {"share": 0.1, "method": "multiplicative"},
    ),
)


# What noise does not hide: how much of it comes off again by rounding and by regression, and who
# stays alone.
# Agrawal and Srikant 2000 hid numbers by noise; Kargupta, Datta, Wang and Sivakumar 2003 and
# Huang, Du and Chen 2005 took it off again where fields are correlated. What they gain on average
# follows from the correlations alone.

_MOST = 0.5
_FAR = 4.0
_TERMS = 12


def correlations(table: Reals) -> Reals:
    """The fields' correlations over the rows that have all of them; 0 where a field does not vary
    there.

    Example:
        >>> correlations(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, np.nan]])).round(6).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    whole = table[~np.isnan(table).any(axis=1)]
    width = table.shape[1]
    if len(whole) < 2:
        return np.eye(width)
    whole = whole / np.maximum(np.abs(whole).max(axis=0), 1e-300)
    apart = whole - whole.mean(axis=0)
    lengths = np.sqrt((apart**2).sum(axis=0))
    varies = lengths > 1e-12 * math.sqrt(len(whole))
    scaled = np.where(varies, apart / np.where(varies, lengths, 1.0), 0.0)
    found = scaled.T @ scaled
    found[np.diag_indices(width)] = 1.0
    return np.asarray(found, np.float64)


def filtered(correlated: Reals, shares: Reals) -> Reals:
    """The error of the best linear guess from all noisy fields, as a share of that of the best
    guess from the field alone. Noise is independent between fields, its deviations are `shares` of
    the fields'.

    Example:
        >>> filtered(np.eye(2), np.array([0.5, 0.5])).round(6).tolist()
        [1.0, 1.0]
        >>> filtered(np.ones((2, 2)), np.array([0.1, 0.1])).round(2).tolist()
        [0.5, 0.5]
    """
    squares = shares**2
    alone = squares / (1 + squares)
    together = np.linalg.pinv(correlated + np.diag(squares), hermitian=True)
    left = np.diag(correlated - correlated @ together @ correlated)
    return np.asarray(
        np.where(alone > 0, np.clip(left / np.where(alone > 0, alone, 1.0), 0.0, 1.0), 1.0)
    )


def heaped(values: Reals, unit: float) -> float:
    """The coarsest of the steps 1, 5, 10, 50 ... units of which most numbers are multiples; people
    state round numbers.

    Example:
        >>> heaped(np.array([52000.0, 71000.0, 88500.0]), 1.0)
        1000.0
    """
    units = on_grid(values[values != 0], round(-math.log10(unit)))
    found, step = 1, 5
    while len(units) and (units % step == 0).mean() > _MOST and step <= abs(units).max():
        found, step = step, step * (2 if str(step).startswith("5") else 5)
    return found * unit


def recovered(deviation: float, step: float) -> float:
    """The chance that a multiple of `step` with normal noise is found again by rounding.

    Example:
        >>> round(recovered(1.0, 1.0), 3), recovered(0.0, 1.0)
        (0.383, 1.0)
    """
    return math.erf(step / (2 * math.sqrt(2) * deviation)) if deviation > 0 else 1.0


def variance_on_grid(deviation: float, unit: float) -> float:
    """The variance of normal noise, added to multiples of `unit` and rounded to them again.

    Example:
        >>> round(variance_on_grid(2.0, 1.0), 6), round(variance_on_grid(0.1, 1.0), 6)
        (4.083333, 1e-06)
    """
    if deviation >= unit:
        return deviation**2 + unit**2 / 12  # Sheppard 1898; what it leaves out is below 1e-8 of it
    if deviation == 0.0:
        return 0.0
    edges = [(i + 0.5) * unit / (math.sqrt(2) * deviation) for i in range(_TERMS)]
    tails = [math.erfc(edge) / 2 for edge in edges]  # the chance to be rounded to more than i units
    return 2 * unit**2 * sum((2 * i + 1) * tail for i, tail in enumerate(tails))


def still_alone(values: Reals, deviations: Reals) -> bool:
    """Whether some number is so far from every other that noise of these deviations is unlikely to
    hide it."""
    if len(values) < 2:
        return False
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order] / 2) * 2
    nearest = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf))
    return bool((nearest > _FAR * deviations[order]).any())
