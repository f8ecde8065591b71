"""From what a policy requires inside bins, of people and of risk, to the protection models that judge it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.bins import Bins, Pairing
from sfumato.errors import Mistake, PolicyError, Problem
from sfumato.policy import Diversity, LDiversityRequirement, Likeness, Policy, TClosenessRequirement, asked_fields
from sfumato.policy.hierarchies import Hierarchy, Label
from sfumato.policy.model_checks import about_values
from sfumato.protection import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    ConfidenceGain,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    MaximumRisk,
    Model,
    NonUniqueness,
    NullMap,
    PopulationUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    SafeHarbor,
    TCloseness,
    WrongMap,
    reference_of,
)

Fields = tuple[str, ...]


def needed_fields(policy: Policy, known: Fields) -> Fields:
    """The fields outside the bins whose values must be counted inside them."""
    names = [name for _, asked in about_values(policy.require) for name in asked_fields(policy, asked)]
    if policy.require.safe_harbor is not None:
        names += [name for name in policy.require.safe_harbor.declared if name not in known]
    return tuple(dict.fromkeys(names))


def models_about_values(policy: Policy, known: Fields) -> Iterator[Model]:
    """The models that look at the values in each bin and at nothing else."""
    require = policy.require
    if require.non_uniqueness is not None:
        yield NonUniqueness(fields=known, sensitive=asked_fields(policy, require.non_uniqueness))
    for asked in require.l_diversity:
        for name in asked_fields(policy, asked):
            yield _diversity(asked, known, name)
    for p_sensitive in require.p_sensitive:
        names = asked_fields(policy, p_sensitive)
        yield PSensitiveKAnonymity(p=p_sensitive.p, k=p_sensitive.k, fields=known, sensitive=names)
    for alpha_k in require.alpha_k:
        for name in asked_fields(policy, alpha_k):
            yield AlphaKAnonymity(alpha=alpha_k.alpha, k=alpha_k.k, fields=known, sensitive=name, values=alpha_k.values)


def _diversity(asked: LDiversityRequirement, known: Fields, name: str) -> Model:
    if asked.kind is Diversity.ENTROPY:
        return EntropyLDiversity(l=asked.l, fields=known, sensitive=name)
    if asked.kind is Diversity.RECURSIVE:
        return RecursiveCLDiversity(c=asked.c or 1.0, l=int(asked.l), fields=known, sensitive=name)
    return DistinctLDiversity(l=int(asked.l), fields=known, sensitive=name)


def models_near_the_source(policy: Policy, known: Fields, source: Bins) -> Iterator[Model]:
    """The models that hold the values in each bin against those of the whole source, as its bins have them."""
    require = policy.require
    for asked in require.t_closeness:
        for name in asked_fields(policy, asked):
            yield _closeness(policy, asked, known, name, reference_of(source, name, spread=True))
    for disclosure in require.delta_disclosure:
        for name in asked_fields(policy, disclosure):
            yield DeltaDisclosure(
                delta=disclosure.delta,
                fields=known,
                sensitive=name,
                reference=reference_of(source, name),
                absent=disclosure.absent.value,
            )
    for likeness in require.beta_likeness:
        for name in asked_fields(policy, likeness):
            yield BetaLikeness(
                beta=likeness.beta,
                fields=known,
                sensitive=name,
                reference=reference_of(source, name),
                enhanced=likeness.kind is Likeness.ENHANCED,
            )
    for confidence in require.confidence_gain:
        for name in asked_fields(policy, confidence):
            shares = reference_of(source, name)
            yield ConfidenceGain(
                gain=confidence.gain, facts=confidence.facts, fields=known, sensitive=name, reference=shares
            )


def _closeness(
    policy: Policy, asked: TClosenessRequirement, known: Fields, name: str, reference: Mapping[Label, float]
) -> TCloseness:
    """t-closeness with its ground laid, so that an order or hierarchy that does not fit is told before any search."""
    try:
        hierarchy = None if asked.hierarchy is None else asked.hierarchy.bind(tuple(reference))
        model = TCloseness(
            t=asked.t,
            fields=known,
            sensitive=name,
            reference=reference,
            distance=asked.distance.value,
            order=asked.order,
            hierarchy=hierarchy,
        )
        model.ground  # noqa: B018
    except Mistake as error:
        problem = Problem(
            where="require.t_closeness",
            found=f"{name}: {error.asked} {error.found}".strip(),
            attempt=error.attempt,
        )
        raise PolicyError([problem], name=policy.name) from None
    return model


def models_of_risk(
    policy: Policy, known: Fields, *, people: Bins | None, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[Model]:
    """The models about people, risk and labels. `people` is the population that presence is held against."""
    require = policy.require
    if require.delta_presence is not None and people is not None:
        asked = require.delta_presence
        yield DeltaPresence(
            min=asked.min, max=asked.max, fields=people.fields, population=people, hierarchies=hierarchies
        )
    if require.average_risk is not None:
        yield AverageRisk(threshold=require.average_risk, fields=known)
    if require.maximum_risk is not None:
        yield MaximumRisk(threshold=require.maximum_risk, fields=known)
    if require.population_uniqueness is not None:
        unique = require.population_uniqueness
        yield PopulationUniqueness(
            threshold=unique.threshold,
            fields=known,
            population_size=unique.population_size,
            sampling_fraction=unique.sampling_fraction,
            estimator=unique.estimator.value,
        )
    if require.safe_harbor is not None:
        harbor = require.safe_harbor
        yield SafeHarbor(
            fields=known,
            zips=harbor.zips,
            dates=harbor.dates,
            births=harbor.births,
            ages=harbor.ages,
            as_of=harbor.as_of,
        )


def models_of_maps(
    policy: Policy, known: Fields, pairing: Pairing, *, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[Model]:
    """The models about whom a released tuple leads to (000, section 5)."""
    null_map, wrong_map = policy.require.null_map, policy.require.wrong_map
    if null_map is not None:
        fields = tuple(name for name in null_map.fields or known if name in known)
        subjects = pairing.subjects.project(fields)
        yield NullMap(fields=fields, subjects=subjects, hierarchies=hierarchies, kept=pairing.kept(fields))
    if wrong_map is not None:
        fields = tuple(name for name in wrong_map.fields or known if name in known)
        yield WrongMap(fields=fields, pairing=pairing, hierarchies=hierarchies)
