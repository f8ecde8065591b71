"""Keeping training and test rows apart, though a release does not identify the person of a row.

Fields that are alike in both tables are usable. Such a field is released unchanged, or its labels
are all of one level of its hierarchy, to which the source's values can be raised. Rows that agree
in all such fields are one group, in both tables, and whole groups are trained on or tested on. No
tested row was then trained on, whichever row it became. Where groups are few or large, or the
release has rows that the source cannot have given, this cannot be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.bins import group
from sfumato.hierarchies import Hierarchy

from .keyed_sums import Whole
from .label_values import LabelValues
from .model_features import FeatureRows, only_member

FEWEST_GROUPS = 100
LARGEST_GROUP = 0.05

Common = tuple[int, Whole, Whole]
Labels = tuple[str | None, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Folds:
    """In which fold each row of the source and of the release is."""

    source: Whole
    release: Whole
    folds: int
    are_apart: bool

    def parts(
        self, source: FeatureRows, release: FeatureRows
    ) -> list[tuple[FeatureRows, FeatureRows, FeatureRows]]:
        """Per fold: the source's and the release's rows outside it, and the source's rows in it."""
        return [
            (
                source.only(self.source != fold),
                release.only(self.release != fold),
                source.only(self.source == fold),
            )
            for fold in range(self.folds)
        ]


def folds_apart(
    source: FeatureRows,
    release: FeatureRows,
    common: Sequence[Common],
    *,
    chance: np.random.Generator,
    folds: int,
) -> Folds:
    """Put rows into folds. `common` are the fields that are alike in both tables, see
    `said_alike`."""
    apart = _by_group(source, release, common, chance=chance, folds=folds) if common else None
    if apart is not None:
        return apart
    return Folds(
        source=chance.integers(0, folds, len(source.target)),
        release=chance.integers(0, folds, len(release.target)),
        folds=folds,
        are_apart=False,
    )


def _by_group(
    source: FeatureRows,
    release: FeatureRows,
    common: Sequence[Common],
    *,
    chance: np.random.Generator,
    folds: int,
) -> Folds | None:
    ours = np.stack([old[source.codes[:, column]] for column, old, _ in common], axis=1)
    theirs = np.stack([new[release.codes[:, column]] for column, _, new in common], axis=1)
    both = np.concatenate([ours, theirs]).astype(np.int32)
    groups, first = group(both, (both.max(axis=0) + 1).tolist())
    here, there = groups[: len(ours)], groups[len(ours) :]
    rows = np.bincount(here, source.weights, len(first))
    released = np.bincount(there, release.weights, len(first))
    strange = (released > rows).any() and not (source.sampled or release.sampled)
    if strange or len(first) < FEWEST_GROUPS or rows.max() > LARGEST_GROUP * rows.sum():
        return None
    fold_of = chance.permutation(len(first)) % folds
    return Folds(source=fold_of[here], release=fold_of[there], folds=folds, are_apart=True)


def said_alike(
    fields: Sequence[LabelValues], labels: Sequence[Labels], hierarchies: Mapping[str, Hierarchy]
) -> list[Common]:
    """Per field that is alike in both tables: its number, and the codes of source labels and of
    released labels there."""
    out = []
    for column, field in enumerate(fields):
        found = _alike(field, labels[column], hierarchies.get(field.name))
        if found is not None:
            out.append((column, *found))
    return out


def _alike(
    field: LabelValues, labels: Labels, hierarchy: Hierarchy | None
) -> tuple[Whole, Whole] | None:
    """The labels of a field at the finest level that all released labels have; null is the last
    number."""
    under = np.diff(field.starts)
    if (under[~field.is_null] == 1).all():
        top, first = len(field.values), only_member(field)
        return np.where(field.value_of < 0, top, field.value_of), np.where(first < 0, top, first)
    if hierarchy is None:
        return None
    names = {label for label in labels if label is not None}
    for level in range(1, hierarchy.height + 1):
        place = {label: code for code, label in enumerate(hierarchy.labels[level])}
        if names <= place.keys() and len(place) > 1:
            top = len(place)
            code_of = dict(zip(hierarchy.labels[0], hierarchy.up[level].tolist(), strict=True))
            values = np.array([code_of.get(value, top) for value in field.values], np.int64)
            ours = np.where(field.value_of < 0, top, values[np.maximum(field.value_of, 0)])
            return ours, np.array(
                [top if label is None else place[label] for label in labels], np.int64
            )
    return None
