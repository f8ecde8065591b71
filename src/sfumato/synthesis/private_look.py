"""A private look: how far the true counts of groups of fields are from what a model expects, each
as one noisy number.

The score is the L1 distance between true counts and expected counts, which are public and rounded
to whole numbers. A person with r rows changes it by at most r, so that m scores together change by
at most r * sqrt(m) in Euclidean distance. McKenna, Mullins, Sheldon and Miklau (2022) choose by the
same distance with the exponential mechanism, one at a time; here one vector of Gaussian noise
releases all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.accounting import Measurement, PrivacyAccount, sigma_for

from .coded_table import Reals, Wholes
from .junction_tree import Fields


@dataclass(frozen=True, kw_only=True)
class PrivateScores:
    """The result of a look: the noisy distance of each group beyond that of chance alone, in rows,
    and the noise."""

    beyond: Mapping[Fields, float]
    sigma: float


def look_at(
    exact: Mapping[Fields, Wholes],
    expected: Mapping[Fields, Reals],
    account: PrivacyAccount,
    *,
    names: Sequence[str],
    rows_per_person: int,
    rho: Fraction,
    what: str,
    drawn: float = 0.0,
) -> PrivateScores:
    """Score the exact counts of each group against its expected counts. `drawn` is the share of
    sampling noise in them, where they are counted on rows of a model."""
    groups = tuple(expected)
    whole = {group: np.rint(expected[group]).astype(np.int64) for group in groups}
    scores = [int(np.abs(exact[group] - whole[group]).sum()) for group in groups]
    squared = len(groups) * rows_per_person**2
    line = Measurement(
        what=what,
        fields=tuple(names[n] for n in sorted({n for g in groups for n in g})),
        cells=len(groups),
        sigma=sigma_for(rho, squared),
        squared_sensitivity=squared,
        rows_per_person=rows_per_person,
    )
    noisy = account.measure(line, np.array(scores, np.int64))
    chance = {group: chance_distance(expected[group]) * math.sqrt(1 + drawn) for group in groups}
    return PrivateScores(
        beyond={
            group: float(score) - chance[group]
            for group, score in zip(groups, noisy.tolist(), strict=True)
        },
        sigma=line.sigma,
    )


def chance_distance(expected: Reals) -> float:
    """The L1 distance that counts have from their expectation by chance alone."""
    return float(np.sqrt(2 / np.pi * np.maximum(expected, 0.0)).sum())


def split(rho: Fraction, weights: Sequence[float]) -> list[Fraction]:
    """Parts of a budget in proportion to weights; their sum is never above it."""
    total = sum(weights)
    parts = [Fraction(weight / total) * rho for weight in weights]
    over = sum(parts, Fraction(0)) / rho
    return [part / over for part in parts] if over > 1 else parts
