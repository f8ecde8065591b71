"""Inference from a release by channels (Garfinkel, Gopal and Thompson 2007): the posterior of each
confidential value, the answers to queries, and the joint disclosure of two releases.

It reads the tables of a release alone and shares no code with the solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.protection import ChannelAccount

Reals = NDArray[np.float64]
Numbers = NDArray[np.int64]

EDGES = (0.25, 0.5, 0.75, 0.9, 1.0)
"""Posterior over tolerance: subjects are counted up to each of these, and beyond the last."""


@dataclass(frozen=True, kw_only=True)
class ValueInference:
    """The probability of one value for subjects: before (the share of all subjects, which everybody
    may know) and at most after. It also has the number of subjects for whom it grew."""

    value: str
    tolerance: float
    prior: float
    highest: float
    raised_for: int
    over_for: int

    @property
    def gain(self) -> float:
        """(belief - prior) / (1 - prior) of the subject about whom most is inferred."""
        return (self.highest - self.prior) / (1.0 - self.prior) if self.prior < 1.0 else 0.0


@dataclass(frozen=True, kw_only=True)
class QueryHits:
    """An inclusive query, for everybody with some values: how many it is about on average, and how
    many others it returns for each of them."""

    query: str
    queries: int
    others_per_hit: float
    most_others_per_hit: float


@dataclass(frozen=True, kw_only=True)
class JointInference:
    """The joint disclosure of two releases of the same people: subjects in both, the highest
    posterior over its tolerance of one release and of both, and subjects over with both."""

    subjects: int
    alone: float
    together: float
    over_for: int
    certain_for: int


@dataclass(frozen=True, kw_only=True)
class ChannelInference:
    """All that is inferred from the tables of a release."""

    subjects: int
    values: tuple[ValueInference, ...]
    nearness: Mapping[str, int]
    queries: tuple[QueryHits, ...]
    together: JointInference | None = None

    def as_dict(self) -> dict[str, Any]:
        out = asdict(self)
        for entry, value in zip(out["values"], self.values, strict=True):
            entry["gain"] = value.gain
        return out


def posteriors(account: ChannelAccount) -> Reals:
    """For each output channel and value, how likely the value is for a subject in the channel."""
    shares = account.known_counts / np.maximum(account.known_sizes, 1)[:, None]
    mixed = np.zeros((account.channels, account.counts.shape[1]))
    np.add.at(mixed, account.channel_of, shares[account.input_of] * account.subjects[:, None])
    found: Reals = mixed / np.maximum(account.in_channels(), 1)[:, None]
    return found


def posteriors_in_sets(
    account: ChannelAccount, sets: Mapping[tuple[int, tuple[int, ...]], int]
) -> tuple[Reals, Numbers]:
    """The same for each set of possible values of an altered field, and how many subjects are in
    each: who has a value is in a set with it, so it is likelier there and impossible elsewhere."""
    inside, people = posteriors(account), account.in_channels()
    out = np.zeros((len(sets), account.counts.shape[1]))
    for row, ((channel, values), subjects) in zip(out, sets.items(), strict=True):
        at = list(values)
        row[at] = inside[channel, at] * people[channel] / subjects
    return out, np.array(list(sets.values()), np.int64)


def infer_values(
    account: ChannelAccount,
    tolerance: Mapping[str, float],
    sets: Mapping[tuple[int, tuple[int, ...]], int] | None = None,
) -> tuple[tuple[ValueInference, ...], dict[str, int]]:
    """Each value's posterior against its tolerance and its prior, and subjects by how near the
    likeliest value of their channel is to its tolerance."""
    found, people = posteriors(account), account.in_channels()
    if sets is not None:
        found, people = posteriors_in_sets(account, sets)
    used = people > 0
    prior = account.counts.sum(axis=0) / max(int(account.sizes.sum()), 1)
    values = tuple(
        ValueInference(
            value=value,
            tolerance=limit,
            prior=float(prior[k]),
            highest=float(found[used, k].max(initial=0.0)),
            raised_for=int(people[found[:, k] > prior[k] + 1e-12].sum()),
            over_for=int(people[found[:, k] > limit + 1e-12].sum()),
        )
        for k, (value, limit) in enumerate(tolerance.items())
    )
    limits = np.maximum(np.array(list(tolerance.values())), 1e-12)
    ratios = (found / limits).max(axis=1) if len(limits) else np.zeros(len(people))
    place = np.searchsorted(np.array(EDGES) + 1e-9, ratios)
    counts = np.bincount(place, people, minlength=len(EDGES) + 1).astype(int).tolist()
    labels = [*(f"up to {edge:g}" for edge in EDGES), f"over {EDGES[-1]:g}"]
    return values, dict(zip(labels, counts, strict=True))


def query_hits(
    account: ChannelAccount, values: Sequence[Sequence[str]], fields: Sequence[str]
) -> tuple[QueryHits, ...]:
    """For each field, queries for one of its values; then queries for a whole input channel. A
    query returns everybody whose output channel has an input channel that fits."""
    out = []
    for place, name in enumerate(fields):
        codes = {row[place]: None for row in values}
        marks = [np.array([row[place] == code for row in values]) for code in codes]
        out.append(_hits(account, name, marks))
    every = np.eye(len(values), dtype=bool)
    out.append(_hits(account, " and ".join(fields), list(every)))
    return tuple(out)


def value_hits(
    account: ChannelAccount, sets: Mapping[tuple[int, tuple[int, ...]], int], name: str
) -> QueryHits:
    """Queries for one confidential value each, of the released field with possible values."""
    true = account.counts.sum(axis=0).astype(int).tolist()
    found = [
        sum(people for (_, values), people in sets.items() if k in values) for k in range(len(true))
    ]
    hits = [(returned - own, own) for returned, own in zip(found, true, strict=True) if own]
    total = sum(own for _, own in hits)
    return QueryHits(
        query=name,
        queries=len(true),
        others_per_hit=sum(others for others, _ in hits) / total if total else 0.0,
        most_others_per_hit=max((others / own for others, own in hits), default=0.0),
    )


def _hits(account: ChannelAccount, query: str, marks: Sequence[NDArray[np.bool_]]) -> QueryHits:
    people = account.in_channels()
    right, others = [], []
    for mark in marks:
        channels = np.unique(account.channel_of[mark[account.input_of]])
        true = int(account.sizes[mark].sum())
        right.append(true)
        others.append(int(people[channels].sum()) - true)
    ratios = [other / true for other, true in zip(others, right, strict=True) if true]
    total = sum(right)
    return QueryHits(
        query=query,
        queries=len(marks),
        others_per_hit=sum(others) / total if total else 0.0,
        most_others_per_hit=max(ratios, default=0.0),
    )


def infer_together(
    first: ChannelAccount, second: ChannelAccount, pairs: Numbers, tolerance: Sequence[float]
) -> JointInference:
    """`pairs` has the output channels of each subject who is in both. Where both draws were
    independent, the probability of an input channel r is proportional to a product: its subjects
    times the share of them that each release put into the subject's output channel."""
    chances = [_placed_shares(account) for account in (first, second)]
    shares = first.known_counts / np.maximum(first.known_sizes, 1)[:, None]
    limits = np.maximum(np.array(tolerance, float), 1e-12)
    unique, people = np.unique(pairs, axis=0, return_counts=True)
    weights = first.sizes * chances[0][unique[:, 0]] * chances[1][unique[:, 1]]
    total = weights.sum(axis=1)
    known = total > 0
    belief = (weights[known] / total[known, None]) @ shares
    ratios = (belief / limits).max(axis=1) if len(limits) else np.zeros(len(belief))
    alone = (posteriors(first) / limits).max(axis=1)[unique[:, 0]]
    certain = belief.max(axis=1, initial=0.0) >= 1.0 - 1e-12
    return JointInference(
        subjects=int(people.sum()),
        alone=float(alone.max(initial=0.0)),
        together=float(ratios.max(initial=0.0)),
        over_for=int(people[known][ratios > 1.0 + 1e-9].sum()),
        certain_for=int(people[known][certain].sum()),
    )


def _placed_shares(account: ChannelAccount) -> Reals:
    """Of the subjects of each input channel the share that is in each output channel."""
    out = np.zeros((account.channels, len(account.sizes)))
    np.add.at(out, (account.channel_of, account.input_of), account.subjects)
    found: Reals = out / np.maximum(account.sizes, 1)
    return found
