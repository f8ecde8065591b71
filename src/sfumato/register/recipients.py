"""Recipients: who belongs to which groups, and the groups that must be judged as one.

A recipient holds what all its groups hold. Groups with a recipient in common are therefore joined:
each of them holds the releases of all. The members of a group are taken to share what they hold, so
that joins carry on from group to group. A name that only looks like a known one is refused until
somebody declares whether they are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from sfumato.errors import Mistake
from sfumato.policy import AccessClass

from .recipient_names import folded, look_alike, recipient_key

if TYPE_CHECKING:
    from .agreements import Agreement

EVERYBODY: Final = "everybody"
"""The group of releases that anybody may have."""
_LIKE_EVERYBODY: Final = frozenset(
    ("everybody", "everyone", "anybody", "anyone", "all", "public", "generalpublic")
)
IsSettled = Callable[[str, str], bool]
"""Whether somebody declared what two names are."""


def joined_groups(group: str, members: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """The groups that hold what a group holds: itself, and all that share a recipient with it, or
    with one of them. `members` has the keys of the recipients by group."""
    if group == EVERYBODY:
        return (group,)
    found, names = {group}, set(members.get(group, frozenset()))
    more = True
    while more:
        linked = {
            each
            for each, own in members.items()
            if each not in found and each != EVERYBODY and not names.isdisjoint(own)
        }
        names.update(*(members[each] for each in linked))
        found |= linked
        more = bool(linked)
    return (group, *sorted(found - {group}))


def unsettled_pairs(
    own: Iterable[str], others: Iterable[str], is_settled: IsSettled
) -> list[tuple[str, str]]:
    """The names of a group that look like names of others, and nobody declared what they are."""
    return sorted(
        (one, other)
        for one in set(own)
        for other in set(others) - {EVERYBODY}
        if look_alike(one, other) and not is_settled(one, other)
    )


def check_group(group: str, known: Mapping[str, Iterable[str]], is_settled: IsSettled) -> None:
    """Refuse a name that reads like `everybody`, or like a name that the register knows: two names
    of one recipient would be judged as if they shared nothing. `known` has the names of all
    recipients by group."""
    if is_everybody(group) and group != EVERYBODY:
        raise Mistake(
            f"A release was asked for, for {group}.",
            found="The group of everybody has one name, and others hold less than it.",
            attempt="everybody, or the name of a group.",
        )
    if group in known or group == EVERYBODY:
        return
    spelled = sorted(each for each in known if folded(each) == folded(group))
    if spelled:
        raise Mistake(
            f"The group {group} was named.",
            found=f"The register knows it as {spelled[0]}; two spellings would be two groups.",
            attempt=f"{spelled[0]}, or a name that differs by more than its spelling.",
        )
    others = {name: of for of, names in known.items() for name in (of, *names)}
    alike = unsettled_pairs((group,), others, is_settled)
    if alike:
        name = alike[0][1]
        of = f", a recipient of the group {others[name]}" if others[name] != name else ""
        raise Mistake(
            f"The group {group} was named.",
            found=f"It looks like {name}{of}. What one recipient holds is judged over all its "
            "groups.",
            attempt=f"--to {others[name]!r} where they are one group; otherwise declare what they "
            f"are: {_declaration(group, name)}.",
        )


def check_recipient(
    agreement: Agreement, group: str, known: Mapping[str, Iterable[str]], is_settled: IsSettled
) -> None:
    """Refuse an agreement whose recipient looks like another one, unless it declares whether they
    are the same. `known` has the names of all recipients by group."""
    if agreement.access is AccessClass.PUBLIC and group != EVERYBODY:
        raise Mistake(
            f"An agreement for the group {group} was to be recorded.",
            found="Its access is public, so that everybody may have the data.",
            attempt="an application for the group everybody, or a narrower access.",
        )
    others = {name for of, names in known.items() if of != group for name in (of, *names)}
    settled = {*map(recipient_key, (*agreement.names, *agreement.not_the_same_as))}
    for name in agreement.names:
        if is_everybody(name) and group != EVERYBODY:
            raise Mistake(
                f"An agreement with {name} was to be recorded.",
                found="What everybody may have is judged for every group.",
                attempt="an application for the group everybody.",
            )
        new = (each for each in others if recipient_key(each) not in settled)
        alike = [other for _, other in unsettled_pairs((name,), new, is_settled)]
        if alike:
            listed = ", ".join(f'"{each}"' for each in alike)
            raise Mistake(
                f"An agreement with {name} was to be recorded.",
                found=f"The register knows {', '.join(alike)}, and nobody can say whether they are "
                "the same recipient. What one recipient holds is judged over all its groups.",
                attempt=f"also_known_as = [{listed}] in the agreement where they are the same, "
                f"or not_the_same_as = [{listed}] where they are not.",
            )


def is_everybody(name: str) -> bool:
    """Whether a name reads like that of everybody."""
    return {folded(name), recipient_key(name)} & _LIKE_EVERYBODY != set()


def _declaration(one: str, other: str) -> str:
    return (
        f"sfumato register recipients DIR {one!r} {other!r} --are same (or different) --reason TEXT"
    )
