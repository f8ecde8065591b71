"""Repeated draws: fields that chance changes, in several releases about the same people.

Whoever holds two draws of the same noise averages them, and values that two draws of a random
exchange agree on are nearly always true. So all releases of a run have one draw, or none is made. A
key gives the same rows the same draw; other rows get another one (`KeyedRandom.bound_to`). Dates
are shifted by the key and the person alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.errors import CandidateFailed, Mistake
from sfumato.policy import Policy

from .release_maker import ProfileRelease


def fields_by_chance(policy: Policy) -> tuple[str, ...]:
    """The fields that steps change by chance; the techniques, of steps that take whole rows."""
    named = (step.fields or (step.technique,) for step in policy.steps if step.draws)
    return tuple(dict.fromkeys(name for names in named for name in names))


def shifted_fields(policy: Policy) -> tuple[str, ...]:
    """The dates that are shifted by a drawn number of days."""
    tables = policy.tables.values() if policy.tables else (policy,)
    return tuple(name for each in tables for name, item in each.fields.items() if item.shift)


def check_one_draw(policy: Policy, group: Sequence[str], *, has_key: bool, request: str) -> None:
    """Refuse several profiles that would each get a draw of their own."""
    names = (*fields_by_chance(policy), *shifted_fields(policy))
    if len(group) > 1 and names and not has_key:
        raise Mistake(
            f"{request}: {', '.join(group)}.",
            found=f"Chance changes {', '.join(names)}. Without a key each profile gets a draw of "
            "its own, and whoever holds two of them averages the change out.",
            attempt="sfumato key FILE, and --key FILE: all profiles then have the same draw.",
        )


def check_same_rows(policy: Policy, made: Iterable[ProfileRelease]) -> None:
    """Refuse releases whose draws differ, because other people are held back from each."""
    names = fields_by_chance(policy)
    found = list(made)
    held = max((each.held_back + each.waiting for each in found), default=0)
    if len(found) > 1 and names and held:
        raise CandidateFailed(
            f"The releases were not made: chance changes {', '.join(names)}, and each of them "
            "would have a draw of its own.",
            found=f"Up to {held} people are held back from a release because of the others, and "
            "other rows get other draws.",
            attempt="the same linking fields in all profiles, --apart for recipients who share "
            "nothing, or no step of chance.",
        )


def check_no_draws(policy: Policy, *, request: str) -> None:
    """Refuse fields that every new state of a live source would draw anew."""
    names = fields_by_chance(policy)
    if names:
        raise Mistake(
            f"{request}.",
            found=f"Chance changes {', '.join(names)}. Each refresh with other rows draws anew, and "
            "readers of several states average the change out.",
            attempt="generalising these fields, or sfumato release, once.",
        )
