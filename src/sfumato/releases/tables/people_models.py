"""The requirements of bins that count people: the models of a table with several rows of a person, and its bins."""

from __future__ import annotations

from dataclasses import replace

from sfumato.bins import CountedPeople
from sfumato.engines import Engine
from sfumato.policy import LooksAt, Policy
from sfumato.protection import Model

from ..requirements import models_for, needed_fields
from .seeing import Sight

JUDGED_APART = ("k", "k_m")
"""Keys of [require] that have verdicts of their own where people are counted."""


def person_in(sight: Sight) -> str:
    """The field that says whose a row is, as the view of the table calls it."""
    assert sight.person is not None
    return sight.person


def known_to(sight: Sight) -> tuple[str, ...]:
    """The quasi-identifiers of a table and of those above it, as its view calls them."""
    return tuple(item.called for item in sight.quasi)


def people_in_bins(policy: Policy) -> int:
    """How many people each bin over all known fields must have: k, or any number where k is asked of sets of fields."""
    return 1 if policy.require.quasi_identifiers else policy.require.k or 1


def judges_k_apart(policy: Policy) -> bool:
    """Whether k has a verdict of its own, about bins over all known fields."""
    return policy.require.k is not None and not policy.require.quasi_identifiers


def other_requirements(policy: Policy, sight: Sight) -> Policy:
    """The policy of one table without the requirements that are judged apart."""
    own = policy.of_table(sight.name)
    apart = [declared.key for declared, _ in own.require.looking_at(LooksAt.SETS)]
    apart += [] if own.require.quasi_identifiers else ["k"]
    return replace(own, require=own.require.without(apart))


def asks_more_than_k(policy: Policy, sight: Sight) -> bool:
    """Whether more is required of the bins of a table than k people."""
    return bool(sight.own) and bool(models_of_people(policy, sight, source=_nobody(policy, sight)))


def models_of_people(policy: Policy, sight: Sight, *, source: CountedPeople | None) -> tuple[Model, ...]:
    """The models that judge the bins of a table besides k; without a `source` those that need none."""
    people = source.people if source is not None else 0
    return models_for(other_requirements(policy, sight), known_to(sight), people, hierarchies={}, source=source)


def count_people(view: Engine, policy: Policy, sight: Sight) -> CountedPeople:
    """The bins of a table, with all people in them and the values that its requirements look at."""
    own = policy.of_table(sight.name)
    known = known_to(sight)
    return CountedPeople.counted(view, known, person=person_in(sight), sensitive=needed_fields(own, known))


def _nobody(policy: Policy, sight: Sight) -> CountedPeople:
    known = known_to(sight)
    return CountedPeople.of_rows(known, (), sensitive=needed_fields(policy.of_table(sight.name), known))
