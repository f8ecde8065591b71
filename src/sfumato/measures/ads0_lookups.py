"""Looking released tuples up in external tables, each over the fields that it shares with the
quasi-identifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy
from sfumato.policy import NullRule

from .ads0_counts import people_under

Numbers = NDArray[np.int64]
POPULATION, TOGETHER = "population", "the tables together"


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleLookup:
    """One table to look released tuples up in: how many of them point where, and which condition
    keeps them.

    `by_a` tuples point to others too, `by_b` are not unique, and `by_c` have untrue values. Each
    tuple that may point to its subject is counted at the first that holds. `offending` are those
    for which none does."""

    name: str
    fields: tuple[str, ...]
    entities: int
    k_map: int
    pointing_to_one: int
    pointing_to_nobody: int
    by_a: int
    by_b: int
    by_c: int
    offending: int


@dataclass(frozen=True, eq=False, kw_only=True)
class LookedUpBins:
    """The released bins looked up in one table: how many entities and subjects each covers in its
    fields, and how many released rows have its labels there. Where subjects are not identified,
    every entity may be one."""

    name: str
    fields: tuple[str, ...]
    entities: int
    could_be: Numbers
    of_subjects: Numbers
    together: Numbers

    @property
    def may_be_right(self) -> NDArray[np.bool_]:
        """Whether the bin covers somebody there, and a subject."""
        right: NDArray[np.bool_] = (self.could_be > 0) & (self.of_subjects > 0)
        return right


def tables_of(
    entities: Bins, fields: tuple[str, ...], external: Mapping[str, Bins]
) -> dict[str, Bins]:
    """The tables to look up in, by name; with several, also the population over all that they
    have."""
    if not external:
        return {POPULATION: entities}
    known: set[str] = set()
    for name, table in external.items():
        if not set(table.fields) & set(fields):
            raise Mistake(
                f"A comparison with the external table {name!r} over ({', '.join(fields)}) "
                "was asked for.",
                found="It has none of these fields.",
                attempt="a table with at least one of them, named as in the release.",
            )
        known |= set(table.fields) & set(fields)
    tables = dict(external)
    if len(external) > 1:
        tables[TOGETHER] = entities.project([name for name in fields if name in known])
    return tables


def looked_up(
    name: str,
    release: Bins,
    *,
    table: Bins,
    fields: tuple[str, ...],
    hierarchies: Mapping[str, Hierarchy],
    subjects: Bins | None,
    nulls: NullRule,
) -> LookedUpBins:
    """How the released bins map into one table."""
    could_be = people_under(release, table, fields, hierarchies, nulls=nulls)
    groups, sizes = release.group_of(fields)
    theirs = could_be
    if subjects is not None and subjects is not table:
        theirs = people_under(release, subjects, fields, hierarchies, nulls=nulls)
    return LookedUpBins(
        name=name,
        fields=fields,
        entities=table.rows,
        could_be=could_be,
        of_subjects=theirs,
        together=sizes[groups] if len(release) else np.zeros(0, np.int64),
    )


def least(looked: Sequence[LookedUpBins]) -> Numbers:
    """For each bin, the fewest entities that a table maps it to; a table that maps it to nobody
    discloses nothing of it."""
    every = np.stack([each.could_be for each in looked])
    most = np.iinfo(np.int64).max
    fewest: Numbers = np.where(every > 0, every, most).min(axis=0)
    return np.where(fewest == most, 0, fewest)


def breaking(mapped: LookedUpBins, home: Numbers, *, truthful: bool) -> NDArray[np.bool_]:
    """The bins that break the property: unique, true, and pointing correctly to one entity."""
    pointing = mapped.may_be_right & (home > 0)
    found: NDArray[np.bool_] = pointing & (mapped.could_be == 1) & (mapped.together == 1)
    return found if truthful else np.zeros_like(found)


def lookup_of(mapped: LookedUpBins, release: Bins, home: Numbers, *, truthful: bool) -> TupleLookup:
    pointing = mapped.may_be_right & (home > 0)
    others, company = mapped.could_be > 1, mapped.together > 1
    lone = pointing & ~others & ~company
    return TupleLookup(
        name=mapped.name,
        fields=mapped.fields,
        entities=mapped.entities,
        k_map=int(mapped.could_be.min()) if len(release) else 0,
        pointing_to_one=rows_of(release, mapped.could_be == 1),
        pointing_to_nobody=rows_of(release, mapped.could_be == 0),
        by_a=rows_of(release, pointing & others),
        by_b=rows_of(release, pointing & ~others & company),
        by_c=0 if truthful else rows_of(release, lone),
        offending=rows_of(release, lone) if truthful else 0,
    )


def rows_of(release: Bins, marked: NDArray[np.bool_]) -> int:
    return int(release.counts[marked].sum())
