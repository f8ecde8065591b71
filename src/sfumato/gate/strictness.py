"""Provably stricter: whether every answer that a changed policy allows was allowed by the policy
before it.

Most parts of a policy have a direction: k rises, gains and risks fall, as the models declare. Roles
move towards *never shown*, fields and profiles are removed, hierarchies lose levels. A change of a
part without a direction is not stricter, and waits for a second person. So a part that is new to
policies waits until somebody has thought about its direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from sfumato.parts import Direction, parameters_of
from sfumato.policy import SETTINGS, Field, Policy, Requirements, Role, declared_model

from .settings import Audience, Mode, Terms

Stricter = Callable[[Any, Any], bool]
"""Whether a value is at least as strict as the one before it."""


def _up(before: Any, after: Any) -> bool:
    return after is not None and (before is None or after >= before)


def _down(before: Any, after: Any) -> bool:
    return after is not None and (before is None or after <= before)


def _more_fields(before: Sequence[str], after: Sequence[str]) -> bool:
    """A rule about more fields. None named means all sensitive ones, which is another sort of
    set."""
    return bool(before) and bool(after) and set(before) <= set(after)


def _each_up(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return all(name in after and after[name] >= least for name, least in before.items())


_DIRECTIONS: Final[Mapping[Direction, Stricter]] = {
    Direction.UP: lambda before, after: (
        _each_up(before, after) if isinstance(before, Mapping) else _up(before, after)
    ),
    Direction.DOWN: _down,
    Direction.MORE: _more_fields,
}


def _rules(record: type) -> dict[str, Stricter]:
    """The parts of a requirement that have a direction, as its model declares; the others must stay
    as they are."""
    return {
        each.name: _DIRECTIONS[each.stricter]
        for each in parameters_of(record)
        if each.stricter in _DIRECTIONS
    }


def _implied(before: Any, after: Any) -> bool:
    """Whether a requirement follows from another one of the same model."""
    if type(before) is not type(after):
        return False
    return not list(_differing(before, after, _rules(type(before))))


def _requirements(before: Requirements, after: Requirements) -> Iterator[str]:
    """The keys of [require] that are not provably as strict: each requirement follows from one of
    those after it.

    Further ones may be added, but not of a model that declares no direction: nobody has thought
    about it."""
    for name in SETTINGS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new and not (name == "max_suppression" and _down(old, new)):
            yield f"require.{name}"
    for key in sorted(
        {*before.keys, *after.keys}, key=lambda key: (declared_model(key).place, key)
    ):
        old, new = before.each(key), after.each(key)
        known = bool(_rules(declared_model(key).record))
        if old != new and not (
            known and all(any(_implied(one, other) for other in new) for one in old)
        ):
            yield f"require.{key}"


ROLES: Final = frozenset((
    (Role.INSENSITIVE, Role.SENSITIVE), (Role.INSENSITIVE, Role.DIRECT), (Role.SENSITIVE, Role.DIRECT),
    (Role.QUASI, Role.DIRECT),
))  # fmt: skip
"""From which role to which: rules begin to hold for a field's values, or it is never shown."""
_WHOSE: Final = ("name", "folder")
"""Parts of a policy about its place, not about data."""


def loosened(before: Policy, after: Policy) -> tuple[str, ...]:
    """The parts of a policy that are not provably as strict as before; none where all are.

    Example:
        >>> from dataclasses import replace
        >>> from sfumato.policy import Requirements
        >>> five = Policy(fields={}, require=Requirements(k=5))
        >>> loosened(five, replace(five, require=Requirements(k=7)))
        ()
        >>> loosened(five, replace(five, require=Requirements(k=3)))
        ('require.k',)
    """
    out: list[str] = []
    for part in fields(Policy):
        old, new = getattr(before, part.name), getattr(after, part.name)
        if old == new or part.name in _WHOSE:
            continue
        if part.name == "require":
            out += _requirements(old, new)
        elif part.name == "fields":
            out += _fields(old, new)
        elif part.name == "recipients":
            out += _recipients(before, after)
        else:
            out.append(part.name)
    return tuple(dict.fromkeys(out))


def _differing(before: Any, after: Any, rules: Mapping[str, Stricter]) -> Iterator[str]:
    """The parts of a record that changed other than their rule allows."""
    assert is_dataclass(before)
    for part in fields(before):
        old, new = getattr(before, part.name), getattr(after, part.name)
        if old != new and not (part.name in rules and rules[part.name](old, new)):
            yield part.name


def _fields(before: Mapping[str, Field], after: Mapping[str, Field]) -> Iterator[str]:
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield "fields"
    for name, new in after.items():
        old = before.get(name)
        if old is None:
            if new.role is not Role.DIRECT:
                yield f"fields.{name}"
        elif old != new and (old.role, new.role) not in ROLES:
            yield from (
                f"fields.{name}.{part}"
                for part in _differing(old, new, {"hierarchy": _fewer_levels})
            )
        elif new.role is Role.SENSITIVE and old != new:
            yield from (
                f"fields.{name}.{part}" for part in _differing(old, new, {"role": lambda *_: True})
            )


def _fewer_levels(before: Any, after: Any) -> bool:
    """Whether a hierarchy has some of the levels that it had, and no others: some widths, or some
    prefixes."""
    if before is None or after is None:
        return False
    old, new = before.describe(), after.describe()
    if not isinstance(old, Mapping) or not isinstance(new, Mapping) or set(old) != set(new):
        return False
    return all(new[name] == part or _fewer(name, part, new[name]) for name, part in old.items())


def _fewer(name: str, before: Any, after: Any) -> bool:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return set(before) == set(after) and all(
            after[inner] == part or (inner == "widths" and _part_of(part, after[inner]))
            for inner, part in before.items()
        )
    return name == "prefix" and _part_of(before, after)


def _part_of(before: Any, after: Any) -> bool:
    """Whether a list has some items of another, in its order."""
    if (
        not isinstance(before, Sequence)
        or not isinstance(after, Sequence)
        or isinstance(before, str)
    ):
        return False
    rest = iter(before)
    return all(item in rest for item in after)


def _recipients(before: Policy, after: Policy) -> Iterator[str]:
    """Profiles may go away and may be taken to know more. The knowledge of one of them is counted
    for all who share."""
    names = list(after.fields)
    for name, new in after.recipients.items():
        old = before.recipients.get(name)
        if old is None:
            yield f"recipient.{name}"
            continue
        knows = all(new.links_on(each) >= old.links_on(each) for each in names)
        if not knows or any(new.tolerates(each) != old.tolerates(each) for each in names):
            yield f"recipient.{name}"
    for each in names:
        was, now = (
            any(who.links_on(each) > 0 for who in p.recipients.values()) for p in (before, after)
        )
        if was and not now:
            yield f"recipient: {each} counts as unknown"


# ------------------------------------------------------------------ terms

_MODES: Final = frozenset(((Mode.EITHER, Mode.EXACT), (Mode.EITHER, Mode.NOISY)))
_AUDIENCES: Final = (Audience.PERSON, Audience.GROUPS, Audience.EVERYONE)


def _fewer_bounds(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return all(before.get(name) == pair for name, pair in after.items())


def _smaller_budget(before: Any, after: Any) -> bool:
    return not list(
        _differing(before, after, {"query": _down, "person": _down, "table": _down, "most": _down})
    )


def _less_validation(before: Any, after: Any) -> bool:
    """Fewer may validate, or with more noise; an epsilon of 0 is that of any question."""
    return before.allowed >= after.allowed and (
        not after.allowed or 0 < after.epsilon <= before.epsilon or before == after
    )


TERMS: Final[Mapping[str, Stricter]] = {
    "mode": lambda before, after: (before, after) in _MODES,
    "audience": lambda before, after: _AUDIENCES.index(after) >= _AUDIENCES.index(before),
    "budget": _smaller_budget,
    "least": _up,
    "bounds": _fewer_bounds,
    "validation": _less_validation,
}


def loosened_terms(before: Terms, after: Terms) -> tuple[str, ...]:
    """The parts of a profile's terms that are not provably as strict as before."""
    return tuple(_differing(before, after, TERMS))
