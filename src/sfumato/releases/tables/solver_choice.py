"""The solver that a policy leads to where people are counted: the search over all tables, or one
that is handed bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sfumato.policy import KEPT_WEIGHT, Policy, RecodingKind, abilities_of, problems_in
from sfumato.protection import KAnonymity, Model
from sfumato.solvers import (
    SOLVERS,
    PeopleRequest,
    PeopleSolver,
    build_people_solver,
    settings_of,
    shared_out,
    why_global,
)

from ..solver_account import SolverAccount, solver_of_table
from .people_models import known_to, people_in_bins, policy_of_tables, policy_of_view
from .table_view import Sight, tolerates

LEAST_SECONDS: Final = 0.1


def counted_tables(seen: Mapping[str, Sight]) -> tuple[Sight, ...]:
    """The tables with quasi-identifiers of their own, in whose bins people are counted."""
    return tuple(sight for sight in seen.values() if sight.own and sight.person is not None)


def counts_people(seen: Mapping[str, Sight]) -> bool:
    """Whether people must be counted in tables with several rows of each: some such table has
    quasi-identifiers."""
    person = next(sight for sight in seen.values() if sight.is_person)
    several = any(sight.own and not sight.is_person for sight in seen.values())
    return several or bool(person.own and not person.policy.key)


def recodes_bins(policy: Policy) -> bool:
    """Whether the solver only recodes the bins that it is handed and has them judged, so that they
    may count people."""
    return SOLVERS[policy.solve.solver].build_people is None


def may_be_local(policy: Policy, seen: Mapping[str, Sight]) -> bool:
    """Whether the solver takes a local recoding where it loses less, and one table alone is
    recoded."""
    either = abilities_of(policy).recodes is RecodingKind.EITHER
    return either and len(counted_tables(seen)) == 1 and not why_global(policy)


def may_be_linked(policy: Policy, seen: Mapping[str, Sight]) -> bool:
    """Whether the solver takes a local recoding of several tables, one after the other, where it
    loses less."""
    either = abilities_of(policy).recodes is RecodingKind.EITHER
    if not either or len(counted_tables(seen)) < 2 or why_global(policy):
        return False
    return not problems_in(shared_out(policy)[1])


def people_search(policy: Policy, seen: Mapping[str, Sight]) -> PeopleSolver:
    """The search over all tables at once."""
    request = PeopleRequest(
        policy=policy, k=people_in_bins(policy), weights=field_weights(policy, seen)
    )
    return build_people_solver(request)


def solvers_asked(
    policy: Policy,
    seen: Mapping[str, Sight],
    models: Mapping[str, tuple[Model, ...]],
    *,
    numeric: Sequence[str],
) -> list[SolverAccount]:
    """The searches that a policy can lead to, each by its name in a manifest. `models` are those of
    each table; where the better of two searches is taken, there are several."""
    person = next(sight for sight in seen.values() if sight.is_person)
    if not counts_people(seen):
        known = known_to(person)
        own = policy.of_table(person.name)
        because = why_global(policy)
        found = solver_of_table(
            own, models.get(person.name, ()), known, numeric=numeric, because=because
        )
        return [found if person.own else SolverAccount()]
    if recodes_bins(policy):
        return [_of_bins(policy, seen, models, numeric=numeric)]
    if not may_be_local(policy, seen) and not may_be_linked(policy, seen):
        return [_of_search(policy, seen)]
    first, second = shared_out(policy)
    if may_be_linked(policy, seen):
        return [_of_search(policy, seen), solver_of_tables(second, seen, numeric=numeric)]
    local = _of_bins(second, seen, models, numeric=())
    return [_of_search(policy, seen), _of_search(first, seen), local]


def _of_search(policy: Policy, seen: Mapping[str, Sight]) -> SolverAccount:
    solver = people_search(policy, seen)
    return SolverAccount(name=solver.name, settings=settings_of(solver))


def _of_bins(
    policy: Policy,
    seen: Mapping[str, Sight],
    models: Mapping[str, tuple[Model, ...]],
    *,
    numeric: Sequence[str],
) -> SolverAccount:
    """A solver that is handed the bins of one table, or of all tables under names that all know."""
    tables = counted_tables(seen)
    if len(tables) > 1:
        return solver_of_tables(policy, seen, numeric=numeric)
    sight = tables[0]
    k = KAnonymity(k=people_in_bins(policy), fields=known_to(sight))
    asked = (k, *models.get(sight.name, ()))
    view = policy_of_view(policy, sight)
    return solver_of_table(view, asked, known_to(sight), numeric=numeric)


def solver_of_tables(
    policy: Policy, seen: Mapping[str, Sight], *, numeric: Sequence[str]
) -> SolverAccount:
    """A solver that is handed the bins of several tables, as if all fields were in one."""
    known = tuple(dict.fromkeys(i.name for sight in counted_tables(seen) for i in sight.quasi))
    return solver_of_table(policy_of_tables(policy, seen), (), known, numeric=numeric)


def shared_time(policy: Policy, parts: int) -> Policy:
    """The policy with its share of the seconds, where several searches share them."""
    settings = policy.solve.settings
    seconds = getattr(settings, "seconds", None)
    if seconds is None or parts <= 1:
        return policy
    shared = replace(settings, seconds=max(seconds / parts, LEAST_SECONDS))
    return replace(policy, solve=replace(policy.solve, settings=shared))


def field_weights(policy: Policy, seen: Mapping[str, Sight]) -> dict[str, float]:
    """By the recipient's tolerance, more where the policy keeps the field, unless it weighs the field
    itself, as TABLE.FIELD or as FIELD."""
    said = policy.solve.weights

    def weight(table: str, name: str) -> float:
        usual = 1.0 - 0.9 * tolerates(policy, table, name)
        return usual * (KEPT_WEIGHT if name in policy.of_table(table).keep else 1.0)

    return {
        item.name: said.get(
            f"{item.table}.{item.field}", said.get(item.field, weight(item.table, item.field))
        )
        for sight in seen.values()
        for item in sight.own
    }
