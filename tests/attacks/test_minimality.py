"""Wong, Fu, Wang and Pei 2007, "Minimality attack in privacy preserving data publishing".

The attacker has the release, the hierarchies, a register with everyone's quasi-identifiers (the
worst case of the paper), and knows that the holder generalised no more than l-diversity asked for.
They list every table of sensitive values that fits the release, strike out those for which the
holder would have released something else, and count in the rest how likely each person is to have
HIV. The baseline is the same count without striking any out, which is what l-diversity is about.
Where knowing the method raises someone above the baseline, the attack has won.

A minimal method under a rule that looks at sensitive values cannot resist by its nature: on the
paper's example both the lattice and local recoding lose, and the solution of local recoding warns
of it. What resists is generalising for another reason: with k, or t-closeness, asking for the
coarser label whatever the diseases are, nothing is learned."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache

import pytest

from sfumato.bins import Bins
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.hierarchies import Hierarchy
from sfumato.protection import DistinctLDiversity, KAnonymity, Model, TCloseness
from sfumato.solvers import Optimal, Solver
from sfumato.solvers.local import Local
from sfumato.solvers.solver import MINIMALITY

# The example of the paper, in small: two people share q1 and both have HIV, four share q2.
REGISTER = ("q1", "q1", "q2", "q2", "q2", "q2")
TRUTH = ("HIV", "HIV", "flu", "cold", "gout", "ache")
BOUNDS = {"q": Hierarchy.from_rows([("q1", "*"), ("q2", "*")])}
DIVERSE = DistinctLDiversity(l=2, fields=("q",), sensitive="disease")

Release = frozenset[tuple[str | None, tuple[tuple[str, int], ...]]]


def release_of(solver: Solver, diseases: tuple[str, ...]) -> Release:
    """What leaves the house: for each released label, the multiset of diseases beside it."""
    bins: Bins = bins_of_rows(
        ("q",), list(zip(REGISTER, diseases, strict=True)), sensitive=("disease",)
    )
    coarse = len(solver.solve(bins, BOUNDS).recoding.apply(bins, BOUNDS)) == 1
    beside: dict[str, Counter[str]] = {}
    for q, disease in zip(REGISTER, diseases, strict=True):
        beside.setdefault("*" if coarse else q, Counter())[disease] += 1
    return frozenset((label, tuple(sorted(counted.items()))) for label, counted in beside.items())


@cache
def worlds() -> tuple[tuple[str, ...], ...]:
    """Every way in which these six people can have these six diseases: all fit a release with one
    bin."""
    return tuple(sorted(set(itertools.permutations(TRUTH))))


def chance_of_hiv(possible: list[tuple[str, ...]]) -> list[float]:
    return [
        sum(world[person] == "HIV" for world in possible) / len(possible)
        for person in range(len(REGISTER))
    ]


def attack(solver: Solver) -> list[float]:
    """The chance of each person after striking out the worlds that would have been released
    otherwise."""
    seen = release_of(solver, TRUTH)
    return chance_of_hiv([world for world in worlds() if release_of(solver, world) == seen])


BASELINE = [1 / 3] * 6


def lattice(*models: Model) -> Solver:
    return Optimal(models=models)


def local(*models: Model) -> Solver:
    return Local(k=1, models=models, rounds=2)


both = pytest.mark.parametrize("make", [lattice, local])


def test_baseline_who_does_not_know_the_method_thinks_one_in_three():
    assert chance_of_hiv(list(worlds())) == pytest.approx(BASELINE)


@both
def test_minimal_methods_lose_under_l_diversity_alone(make):
    """Had the two of q1 different diseases, q1 would have been released. So both have what two
    people have: HIV."""
    assert attack(make(DIVERSE)) == pytest.approx([1, 1, 0, 0, 0, 0])


def test_local_recoding_warns_where_a_model_looks_at_sensitive_values():
    bins = bins_of_rows(("q",), list(zip(REGISTER, TRUTH, strict=True)), sensitive=("disease",))
    assert MINIMALITY in local(DIVERSE).solve(bins, BOUNDS).notes
    assert MINIMALITY not in Local(k=2).solve(bins, BOUNDS).notes


@pytest.mark.long("a large search; the lattice stays", but=("lattice",))
@both
def test_a_k_that_asks_for_the_coarser_label_anyway_gives_nothing_away(make):
    assert attack(make(DIVERSE, KAnonymity(k=3, fields=("q",)))) == pytest.approx(BASELINE)


@pytest.mark.long("a large search; the lattice stays", but=("lattice",))
@both
def test_closeness_to_a_public_reference_asks_for_it_anyway_too(make):
    reference = {disease: count / 6 for disease, count in Counter(TRUTH).items()}
    near = TCloseness(t=0.2, fields=("q",), sensitive="disease", reference=reference)
    assert attack(make(near)) == pytest.approx(BASELINE)
