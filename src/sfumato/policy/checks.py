"""Whether a policy holds together, and whether it fits a source: an ordered tuple of rules, all of them run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from sfumato.errors import PolicyError, Problem

from .nearest import with_question
from .reading import joined
from .records import LOCAL_SOLVERS, SOLVERS, Method, Policy, Role
from .require_checks import REQUIRE_RULES

Rule = Callable[[Policy, frozenset[str]], Iterable[Problem]]

_SHIFTED = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)
_LINKED = (Role.SENSITIVE, Role.INSENSITIVE)


def problems_in(policy: Policy, *, unclear: frozenset[str] = frozenset()) -> tuple[Problem, ...]:
    """Everything that contradicts something else in the policy.

    `unclear` are fields about which something worse was said already; nothing that hangs on their role is.
    """
    return tuple(chain.from_iterable(rule(policy, unclear) for rule in RULES))


def check_against(policy: Policy, field_names: Sequence[str]) -> None:
    """Raise PolicyError where the policy does not fit a source with these fields."""
    problems = list(_misfits(policy, field_names))
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}, held against the source,")


def _misfits(policy: Policy, field_names: Sequence[str]) -> Iterator[Problem]:
    present = set(field_names)
    if not present:
        yield Problem(where="source", found="It has no fields.", attempt="a table with a line of names.")
        return
    for name in policy.fields:
        if name not in present:
            others = [other for other in field_names if other not in policy.fields]
            said = with_question("The source has no such field.", name, others)
            yield Problem(where=joined("fields", name), found=said)
    for name in dict.fromkeys(field_names):
        if field_names.count(name) > 1:
            yield Problem(
                where="source",
                found=f'It has {field_names.count(name)} fields called "{name}".',
                attempt="giving each its own name.",
            )
        if name not in policy.fields and policy.other_fields == "refuse":
            said = f'The source has a field "{name}" about which the policy says nothing.'
            yield Problem(
                where="fields",
                found=said,
                attempt=f'[{joined("fields", name)}] with a role, or other_fields = "remove".',
            )


def _has_fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    if not policy.fields and not unclear:
        yield Problem(where="fields", found="The policy names no field.", attempt="[fields.NAME] with a role.")


def _roles_fit(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """What is decided about a field must be something that its role allows."""
    for name, field in policy.fields.items():
        if name in unclear:
            continue
        where = joined("fields", name)
        role = field.role
        if field.hierarchy is not None and role is not Role.QUASI:
            yield _only(f"{where}.hierarchy", "A hierarchy", role, attempt='role = "quasi".')
        if field.rank != 1 and role is not Role.QUASI:
            yield _only(f"{where}.rank", "A rank", role, attempt='role = "quasi".')
        if field.replace is not None and role is not Role.DIRECT:
            yield _only(f"{where}.replace", "A replacement", role, attempt='role = "direct".')
        if field.follows and role not in _LINKED:
            yield _only(f"{where}.follows", "Following another field", role, attempt="leaving it out.")
        if field.shift is not None and role not in _SHIFTED:
            yield _only(f"{where}.shift", "A shift of dates", role, attempt="leaving it out.")


def _only(where: str, what: str, role: Role, *, attempt: str) -> Problem:
    return Problem(where=where, found=f"{what} means nothing for a field that is {role.value}.", attempt=attempt)


def _shift_keys(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    known = {*policy.fields, *unclear}
    for name, field in policy.fields.items():
        if field.shift is not None and field.shift.per not in known:
            said = with_question(f'There is no field "{field.shift.per}".', field.shift.per, policy.fields)
            yield Problem(where=f"{joined('fields', name)}.shift.per", found=said, attempt="the person key.")


def _leaders(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A field follows one that recoding can suppress, which a field that follows is not: so there are no chains."""
    for name, field in policy.fields.items():
        leader = policy.fields.get(field.follows)
        where = f"{joined('fields', name)}.follows"
        if not field.follows or field.follows in unclear or name in unclear:
            continue
        if leader is None:
            said = with_question(f'There is no field "{field.follows}".', field.follows, policy.named(Role.QUASI))
            yield Problem(where=where, found=said, attempt="a quasi field.")
        elif leader.role is not Role.QUASI and field.role in _LINKED:
            yield Problem(
                where=where,
                found=f"{leader.name} is {leader.role.value}, and only the cells of a quasi field are suppressed.",
                attempt="following a quasi field.",
            )


def _entity(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The person key exists, and does not leave as it is."""
    name = policy.entity
    if name is None or name in unclear:
        return
    if name not in policy.fields:
        said = with_question(f'There is no field "{name}".', name, policy.fields)
        yield Problem(where="entity", found=said, attempt="the field that says which rows are one person's.")
    elif policy.fields[name].role is not Role.DIRECT:
        yield Problem(
            where="entity",
            found=f"The person key {name} is {policy.fields[name].role.value}, so it would be released as it is.",
            attempt='role = "direct" with replace = "made-up", which keeps the rows of one person together.',
        )


def _household(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The household key exists, and the solver leaves out rows and not parts of bins."""
    if policy.household is None:
        return
    if policy.household not in {*policy.fields, *unclear}:
        said = with_question(f'There is no field "{policy.household}".', policy.household, policy.fields)
        yield Problem(where="household", found=said, attempt="the field that says which rows are one household's.")
    if policy.solve.solver in LOCAL_SOLVERS:
        able = ", ".join(name for name in SOLVERS if name not in LOCAL_SOLVERS)
        yield Problem(
            where="household",
            found=f"{policy.solve.solver} recodes bin by bin, and then households are not kept together yet.",
            attempt=f"one of {able} as solver.",
        )


def _recipient(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    known = {*policy.fields, *unclear}
    for name, profile in policy.recipients.items():
        for what, given in (("linking", profile.linking), ("distortion", profile.distortion)):
            for field in given:
                if field not in known:
                    where = joined(f"{joined('recipient', name)}.{what}", field)
                    yield Problem(where=where, found=with_question("There is no such field.", field, policy.fields))
    if policy.recipient not in policy.recipients:
        said = with_question(f'There is no profile "{policy.recipient}".', policy.recipient, policy.recipients)
        yield Problem(where="release_to", found=said, attempt=f"one of {', '.join(policy.recipients)}.")


def _something_leaves(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A table without fields cannot be written, and would tell nobody anything."""
    leaving = [
        field
        for field in policy.fields.values()
        if field.role is not Role.DIRECT or field.replace is None or field.replace.method is not Method.REMOVE
    ]
    if policy.fields and not leaving and not unclear:
        yield Problem(
            where="fields",
            found="Every field is removed, so nothing would be released.",
            attempt='replace = "made-up" for one of them, or another role.',
        )


RULES: tuple[Rule, ...] = (
    _has_fields,
    _roles_fit,
    _something_leaves,
    _shift_keys,
    _leaders,
    _entity,
    _household,
    _recipient,
    *REQUIRE_RULES,
)
