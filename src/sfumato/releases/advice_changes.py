"""Changes of a policy that an adviser may propose, each with what it means for protection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sfumato.policy import Field, Policy, Replacement, Role, problems_in
from sfumato.solvers import SOLVERS

SAME = "same protection"
BEST = "best"
LEAST_K = 3
MOST_SUPPRESSION = 0.2


@dataclass(frozen=True, kw_only=True)
class PolicyChange:
    """A change in words, what kind it is of, the policy with it, the fields that it leaves out, and
    what it means for protection: `SAME`, or how it is weaker."""

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
    """The policy with the solver that takes whichever recoding loses less."""
    if policy.solve.solver == BEST:
        return policy
    settings = SOLVERS[BEST].settings()
    return replace(policy, solve=replace(policy.solve, solver=BEST, settings=settings))


def another_solver(policy: Policy) -> PolicyChange:
    return PolicyChange(kind="solver", words='let solver = "best" run', policy=with_best(policy))


def leave_out(policy: Policy, names: Sequence[str]) -> PolicyChange:
    """The fields are not released: nobody learns more than before."""
    removed = {name: Field(name=name, role=Role.DIRECT, replace=Replacement()) for name in names}
    changed = replace(
        with_best(policy),
        fields={name: removed.get(name, decided) for name, decided in policy.fields.items()},
    )
    also = "" if policy.solve.solver == BEST else ', and let solver = "best" run'
    return PolicyChange(
        kind="fields",
        words=f"leave out {_listed(names)}{also}",
        policy=changed,
        left_out=tuple(names),
    )


def more_suppression(policy: Policy) -> PolicyChange | None:
    """Twice as many rows may be left out; those that stay are protected as before."""
    now = policy.require.max_suppression
    most = min(max(2 * now, 0.05), MOST_SUPPRESSION)
    if most <= now:
        return None
    changed = replace(with_best(policy), require=replace(policy.require, max_suppression=most))
    return PolicyChange(
        kind="rows", words=f"leave out up to {most:.0%} of the rows", policy=changed
    )


def smaller_k(policy: Policy) -> PolicyChange | None:
    """Fewer people share each combination: the last resort, and weaker."""
    k = policy.require.k
    if k is None or k <= LEAST_K:
        return None
    return PolicyChange(
        kind="k",
        words=f"ask for k = {LEAST_K}",
        policy=replace(with_best(policy), require=policy.require.with_models(k=LEAST_K)),
        protection=f"weaker: each person hides among {LEAST_K}, not {k}",
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1] if names else ""
