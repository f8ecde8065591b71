"""From the requirements a policy names to the protection models that judge them, and to the solver it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

from sfumato.bins import Bins, Pairing
from sfumato.policy import Policy, Requirements, Role, declaration_of, policy_as_table, policy_from_table
from sfumato.policy.hierarchies import Hierarchy
from sfumato.protection import MODELS, Model, ModelContext, ModelDeclaration
from sfumato.protection.anonymity_level import AnonymityLevel
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

USUAL_SECONDS = 60.0


def models_for(
    policy: Policy,
    known: tuple[str, ...],
    rows: int,
    *,
    hierarchies: Mapping[str, Hierarchy],
    populations: Mapping[str, Bins] = MappingProxyType({}),
    source: Bins | None = None,
    pairing: Pairing | None = None,
) -> tuple[Model, ...]:
    """The protection models that the policy's requirements name, over what the recipient may know.

    `populations` are the people that requirements count in, by their keys, `source` the source's bins with the values
    inside them, `pairing` who the rows are about where steps moved them; a model whose part is missing, as when only
    the release is at hand, is left out.
    """
    context = ModelContext(
        policy=policy, known=known, rows=rows, hierarchies=hierarchies, source=source, pairing=pairing
    )
    readings = _READINGS.get(policy.solve.solver, {})
    models: list[Model] = []
    for declared, asked in policy.require.items():
        here = replace(context, population=populations.get(declared.key))
        if declared.key in readings:
            models.extend(readings[declared.key](here))
        elif declared.key in MODELS and here.has(declared.need_of(asked)):
            models.extend(MODELS[declared.key].build(asked, here))
    return tuple(models)


def with_requirements(policy: Policy, records: Sequence[object] | None) -> Policy:
    """The policy with what Python asks for in place of its own requirements; all that does not fit, at once."""
    if records is None:
        return policy
    changed = replace(policy, require=Requirements.of(records, like=policy.require))
    policy_from_table(policy_as_table(changed), folder=policy.folder, name=policy.name)
    return changed


@contextmanager
def known_models(records: Sequence[object] | None) -> Iterator[None]:
    """For as long as a release takes, the models that Python hands over are known like those of packages."""
    known = MODELS.all().values()
    declared = {each.key: each for each in map(declaration_of, records or ())}
    brought = [each for each in declared.values() if isinstance(each, ModelDeclaration) and each not in known]
    with MODELS.including(*brought):
        yield


def needed_fields(policy: Policy, known: tuple[str, ...]) -> tuple[str, ...]:
    """The fields outside the bins whose values must be counted inside them."""
    asked = (declared.inside(asked, policy, known) for declared, asked in policy.require.items())
    return tuple(dict.fromkeys(name for names in asked for name in names))


def _datafly_sizes(context: ModelContext) -> tuple[Model, ...]:
    """The bin sizes that Datafly makes of an anonymity level."""
    return _datafly(context.policy).sizes(context.known, context.rows).models()


def _mu_argus_combinations(context: ModelContext) -> tuple[Model, ...]:
    """mu-Argus blanks single cells and looks no more at what is blank; where a whole field is suppressed, that would
    leave the other fields of its combinations unguarded."""
    return (_mu_argus(context.policy, context.known).model(context.known),)


_READINGS: Mapping[str, Mapping[str, Callable[[ModelContext], tuple[Model, ...]]]] = {
    "datafly": {"anonymity": _datafly_sizes},
    "mu_argus": {"combinations": _mu_argus_combinations},
}
"""Requirements that a solver turns into models in its own way."""


def reads_itself(policy: Policy, key: str) -> bool:
    """Whether the policy's solver turns a requirement into models in its own way, which may be none."""
    return key in _READINGS.get(policy.solve.solver, {})


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
    asked = policy.require.one("anonymity")
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
    asked = policy.require.one("combinations")
    ranks = {name: policy.fields[name].rank for name in known}
    k = asked.k if asked else policy.require.k or 1
    solve = policy.solve
    return MuArgus(k=k, ranks=ranks, levels=solve.levels, max_size=solve.max_size, repeat=solve.repeat)
