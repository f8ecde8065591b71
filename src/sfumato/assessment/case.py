"""A case: what is assessed as a Subject, with the hierarchies of the release and the models of its
policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from sfumato.engines import Engine, TableView, open_source
from sfumato.hierarchies import Hierarchy, Label
from sfumato.measures import Subject
from sfumato.policy import NullRule, Role
from sfumato.protection import Model
from sfumato.releases import known_fields, models_for, prepare
from sfumato.wording import counted

from .case_hierarchies import bound, check_labels, values_of, widened
from .case_opener import OpenedCase, opened
from .consistency import (
    check_everyone,
    check_fields,
    check_numbers,
    check_others,
    check_rows,
    check_written_alike,
    looked_at,
    telling_much,
    telling_nothing,
)
from .registers import missing_registers
from .request import AssessmentRequest, called


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """`models` are judged over the `required` fields, which are the policy's and not those of
    --known."""

    asked: AssessmentRequest
    opened: OpenedCase
    subject: Subject
    models: tuple[Model, ...] = ()
    required: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    population_title: str = ""


@contextmanager
def case(asked: AssessmentRequest) -> Iterator[Case]:
    """Open everything, see that it fits together, and build the subject of all measures."""
    with opened(asked) as found, ExitStack() as stack:
        release, seen = found.release, found.seen
        check_rows(release, what="the release")
        sensitive, notes = (
            (asked.sensitive, ()) if asked.sensitive else looked_at(release, seen.sensitive)
        )
        wanted = (*seen.known, *sensitive)
        check_fields(release, wanted, what="the release")
        if found.source is not None:
            check_fields(found.source, wanted, what="the source")
            check_written_alike(release, found.source, wanted, what="the source")
        population, population_title = _population(asked, found, stack)
        control = _beside(asked.control, seen.known, what="the control group", stack=stack)
        for beside, what in ((population, "the population"), (control, "the control group")):
            if beside is not None:
                check_written_alike(release, beside, wanted, what=what)
        if found.source is not None and control is not None:
            check_others(found.source, control, release, seen.known)
        hierarchies: dict[str, Hierarchy] = {}
        subject = Subject(
            release=release,
            known=seen.known,
            sensitive=sensitive,
            source=found.source,
            population=population,
            control=control,
            # Filled below, once the source's values are counted: they are counted once.
            hierarchies=hierarchies,
            nulls=found.policy.nulls if found.policy is not None else NullRule.VALUE,
            person=seen.person,
            weight=_weight(asked, found),
            household=_household(asked, found),
            sampling_fraction=asked.sampling_fraction,
            population_size=asked.population_size,
            seed=asked.seed,
            progress=asked.progress,
        )
        asked.progress("counting bins")
        check_numbers(asked.population_size, people=subject.released.rows)
        if population is not None:
            check_everyone(population, subject.released.rows)
        models, required = _models(found, hierarchies)
        more = _bind(subject, found, hierarchies)
        yield Case(
            asked=asked,
            opened=found,
            subject=subject,
            models=models,
            required=required,
            notes=(
                *found.notes,
                *notes,
                *more,
                *telling_nothing(subject.released),
                *_telling_much(found),
            ),
            population_title=population_title,
        )


def _telling_much(found: OpenedCase) -> tuple[str, ...]:
    """A note on released fields that the policy counts as unknown; nobody knows replaced
    identifiers."""
    return tuple(
        telling_much(found.release, unknown_fields(found, Role.SENSITIVE, Role.INSENSITIVE))
    )


def unknown_fields(found: OpenedCase, *roles: Role) -> tuple[str, ...]:
    """Released fields of these roles that the policy counts as unknown; none where people have
    several rows."""
    policy, seen = found.policy, found.seen
    if policy is None or (seen.sight is not None and not seen.sight.is_unique):
        return ()
    fields = policy.of_table(seen.table).fields if policy.tables else policy.fields
    have = {info.name for info in found.release.fields()}
    return tuple(
        n for n, f in fields.items() if f.role in roles and n not in seen.known and n in have
    )


def _models(
    found: OpenedCase, hierarchies: dict[str, Hierarchy]
) -> tuple[tuple[Model, ...], tuple[str, ...]]:
    """The models of the policy over one row per person, and the hierarchies as the release built
    them.

    Where people have several rows, the checks of the manifest judge the requirements.
    """
    policy, seen = found.policy, found.seen
    if policy is None or (seen.sight is not None and not seen.sight.is_unique):
        return (), ()
    alone = policy.of_table(seen.table) if policy.tables else policy
    if (
        found.source is not None
        and found.found is not None
        and found.found.hierarchies
        and _fits(found)
    ):
        if missing_registers(alone, found.registers):
            return (
                (),
                (),
            )  # What was not counted in its register is named by the manifest's checks, as undecided.
        prepared = prepare(found.source, alone, populations=found.registers)
        hierarchies |= {
            name: hierarchy
            for name, hierarchy in prepared.hierarchies.items()
            if name in seen.known
        }
        return prepared.models, prepared.known
    if found.facts or (seen.sight is not None and policy.tables):
        return (
            (),
            (),
        )  # Judged by the manifest's checks; or several tables, which are required of together.
    known = known_fields(alone)
    have = {info.name for info in found.release.fields()}
    if not known or not have.issuperset(known):
        return (), ()
    rows = found.release.count_rows()
    return models_for(alone, known, rows, hierarchies={}), known


def _fits(found: OpenedCase) -> bool:
    """Whether the policy is one of the source, and not only of a release that other tools made of
    it."""
    assert found.source is not None
    assert found.policy is not None
    return bool(found.facts) or {info.name for info in found.source.fields()}.issuperset(
        found.policy.fields
    )


def _bind(
    subject: Subject, found: OpenedCase, hierarchies: dict[str, Hierarchy]
) -> tuple[str, ...]:
    """The hierarchies that are missing still, over the values of the source; then over those of the
    population too."""
    seen, original = found.seen, subject.original
    if found.policy is None or found.found is None or not found.found.hierarchies:
        return ()
    values: dict[str, Sequence[Label]]
    if original is not None:
        values = dict(zip(original.fields, original.labels, strict=True))
        missing = {name: spec for name, spec in seen.specs.items() if name not in hierarchies}
        wider = {name: (*values[name], *_elsewhere(found, name)) for name in missing}
        hierarchies |= bound(missing, wider, name=found.policy.name)
    elif subject.population is not None and found.facts:
        values = {name: values_of(subject.population, name) for name in seen.specs}
        hierarchies |= bound(seen.specs, values, name=found.policy.name)
    kind = found.facts.get("recoding", {}).get("kind")
    by_levels = (
        original is not None and kind in ("global", "local") and not found.facts.get("steps")
    )
    notes = check_labels(subject.released, hierarchies, made_by_levels=by_levels)
    if subject.population is None or original is None:
        return notes
    kept = []
    for name, hierarchy in tuple(hierarchies.items()):
        more = values_of(subject.population, name)
        hierarchies[name] = widened(hierarchy, seen.specs[name], more)
        known = set(hierarchies[name].labels[0])
        unknown = sum(1 for value in more if value not in known)
        if unknown:
            kept.append(
                f"{name} has {counted(unknown, 'value')} in the population under no released "
                "label, so these people protect nobody."
            )
    return (*notes, *kept)


def _elsewhere(found: OpenedCase, name: str) -> tuple[Label, ...]:
    """The values that a quasi-identifier of several tables has in its own table, over which the
    release bound it."""
    sight = found.seen.sight
    if sight is None or found.whole is None:
        return ()
    item = next(item for item in sight.quasi if item.called == name)
    return values_of(found.whole.view(TableView(table=item.table)), item.field)


def _population(
    asked: AssessmentRequest, found: OpenedCase, stack: ExitStack
) -> tuple[Engine | None, str]:
    """The population that was given; else the one that the policy's requirements name, where it is
    at hand."""
    given: Any = asked.population
    alone = asked.sampling_fraction is None and asked.population_size is None and not asked.weight
    if given is None and alone and found.policy is not None:
        given = next(iter(found.registers.values()), None)
    opened = _beside(given, found.seen.known, what="the population", stack=stack)
    return opened, called(given) if opened is not None else ""


def _beside(given: Any, known: Sequence[str], *, what: str, stack: ExitStack) -> Engine | None:
    if given is None:
        return None
    engine = stack.enter_context(open_source(given))
    check_fields(engine, known, what=what)
    check_rows(engine, what=what)
    return engine


def _weight(asked: AssessmentRequest, found: OpenedCase) -> str | None:
    """The field of weights that was named; else the policy's, where it is released and no other was
    given."""
    if asked.weight:
        check_fields(found.release, (asked.weight,), what="the release")
        return asked.weight
    named = next(iter(found.policy.require.weights), "") if found.policy is not None else ""
    said = (asked.population, asked.sampling_fraction, asked.population_size)
    released = named in {info.name for info in found.release.fields()}
    return named if named and released and all(one is None for one in said) else None


def _household(asked: AssessmentRequest, found: OpenedCase) -> str | None:
    if asked.household:
        check_fields(found.release, (asked.household,), what="the release")
        return asked.household
    named = found.policy.household if found.policy is not None else None
    return named if named in {info.name for info in found.release.fields()} else None
