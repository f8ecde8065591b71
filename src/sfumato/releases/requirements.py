"""From the requirements a policy names to the protection models that judge them, and to the solver it names."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sfumato.bins import Bins, Pairing
from sfumato.policy import AnonymityLevel, Policy, Reading, Role
from sfumato.policy.hierarchies import Hierarchy
from sfumato.protection import BinSizes, Combinations, KAnonymity, KMap, Model
from sfumato.solvers import (
    Anytime,
    Datafly,
    Datafly2,
    Given,
    KSimilar,
    Local,
    Microaggregation,
    MuArgus,
    Optimal,
    Solver,
    b_tabf,
)
from sfumato.solvers.datafly import overall_bin_size, upper_bin_size

from .value_models import models_about_values, models_near_the_source, models_of_maps, models_of_risk

USUAL_SECONDS = 60.0


def models_for(
    policy: Policy,
    known: tuple[str, ...],
    rows: int,
    *,
    population: Bins | None,
    hierarchies: Mapping[str, Hierarchy],
    source: Bins | None = None,
    people: Bins | None = None,
    pairing: Pairing | None = None,
) -> tuple[Model, ...]:
    """The protection models that the policy's requirements name, over what the recipient may know.

    `population` and `people` are those of k-map and of delta-presence, `source` the source's bins with the values
    inside them, `pairing` who the rows are about where steps moved them; a model whose part is missing, as when only
    the release is at hand, is left out.
    """
    require = policy.require
    models: list[Model] = []
    if require.k is not None:
        sets = [tuple(n for n in fields if n in known) for fields in require.quasi_identifiers] or [known]
        models.extend(
            KAnonymity(k=require.k, fields=fields, reading=require.reading, nulls=policy.nulls) for fields in sets
        )
    if require.k_map is not None and population is not None:
        models.append(
            KMap(
                k=require.k_map.k,
                fields=population.fields,
                population=population,
                hierarchies=hierarchies,
                estimated=bool(require.k_map.weight),
            )
        )
    sizes = {name: size for name, size in require.bin_sizes.items() if name in known}
    if sizes:
        models.append(BinSizes(sizes=sizes))
    if require.combinations is not None:
        # mu-Argus blanks single cells and looks no more at what is blank; where a whole field is suppressed, that
        # would leave the other fields of its combinations unguarded.
        reading = Reading.WILDCARD if policy.solve.solver == "mu_argus" else require.reading
        combinations = _combinations(policy, known)
        models.append(Combinations(k=require.combinations.k, combinations=combinations, reading=reading))
    for key in require.key_combinations:
        fields = tuple(name for name in key.fields if name in known)
        if fields:
            models.append(KAnonymity(k=key.k, fields=fields, reading=require.reading, nulls=policy.nulls))
    if policy.solve.solver == "datafly" and require.anonymity is not None:
        models.extend(_datafly(policy).sizes(known, rows).models())
    models.extend(models_about_values(policy, known))
    if source is not None:
        models.extend(models_near_the_source(policy, known, source))
    models.extend(models_of_risk(policy, known, people=people, hierarchies=hierarchies))
    if pairing is not None:
        models.extend(models_of_maps(policy, known, pairing, hierarchies=hierarchies))
    return tuple(models)


def _combinations(policy: Policy, known: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    asked = policy.require.combinations
    assert asked is not None
    if policy.solve.solver == "mu_argus":
        return _mu_argus(policy, known).combinations(known)
    # A recipient who links on fewer fields than a combination has may link on all of those at once.
    sizes = dict.fromkeys(min(size, len(known)) for size in asked.sizes)
    return tuple(c for size in sizes if size for c in itertools.combinations(known, size))


def solver_for(
    policy: Policy, models: tuple[Model, ...], known: tuple[str, ...], *, numeric: Sequence[str] = ()
) -> Solver:
    """The solver that the policy names, with its parameters; in `numeric` fields the order of values tells."""
    profile, require, solve = policy.profile, policy.require, policy.solve
    name, weights = solve.solver, {**profile.weights(known), **solve.weights}
    if name == "datafly":
        return replace(_datafly(policy), models=models)
    if name == "mu_argus":
        return replace(_mu_argus(policy, known), models=models, max_suppression=require.max_suppression)
    if name == "k_similar":
        return KSimilar(
            k=require.k or 1,
            weights=solve.weights,
            distortion={n: profile.tolerates(n) for n in known},
            models=models,
            objective=solve.distance,
            exact_rows=solve.exact_rows,
            tries=solve.work or KSimilar.tries,
        )
    if name == "local":
        return Local(
            k=require.k or 1,
            models=models,
            labels=solve.labels,
            numeric=tuple(numeric),
            weights=weights,
            penalty=solve.penalty,
            rounds=solve.work or Local.rounds,
            seconds=seconds_of(policy),
            seed=solve.seed,
        )
    if name == "microaggregation":
        return Microaggregation(
            k=require.k or 1, fields=known, aggregate=solve.aggregate, digits=solve.digits, models=models
        )
    if name == "given":
        return Given(levels=solve.levels, models=models, max_suppression=require.max_suppression)
    if name == "datafly2":
        return Datafly2(
            models=models,
            max_suppression=require.max_suppression,
            linking={n: profile.links_on(n) for n in known},
            distortion={n: profile.tolerates(n) for n in known},
        )
    search = Anytime if name == "anytime" else Optimal
    return search(
        models=models,
        max_suppression=require.max_suppression,
        objective=solve.objective,
        weights=weights,
        seconds=seconds_of(policy),
        work=solve.work,
        gap=solve.gap,
        keeps_best=False,
    )


def seconds_of(policy: Policy) -> float:
    """The CPU seconds that a search may take: a minute unless the policy says otherwise; `optimal` goes to the end."""
    if policy.solve.seconds is not None:
        return policy.solve.seconds
    return float("inf") if policy.solve.solver == "optimal" else USUAL_SECONDS


def _datafly(policy: Policy) -> Datafly:
    """By the anonymity level; where only k is asked, that is the bin size of all fields together.

    Under an anonymity level, its loss limits the rows that are dropped, and max_suppression where that is smaller.
    """
    asked = policy.require.anonymity
    if asked is None:
        k = float(policy.require.k or 1)
        most = policy.require.max_suppression
        return Datafly(level=0.0, r2=k, e=k, loss=most, max_suppression=most)
    linking = {name: policy.profile.links_on(name) for name in policy.named(Role.QUASI)}
    return Datafly(
        level=asked.level,
        linking=linking,
        r1=asked.r1,
        r2=asked.r2,
        e=asked.e,
        loss=asked.loss,
        max_suppression=policy.require.max_suppression,
    )


def number_bin_size(asked: AnonymityLevel, linking: float | None, people: int) -> int:
    """b_tabf under Datafly's anonymity level (001, section 3.8); b itself where no P_tabf is given."""
    r2 = upper_bin_size(people, asked.r2)
    if linking is None:
        return overall_bin_size(asked.level, r1=asked.r1, r2=r2)
    return b_tabf(linking, r1=asked.r1, r2=r2)


def _mu_argus(policy: Policy, known: Sequence[str]) -> MuArgus:
    asked = policy.require.combinations
    ranks = {name: policy.fields[name].rank for name in known}
    k = asked.k if asked else policy.require.k or 1
    solve = policy.solve
    return MuArgus(k=k, ranks=ranks, levels=solve.levels, max_size=solve.max_size, repeat=solve.repeat)
