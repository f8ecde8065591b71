"""Whether a policy fits a source: its fields and, where there are several, its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sfumato.errors import PolicyError, Problem
from sfumato.parts import with_question
from sfumato.wording import counted

from .records import Policy
from .table_cursor import joined


def check_against(policy: Policy, field_names: Sequence[str]) -> None:
    """Raise PolicyError where the policy of one table does not fit a source with these fields."""
    problems = list(_misfits(policy, field_names))
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}, compared with the source,")


def check_tables_against(policy: Policy, tables: Mapping[str, Sequence[str]]) -> None:
    """Raise PolicyError where the policy does not fit a source with these tables, each with its
    fields.

    A table of the source that the policy does not name is not released, and so is no problem.
    """
    problems: list[Problem] = []
    if not tables:
        problems.append(
            Problem(where="source", found="It has no tables.", attempt="another source.")
        )
    for name in policy.tables if tables else ():
        if name in tables:
            problems.extend(_misfits(policy.of_table(name), tables[name], table=name))
        else:
            others = [other for other in tables if other not in policy.tables]
            said = with_question("The source has no such table.", name, others)
            problems.append(Problem(where=joined("tables", name), found=said))
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}, compared with the source,")


def _misfits(
    policy: Policy, field_names: Sequence[str], *, table: str | None = None
) -> Iterator[Problem]:
    """The misfits in one table; `table` is its name where there are several."""
    present = set(field_names)
    source = "source" if table is None else joined("source", table)
    section = "fields" if table is None else f"{joined('tables', table)}.fields"
    if not present:
        yield Problem(
            where=source, found="It has no fields.", attempt="a table with a line of names."
        )
        return
    if _is_of_another_source(policy, field_names):
        yield Problem(
            where=section,
            found=f"None of the {counted(len(field_names), 'name')} of the source is that of a field of the policy. "
            "They are not printed: where a file has no line of names, they are cells of its first row.",
            attempt="--no-header where the first line is a row, or the policy of this source.",
        )
        return
    for name in policy.fields:
        if name not in present:
            others = [other for other in field_names if other not in policy.fields]
            said = with_question("The source has no such field.", name, others)
            yield Problem(where=joined(section, name), found=said)
    for name in dict.fromkeys(field_names):
        if field_names.count(name) > 1:
            yield Problem(
                where=source,
                found=f'It has {field_names.count(name)} fields called "{name}".',
                attempt="giving each its own name.",
            )
        if name not in policy.fields and policy.other_fields == "refuse":
            said = f'The source has a field "{name}" that the policy does not name.'
            yield Problem(
                where=section,
                found=said,
                attempt=f'[{joined(section, name)}] with a role, or other_fields = "remove".',
            )


def _is_of_another_source(policy: Policy, field_names: Sequence[str]) -> bool:
    """Whether no field of the policy has a name of the source, or one like it."""
    missing = "The source has no such field."
    return (
        len(policy.fields) > 1
        and set(policy.fields).isdisjoint(field_names)
        and all(with_question(missing, name, field_names) == missing for name in policy.fields)
    )
