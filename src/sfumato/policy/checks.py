"""Whether a policy holds together: an ordered tuple of rules, all of them run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from sfumato.errors import Problem

from .field_checks import FIELD_RULES
from .nearest import with_question
from .reading import joined
from .records import LOCAL_SOLVERS, SOLVERS, Policy, Role
from .require_checks import REQUIRE_RULES

Rule = Callable[[Policy, frozenset[str]], Iterable[Problem]]


def problems_in(policy: Policy, *, unclear: frozenset[str] = frozenset()) -> tuple[Problem, ...]:
    """Everything that contradicts something else in the policy.

    `unclear` are fields about which something worse was said already; nothing that hangs on their role is.
    """
    return tuple(chain.from_iterable(rule(policy, unclear) for rule in RULES))


def _has_fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    if not policy.fields and not unclear:
        yield Problem(where="fields", found="The policy names no field.", attempt="[fields.NAME] with a role.")


def _shift_keys(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    known = {*policy.fields, *unclear}
    for name, field in policy.fields.items():
        if field.shift is not None and field.shift.per not in known:
            said = with_question(f'There is no field "{field.shift.per}".', field.shift.per, policy.fields)
            yield Problem(where=f"{joined('fields', name)}.shift.per", found=said, attempt="the person key.")


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


RULES: tuple[Rule, ...] = (
    _has_fields,
    *FIELD_RULES,
    _shift_keys,
    _entity,
    _household,
    _recipient,
    *REQUIRE_RULES,
)
