"""Bins as rows to learn from: one-hot features by share, the target, and the number of rows of
each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

from .keyed_sums import Reals, Whole, narrowed, rows_per_label
from .label_values import LabelValues

CLASSES = 10
MOST_CATEGORIES = 30

Encoded = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MostRows:
    """At most so many rows are learned from, drawn without repetition."""

    rows: int
    chance: np.random.Generator


@dataclass(frozen=True, eq=False)
class Feature:
    """A field to learn from: how its labels are read, and the features of each of its values."""

    field: LabelValues
    of_value: Encoded

    @classmethod
    def of(cls, field: LabelValues, rows: Reals) -> Feature:
        """Numbers in classes of about as many source rows each; categories by themselves, the rare
        ones together."""
        size = len(field.values)
        if field.numbers is not None and size > CLASSES:
            middle = np.cumsum(rows) - rows / 2
            grouped = np.unique(
                np.floor(middle / max(float(rows.sum()), 1.0) * CLASSES), return_inverse=True
            )[1]
        elif field.numbers is not None:
            grouped = np.arange(size)
        else:
            grouped = np.empty(size, np.int64)
            grouped[np.argsort(-rows, kind="stable")] = np.minimum(np.arange(size), MOST_CATEGORIES)
        out = np.zeros((size, int(grouped.max(initial=0)) + 1), np.float32)
        out[np.arange(size), grouped] = 1
        return cls(field, out)


Features = Mapping[str, Feature]


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureRows:
    """Distinct rows with their weights. `codes[:, f]` points into `encodings[f]`, whose lines are
    features."""

    codes: NDArray[np.int32]
    encodings: tuple[Encoded, ...]
    target: Whole
    weights: Reals
    sampled: bool = False

    def only(self, keep: NDArray[np.bool_]) -> FeatureRows:
        return FeatureRows(
            codes=self.codes[keep],
            encodings=self.encodings,
            target=self.target[keep],
            weights=self.weights[keep],
            sampled=self.sampled,
        )

    def features(self) -> Encoded:
        parts = [encoding[self.codes[:, f]] for f, encoding in enumerate(self.encodings)]
        return (
            np.concatenate(parts, axis=1) if parts else np.zeros((len(self.codes), 0), np.float32)
        )


def rows_of(
    bins: Bins, features: Features, target: LabelValues, most: MostRows, *, after: bool
) -> FeatureRows:
    """The rows of the source, or of the release; those whose target is missing are left out."""
    held = narrowed(bins, (*features, target.name))
    encodings = tuple(
        _released(feature, rows_per_label(held, name)) if after else _original(feature)
        for name, feature in features.items()
    )
    value_of = only_member(target) if after else target.value_of
    return _drawn(held, encodings, value_of[held.codes[:, -1]], most)


def rows_of_control(
    bins: Bins, features: Features, target: LabelValues, most: MostRows
) -> FeatureRows:
    """People outside the release, by values as the source has them; a value that nobody there has
    is no feature."""
    encodings = []
    for f, feature in enumerate(features.values()):
        place = _places(feature.field, bins.labels[f])
        encodings.append(
            np.where(place[:, None] >= 0, feature.of_value[place], 0).astype(np.float32)
        )
    return _drawn(bins, tuple(encodings), _places(target, bins.labels[-1])[bins.codes[:, -1]], most)


def only_member(field: LabelValues) -> Whole:
    """The one value under each released label; -1 where there is not exactly one."""
    first = np.append(field.members, 0)[np.minimum(field.starts[:-1], len(field.members))]
    return np.where(np.diff(field.starts) == 1, first, -1)


def _places(field: LabelValues, labels: tuple[str | None, ...]) -> Whole:
    place = {value: number for number, value in enumerate(field.values)}
    return np.array([-1 if label is None else place.get(label, -1) for label in labels], np.int64)


def _drawn(
    held: Bins, encodings: tuple[Encoded, ...], target: Whole, most: MostRows
) -> FeatureRows:
    known = target >= 0
    weights, sampled = held.counts[known].astype(np.float64), False
    codes, target = held.codes[known, :-1], target[known]
    if weights.sum() > most.rows:
        ends = np.cumsum(weights)
        rows = most.chance.choice(int(ends[-1]), most.rows, replace=False)
        weights = np.bincount(
            np.searchsorted(ends, rows, side="right"), minlength=len(weights)
        ).astype(np.float64)
        drawn = weights > 0
        codes, target, weights, sampled = codes[drawn], target[drawn], weights[drawn], True
    return FeatureRows(
        codes=codes, encodings=encodings, target=target, weights=weights, sampled=sampled
    )


def _original(feature: Feature) -> Encoded:
    known = feature.field.value_of >= 0
    return np.where(known[:, None], feature.of_value[feature.field.value_of], np.float32(0))


def _released(feature: Feature, rows: Reals) -> Encoded:
    """A line of features for each label. A label without information is the average of the
    others."""
    field = feature.field
    out = np.zeros((field.labels, feature.of_value.shape[1]), np.float32)
    np.add.at(
        out,
        field.label_of,
        field.shares[:, None].astype(np.float32) * feature.of_value[field.members],
    )
    told = rows * field.says
    out[~field.says & ~field.is_null] = told @ out / max(float(told.sum()), 1.0)
    return out
