"""Individual risk with survey weights: the chance that a row belongs to the one person whom it is
linked to.

Benedetti and Franconi 1998, "Statistical and technological solutions for controlled data
dissemination"; Franconi and Polettini 2004, "Individual risk estimation in mu-Argus: a review".
The f rows of a bin represent an estimated number F of people. The people of the bin are taken as
negative binomial with p = f / F. The risk is the expectation of 1 over their number.

sdcMicro approximates this from three rows on (its default) or expands it in an alternating series;
here it is exact for every f. The model treats one bin at a time. Where nearly every row is unique
it is far too low: on a tenth of Adult with nine fields it gives 0.22 where the truth is 0.65. A
known sampling fraction is therefore turned into a population by Pitman's model instead
(`pitman_people.py`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.wording import counted

Reals = NDArray[np.float64]

_MANY = 30  # rows from which the series needs few terms
_TERMS = 60


def individual_risks(rows: Reals, people: Reals) -> Reals:
    """The risk of each bin from its number of rows and the number of people that they represent.

    r = p / f * 2F1(1, 1; f + 1; 1 - p), with p = f / F; ln(1/p) p / (1 - p) where f = 1, and 1/f
    where F = f.

    Example:
        >>> individual_risks(np.array([1.0, 2.0, 3.0]), np.array([17.0, 100.0, 108.0])).round(8).tolist()
        [0.17707583, 0.01877883, 0.01355297]
    """
    if (people < rows).any():
        raise Mistake(
            "Survey weights state how many people each row represents, itself included: at "
            "least 1.",
            found=f"In {counted(int((people < rows).sum()), 'bin')} the weights add up to less "
            "than "
            "the number of rows.",
            attempt="weights that add up to the population, not shares or weights that average 1.",
        )
    p = np.divide(rows, people, out=np.ones_like(rows, dtype=float), where=people > 0)
    recursive = (rows < _MANY) & (p <= 0.5)
    out = np.empty(len(p))
    out[~recursive] = _series(rows[~recursive], p[~recursive])
    out[recursive] = _recursion(rows[recursive], p[recursive])
    return out


def _series(f: Reals, p: Reals) -> Reals:
    """The hypergeometric series, for large f or small 1 - p; each term is the last by j (1 - p) /
    (f + j)."""
    total, term = np.ones(len(f)), np.ones(len(f))
    for j in range(1, _TERMS):
        term = term * j * (1 - p) / (f + j)
        total += term
    found: Reals = p / f * total
    return found


def _recursion(f: Reals, p: Reals) -> Reals:
    """p times the integral of s^(f-1) / (p + (1-p) s) over 0 to 1, stepped up from f = 1; steady
    while p <= 1/2."""
    q = 1 - p
    at = -np.log(p) / q
    out = np.where(f == 1, at, 0.0)
    for size in range(1, _MANY - 1):
        at = (1 / size - p * at) / q
        out = np.where(f == size + 1, at, out)
    return p * out
