"""Whether the steps of a policy fit its fields; every problem is reported."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import Problem
from sfumato.parts import Shape, with_question
from sfumato.wording import counted

from .parameter_section import out_of_range
from .records import Policy
from .released_fields import is_released
from .roles import Role
from .step_records import PolicyStep
from .table_paths import find_person, reference_tables
from .table_records import TablePolicy
from .text_checks import scrubbed_fields
from .unread_parts import fields_of, is_settled


def steps(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Steps name fields that exist and are released, as many as the technique takes, and have the
    parameters that they need."""
    for step, where in _placed(policy):
        if step.table:
            yield Problem(
                where=f"{where}.table",
                found="The policy is for one table.",
                attempt="leaving the name of a table out.",
            )
        yield from _problems_of(policy, step, where, unclear)


def table_steps(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """With several tables, each step names its table. It changes cells or draws people, and keeps
    keys and links."""
    for step, where in _placed(policy):
        if not step.table:
            attempt = f'table = "{next(iter(policy.tables))}", or another.'
            yield Problem(
                where=f"{where}.table",
                found="It is missing, and there are several tables.",
                attempt=attempt,
            )
        elif step.table not in policy.tables:
            said = with_question(f'There is no table "{step.table}".', step.table, policy.tables)
            yield Problem(where=f"{where}.table", found=said)
        elif step.table not in unclear:
            yield from _problems_of(
                policy.of_table(step.table), step, where, fields_of(unclear, step.table)
            )
            yield from _keys_and_links(policy.tables[step.table], step, where)
            yield from _rows(policy, step, where, unclear)


def _placed(policy: Policy) -> Iterator[tuple[PolicyStep, str]]:
    """Each step with its place in the file."""
    for number, step in enumerate(policy.steps):
        yield step, f"steps[{number if step.place is None else step.place}]"


def _problems_of(
    policy: Policy, step: PolicyStep, where: str, unclear: frozenset[str]
) -> Iterator[Problem]:
    """The problems that a step has with the policy of its table."""
    yield from _fields(policy, step, where, unclear)
    yield from _followers(policy, step, where)
    yield from _settings(policy, step, where)


def _keys_and_links(table: TablePolicy, step: PolicyStep, where: str) -> Iterator[Problem]:
    joining = {table.key, *(link.field for link in table.links)}
    for name in step.fields:
        if name in joining:
            yield Problem(
                where=f"{where}.fields",
                found=f"{name} joins rows of several tables, and {step.technique} would join "
                "others.",
                attempt=f'replace = "number" or "hash" for {name}, which keeps the tables joined.',
            )


def _rows(
    policy: Policy, step: PolicyStep, where: str, unclear: frozenset[str]
) -> Iterator[Problem]:
    """Techniques declare whether they take several tables. A sample draws people: its table has
    people's rows."""
    if Shape.SEVERAL_TABLES not in step.declaration.shapes:
        reason = step.declaration.reasons.get(
            Shape.SEVERAL_TABLES, f"{step.technique} does not take several yet"
        )
        yield Problem(
            where=f"{where}.technique",
            found=f"There are several tables, and {reason}.",
            attempt="leaving the step out, or a policy for this table alone.",
        )
    settled = find_person(policy) is not None and is_settled(policy, unclear, step.table)
    is_nobodys = settled and step.table in reference_tables(policy)
    if step.declaration.samples_rows and is_nobodys:
        yield Problem(
            where=f"{where}.table",
            found=f"A sample draws people, and the rows of {step.table} belong to nobody.",
            attempt="the table of people, or one that links to it.",
        )
    if is_nobodys and scrubbed_fields(policy.tables[step.table].fields):
        yield Problem(
            where=where,
            found=f"{step.table} has text that may disclose what steps change, and no field "
            "identifies the person of a text.",
            attempt='role = "text" with replace = "remove", or leaving the step out.',
        )


def _fields(
    policy: Policy, step: PolicyStep, where: str, unclear: frozenset[str]
) -> Iterator[Problem]:
    least, most = step.declaration.fields
    if not least <= len(step.fields) <= (len(step.fields) if most is None else most):
        wanted = (
            "no field"
            if most == 0
            else counted(least, "field") + ("" if most == least else " or more")
        )
        yield Problem(
            where=f"{where}.fields",
            found=f"{step.technique} takes {wanted}, and there are {len(step.fields)}.",
        )
    if len(set(step.fields)) < len(step.fields):
        yield Problem(where=f"{where}.fields", found="A field is named twice.")
    for name in step.touched:
        if name in unclear:
            continue
        if name not in policy.fields:
            said = with_question(f'There is no field "{name}".', name, policy.fields)
            yield Problem(where=f"{where}.{_key_of(step, name)}", found=said)
        elif name in step.fields:
            yield from _may_change(policy, step, name, where)


def _followers(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    """A field that follows another discloses its value, where a step changed the other and nothing
    changed this one."""
    changed = {name for one in policy.steps for name in one.fields}
    for name, field in policy.fields.items():
        if field.follows in step.fields and name not in changed and is_released(policy, name):
            yield Problem(
                where=f"{where}.fields",
                found=f"{name} follows {field.follows}, which {step.technique} changes, and "
                "stays as it is: beside it, "
                f"it discloses what {field.follows} was.",
                attempt=f"naming {name} in the step too, or removing it.",
            )


def _key_of(step: PolicyStep, name: str) -> str:
    """The key of the step that names this field."""
    keys = [key for key, names in step.other_fields.items() if name in names]
    return "fields" if name in step.fields or not keys else keys[0]


def _may_change(policy: Policy, step: PolicyStep, name: str, where: str) -> Iterator[Problem]:
    field, encrypts = policy.fields[name], step.declaration.encrypts
    is_text = field.role is Role.TEXT and is_released(policy, name)
    if field.role is Role.TEXT or (not encrypts and not is_released(policy, name)):
        why = "is scrubbed" if is_text else "is not released"
        yield Problem(
            where=f"{where}.fields", found=f"{name} {why}, so a step on it has no effect."
        )
    if name in (policy.entity, policy.household) and not encrypts:  # which keeps equal values equal
        yield Problem(
            where=f"{where}.fields",
            found=f"{name} groups the rows, and {step.technique} would change the groups.",
        )


def _settings(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    declared = step.declaration
    for name, found in out_of_range(step.settings):
        yield Problem(where=f"{where}.{name}", found=found)
    for key, names in step.other_fields.items():
        both = [name for name in names if name in step.fields]
        if both:
            yield Problem(
                where=f"{where}.{key}",
                found=f"The step changes {', '.join(both)}, so the rows cannot be grouped by it.",
                attempt="other fields.",
            )
    if declared.by_hierarchy:
        yield from _without_hierarchy(policy, step, where)
    if declared.check is not None:
        yield from declared.check(policy, step, where)


def _without_hierarchy(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    for name in step.fields:
        field = policy.fields.get(name)
        if field is not None and field.hierarchy is None:
            yield Problem(
                where=f"{where}.fields",
                found=f"{name} has no hierarchy, whose levels are the classes.",
                attempt="a hierarchy for it.",
            )
