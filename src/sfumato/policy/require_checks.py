"""Whether the requirements of a policy fit its fields, its solver and each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sfumato.errors import Problem

from .map_checks import MAP_RULES
from .model_checks import MODEL_RULES, beyond_counts, looks_at_every_field
from .nearest import with_question
from .reading import joined
from .records import Policy, Role


def _something_required(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    require = policy.require
    asked = require.k, require.k_map, require.bin_sizes, require.combinations, require.anonymity
    asked_more = require.key_combinations or beyond_counts(require)
    if policy.named(Role.QUASI) and not any(asked) and not asked_more and policy.channels is None:
        yield Problem(
            where="require",
            found=f"{', '.join(policy.named(Role.QUASI))} could tell whose row it is, and nothing is required of them.",
            attempt="k = 5 under [require].",
        )


def _named_fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Requirements are about quasi-identifiers."""
    require = policy.require
    for fields in require.quasi_identifiers:
        yield from _not_quasi(policy, unclear, fields, where="require.quasi_identifiers")
    for key in require.key_combinations:
        yield from _not_quasi(policy, unclear, key.fields, where="require.key_combinations")
    if require.k_map is not None:
        yield from _not_quasi(policy, unclear, require.k_map.fields, where="require.k_map.fields")
        weight = require.k_map.weight
        if weight and weight not in {*policy.fields, *unclear}:
            said = with_question(f'There is no field "{weight}".', weight, policy.fields)
            yield Problem(where="require.k_map.weight", found=said, attempt="the field with the survey weights.")
    for name in require.bin_sizes:
        yield from _not_quasi(policy, unclear, (name,), where=joined("require.bin_sizes", name))


def _not_quasi(policy: Policy, unclear: frozenset[str], names: Iterable[str], *, where: str) -> Iterator[Problem]:
    for name in names:
        if name in unclear:
            continue
        field = policy.fields.get(name)
        if field is None:
            yield Problem(where=where, found=with_question(f'There is no field "{name}".', name, policy.fields))
        elif field.role is not Role.QUASI:
            yield Problem(
                where=where,
                found=f"{name} is {field.role.value}, and only a quasi field can be asked for here.",
                attempt=f'role = "quasi" for {name}, or leaving it out.',
            )


def _nothing_overlooked(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Where sets are named, every quasi field is in one, or in another requirement."""
    require = policy.require
    key = "quasi_identifiers" if require.quasi_identifiers else "key_combinations"
    if not getattr(require, key) or require.combinations is not None or require.anonymity is not None:
        return
    if looks_at_every_field(require) or (require.k is not None and not require.quasi_identifiers):
        return
    sets = [*require.quasi_identifiers, *(asked.fields for asked in require.key_combinations)]
    seen = {name for fields in sets for name in fields} | set(require.bin_sizes)
    if require.k_map is not None:
        seen.update(require.k_map.fields or policy.named(Role.QUASI))
    for name in policy.named(Role.QUASI):
        if name not in seen and name not in unclear:
            yield Problem(
                where=f"require.{key}",
                found=f"{name} is quasi, and no requirement looks at it.",
                attempt=f"adding {name} to one of the sets, or giving it another role.",
            )


def _sets_need_k(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    if policy.require.quasi_identifiers and policy.require.k is None:
        yield Problem(where="require.k", found="quasi_identifiers names sets of fields, and no k is asked of them.")


def _combination_sizes(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    combinations = policy.require.combinations
    quasi = len({*policy.named(Role.QUASI), *unclear})
    for size in combinations.sizes if combinations else ():
        if size > quasi:
            yield Problem(
                where="require.combinations.sizes",
                found=f"There are no combinations of {size} fields: {quasi} are quasi.",
                attempt=f"sizes up to {quasi}.",
            )


def _solver_fits(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A solver must be able to work towards what is required."""
    require, solver = policy.require, policy.solve.solver
    if solver == "datafly" and require.anonymity is not None and require.k is not None:
        yield Problem(
            where="require.anonymity",
            found="Datafly turns the anonymity level into a bin size, and k asks for another one.",
            attempt='leaving out k, or solver = "datafly2" without the anonymity level.',
        )
    if solver == "datafly" and require.anonymity is None and require.k is None:
        yield Problem(
            where="solve.solver",
            found="datafly works towards bin sizes, and neither an anonymity level nor k is required.",
            attempt="anonymity = { level = 0.7 }.",
        )
    if solver in ("k_similar", "microaggregation") and require.k is None:
        yield Problem(where="solve.solver", found=f"{solver} groups rows by k, and no k is required.", attempt="k = 5.")
    if (solver == "local" and policy.solve.labels == "ranges") or solver == "microaggregation":
        by_label = [
            key
            for key in ("k_map", "delta_presence", "null_map", "wrong_map", "safe_harbor")
            if getattr(require, key, None)
        ]
        if by_label:
            yield Problem(
                where="solve.labels" if solver == "local" else "solve.solver",
                found=f"{', '.join(by_label)} looks labels up in the hierarchies, and "
                f"{'ranges' if solver == 'local' else 'means'} are not among them.",
                attempt='labels = "tree".' if solver == "local" else 'solver = "local" or "anytime".',
            )
    if solver == "mu_argus" and require.k is None and require.combinations is None:
        yield Problem(
            where="solve.solver",
            found="mu_argus counts combinations of fields, and neither combinations nor k is required.",
            attempt="combinations = { k = 3, sizes = [2, 3] }.",
        )


REQUIRE_RULES = (
    _something_required,
    _named_fields,
    _nothing_overlooked,
    _sets_need_k,
    _combination_sizes,
    _solver_fits,
    *MODEL_RULES,
    *MAP_RULES,
)
