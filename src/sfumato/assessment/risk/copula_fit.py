"""Correlations of a Gaussian copula that give each pair of fields the mutual information it has in
the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Label

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

CLASSES = 24
_NODES = 6
_HIGHEST = 0.995
_STEPS = 14
_FLOOR = 1e-6


def ordered(column: NDArray[np.integer], labels: Sequence[Label]) -> Codes:
    """Codes in the order of their values: by number where all are numbers, else as they are sorted,
    as text.

    Example:
        >>> ordered(np.array([0, 1, 2]), ("10", "9", None)).tolist()
        [1, 0, 2]
    """
    try:
        numbers = [float("inf") if label is None else float(label) for label in labels]
    except ValueError:
        return column.astype(np.int64)
    place = np.empty(len(labels), np.int64)
    place[np.argsort(numbers, kind="stable")] = np.arange(len(labels))
    found: Codes = place[column]
    return found


def correlations(columns: Sequence[Codes]) -> Reals:
    """The correlation matrix; made positive definite where matching pair by pair did not make it
    so."""
    classes = [_classes(column) for column in columns]
    found = np.eye(len(columns))
    for a in range(len(columns)):
        for b in range(a):
            found[a, b] = found[b, a] = _correlation(classes[a], classes[b])
    values, vectors = np.linalg.eigh(found)
    if values.min() < _FLOOR:
        found = (vectors * np.maximum(values, _FLOOR)) @ vectors.T
        scale = np.sqrt(np.diag(found))
        found = found / np.outer(scale, scale)
    return found


def _classes(column: Codes) -> Codes:
    """A field in at most CLASSES classes of neighbouring values with about as many rows each."""
    rows = np.bincount(column)
    middle = (np.cumsum(rows) - rows / 2) / len(column)
    into = (
        np.arange(len(rows))
        if len(rows) <= CLASSES
        else np.floor(middle * CLASSES).astype(np.int64)
    )
    return np.unique(into[column], return_inverse=True)[1].astype(np.int64)


def _correlation(first: Codes, second: Codes) -> float:
    wide, high = int(first.max()) + 1, int(second.max()) + 1
    joint = (
        np.bincount(first * high + second, minlength=wide * high).reshape(wide, high).astype(float)
    )
    rows = joint.sum()
    # Miller (1955): what independence would leave in a table of so many cells.
    by_chance = ((joint > 0).sum() - wide - high + 1) / (2 * rows)
    target = mutual_information(joint / rows) - by_chance
    if target <= 0 or wide < 2 or high < 2:
        return 0.0
    at = _matched(
        np.cumsum(joint.sum(axis=1)) / rows, np.cumsum(joint.sum(axis=0)) / rows, float(target)
    )
    return at if _agreement(joint) >= 0 else -at


def mutual_information(joint: Reals) -> float:
    """Of a table of shares, in nats.

    Example:
        >>> round(mutual_information(np.array([[0.5, 0.0], [0.0, 0.5]])), 4)
        0.6931
    """
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / apart[there])).sum())


def _agreement(joint: Reals) -> float:
    """The covariance of the ranks of two fields; only its sign is used."""

    def ranks(rows: Reals) -> Reals:
        found: Reals = np.cumsum(rows) - rows / 2 - rows.sum() / 2
        return found

    return float(ranks(joint.sum(axis=1)) @ joint @ ranks(joint.sum(axis=0)))


def _matched(first: Reals, second: Reals, target: float) -> float:
    """The correlation, 0 or above, whose classes have so much mutual information: it rises, so
    halving finds it."""
    from scipy.special import ndtri

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    starts = np.concatenate(([0.0], first[:-1]))
    width = first - starts
    inside = ndtri((starts[:, None] + width[:, None] * (nodes + 1) / 2).clip(1e-12, 1 - 1e-12))
    share = width[:, None] * weights / 2
    edges = ndtri(np.minimum(second[:-1], 1.0))
    low, high = 0.0, _HIGHEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if mutual_information(_joint(inside, share, edges, middle)) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _joint(inside: Reals, share: Reals, edges: Reals, correlation: float) -> Reals:
    """The shares of all pairs of classes under a bivariate normal, by quadrature within each class
    of the first."""
    from scipy.special import ndtr

    reached = ndtr((edges - correlation * inside[:, :, None]) / np.sqrt(1 - correlation**2))
    below = np.einsum("cn,cne->ce", share, reached)
    whole = share.sum(axis=1, keepdims=True)
    return np.maximum(
        np.diff(np.concatenate((np.zeros_like(whole), below, whole), axis=1), axis=1), 0.0
    )
