"""Is a release an ADS0, a basic anonymous data system? Property 9 of Sweeney 2000, section 5,
checked on bins.

Property 9 asks of every released tuple that correctly points to its subject: (a) it also points to
someone else, or (b) another released tuple points to that subject too, or (c) its other values are
not true. Sfumato's recodings stay true, so (c) only helps where the holder declares that values
were made untrue. A unique tuple that points to one entity and is true breaks the property.

A tuple is mapped through external information. Each table that a recipient may hold is one way of
looking tuples up, over the quasi-identifier fields that it has. Which of the three protection
models of the section hold is judged beside the property (`ads0_maps`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.bins import Bins, match_counts, population_counts, wild_cells
from sfumato.engines import Engine
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy
from sfumato.policy import NullRule

from .ads0_counts import people_under
from .ads0_lookups import (
    POPULATION,
    TupleLookup,
    breaking,
    least,
    looked_up,
    lookup_of,
    rows_of,
    tables_of,
)
from .ads0_maps import MapFinding, maps_of
from .subject import Subject

MOST_COMPARED = 20_000
"""So many bins are compared with each other at most, where there are more patterns of suppressed
cells than this:"""
MOST_PATTERNS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Ads0:
    """The finding, in counts of released tuples, the worst over all lookups.

    `k_map` is the largest k for which every tuple points to at least k entities; 0 where one points
    to nobody."""

    holds: bool
    tuples: int
    pointing_to_one: int
    pointing_to_nobody: int
    offending: int
    k_map: int
    reason: str
    lookups: tuple[TupleLookup, ...] = ()
    maps: tuple[MapFinding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def check_ads0(
    release: Bins,
    entities: Bins,
    quasi_identifier: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    *,
    subjects: Bins | None = None,
    external: Mapping[str, Bins] | None = None,
    own: Bins | None = None,
    truthful: bool = True,
    nulls: NullRule = NullRule.VALUE,
) -> Ads0:
    """Judge the released bins against the entities that external information could name.

    `entities` are bins of the population over the quasi-identifier, with values of level 0. They
    are a register where one is at hand, else the private table itself, as if a register of just
    these people existed. `subjects` are the people of the private table among them; where they are
    not distinguished, anyone may be one. `external` are tables that a recipient may hold, each with
    some of the fields; without any, the population is taken for one. Several are also taken
    together, as if their holder knew all their fields of the whole population.

    `own` are the released rows whose labels cover their own subject. In a recoding, these are all
    rows; where quasi-identifiers were swapped or encrypted, they are the rows that the holder
    counted. `truthful` is whether the other values of rows are those collected.

    Condition (b) counts released tuples with equal labels. Tuples that could be confused only
    through overlapping labels are not credited, because an attacker who places all rows can often
    distinguish them."""
    fields = tuple(quasi_identifier)
    if not fields:
        return _not_said(
            release, "no field with labels of a hierarchy is counted as known to the recipient"
        )
    _check_fields(release, entities, fields, subjects)
    home = release.counts if own is None else population_counts(release, own, fields, {})
    looked = []
    for name, table in tables_of(entities, fields, external or {}).items():
        shared = tuple(field for field in fields if field in table.fields)
        mapped = looked_up(
            name,
            release,
            table=table,
            fields=shared,
            hierarchies=hierarchies,
            subjects=subjects,
            nulls=nulls,
        )
        looked.append(mapped)
    lookups = tuple(lookup_of(each, release, home, truthful=truthful) for each in looked)
    broken = np.any([breaking(each, home, truthful=truthful) for each in looked], axis=0)
    of_subjects = None
    if subjects is not None:
        counted = (each.of_subjects for each in looked if each.fields == fields)
        of_subjects = next(counted, None)
        if of_subjects is None:
            of_subjects = people_under(release, subjects, fields, hierarchies, nulls=nulls)
    could_be = least(looked)
    offending = int(release.counts[broken].sum())
    return Ads0(
        holds=offending == 0,
        tuples=release.rows,
        pointing_to_one=rows_of(release, could_be == 1),
        pointing_to_nobody=rows_of(release, could_be == 0),
        offending=offending,
        k_map=int(could_be.min()) if len(release) else 0,
        reason=_reason(offending, release.rows, lookups, fields),
        lookups=lookups,
        maps=maps_of(
            release, looked, of_subjects, home, people=0 if subjects is None else subjects.rows
        ),
    )


def ads0_of(
    subject: Subject,
    *,
    external: Mapping[str, Engine] | None = None,
    own: Bins | None = None,
    truthful: bool = True,
) -> Ads0:
    """The release of an assessment, against its population and its source, whichever are at hand.

    An external table is compared over those of the known fields that it has. So is a population
    that lacks some of them, where the source takes its place."""
    tables = {name: _shared(engine, subject) for name, engine in (external or {}).items()}
    entities = subject.original
    if subject.population is not None:
        population = _shared(subject.population, subject)
        if entities is None or population.fields == subject.known:
            entities = population
        else:
            tables = {POPULATION: population, **tables}
    if entities is None:
        return _not_said(subject.released, "neither the source nor a population is at hand")
    return check_ads0(
        subject.released,
        entities,
        [name for name in subject.known if name in entities.fields],
        subject.hierarchies,
        subjects=subject.original,
        external=tables,
        own=own,
        truthful=truthful,
        nulls=subject.nulls,
    )


def _shared(engine: Engine, subject: Subject) -> Bins:
    """A table's bins over the known fields that it has."""
    has = {info.name for info in engine.fields()}
    shared = tuple(name for name in subject.known if name in has)
    return Bins.count(engine, shared) if shared else Bins.of((), {})


def _not_said(release: Bins, why: str) -> Ads0:
    return Ads0(
        holds=False,
        tuples=release.rows,
        pointing_to_one=0,
        pointing_to_nobody=0,
        offending=0,
        k_map=0,
        reason=f"undecided: {why}",
    )


def _check_fields(
    release: Bins, entities: Bins, fields: tuple[str, ...], subjects: Bins | None
) -> None:
    named = [("The release", release), ("The population", entities)]
    for what, table in [
        *named,
        *([("The table of subjects", subjects)] if subjects is not None else []),
    ]:
        absent = [name for name in fields if name not in table.fields]
        if absent:
            raise Mistake(
                f"ADS0 was asked for over ({', '.join(fields)}).",
                found=f"{what} has no field {', '.join(absent)}.",
                attempt="naming fields that all tables have.",
            )


def _reason(
    offending: int, tuples: int, lookups: tuple[TupleLookup, ...], fields: tuple[str, ...]
) -> str:
    if not tuples:
        return f"an ADS0 over ({', '.join(fields)}): nothing is released"
    if offending:
        worst = max(lookups, key=lambda each: each.offending)
        where = "" if len(lookups) == 1 else f" of {worst.name!r}"
        total = (
            "" if worst.offending == offending else f"; {offending} do so in one table or another"
        )
        return (
            f"not an ADS0: {worst.offending:,} of {tuples:,} released tuples point to "
            f"exactly one entity{where} over ({', '.join(worst.fields)}), are unique in the "
            f"release, and are true, so none of the conditions of property 9 holds{total}"
        )
    untrue = sum(each.by_c for each in lookups)
    said = ", or is not true" if untrue else ""
    over = ", ".join(fields)
    return (
        f"an ADS0 over ({over}): every tuple that points to its subject points to others "
        f"too, or is not unique{said}"
    )


def smallest_strict_and_wildcard(
    release: Bins, fields: Sequence[str], *, nulls: NullRule = NullRule.VALUE
) -> tuple[int, int]:
    """The smallest bin when a suppressed cell is a value of its own, and when it matches anything, as null
    does where `nulls` says so; 0 for the second where so many bins have suppressed cells that comparing them
    takes too long."""
    if not len(release):
        return 0, 0
    columns = [release.column(name) for name in fields]
    groups, sizes = release.group_of(fields)
    strict = int(np.min(sizes[groups]))
    wild = wild_cells(release, suppressed=True, nulls=nulls)
    patterns = len(np.unique(wild[:, columns], axis=0))
    if patterns > MOST_PATTERNS and len(release) > MOST_COMPARED:
        return strict, 0
    return strict, int(np.min(match_counts(release, wild, columns)))
