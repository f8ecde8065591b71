"""The requirements of bins that count people: the models of a table with several rows of a person,
and its bins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from sfumato.bins import Bins, CountedPeople
from sfumato.engines import Engine
from sfumato.hierarchies import Hierarchy
from sfumato.policy import (
    LooksAt,
    OutsideNeed,
    Policy,
    Role,
    SolveSettings,
    person_table,
    said_by_field,
)
from sfumato.protection import Model

from ..prepared_source import population_of
from ..requirements import models_for, needed_fields
from .table_view import Quasi, Sight, links_on, tolerates

JUDGED_APART = ("k", "k_m")
"""Keys of [require] that have verdicts of their own where people are counted."""


def person_in(sight: Sight) -> str:
    """The field that identifies the person of a row, by its name in the view of the table."""
    assert sight.person is not None
    return sight.person


def known_to(sight: Sight) -> tuple[str, ...]:
    """The quasi-identifiers of a table and of those above it, as its view calls them."""
    return tuple(item.called for item in sight.quasi)


def people_in_bins(policy: Policy) -> int:
    """How many people each bin over all known fields must have: k, or any number where k is asked
    of sets of fields."""
    return 1 if policy.require.quasi_identifiers else policy.require.k or 1


def judges_k_apart(policy: Policy) -> bool:
    """Whether k has a verdict of its own, about bins over all known fields."""
    return policy.require.k is not None and not policy.require.quasi_identifiers


def policy_of_view(policy: Policy, sight: Sight, *, with_values: bool = True) -> Policy:
    """The policy of one table as its view sees it: with the quasi-identifiers of the tables above
    it, by their names in the view. Their sensitive fields are included, unless only the table's own
    values are asked for.

    Requirements, recipients' knowledge and solver settings use these names too.
    """
    own = policy.of_table(sight.name)
    above = [item for item in (*sight.quasi, *sight.values) if item.table != sight.name]
    above = above if with_values else [item for item in above if item not in sight.values]
    brought = {
        item.called: replace(policy.tables[item.table].fields[item.field], name=item.called)
        for item in above
    }
    profile = policy.profile
    told = replace(
        profile,
        linking={item.called: links_on(policy, item.table, item.field) for item in sight.quasi},
        distortion={item.called: tolerates(policy, item.table, item.field) for item in sight.quasi},
    )
    return replace(
        own,
        fields={**own.fields, **brought},
        require=own.require.in_view(_names(policy, sight, above)),
        recipients={**own.recipients, policy.recipient: told},
        solve=_solve_by_names(
            policy, {key: item.called for item in sight.quasi for key in (item.field, item.name)}
        ),
    )


def _names(policy: Policy, sight: Sight, above: Sequence[Quasi]) -> dict[str, str]:
    """The view's name of each field, by its names in a policy: TABLE.FIELD, or FIELD of the
    person's table."""
    person = person_table(policy)
    names = {f"{sight.name}.{name}": name for name in sight.policy.fields}
    names |= {item.name: item.called for item in above}
    if sight.name == person:
        return names | {name: name for name in sight.policy.fields}
    return names | {item.field: item.called for item in above if item.table == person}


def policy_of_tables(policy: Policy, seen: Mapping[str, Sight]) -> Policy:
    """The policy as if all quasi-identifiers were in one table, each called TABLE.FIELD."""
    items = [item for sight in seen.values() for item in sight.own]
    fields = {
        item.name: replace(policy.tables[item.table].fields[item.field], name=item.name)
        for item in items
    }
    told = replace(
        policy.profile,
        linking={item.name: links_on(policy, item.table, item.field) for item in items},
        distortion={item.name: tolerates(policy, item.table, item.field) for item in items},
    )
    return replace(
        policy,
        fields=fields,
        tables={},
        recipients={**policy.recipients, policy.recipient: told},
        keep=tuple(item.name for item in items if item.field in policy.of_table(item.table).keep),
        solve=_solve_by_names(
            policy, {key: item.name for item in items for key in (item.field, item.name)}
        ),
    )


def _solve_by_names(policy: Policy, names: Mapping[str, str]) -> SolveSettings:
    """The solver's settings of each field, written as TABLE.FIELD or as FIELD, by other names."""
    solve = policy.solve

    def renamed(said: Mapping[str, Any]) -> dict[str, Any]:
        return {names[key]: value for key, value in said.items() if key in names}

    own = {key: renamed(said) for key, said in said_by_field(solve.settings).items()}
    return replace(solve, weights=renamed(solve.weights), settings=replace(solve.settings, **own))


def other_requirements(policy: Policy, sight: Sight) -> Iterator[tuple[Policy, tuple[str, ...]]]:
    """The requirements on a table besides those judged apart, with the fields of its bins.

    A recipient may know somebody's row in a table above and none in this one. A requirement on the
    values of this table is therefore asked of its bins over the quasi-identifiers of each table
    above, too. For people, it does not follow."""
    whole = policy_of_view(policy, sight)
    apart = [declared.key for declared, _ in whole.require.looking_at(LooksAt.SETS)]
    if not sight.is_person:  # A register knows people, and no rows below theirs.
        apart += [
            declared.key
            for declared, _ in whole.require.needing(OutsideNeed.POPULATION, OutsideNeed.WEIGHTS)
        ]
    if not whole.named(Role.SENSITIVE):  # Of all sensitive fields, none is in this view.
        apart += [declared.key for declared, _ in whole.require.looking_at(LooksAt.SENSITIVE)]
    apart += [] if whole.require.quasi_identifiers else ["k"]
    yield replace(whole, require=whole.require.without(apart)), known_to(sight)
    own = policy_of_view(policy, sight, with_values=False)
    if not own.named(Role.SENSITIVE):
        return
    values = {declared.key for declared, _ in own.require.looking_at(LooksAt.SENSITIVE)}
    own = replace(own, require=own.require.without(set(own.require.keys) - values))
    for known in _known_above(sight):
        yield own, known


def _known_above(sight: Sight) -> Iterator[tuple[str, ...]]:
    """The quasi-identifiers of each table above that has some, with those above it."""
    tables = list(dict.fromkeys(item.table for item in sight.quasi))
    for place in range(1, len(tables)):
        yield tuple(item.called for item in sight.quasi if item.table in tables[:place])


def asks_more_than_k(policy: Policy, sight: Sight) -> bool:
    """Whether more is required of the bins of a table than k people."""
    empty = nobody(policy, sight)
    populations = dict.fromkeys(policy.require.keys, empty)
    found = models_of_people(policy, sight, source=empty, people=0, populations=populations)
    return bool(sight.own) and bool(found)


def models_of_people(
    policy: Policy,
    sight: Sight,
    *,
    source: CountedPeople | None,
    people: int,
    hierarchies: Mapping[str, Hierarchy] = MappingProxyType({}),
    populations: Mapping[str, Bins] = MappingProxyType({}),
) -> tuple[Model, ...]:
    """The models that judge the bins of a table besides k; without a `source` those that need none.
    `people` is how many have rows in the source."""
    return tuple(
        model
        for asking, known in other_requirements(policy, sight)
        for model in models_for(
            asking, known, people, hierarchies=hierarchies, source=source, populations=populations
        )
    )


def populations_of(view: Engine, policy: Policy, sight: Sight) -> dict[str, Bins]:
    """The people that requirements of the person's table count in, by their keys."""
    asking, known = next(other_requirements(policy, sight))
    return {
        declared.key: population_of(view, asking, declared, asked, known, person=person_in(sight))
        for declared, asked in asking.require.needing(OutsideNeed.POPULATION, OutsideNeed.WEIGHTS)
    }


def values_in(policy: Policy, sight: Sight) -> tuple[str, ...]:
    """The fields of a view outside its bins whose values its requirements look at."""
    return needed_fields(policy_of_view(policy, sight), known_to(sight))


def count_people(view: Engine, policy: Policy, sight: Sight) -> CountedPeople:
    """The bins of a table, with all people in them and the values that its requirements look at."""
    values = values_in(policy, sight)
    return CountedPeople.counted(view, known_to(sight), person=person_in(sight), sensitive=values)


def nobody(policy: Policy, sight: Sight) -> CountedPeople:
    """The bins of a table without a row."""
    return CountedPeople.of_rows(known_to(sight), (), sensitive=values_in(policy, sight))
