"""Staging the tables, parents first: recoded, without the rows that must go, each person's rows cut to their quota.

A row goes with the row it hangs on, so foreign keys stay whole. Then, until nothing changes, rows of bins with too few
people go, and numbers of rows that too few people share are merged (001, section 3.8): each can undo the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, group
from sfumato.errors import NoRecodingFound, PolicyError, Problem, SourceError
from sfumato.policy import Orphans, Policy
from sfumato.policy.hierarchies import Label
from sfumato.solvers import merge_row_counts
from sfumato.sources import Database, Engine, Lookup, Quota, WritePlan

from ..requirements import number_bin_size
from .seeing import Quasi, Sight
from .solving import Solved, person_in, raw_view

Progress = Callable[[str], None]

ROUNDS = 20  # Each only removes rows; in practice the second finds nothing more to do.


@dataclass(frozen=True, eq=False, kw_only=True)
class Staged:
    """A table as it will be released, but for pseudonyms and dates; and where its rows went.

    `orphans` had no person, `followed` hung on rows that went, `by_bins` were in bins of too few people, `by_count`
    told how many rows someone has. `before` and `after` are how many people have each number of rows.
    """

    sight: Sight
    engine: Engine
    rows_source: int
    rows: int
    orphans: int = 0
    followed: int = 0
    by_bins: int = 0
    by_count: int = 0
    before: Bins | None = field(default=None, repr=False)
    after: Bins | None = field(default=None, repr=False)
    bin_size: int | None = None
    with_quasi: bool = False


def stage_tables(
    database: Database, policy: Policy, seen: Mapping[str, Sight], solved: Solved, *, progress: Progress
) -> dict[str, Staged]:
    """Every table of the policy, parents first."""
    out: dict[str, Staged] = {}
    for name, sight in seen.items():
        progress(f"staging {name}")
        out[name] = _Staging(database, policy, sight, solved, out).staged()
    return out


class _Staging:
    """One table on its way to its stage."""

    def __init__(
        self, database: Database, policy: Policy, sight: Sight, solved: Solved, above: Mapping[str, Staged]
    ) -> None:
        self._database, self._policy, self._sight, self._solved, self._above = database, policy, sight, solved, above
        self._k = policy.require.k or 1

    def staged(self) -> Staged:
        sight = self._sight
        whole = self._database.view(raw_view(sight))
        rows_source = whole.count_rows()
        if rows_source == 0 and sight.is_person:
            raise SourceError(f"{whole.title} holds no row.", attempt="a table with at least one row.")
        if sight.person is None:
            fields = tuple(info.name for info in whole.fields())
            return Staged(
                sight=sight, engine=whole.staged(WritePlan(fields=fields)), rows_source=rows_source, rows=rows_source
            )
        orphans = self._orphans(whole, rows_source)
        stages = {name: found.engine for name, found in self._above.items() if name == sight.above}
        view = self._database.view(sight.view, stages=stages)
        return self._settled(view, rows_source, orphans)

    def _orphans(self, whole: Engine, rows: int) -> int:
        """Rows that nobody knows whose they are: refused, unless the policy removes them."""
        person = person_in(self._sight)
        found = Bins.from_frequencies(whole.rows_per_person(person))
        linked = int((row_numbers(found) * found.counts).sum())
        # A link that leads nowhere names a person who is not there.
        for link in self._sight.policy.links:
            if link.table == self._sight.above:
                linked -= self._database.loose(self._sight.name, link.field, to=link.table, key=link.key)
        orphans = rows - linked
        if orphans > 0 and self._sight.policy.orphans is Orphans.REFUSE:
            raise SourceError(
                f"{whole.title} has rows that belong to nobody.",
                found=f"{orphans} of {rows} rows have no person key, or a link that leads to no row.",
                attempt=f'mending them, or orphans = "remove" under [tables.{self._sight.name}].',
            )
        return max(orphans, 0)

    def _settled(self, view: Engine, rows_source: int, orphans: int) -> Staged:
        sight = self._sight
        fields = tuple(info.name for info in view.fields())
        drop, lookups = self._solved.drops.get(sight.name), self._solved.lookups.get(sight.name, ())
        if orphans and sight.above is None:
            view, _ = _narrowed(view, fields, drop=_nobody(person_in(sight)))
        linked = view.count_rows()
        before = self._counted(view)
        judged = bool(sight.own) and self._solved.by_people
        quota = self._quota(view, before) if not judged and drop is None else None
        stage = view.staged(WritePlan(fields=fields, lookups=lookups, drop=drop, quota=quota))
        gone = linked - stage.count_rows()
        by_bins, by_count = (0, gone) if quota is not None else (gone, 0)
        after = self._counted(stage)
        for _ in range(ROUNDS):
            failing = self._failing(stage) if judged else None
            if failing is not None:
                stage, gone = _narrowed(stage, fields, drop=failing)
                by_bins += gone
                after = self._counted(stage)
            quota = self._quota(stage, after)
            if quota is not None:
                stage, gone = _narrowed(stage, fields, quota=quota)
                by_count += gone
                after = self._counted(stage)
            if failing is None and quota is None:
                break
        self._check_limit(by_bins, linked)
        return Staged(
            sight=sight,
            engine=stage,
            rows_source=rows_source,
            rows=stage.count_rows(),
            orphans=orphans,
            followed=rows_source - orphans - linked,
            by_bins=by_bins,
            by_count=by_count,
            before=before,
            after=after,
            bin_size=self._bin_size,
            with_quasi=self._with_quasi,
        )

    def _failing(self, stage: Engine) -> Lookup | None:
        """The bins with rows of fewer than k people, counted exactly; None where there is none."""
        fields = [item.called for item in self._sight.quasi]
        bins = Bins.count(stage, fields, person=person_in(self._sight))
        few = bins.counts < self._k
        if not few.any():
            return None
        codes = bins.codes[few]
        batch = {f"key:{name}": objects(bins.labels[f])[codes[:, f]] for f, name in enumerate(fields)}
        return Lookup(keys=tuple(fields), fields=(), batches=lambda: iter([batch]))

    def _check_limit(self, gone: int, rows: int) -> None:
        most = self._policy.require.max_suppression
        if self._solved.by_people and self._sight.own and gone > most * rows:
            raise NoRecodingFound(
                f"No recoding was found that leaves out at most {most:.1%} of the rows of {self._sight.name}.",
                found=f"{gone} of {rows} rows are in bins with fewer than {self._k} people, once numbers of rows are "
                "merged and rows that hang on others are gone.",
                attempt="a larger max_suppression, coarser hierarchies, or fewer quasi-identifiers in this table.",
            )

    # ----------------------------------------------------------------------------------- how many rows a person has

    @property
    def _bin_size(self) -> int | None:
        """b_tabf: how many people share each number of rows; None where the number tells nobody anything."""
        asked, require = self._sight.policy.row_counts, self._policy.require
        if self._sight.is_unique or asked.linking == 0 or not self._sight.linkable:
            return None
        if asked.bin_size is not None:
            return asked.bin_size
        if require.anonymity is not None:
            people = sum(found.rows for found in self._above.values() if found.sight.is_unique)
            return number_bin_size(require.anonymity, asked.linking, people)
        return require.k

    @property
    def _with_quasi(self) -> bool:
        return self._bin_size is not None and self._sight.policy.row_counts.linking == 1

    @property
    def _shared(self) -> tuple[Quasi, ...]:
        """The person's quasi-identifiers, where the number of rows is known together with them."""
        if not self._with_quasi:
            return ()
        if self._sight.above is None:
            where = "row_counts.linking"
            found = "the rows of one person differ in their quasi-identifiers, so the number goes with none of them."
            raise PolicyError([Problem(where=where, found=found, attempt="a number below 1, or a table of people.")])
        people = next(found.sight for found in self._above.values() if found.sight.is_unique)
        return tuple(item for item in self._sight.quasi if item.table == people.name)

    def _counted(self, engine: Engine) -> Bins | None:
        """How many people have each number of rows, those with none too; None where that is not protected."""
        if self._bin_size is None:
            return None
        fields = tuple(item.called for item in self._shared)
        found = Bins.from_frequencies(engine.rows_per_person(person_in(self._sight), fields))
        everyone = next((stage for stage in self._above.values() if stage.sight.is_unique), None)
        if everyone is None:
            return found
        all_people = Bins.count(everyone.engine, [item.field for item in self._shared])
        return with_none(found, all_people)

    def _quota(self, engine: Engine, counted: Bins | None) -> Quota | None:
        """How many rows of each person stay, so that every number is shared; None where all stay."""
        if counted is None or self._bin_size is None:
            return None
        fields = counted.fields[:-1]
        groups, _ = group(counted.codes[:, :-1], [len(labels) for labels in counted.labels[:-1]])
        rows = row_numbers(counted)
        merging = self._sight.policy.row_counts.merging
        keep = merge_row_counts(groups, rows, counted.counts, bin_size=self._bin_size, merging=merging)
        if (keep < 0).any():
            raise NoRecodingFound(
                f"How many rows a person has in {self._sight.name} is to be shared by {self._bin_size} people.",
                found=f"{len(np.unique(groups[keep < 0]))} group(s) of people who share their quasi-identifiers are "
                "smaller than that."
                if fields
                else f"There are {int(counted.counts.sum())} people in all.",
                attempt="a smaller bin_size in its row_counts, or a larger k.",
            )
        less = keep < rows
        if not less.any():
            return None
        batch: dict[str, NDArray[Any]] = {
            f"key:{name}": objects(counted.labels[f])[counted.codes[less, f]] for f, name in enumerate(fields)
        }
        batch |= {"rows": rows[less], "keep": keep[less]}
        return Quota(person=person_in(self._sight), fields=fields, batches=lambda: iter([batch]))


def with_none(found: Bins, everyone: Bins) -> Bins:
    """The numbers of rows with the people who have none: all of them, less those who have some."""
    sizes = found.sizes()
    having: Counter[tuple[Label, ...]] = Counter()
    for key, people in sizes.items():
        having[key[:-1]] += people
    for key, people in everyone.sizes().items():
        if people > having[key]:
            sizes[*key, "0"] = people - having[key]
    return Bins.of(found.fields, sizes)


def row_numbers(counted: Bins) -> NDArray[np.int64]:
    """The number of rows of each bin, which is its last field."""
    numbers = np.array([int(label or 0) for label in counted.labels[-1]], np.int64)
    return numbers[counted.codes[:, -1]] if len(counted) else np.zeros(0, np.int64)


def _narrowed(
    engine: Engine, fields: tuple[str, ...], *, drop: Lookup | None = None, quota: Quota | None = None
) -> tuple[Engine, int]:
    """A stage with fewer rows in the place of another, and how many went."""
    before = engine.count_rows()
    out = engine.staged(WritePlan(fields=fields, drop=drop, quota=quota))
    return out, before - out.count_rows()


def _nobody(person: str) -> Lookup:
    batch = {f"key:{person}": objects([None])}
    return Lookup(keys=(person,), fields=(), batches=lambda: iter([batch]))


def objects(values: Sequence[Label]) -> NDArray[np.object_]:
    out = np.empty(len(values), object)
    out[:] = values
    return out
