"""Cohen 2022, "Attacks on Deidentification's Defenses": undoing part of a local recoding because it
is minimal.

The attacker has the release, the hierarchies and the method, and knows that the method releases
every cell as finely as its cluster allows: the label of a cell is the *lowest* common ancestor of
the values in the cluster. So the values of a cluster are not any under its labels: in each field
they must disagree below the label. In a cluster of two rows with one binary field at `*`, one row
has each value, for certain. Nothing but the labels is needed for that.

For each cluster the attacker lists the tables that could have been, and takes the likeliest by the
public marginals. Success is the share of generalised clusters whose multiset of finer values is
guessed exactly; the baseline is the same guess by one who does not know that the method is minimal,
and the control is a global recoding, where a label says nothing about its bin: there knowing the
method may not help.

Local recoding cannot resist this by its nature, and its page and its notes say so; the attack must
win there, or the warning would be idle."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from sfumato.bins import Bins, GlobalRecoding
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KAnonymity
from sfumato.solvers import KSimilar, Optimal
from sfumato.solvers.local import Local
from sfumato.solvers.solver import DOWNCODING

FIELDS = ("a", "b", "c", "d")
BITS = Hierarchy.from_rows([("0", "*"), ("1", "*")])
BOUNDS = dict.fromkeys(FIELDS, BITS)
K = 2
ONES = 0.8


def population(rows: int, seed: int) -> Bins:
    """Independent bits, one more likely than zero, which is public."""
    bits = (np.random.default_rng(seed).random((rows, len(FIELDS))) < ONES).astype(np.int32)
    full = Bins(FIELDS, (("0", "1"),) * len(FIELDS), bits, np.ones(rows, np.int64))
    return full.project(FIELDS)


def clusters_of(bins: Bins, recoding) -> dict[tuple[str, ...], list[Counter[str]]]:
    """For each released tuple: per field, how often each true value is behind it."""
    if isinstance(recoding, GlobalRecoding):
        bin_of, rows = np.flatnonzero(~recoding.suppressed), bins.counts[~recoding.suppressed]
    else:
        bin_of, rows = recoding.bin_of, recoding.rows
    levels, _ = recoding.cell_levels(bins)
    levels = np.broadcast_to(levels, (len(bin_of), len(FIELDS)))  # One portion, if it is global.
    out: dict[tuple[str, ...], list[Counter[str]]] = {}
    for b, n, raised in zip(bin_of.tolist(), rows.tolist(), levels.tolist(), strict=True):
        values = [bins.labels[f][code] for f, code in enumerate(bins.codes[b])]
        released = tuple(
            "*" if level else value for level, value in zip(raised, values, strict=True)
        )
        counts = out.setdefault(released, [Counter() for _ in FIELDS])
        for counted, value in zip(counts, values, strict=True):
            counted[value] += n
    return out


def possible(size: int, *, minimal: bool) -> Iterator[int]:
    """How many of a cluster's rows may have the value 1 in a field at `*`. All of them, or some but
    not all."""
    yield from range(1, size) if minimal else range(size + 1)


def guess(size: int, share: float, *, minimal: bool) -> int:
    """The likeliest number of ones among those that the attacker holds possible."""

    def likelihood(ones: int) -> float:
        ways = len(list(itertools.combinations(range(size), ones)))
        return ways * share**ones * (1 - share) ** (size - ones)

    return max(possible(size, minimal=minimal), key=likelihood)


def success(bins: Bins, recoding, *, minimal: bool) -> float:
    """The share of generalised cells of small clusters whose number of ones is guessed."""
    right = total = 0
    for released, counts in clusters_of(bins, recoding).items():
        size = sum(counts[0].values())
        if size > 6:
            continue  # the larger the cluster, the less the method tells
        for f, label in enumerate(released):
            if label == "*":
                total += 1
                right += guess(size, ONES, minimal=minimal) == counts[f]["1"]
    return right / total if total else 0.0


def impossible(bins: Bins, recoding) -> int:
    """Generalised cells whose cluster has one value only: proof to the attacker that minimality was
    no premise."""
    found = clusters_of(bins, recoding)
    return sum(
        1
        for t, counts in found.items()
        for f, label in enumerate(t)
        if label == "*" and len(counts[f]) == 1
    )


def samples() -> Iterator[Bins]:
    for seed in range(40):
        yield population(9, seed)


@pytest.mark.long("a release for each solver; one stays", but=("k_similar",))
@pytest.mark.parametrize("solver", [Local(k=K), KSimilar(k=K)], ids=lambda solver: solver.name)
def test_local_recoding_loses_to_downcoding_and_says_so(solver):
    """The attack wins: pairs are told apart exactly. This is why the solution carries a warning."""
    knowing, not_knowing = [], []
    for bins in samples():
        solution = solver.solve(bins, BOUNDS)
        knowing.append(success(bins, solution.recoding, minimal=True))
        not_knowing.append(success(bins, solution.recoding, minimal=False))
        if isinstance(solver, Local):
            assert DOWNCODING in solution.notes
    assert np.mean(knowing) > np.mean(not_knowing) + 0.1


def test_a_pair_at_star_is_undone_for_certain():
    bins = Bins.of(("a",), {("0",): 1, ("1",): 1})
    recoding = Local(k=2).solve(bins, {"a": BITS}).recoding
    assert recoding.apply(bins, {"a": BITS}).sizes() == {("*",): 2}
    assert list(possible(2, minimal=True)) == [1]
    assert list(possible(2, minimal=False)) == [0, 1, 2]


def test_ranges_and_sets_hold_nothing_back_to_be_undone():
    """A set names exactly the values that are there: minimality is what it says, not what it leaks
    by accident.

    So ranges and sets lose no more to this attacker than to a reader; and a reader learns more from
    them."""
    bins = Bins.of(("a",), {("0",): 1, ("1",): 1, ("2",): 1})
    bounds = {"a": Hierarchy.from_rows([("0", "*"), ("1", "*"), ("2", "*"), ("3", "*")])}
    recoding = Local(k=3, labels="ranges").solve(bins, bounds).recoding
    assert recoding.apply(bins, bounds).sizes() == {("{0, 1, 2}",): 3}


def test_control_a_global_recoding_gives_the_attacker_nothing():
    """One level for the whole table: most bins at `*` have one value in the field, so the premise
    misleads."""
    knowing, not_knowing, refuted = [], [], 0
    for bins in samples():
        models = (KAnonymity(k=K, fields=FIELDS),)
        recoding = Optimal(models=models, max_suppression=0.2).solve(bins, BOUNDS).recoding
        knowing.append(success(bins, recoding, minimal=True))
        not_knowing.append(success(bins, recoding, minimal=False))
        refuted += impossible(bins, recoding)
    assert refuted > 0
    assert np.mean(knowing) <= np.mean(not_knowing) + 0.05
