"""Whether what is required of the protection models fits the fields and the solver of a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sfumato.errors import Problem

from .model_requirements import (
    AlphaKRequirement,
    BetaLikenessRequirement,
    ConfidenceGainRequirement,
    DeltaDisclosureRequirement,
    LDiversityRequirement,
    NonUniquenessRequirement,
    PSensitiveRequirement,
    TClosenessRequirement,
)
from .nearest import with_question
from .records import SOLVERS, Method, Policy, Requirements, Role

AboutValues = (
    NonUniquenessRequirement
    | LDiversityRequirement
    | TClosenessRequirement
    | PSensitiveRequirement
    | AlphaKRequirement
    | DeltaDisclosureRequirement
    | BetaLikenessRequirement
    | ConfidenceGainRequirement
)
COUNTS_ONLY = ("datafly", "mu_argus")
"""The solvers that work towards numbers of rows and nothing else."""

_SEVERAL = (
    "l_diversity",
    "t_closeness",
    "p_sensitive",
    "alpha_k",
    "delta_disclosure",
    "beta_likeness",
    "confidence_gain",
)
_DERIVED = (Method.HASH, Method.MADE_UP, Method.SURROGATE)


def about_values(require: Requirements) -> Iterator[tuple[str, AboutValues]]:
    """Each requirement about sensitive fields, with the key it stands under."""
    if require.non_uniqueness is not None:
        yield "non_uniqueness", require.non_uniqueness
    for key in _SEVERAL:
        for asked in getattr(require, key):
            yield key, asked


def beyond_counts(require: Requirements) -> tuple[str, ...]:
    """The keys of the models that are required."""
    risks = {
        "delta_presence": require.delta_presence,
        "average_risk": require.average_risk,
        "maximum_risk": require.maximum_risk,
        "population_uniqueness": require.population_uniqueness,
        "null_map": require.null_map,
        "wrong_map": require.wrong_map,
        "safe_harbor": require.safe_harbor,
    }
    found = [key for key, _ in about_values(require)] + [key for key, asked in risks.items() if asked is not None]
    return tuple(dict.fromkeys(found))


def looks_at_every_field(require: Requirements) -> bool:
    """Whether some model judges the bins over all quasi fields."""
    some = ("delta_presence", "null_map", "wrong_map")
    partly = {"safe_harbor"} | {key for key in some if (asked := getattr(require, key)) and asked.fields}
    return any(key not in partly for key in beyond_counts(require))


def asked_fields(policy: Policy, asked: AboutValues) -> tuple[str, ...]:
    """The sensitive fields that a requirement is about: those it names, or all."""
    return asked.fields or policy.named(Role.SENSITIVE)


def _sensitive_fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    for key, asked in about_values(policy.require):
        where = f"require.{key}.fields" if asked.fields else f"require.{key}"
        if not asked_fields(policy, asked) and not unclear:
            yield Problem(where=where, found="No field is sensitive.", attempt='role = "sensitive" for one.')
        yield from of_role(policy, unclear, asked.fields, where=where, roles=(Role.SENSITIVE,))


def of_role(
    policy: Policy, unclear: frozenset[str], names: Iterable[str], *, where: str, roles: tuple[Role, ...]
) -> Iterator[Problem]:
    words = " or ".join(role.value for role in roles)
    for name in names:
        field = policy.fields.get(name)
        if field is None and name not in unclear:
            yield Problem(where=where, found=with_question(f'There is no field "{name}".', name, policy.fields))
        elif field is not None and name not in unclear and field.role not in roles:
            yield Problem(
                where=where,
                found=f"{name} is {field.role.value}, and only a {words} field can be asked for here.",
                attempt=f'role = "{roles[0].value}" for {name}, or leaving it out.',
            )


def _one_order(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """An order or a hierarchy belongs to one field."""
    for asked in policy.require.t_closeness:
        several = asked_fields(policy, asked)
        if (asked.order or asked.hierarchy is not None) and len(several) > 1 and not unclear:
            yield Problem(
                where="require.t_closeness.fields",
                found=f"One order or hierarchy is given for {len(several)} fields: {', '.join(several)}.",
                attempt="a list of tables, one for each field.",
            )


def _not_moved(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """What is compared with the source must leave with the source's values."""
    compared = (
        TClosenessRequirement,
        DeltaDisclosureRequirement,
        BetaLikenessRequirement,
        ConfidenceGainRequirement,
    )
    for key, asked in about_values(policy.require):
        for name in asked_fields(policy, asked) if isinstance(asked, compared) else ():
            field = policy.fields.get(name)
            if field is not None and field.shift is not None:
                yield Problem(
                    where=f"require.{key}",
                    found=f"The dates of {name} are moved, so that no bin is near to the source's values.",
                    attempt=f"leaving {name} out of its fields, or not moving it.",
                )


def _not_linked(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A cell that is suppressed with another is no longer a value that a bin could hold."""
    for key, asked in about_values(policy.require):
        for name in asked_fields(policy, asked):
            field = policy.fields.get(name)
            if field is not None and field.follows:
                yield Problem(
                    where=f"require.{key}",
                    found=f"{name} is suppressed where {field.follows} is, and a suppressed cell is no value to count.",
                    attempt=f"leaving {name} out of its fields, or not letting it follow.",
                )


def _not_generalised(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """What is counted inside bins must leave with its values, not with labels for several of them."""
    sets = {asked.field for asked in policy.require.k_m}
    for key, asked in about_values(policy.require):
        for name in asked_fields(policy, asked):
            if name in sets and name not in unclear:
                yield Problem(
                    where=f"require.{key}",
                    found=f"k_m generalises {name}, so that its values are no longer there to be counted in bins.",
                    attempt=f"leaving {name} out of its fields, or out of k_m.",
                )


def _presence_fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    asked = policy.require.delta_presence
    if asked is not None:
        yield from of_role(policy, unclear, asked.fields, where="require.delta_presence.fields", roles=(Role.QUASI,))


def _safe_harbor(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """What is declared is released, and no code is made from an identifier (45 CFR 164.514(c))."""
    asked = policy.require.safe_harbor
    if asked is None:
        return
    kept = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)
    yield from of_role(policy, unclear, asked.declared, where="require.safe_harbor", roles=kept)
    for name in sorted({name for name in asked.declared if asked.declared.count(name) > 1}):
        yield Problem(where="require.safe_harbor", found=f"{name} is said to be two things.")
    for name, field in policy.fields.items():
        if name not in unclear and field.replace is not None and field.replace.method in _DERIVED:
            yield Problem(
                where="require.safe_harbor",
                found=f"{name} is replaced by a code that is made from it, which Safe Harbor does not allow.",
                attempt=f'replace = "remove", "number" or "lookup" for {name}.',
            )


def _solver_works_towards(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    solver, asked = policy.solve.solver, beyond_counts(policy.require)
    asked = ("key_combinations", *asked) if policy.require.key_combinations else asked
    if asked and solver in COUNTS_ONLY:
        yield Problem(
            where="solve.solver",
            found=f"{solver} does not work towards {', '.join(asked)}.",
            attempt=f"one of {', '.join(name for name in SOLVERS if name not in COUNTS_ONLY)}.",
        )


MODEL_RULES = (
    _sensitive_fields,
    _one_order,
    _not_moved,
    _not_linked,
    _not_generalised,
    _presence_fields,
    _safe_harbor,
    _solver_works_towards,
)
