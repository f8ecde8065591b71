"""A policy in one line, and as a small table for a notebook. No value of a field is in either: a
hierarchy, a domain or a word for missing values could be one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from sfumato.wording import counted, some_of

from .roles import Role

if TYPE_CHECKING:
    from .records import Field, Policy


def summarise_policy(policy: Policy) -> str:
    """Names, roles and requirements in one line.

    Example:
        >>> from sfumato.policy import read_policy
        >>> summarise_policy(read_policy({"fields": {"zip": "quasi"}, "require": {"k": 5}}))
        'Policy policy: 1 quasi (zip); requires k = 5'
    """
    tables = f"{counted(len(policy.tables), 'table')}; " if policy.tables else ""
    proposed = "proposed; " if policy.proposed else ""
    return f"Policy {policy.name}: {proposed}{tables}{_roles(policy)}; requires {_required(policy)}"


def _fields(policy: Policy) -> Mapping[str, Field]:
    if not policy.tables:
        return policy.fields
    return {
        f"{table.name}.{name}": field
        for table in policy.tables.values()
        for name, field in table.fields.items()
    }


def _roles(policy: Policy) -> str:
    fields = _fields(policy)
    named = {role: [name for name, item in fields.items() if item.role is role] for role in Role}
    said = (
        f"{len(names)} {role.value} ({some_of(names, 6)})" for role, names in named.items() if names
    )
    return ", ".join(said) or "no field"


def _required(policy: Policy) -> str:
    return ", ".join(_requirements(policy)) or "nothing"


def _requirements(policy: Policy) -> Iterator[str]:
    for key in policy.require.keys:
        yield f"k = {policy.require.k}" if key == "k" else key


def policy_markup(policy: Policy) -> str:
    """Field and role, and what is required, as HTML without a style sheet of its own."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{item.role.value}</td>"
        f"<td>{escape(_treatment(policy, item))}</td></tr>"
        for name, item in _fields(policy).items()
    )
    proposed = " It is only proposed: no person has confirmed it." if policy.proposed else ""
    return (
        f"<div><b>Policy {escape(policy.name)}</b>: requires {escape(_required(policy))}; "
        f"at most {policy.require.max_suppression * 100:g} % of rows suppressed; "
        f"for {escape(policy.recipient)}.{proposed}"
        "<table><thead><tr><th>field</th><th>role</th><th>what happens</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _treatment(policy: Policy, item: Field) -> str:
    """The treatment of a field by a policy, in the words of its file."""
    steps = [step.declaration.key for step in policy.steps if item.name in step.fields]
    if item.shift is not None:
        steps.append("dates shifted")
    if item.role is Role.QUASI and item.hierarchy is not None:
        steps.append(_generalisation(item.hierarchy.describe()))
    elif item.role is Role.DIRECT and item.replace is not None:
        steps.append(item.replace.method.value)
    elif item.role is Role.TEXT:
        steps.append("scrubbed")
    if item.follows:
        steps.append(f"suppressed with {item.follows}")
    return ", ".join(steps) or "released as it is"


def _generalisation(described: Mapping[str, object] | str) -> str:
    """By which builder, or that a file has the hierarchy."""
    if isinstance(described, str):
        return "generalised by a CSV file"
    builder = next(iter(described))
    return "kept or suppressed" if builder == "suppress" else f"generalised by {builder}"
