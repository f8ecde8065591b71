"""Staging the tables, parents first: recoded, without the rows that must be dropped, each person's
rows cut to their quota.

Child rows are dropped with their parent, so foreign keys stay whole. Then rows of bins with too few
people are dropped, and numbers of rows that too few people share are merged (Sweeney 1997, section
3.8). Each can undo the other, so both repeat until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from sfumato.bins import Bins
from sfumato.engines import Database, Engine, FieldInfo, KeyMap, Lookup, TableView, WritePlan
from sfumato.errors import NoRecodingFound, SourceError
from sfumato.policy import Policy
from sfumato.protection import broken_by

from ..suppression import BINS, BINS_AND_COUNTS, COUNTS, FOLLOWED, NOBODY, LeftOut, reasons_apart
from ..treatments import number_start
from .days import DAYS
from .people_models import count_people, people_in_bins, person_in
from .quotas import Quotas, objects
from .recoding import TablesRecoding, known_people_view
from .row_counts import row_numbers
from .stage_columns import (
    StageColumns,
    in_place_of,
    looked_at,
    moves_dates,
    number_of,
    numbers_rows,
)
from .table_view import Sight

Progress = Callable[[str], None]

ROUNDS = 20  # Each only removes rows; in practice the second finds nothing more to do.


@dataclass(frozen=True, kw_only=True)
class People:
    """How many people have rows in a table: in the source, on rows that stay in the tables above,
    and in the stage."""

    source: int
    linked: int
    staged: int

    def left_out(
        self, table: str, *, orphans: int, by_bins: int, by_count: int, apart: tuple[str, ...] = ()
    ) -> LeftOut:
        """Those who have none left, by reason; rows that are nobody's count as people."""
        why = BINS_AND_COUNTS if by_bins and by_count else COUNTS if by_count else BINS
        return LeftOut(
            unit="people",
            table=table,
            source=self.source + orphans,
            by_reason={
                NOBODY: orphans,
                FOLLOWED: self.source - self.linked,
                why: self.linked - self.staged,
            },
            apart=apart,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class StagedRows:
    """A table as it will be released, but for pseudonyms and dates; and an account of its rows.

    `orphans` had no person, `followed` were dropped with their parents, `by_bins` were in bins of
    too few people, `by_count` revealed how many rows someone has. `before` and `after` are how many
    people have each number of rows. `fields` are those of the table in the source; the stage itself
    has those that are looked at, and what is carried besides. `person` is the table of people."""

    sight: Sight
    engine: Engine
    fields: tuple[FieldInfo, ...]
    rows_source: int
    rows: int
    carried: StageColumns = field(default_factory=StageColumns)
    orphans: int = 0
    followed: int = 0
    by_bins: int = 0
    by_count: int = 0
    before: Bins | None = field(default=None, repr=False)
    after: Bins | None = field(default=None, repr=False)
    people: People | None = None
    bin_size: int | None = None
    with_quasi: bool = False
    person: str = ""

    @property
    def left_out(self) -> LeftOut | None:
        """The people who are not in this table any more; None where its rows are nobody's."""
        if self.people is None:
            return None
        found = self.people.left_out(
            self.sight.name,
            orphans=self.orphans,
            by_bins=self.by_bins,
            by_count=self.by_count,
            apart=reasons_apart(self.sight.above, person=self.person),
        )
        return replace(found, rows_dropped=self.by_count / max(self.rows + self.by_count, 1))


class Instead(Protocol):
    """The replacements of keys, and the days by which dates move, asked for while tables are
    staged."""

    def instead_of(self, table: str, name: str) -> KeyMap | None:
        """The replacement of a key, or of the key that a link leads to; None where nothing does."""
        ...

    def days(self, people: Engine, person: str) -> Lookup | None:
        """The days that each person's dates move by, as the field DAYS."""
        ...


def stage_tables(
    database: Database,
    policy: Policy,
    seen: Mapping[str, Sight],
    solved: TablesRecoding,
    *,
    orphans: Mapping[str, int],
    instead: Instead,
    into: dict[str, StagedRows],
    progress: Progress,
) -> None:
    """Every table of the policy, parents first, `into` a mapping, which `instead` looks at for
    tables that are there. `orphans` are the rows of each that are nobody's."""
    for name, sight in seen.items():
        progress(f"staging {name}")
        staging = _Staging(database, policy, sight, solved, into, orphans=orphans[name])
        into[name] = staging.staged(seen, instead)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Settled:
    """A stage, the number of child rows of remaining rows that it was made of, and the account of
    its rows.

    `people` had those rows; None where that was not counted, because `before` has it or no row was
    dropped."""

    engine: Engine
    linked: int
    by_bins: int
    by_count: int
    before: Bins | None
    after: Bins | None
    people: int | None = None


class _Staging:
    """One table on its way to its stage."""

    def __init__(
        self,
        database: Database,
        policy: Policy,
        sight: Sight,
        solved: TablesRecoding,
        above: Mapping[str, StagedRows],
        *,
        orphans: int,
    ) -> None:
        self._orphans = orphans
        self._database, self._policy, self._sight, self._solved, self._above = (
            database,
            policy,
            sight,
            solved,
            above,
        )
        self._k = people_in_bins(policy)
        self._quotas = Quotas(policy, sight, above)

    def staged(self, seen: Mapping[str, Sight], instead: Instead) -> StagedRows:
        sight = self._sight
        plain = self._database.view(TableView(table=sight.name))
        rows_source = plain.count_rows()
        if rows_source == 0 and sight.is_person:
            raise SourceError(
                f"{plain.title} holds no row.", attempt="a table with at least one row."
            )
        own = [info.name for info in plain.fields()]
        if sight.person is None:
            stage = plain.staged(WritePlan(fields=looked_at(self._policy, sight, own, ())))
            return StagedRows(
                sight=sight,
                engine=stage,
                fields=plain.fields(),
                rows_source=rows_source,
                rows=rows_source,
            )
        return self._of_people(plain, rows_source, instead, moving=moves_dates(sight, seen))

    def _of_people(
        self, plain: Engine, rows_source: int, instead: Instead, *, moving: bool
    ) -> StagedRows:
        """The stage of a table whose rows are people's."""
        sight = self._sight
        looked = self._brought(moving=moving)
        brought = [called for join in looked.joins for called in join.bring.values()]
        numbers = self._quotas.lookup(sight)
        lookups = (
            *self._lookups(plain, instead, moving=moving),
            *(() if numbers is None else (numbers,)),
        )
        given = [
            name for lookup in lookups for name in lookup.fields if name not in sight.policy.fields
        ]
        replaced = ((link.field, number_of(link.table, link.key)) for link in sight.path[:1])
        others = ((link.field, in_place_of(link.field)) for link in sight.policy.links)
        taken = {name: field for name, field in (*replaced, *others) if field in (*brought, *given)}
        own = looked_at(self._policy, sight, [info.name for info in plain.fields()], taken)
        fields = dict.fromkeys((*own, *brought, *given))
        stages = {name: found.engine for name, found in self._above.items() if name == sight.above}
        view = self._database.view(looked, stages=stages)
        plan = WritePlan(
            fields=tuple(fields),
            lookups=lookups,
            drop=self._solved.drops.get(sight.name),
            shuffled=True,
        )
        numbered = self._numbered(plain)
        settled = self._settled(view, rows_source - self._orphans, plan, numbered)
        number = next(iter(numbered), "")
        rows = settled.engine.count_rows()
        people = self._people(settled, rows=rows, rows_source=rows_source)
        taken |= {sight.policy.key: number} if number else {}
        return StagedRows(
            sight=sight,
            engine=settled.engine,
            fields=plain.fields(),
            carried=StageColumns(number=number, days=DAYS if DAYS in fields else "", taken=taken),
            rows_source=rows_source,
            rows=rows,
            people=people,
            orphans=self._orphans,
            followed=rows_source - self._orphans - settled.linked,
            by_bins=settled.by_bins,
            by_count=settled.by_count,
            before=settled.before,
            after=settled.after,
            bin_size=self._quotas.bin_size,
            with_quasi=self._quotas.with_quasi,
            person=next(
                (name for name, stage in self._above.items() if stage.sight.is_person), sight.name
            ),
        )

    def _people(self, settled: _Settled, *, rows: int, rows_source: int) -> People:
        """How many people have rows here; where each has one, that is the number of rows."""
        sight = self._sight
        if sight.is_unique:
            mine = rows_source - self._orphans
            return People(source=mine, linked=mine, staged=rows)
        staged = (
            _having_rows(settled.after)
            if settled.after is not None
            else self._everyone(settled.engine)
        )
        whole = settled.linked == rows_source - self._orphans
        linked = _having_rows(settled.before) if settled.before is not None else settled.people
        if linked is None:
            linked = staged  # Nothing was taken out of the rows that hang on others that stay.
        return People(source=linked if whole else self._in_source(), linked=linked, staged=staged)

    def _in_source(self) -> int:
        """The people with rows here in the source. Somebody who is not in the person's table is
        nobody. A link that leads nowhere is counted as a row without a person, and its children are
        dropped with that row."""
        view, person = known_people_view(self._sight)
        return Bins.from_frequencies(self._database.view(view).rows_per_person(person)).rows

    def _everyone(self, engine: Engine) -> int:
        found = Bins.from_frequencies(engine.rows_per_person(person_in(self._sight)))
        return found.rows

    def _numbered(self, plain: Engine) -> dict[str, int]:
        """The field that numbers the rows, with the number before the first; none where they are
        not numbered."""
        key = self._sight.policy.key
        if not numbers_rows(self._policy, self._sight, self._database.abilities):
            return {}
        return {number_of(self._sight.name, key): number_start(plain, key)}

    def _brought(self, *, moving: bool) -> TableView:
        """The view with only those linked fields that are needed: the person, quasi-identifiers if
        counted, and what the stage above carries."""
        sight, wanted = self._sight, self._wanted
        joins = []
        for join in sight.view.joins:
            bring = {
                name: called
                for name, called in join.bring.items()
                if wanted or called not in {item.called for item in sight.quasi}
            }
            above = self._above[join.table].carried
            carried = (
                {above.number} if join.key == self._above[join.table].sight.policy.key else set()
            )
            carried |= {above.days} if moving else set()
            joins.append(
                replace(join, bring=bring | {name: name for name in sorted(carried) if name})
            )
        return replace(sight.view, joins=tuple(joins))

    def _lookups(self, plain: Engine, instead: Instead, *, moving: bool) -> Iterator[Lookup]:
        """The lookups on the way to the stage: the recoding, the days of the person's own table,
        and the replacements of links to tables whose rows belong to nobody, which are small."""
        sight = self._sight
        yield from self._solved.lookups.get(sight.name, ())
        found = instead.days(plain, person_in(sight)) if moving and sight.is_person else None
        if found is not None:
            yield found
        for link in sight.policy.links:
            if self._above[link.table].sight.person is None and link.field != sight.policy.key:
                numbers = instead.instead_of(sight.name, link.field)
                if numbers is not None:
                    yield numbers.lookup(link.field, into=in_place_of(link.field))

    @property
    def _wanted(self) -> bool:
        """Whether this table, or one below it, is counted together with the quasi-identifiers
        above."""
        tables = self._policy.tables.values()
        return (
            self._solved.by_people
            or any(table.row_counts.linking == 1 for table in tables)
            or any(asked.within_bins for asked in self._policy.require.each("k_m"))
        )

    def _settled(
        self, view: Engine, linked: int, plan: WritePlan, numbered: Mapping[str, int]
    ) -> _Settled:
        """The stage without the rows that must be dropped. Where its rows are numbered, these are
        known before, or all others are numbered afterwards: gaps would disclose how many were
        dropped."""
        sight = self._sight
        if self._orphans and sight.above is None:
            everything = tuple(info.name for info in view.fields())
            view = view.staged(WritePlan(fields=everything, drop=_nobody(person_in(sight))))
        if numbered and not self._judged and not self._quotas.before:
            return self._at_once(view, linked, replace(plan, numbered=numbered))
        settled = self._thinned(view.staged(plan), linked)
        self._check_limit(settled.by_bins, settled.linked)
        if not numbered:
            return settled
        again = WritePlan(fields=plan.fields, shuffled=True, numbered=numbered)
        return replace(settled, engine=settled.engine.staged(again))

    @property
    def _judged(self) -> bool:
        """Whether people are counted in bins of this table, of which some may have too few."""
        return bool(self._sight.own) and self._solved.by_people

    def _at_once(self, view: Engine, linked: int, plan: WritePlan) -> _Settled:
        """Each person's rows are counted in the source, and one pass writes those that stay."""
        before = self._quotas.counted(view)
        quota, after = self._quotas.quota(before)
        quota = quota if quota is None else replace(quota, key=self._sight.policy.key)
        stage = view.staged(replace(plan, quota=quota))
        rows = stage.count_rows()
        if self._sight.above is not None:
            linked = (
                rows
                if before is None or quota is None
                else int((row_numbers(before) * before.counts).sum())
            )
        by_bins, by_count = (linked - rows, 0) if quota is None else (0, linked - rows)
        return _Settled(
            engine=stage,
            linked=linked,
            by_bins=by_bins,
            by_count=by_count,
            before=before,
            after=after,
        )

    def _thinned(self, stage: Engine, linked: int) -> _Settled:
        """Rows to drop are counted in the stage and removed from it."""
        rows = stage.count_rows()
        linked = linked if self._sight.above is None else rows
        by_bins, by_count = linked - rows, 0
        before = after = self._quotas.counted(stage)
        people = self._everyone(stage) if before is None and self._judged and rows else None
        for _ in range(ROUNDS):
            failing = self._failing(stage) if self._judged else None
            if failing is not None:
                by_bins += stage.thin(drop=failing)
                after = self._quotas.counted(stage)
            quota, after = self._quotas.quota(after)
            if quota is not None:
                by_count += stage.thin(quota=quota)
            if failing is None and (quota is None or not self._judged):
                break
        return _Settled(
            engine=stage,
            linked=linked,
            by_bins=by_bins,
            by_count=by_count,
            before=before,
            after=after,
            people=people,
        )

    def _failing(self, stage: Engine) -> Lookup | None:
        """The bins with rows of fewer than k people, or that break a model, counted exactly; None
        where none does."""
        fields = [item.called for item in self._sight.quasi]
        models = self._solved.people_models.get(self._sight.name, ())
        if models:
            counted = count_people(stage, self._policy, self._sight)
            bins: Bins = counted
            few = broken_by(models, counted, counted.counts < self._k)
        else:
            bins = Bins.count(stage, fields, person=person_in(self._sight))
            few = bins.counts < self._k
        if not few.any():
            return None
        codes = bins.codes[few]
        batch = {
            f"key:{name}": objects(bins.labels[f])[codes[:, f]] for f, name in enumerate(fields)
        }
        return Lookup(keys=tuple(fields), fields=(), batches=lambda: iter([batch]))

    def _check_limit(self, gone: int, rows: int) -> None:
        """Where nothing may be left out, no row may be, also of people who keep others. Any other
        limit binds people, who are counted when all tables are staged."""
        if (
            self._solved.by_people
            and self._sight.own
            and gone
            and self._policy.require.max_suppression <= 0
        ):
            raise NoRecodingFound(
                f"No recoding was found that leaves out no row of {self._sight.name}.",
                found=f"{gone} of {rows} rows are in bins that break a requirement, once numbers "
                "of rows are merged "
                "and child rows are dropped with their parents.",
                attempt="a larger max_suppression, coarser hierarchies, or fewer quasi-identifiers "
                "in this table.",
            )


def _having_rows(counted: Bins) -> int:
    """The people with a row or more, of bins over the number of rows."""
    return int(counted.counts[row_numbers(counted) > 0].sum())


def _nobody(person: str) -> Lookup:
    batch = {f"key:{person}": objects([None])}
    return Lookup(keys=(person,), fields=(), batches=lambda: iter([batch]))
