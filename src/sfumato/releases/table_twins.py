"""Fields in clear of one table that determine a treated field of another one: twins over links.

A city that is removed from the patients is disclosed by a code of it among their visits: both
tables are released and linked. The dependences are counted by `sfumato.surveys`. A release refuses
them as it does within one table, unless the policy accepts them by `may_tell = ["TABLE.FIELD"]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.engines import Database
from sfumato.errors import Problem
from sfumato.policy import Field, Method, Policy, Role, TablePolicy
from sfumato.surveys import (
    LinkedDependence,
    LinkedDependences,
    LinkedFields,
    find_linked_dependences,
)

from .treatments import KEPT

SUPPRESSED = "suppressed in every row"
IN_CLEAR = (Role.SENSITIVE, Role.INSENSITIVE, Role.QUASI)

Words = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class TableTwin:
    """A dependence over links, and what is done to its twin, in words.

    With `is_counted`, all of its fields are quasi-identifiers, and only the recoding treats the
    twin more strongly. With `is_accepted`, the policy lets a field disclose the twin."""

    found: LinkedDependence
    treatment: str
    is_counted: bool
    is_accepted: bool

    @property
    def sentence(self) -> str:
        named = " and ".join(f"{self.found.table}.{name}" for name in self.found.fields)
        return (
            f"{self.found.target} is {self.treatment.split(':', 1)[0]}, and {named} in clear "
            "discloses it over the link"
        )

    @property
    def warning(self) -> str:
        if self.is_accepted:
            return f"{self.sentence}. The policy accepts it (may_tell)."
        return f"{self.sentence}, so that treatment protects nothing."

    @property
    def problem(self) -> Problem | None:
        """The refusal; None where bins count the fields, or a person accepted it."""
        if self.is_counted or self.is_accepted:
            return None
        return Problem(
            where=f"tables.{self.found.table}.fields.{self.found.fields[0]}",
            found=f"{self.sentence}.",
            attempt=f"the treatment of {self.found.target} for it too, or "
            f'may_tell = ["{self.found.target}"] on it, which accepts that.',
        )


def find_table_twins(database: Database, policy: Policy) -> LinkedDependences:
    """The dependences by which a field that may be released in clear determines a field of another
    table."""
    if len(policy.tables) < 2:
        return LinkedDependences()
    targets = {(link.table, link.key) for each in policy.tables.values() for link in each.links}
    return find_linked_dependences(
        database, {name: _linked_fields(each, targets) for name, each in policy.tables.items()}
    )


def weaker_table_twins(
    found: Sequence[LinkedDependence], policy: Policy, words: Words
) -> tuple[TableTwin, ...]:
    """Those whose twin is treated while their own fields are released in clear."""
    return tuple(
        twin for each in found for twin in [_weaker(each, policy, words)] if twin is not None
    )


def _weaker(found: LinkedDependence, policy: Policy, words: Words) -> TableTwin | None:
    treatment = words.get(found.other, {}).get(found.twin, KEPT)
    shown = words.get(found.table, {})
    if treatment == KEPT or any(shown.get(name) != KEPT for name in found.fields):
        return None
    own = [policy.tables[found.table].fields[name] for name in found.fields]
    twin = policy.tables[found.other].fields[found.twin]
    if is_scrubbed(twin) and not found.is_copy:
        return None  # The scrubbed text is released too.
    counted = all(each.role is Role.QUASI for each in (*own, twin))
    if counted and treatment != SUPPRESSED:
        return None
    return TableTwin(
        found=found,
        treatment=treatment,
        is_counted=counted,
        is_accepted=any(found.target in each.may_tell for each in own),
    )


def _linked_fields(table: TablePolicy, targets: set[tuple[str, str]]) -> LinkedFields:
    """The fields of a table without its keys: these are replaced alike wherever they occur."""
    keys = {table.key, *(link.field for link in table.links)}
    keys |= {name for name in table.fields if (table.name, name) in targets}
    fields = [each for name, each in table.fields.items() if name not in keys]
    return LinkedFields(
        key=table.key,
        links=table.links,
        telling=[each.name for each in fields if _may_be_clear(each)],
        told=[each.name for each in fields],
    )


def is_scrubbed(field: Field) -> bool:
    """Whether a field is text that is released in a scrubbed form."""
    removed = field.replace is not None and field.replace.method is Method.REMOVE
    return field.role is Role.TEXT and not removed


def _may_be_clear(field: Field) -> bool:
    return field.role in IN_CLEAR and field.shift is None
