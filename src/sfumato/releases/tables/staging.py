"""Staging the tables, parents first: recoded, without the rows that must go, each person's rows cut to their quota.

A row goes with the row it hangs on, so foreign keys stay whole. Then, until nothing changes, rows of bins with too few
people go, and numbers of rows that too few people share are merged (001, section 3.8): each can undo the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, group
from sfumato.errors import NoRecodingFound, PolicyError, Problem, SourceError
from sfumato.policy import Policy
from sfumato.policy.hierarchies import Label
from sfumato.solvers import merge_row_counts
from sfumato.sources import Database, Engine, Lookup, Quota, TableView, WritePlan

from ..requirements import number_bin_size
from .row_counts import renumbered, row_numbers, with_none
from .seeing import Quasi, Sight
from .solving import Solved, person_in

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
    database: Database,
    policy: Policy,
    seen: Mapping[str, Sight],
    solved: Solved,
    *,
    orphans: Mapping[str, int],
    progress: Progress,
) -> dict[str, Staged]:
    """Every table of the policy, parents first. `orphans` are the rows of each that are nobody's."""
    out: dict[str, Staged] = {}
    for name, sight in seen.items():
        progress(f"staging {name}")
        out[name] = _Staging(database, policy, sight, solved, out, orphans=orphans[name]).staged()
    return out


class _Staging:
    """One table on its way to its stage."""

    def __init__(
        self,
        database: Database,
        policy: Policy,
        sight: Sight,
        solved: Solved,
        above: Mapping[str, Staged],
        *,
        orphans: int,
    ) -> None:
        self._orphans = orphans
        self._database, self._policy, self._sight, self._solved, self._above = database, policy, sight, solved, above
        self._k = policy.require.k or 1

    def staged(self) -> Staged:
        sight = self._sight
        plain = self._database.view(TableView(table=sight.name))
        rows_source = plain.count_rows()
        if rows_source == 0 and sight.is_person:
            raise SourceError(f"{plain.title} holds no row.", attempt="a table with at least one row.")
        if sight.person is None:
            fields = tuple(info.name for info in plain.fields())
            stage = plain.staged(WritePlan(fields=fields))
            return Staged(sight=sight, engine=stage, rows_source=rows_source, rows=rows_source)
        stages = {name: found.engine for name, found in self._above.items() if name == sight.above}
        view = self._database.view(self._narrow(), stages=stages)
        return self._settled(view, rows_source)

    def _narrow(self) -> TableView:
        """The view with only what is brought that somebody looks at: the person, and quasi-identifiers if counted."""
        view, wanted = self._sight.view, self._wanted
        joins = []
        for join in view.joins:
            bring = {
                name: called
                for name, called in join.bring.items()
                if wanted or called not in {item.called for item in self._sight.quasi}
            }
            joins.append(replace(join, bring=bring))
        return replace(view, joins=tuple(joins))

    @property
    def _wanted(self) -> bool:
        """Whether this table, or one that hangs on it, is counted together with the quasi-identifiers above."""
        tables = self._policy.tables.values()
        return (
            self._solved.by_people
            or any(table.row_counts.linking == 1 for table in tables)
            or any(asked.within_bins for asked in self._policy.require.k_m)
        )

    def _settled(self, view: Engine, rows_source: int) -> Staged:
        """One pass writes the stage; what must go is then counted there and taken out of it."""
        sight = self._sight
        fields = tuple(info.name for info in view.fields())
        lookups, drop = self._solved.lookups.get(sight.name, ()), self._solved.drops.get(sight.name)
        if self._orphans and sight.above is None:
            view = view.staged(WritePlan(fields=fields, drop=_nobody(person_in(sight))))
        stage = view.staged(WritePlan(fields=fields, lookups=lookups, drop=drop))
        linked = rows_source - self._orphans if sight.above is None else stage.count_rows()
        by_bins, by_count = linked - stage.count_rows(), 0
        before = after = self._counted(stage)
        judged = bool(sight.own) and self._solved.by_people
        for _ in range(ROUNDS):
            failing = self._failing(stage) if judged else None
            if failing is not None:
                by_bins += stage.thin(drop=failing)
                after = self._counted(stage)
            quota, after = self._quota(after)
            if quota is not None:
                by_count += stage.thin(quota=quota)
            if failing is None and (quota is None or not judged):
                break
        self._check_limit(by_bins, linked)
        return Staged(
            sight=sight,
            engine=stage,
            rows_source=rows_source,
            rows=stage.count_rows(),
            orphans=self._orphans,
            followed=rows_source - self._orphans - linked,
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

    def _quota(self, counted: Bins | None) -> tuple[Quota | None, Bins | None]:
        """How many rows of each person stay, so that every number is shared, and the numbers then."""
        if counted is None or self._bin_size is None:
            return None, counted
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
            return None, counted
        batch: dict[str, NDArray[Any]] = {
            f"key:{name}": objects(counted.labels[f])[counted.codes[less, f]] for f, name in enumerate(fields)
        }
        batch |= {"rows": rows[less], "keep": keep[less]}
        quota = Quota(person=person_in(self._sight), fields=fields, batches=lambda: iter([batch]))
        return quota, renumbered(counted, keep)


def _nobody(person: str) -> Lookup:
    batch = {f"key:{person}": objects([None])}
    return Lookup(keys=(person,), fields=(), batches=lambda: iter([batch]))


def objects(values: Sequence[Label]) -> NDArray[np.object_]:
    out = np.empty(len(values), object)
    out[:] = values
    return out
