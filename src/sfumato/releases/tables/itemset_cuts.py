"""Set-valued fields: the values of a person in all of their rows, generalised until k^m-anonymity
holds."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from sfumato.engines import Engine, Itemsets, Lookup, WritePlan
from sfumato.errors import HierarchyError, PolicyError, Problem
from sfumato.hierarchies import Hierarchy, Label, Suppression
from sfumato.policy import Policy
from sfumato.protection import KMAnonymity, KMRequirement
from sfumato.solvers import Apriori, ItemRecoding

from .people_models import person_in
from .quotas import objects
from .stages import StagedRows
from .table_view import Quasi, Sight

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class SetRecoding:
    """The request for a field, and the released label of each of its values."""

    asked: KMRequirement
    model: KMAnonymity
    lookup: Lookup
    found: ItemRecoding
    values: int
    labels: int


def recode_sets(
    policy: Policy, staged: Mapping[str, StagedRows], *, progress: Progress
) -> dict[str, tuple[SetRecoding, ...]]:
    """For each table, its set-valued fields; those of a field that is asked for twice keep the
    stricter of each."""
    asked: dict[tuple[str, str], KMRequirement] = {}
    for one in policy.require.each("k_m"):
        other = asked.get((one.table, one.field), one)
        asked[one.table, one.field] = KMRequirement(
            k=max(one.k, other.k),
            m=max(one.m, other.m),
            table=one.table,
            field=one.field,
            within_bins=one.within_bins or other.within_bins,
        )
    out: dict[str, list[SetRecoding]] = {}
    for one in asked.values():
        progress(f"generalising {one.table}.{one.field}")
        out.setdefault(one.table, []).append(_recoded(policy, staged, one))
    return {name: tuple(found) for name, found in out.items()}


def model_of(asked: KMRequirement, sight: Sight, people: str) -> KMAnonymity:
    """The model to judge. `people` is the person's table, whose quasi-identifiers the values may be
    known with."""
    within = tuple(item.called for item in _shared(sight, people)) if asked.within_bins else ()
    return KMAnonymity(k=asked.k, m=asked.m, table=asked.table, field=asked.field, within=within)


def _shared(sight: Sight, people: str) -> tuple[Quasi, ...]:
    return tuple(item for item in sight.quasi if item.table == people)


def _recoded(policy: Policy, staged: Mapping[str, StagedRows], asked: KMRequirement) -> SetRecoding:
    stage = staged[asked.table]
    people = next(found.sight.name for found in staged.values() if found.sight.is_person)
    model = model_of(asked, stage.sight, people)
    values = _values(stage.engine, asked.field)
    hierarchy = _bound(policy, asked, values)
    person = person_in(stage.sight)
    fields = (person, asked.field, *model.within)
    with contextlib.ExitStack() as tidy:

        @cache
        def narrow() -> Engine:
            """A stage of the distinct values of the counted fields, for repeated counts."""
            return tidy.enter_context(stage.engine.staged(WritePlan(fields=fields, distinct=True)))

        def count(labels: Mapping[str, str], size: int) -> Itemsets:
            if all(value == label for value, label in labels.items()):
                engine = narrow() if asked.m > 1 else stage.engine
                return engine.itemsets(person, asked.field, m=size, within=model.within)
            lookup = _lookup(asked.field, values, labels)
            with narrow().staged(
                WritePlan(fields=fields, lookups=(lookup,), distinct=True)
            ) as seen:
                return seen.itemsets(person, asked.field, m=size, within=model.within)

        solver = Apriori(
            k=asked.k, m=asked.m, undo=policy.solve.undo, field=f"{asked.table}.{asked.field}"
        )
        found = solver.solve(hierarchy, count)
    return SetRecoding(
        asked=asked,
        model=model,
        lookup=_lookup(asked.field, values, found.labels),
        found=found,
        values=sum(value is not None for value in values),
        labels=len(set(found.labels.values())),
    )


def _values(engine: Engine, name: str) -> tuple[Label, ...]:
    return tuple(value for batch in engine.distinct((name,)) for value in batch[name].tolist())


def _lookup(name: str, values: tuple[Label, ...], labels: Mapping[str, str]) -> Lookup:
    new = [None if value is None else labels[value] for value in values]
    batch = {f"key:{name}": objects(values), f"new:{name}": objects(new)}
    return Lookup(keys=(name,), fields=(name,), batches=lambda: iter([batch]))


def _bound(policy: Policy, asked: KMRequirement, values: tuple[Label, ...]) -> Hierarchy:
    spec = policy.tables[asked.table].fields[asked.field].hierarchy or Suppression()
    try:
        return spec.bind(tuple(value for value in values if value is not None))
    except HierarchyError as error:
        where = f"tables.{asked.table}.fields.{asked.field}.hierarchy"
        problem = Problem(
            where=where, found=f"{error.asked} {error.found}".strip(), attempt=error.attempt
        )
        raise PolicyError([problem], name=f"Policy {policy.name}") from None
