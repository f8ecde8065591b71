"""Judging clusters by protection models: all at once, as the bins that the release would have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, group
from sfumato.engines import Histogram
from sfumato.hierarchies import Codes, Label
from sfumato.policy import CellReading, NullRule
from sfumato.protection import (
    KAnonymity,
    Model,
)

from .clusters import Clusters
from .labels import Namer

Marks = NDArray[np.bool_]


def plain_k(models: Sequence[Model], bins: Bins) -> tuple[int, tuple[Model, ...]]:
    """The largest k that the models ask of every bin over all fields, and the models that ask for
    more than that.

    Where one person may be in several bins, clusters of k are not clusters of k people, so k itself
    is among those."""
    k, more = 1, []
    for model in models:
        everything = set(getattr(model, "fields", ())) == set(bins.fields)
        if everything:
            k = max(k, getattr(model, "least_bin", 1))
        if not (bins.adds_up and everything and isinstance(model, KAnonymity) and _strict(model)):
            more.append(model)
    return k, tuple(more)


def _strict(model: KAnonymity) -> bool:
    return model.reading is CellReading.STRICT and model.nulls is NullRule.VALUE


class ClusterJudge:
    """Which clusters are in a released bin that breaks a model. Sensitive values go along where
    bins stay whole."""

    def __init__(
        self, bins: Bins, models: Sequence[Model], namers: Sequence[Namer], *, whole: bool
    ) -> None:
        self.bins, self.models, self.namers = bins, tuple(models), tuple(namers)
        self.histograms: Mapping[str, Histogram] = bins.histograms if whole else {}

    def __call__(self, clusters: Clusters) -> Marks:
        named = [
            namer.name(states) for namer, states in zip(self.namers, clusters.states(), strict=True)
        ]
        codes = (
            np.stack([found.codes for found in named], axis=1)
            if named
            else np.zeros((len(clusters), 0), np.int32)
        )
        labels = tuple(found.labels for found in named)
        if not self.bins.adds_up:
            return self._by_people(clusters, labels, codes)
        recoded = Bins(self.bins.fields, labels, codes, clusters.sizes, self._inside(clusters))
        released = recoded.project(self.bins.fields)
        failing = np.zeros(len(released), bool)
        for model in self.models:
            failing |= model.failing(released)
        if not failing.any():
            return np.zeros(len(clusters), bool)
        groups, _ = group(codes, [len(names) for names in labels])
        return failing[groups]

    def _by_people(
        self, clusters: Clusters, labels: tuple[tuple[Label, ...], ...], codes: Codes
    ) -> Marks:
        """The same where people are counted anew in each released bin; bins of the source are
        whole."""
        cluster_of = np.zeros(len(self.bins), np.int64)
        cluster_of[clusters.bin_of] = clusters.cluster
        released, groups = self.bins.with_cells(labels, codes[cluster_of]).recoded({}, {})
        failing = np.zeros(len(released), bool)
        for model in self.models:
            failing |= model.failing(released)
        out = np.zeros(len(clusters), bool)
        out[cluster_of[failing[groups]]] = True
        return out

    def _inside(self, clusters: Clusters) -> dict[str, Histogram]:
        if not self.histograms:
            return {}
        cluster_of = np.zeros(len(self.bins), np.int64)
        cluster_of[clusters.bin_of] = clusters.cluster
        return {name: _moved(old, cluster_of) for name, old in self.histograms.items()}


def _moved(old: Histogram, cluster_of: NDArray[np.int64]) -> Histogram:
    order = np.argsort(cluster_of[old.bin_of], kind="stable")
    return replace(
        old,
        bin_of=cluster_of[old.bin_of][order],
        value_of=old.value_of[order],
        counts=old.counts[order],
    )
