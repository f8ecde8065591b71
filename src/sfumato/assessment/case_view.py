"""The view of the one table that is assessed: its known fields, its sensitive fields, and the
person of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.engines import TableView
from sfumato.errors import Mistake
from sfumato.hierarchies import HierarchySpec, Suppression
from sfumato.parts import with_question
from sfumato.policy import Policy, Role
from sfumato.releases import known_fields
from sfumato.releases.tables import Sight, raw_view, sights

from .request import AssessmentRequest

ROWS_NOT_PEOPLE = (
    "The release does not identify the person of a row of {table}, so rows are counted in "
    "place of people: several equal rows may be one person's."
)


@dataclass(frozen=True, kw_only=True)
class CaseView:
    """One table and its fields. `specs` are the hierarchies that the policy gives the known fields,
    by their names in the view; `sight` is there where the table is one of several, or has several
    rows per person."""

    known: tuple[str, ...]
    sensitive: tuple[str, ...]
    table: str = ""
    person: str | None = None
    specs: Mapping[str, HierarchySpec] = field(default_factory=dict, repr=False)
    sight: Sight | None = None
    view: TableView | None = None
    notes: tuple[str, ...] = ()


def seen_alone(
    asked: AssessmentRequest, policy: Policy | None, facts: Mapping[str, Any]
) -> CaseView:
    """A table with one row per person, by its policy, its manifest, or what was asked."""
    known = (
        asked.known
        or tuple(facts.get("known_fields", ()))
        or (known_fields(policy) if policy is not None else ())
    )
    sensitive = asked.sensitive or (policy.named(Role.SENSITIVE) if policy is not None else ())
    fields = policy.fields if policy is not None else {}
    specs = {name: fields[name].hierarchy or Suppression() for name in known if name in fields}
    _check_known(known)
    return CaseView(known=known, sensitive=_without(sensitive, known), specs=specs)


def seen_among(asked: AssessmentRequest, policy: Policy, *, is_source: bool = False) -> CaseView:
    """One of several tables: by default the person's, or another with the person and all that is
    known of them.

    A release may not disclose the person of a row; a source has it.
    """
    seen = sights(policy)
    sight = _chosen(asked.table, seen)
    decided = sight.policy.fields
    sensitive = asked.sensitive or tuple(
        name for name, item in decided.items() if item.role is Role.SENSITIVE
    )
    shown = is_source or sight.linkable
    quasi = sight.quasi if shown or sight.is_person else sight.own
    specs = {
        item.called: policy.tables[item.table].fields[item.field].hierarchy or Suppression()
        for item in sight.quasi
    }
    known = asked.known or tuple(item.called for item in quasi)
    _check_known(known)
    return CaseView(
        known=known,
        sensitive=_without(sensitive, known),
        table=sight.name,
        person=sight.person if shown and not sight.is_unique else None,
        specs={name: spec for name, spec in specs.items() if name in known},
        sight=sight,
        view=raw_view(sight) if shown else TableView(table=sight.name),
        notes=() if shown or sight.is_unique else (ROWS_NOT_PEOPLE.format(table=sight.name),),
    )


def _chosen(table: str, seen: Mapping[str, Sight]) -> Sight:
    if not table:
        return next(sight for sight in seen.values() if sight.is_person)
    if table not in seen:
        raise Mistake(with_question(f"The release has no table {table}.", table, seen))
    if seen[table].person is None:
        others = [name for name, sight in seen.items() if sight.person is not None]
        raise Mistake(
            f"The rows of {table} belong to nobody, so no person can be found in them.",
            attempt=f"one of {', '.join(others)}.",
        )
    return seen[table]


def _without(names: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)


def _check_known(known: Sequence[str]) -> None:
    if not known:
        raise Mistake(
            "No field is counted as known to the recipient, so there is nothing by which "
            "anyone could be found.",
            attempt="--known with the fields that somebody could know of a person, as "
            "zip,birth,sex.",
        )
