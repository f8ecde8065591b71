"""Changes of a policy that an adviser may propose, each with what it means for protection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from sfumato.errors import PolicyError
from sfumato.hierarchies import Label, Suppression, hierarchy_from_table
from sfumato.policy import (
    Field,
    Policy,
    Replacement,
    Role,
    policy_as_table,
    policy_from_table,
    problems_in,
)
from sfumato.solvers import SOLVERS

SAME = "same protection"
BEST = "best"
LEAST_K = 3
MOST_SUPPRESSION = 0.2
FEW_VALUES = 12
WIDE = 8
OTHERS_KNOWN = 2
GREEDY = "greedy"
LIMITS = ("seconds",)
"""Limits that mean the same for every solver; work is counted in each one's own unit."""
_WHOLE = re.compile(r"-?[0-9]{1,15}")


@dataclass(frozen=True, kw_only=True)
class PolicyChange:
    """A change in words, its kind, the policy with it, the fields that it removes, and its effect
    on protection: `SAME`, or how it is weaker."""

    kind: str
    words: str
    policy: Policy
    left_out: tuple[str, ...] = ()
    protection: str = SAME

    @property
    def is_weaker(self) -> bool:
        return self.protection != SAME

    @property
    def fits(self) -> bool:
        """Whether the policy with the change holds together."""
        return not problems_in(self.policy)


def with_best(policy: Policy) -> Policy:
    """The policy with the solver that takes whichever recoding loses less, within the same time."""
    if policy.solve.solver == BEST:
        return policy
    record = SOLVERS[BEST].settings
    shared = {each.name for each in fields(record)} & {
        each.name for each in fields(policy.solve.settings) if each.name in LIMITS
    }
    settings = record(**{name: getattr(policy.solve.settings, name) for name in shared})
    return replace(policy, solve=replace(policy.solve, solver=BEST, settings=settings))


def another_solver(policy: Policy) -> PolicyChange:
    return PolicyChange(kind="solver", words='let solver = "best" run', policy=with_best(policy))


def leave_out(policy: Policy, names: Sequence[str]) -> PolicyChange:
    """The fields are not released: nobody learns more than before."""
    changed = replace(
        with_best(policy),
        fields=_without(policy.fields, names),
        tables={
            name: replace(table, fields=_without(table.fields, names, table=f"{name}."))
            for name, table in policy.tables.items()
        },
    )
    return PolicyChange(
        kind="fields",
        words=f"leave out {_listed(names)}{_also(policy)}",
        policy=changed,
        left_out=tuple(names),
    )


def _without(
    decided: Mapping[str, Field], names: Sequence[str], *, table: str = ""
) -> dict[str, Field]:
    return {
        name: Field(name=name, role=Role.DIRECT, replace=Replacement())
        if f"{table}{name}" in names
        else field
        for name, field in decided.items()
    }


def coarser_hierarchy(policy: Policy, values: Mapping[str, Sequence[Label]]) -> PolicyChange | None:
    """Steps for numbers that can only be kept or suppressed so far; `values` are those of each known
    field."""
    made = {
        name: widths
        for name, found in values.items()
        if isinstance(policy.fields[name].hierarchy, Suppression)
        and (widths := _widths(found)) is not None
    }
    if not made:
        return None
    with_steps = {
        name: replace(decided, hierarchy=hierarchy_from_table({"numbers": {"widths": made[name]}}))
        if name in made
        else decided
        for name, decided in policy.fields.items()
    }
    told = [f"{name} in steps of {', '.join(map(str, widths))}" for name, widths in made.items()]
    return PolicyChange(
        kind="hierarchy",
        words=f"generalise {_listed(told)}{_also(policy)}",
        policy=replace(with_best(policy), fields=with_steps),
    )


def _widths(values: Sequence[Label]) -> list[int] | None:
    """Three nested widths, about a twentieth, a quarter and a half of the span; None where the values
    are few or no whole numbers."""
    present = [value for value in values if value is not None]
    if len(present) < FEW_VALUES or not all(_WHOLE.fullmatch(value) for value in present):
        return None
    numbers = [int(value) for value in present]
    step = max((max(numbers) - min(numbers)) // 20, 1)
    size = 10 ** (len(str(step)) - 1)
    first = next(size * nice for nice in (1, 2, 5, 10) if size * nice >= step)
    return [first, 5 * first, 10 * first]


def more_suppression(policy: Policy) -> PolicyChange | None:
    """Twice as many rows may be left out; those that stay are protected as before."""
    now = policy.require.max_suppression
    most = min(max(2 * now, 0.05), MOST_SUPPRESSION)
    if most <= now:
        return None
    changed = replace(with_best(policy), require=replace(policy.require, max_suppression=most))
    words = f"leave out up to {most:.0%} of the rows{_also(policy)}"
    return PolicyChange(kind="rows", words=words, policy=changed)


def bounded_recipient(policy: Policy) -> PolicyChange | None:
    """A recipient who knows the kept fields and any two others, in place of one who knows many
    fields at once. It is weaker, and for wide tables."""
    quasi, k = policy.named(Role.QUASI), policy.require.k
    alone = policy.require.keys == ("k",) and not policy.require.quasi_identifiers
    if k is None or not alone or len(quasi) < WIDE:
        return None
    register = tuple(name for name in policy.keep if name in quasi)
    asked = {"k": k, "m": OTHERS_KNOWN, "register": list(register)}
    solve = {"solver": GREEDY, "seed": policy.solve.seed}
    table = {**policy_as_table(policy), "solve": solve}
    limit = policy.require.max_suppression
    table["require"] = {"max_suppression": limit, "bounded_knowledge": asked}
    try:
        changed = policy_from_table(table, folder=policy.folder, name=policy.name)
    except PolicyError:
        return None
    known = (
        f"{_listed(register)} and {OTHERS_KNOWN} others" if register else f"{OTHERS_KNOWN} fields"
    )
    return PolicyChange(
        kind="recipient",
        words=f"count on a recipient who knows {known}, with bounded_knowledge",
        policy=changed,
        protection=f"weaker: someone who knows more of the {len(quasi)} fields may find a person",
    )


def smaller_k(policy: Policy) -> PolicyChange | None:
    """Fewer people share each combination: the last resort, and weaker."""
    k = policy.require.k
    if k is None or k <= LEAST_K:
        return None
    return PolicyChange(
        kind="k",
        words=f"ask for k = {LEAST_K}{_also(policy)}",
        policy=replace(with_best(policy), require=policy.require.with_models(k=LEAST_K)),
        protection=f"weaker: each person hides among {LEAST_K}, not {k}",
    )


def _also(policy: Policy) -> str:
    return "" if policy.solve.solver == BEST else ', and let solver = "best" run'


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1] if names else ""
