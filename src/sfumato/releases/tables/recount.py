"""Recounting the written tables: bins, people, numbers of rows, sets, and links that lead to a
row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sfumato import wording
from sfumato.bins import Bins, CountedPeople
from sfumato.engines import Database, Engine, TableView, WritePlan
from sfumato.policy import Link, Policy
from sfumato.protection import KPeople, Model, RowCounts, Verdict, needs_of

from ..requirements import needed_fields
from .itemset_cuts import model_of
from .people_models import count_people, judges_k_apart, people_in_bins, person_in, values_in
from .recoding import raw_view
from .row_counts import (
    numbers_lookup,
    person_numbers,
    row_numbers,
    rows_of,
    tables_before,
    with_none,
)
from .table_view import Sight


@dataclass(frozen=True, kw_only=True)
class TablesJudgement:
    """The claims to judge about a release of several tables. All of it can be counted on the
    release alone, where it shows which rows are one person's. `people` are how many had rows in
    each table of the source."""

    policy: Policy
    seen: Mapping[str, Sight]
    models: tuple[Model, ...] = ()
    known: tuple[str, ...] = ()
    by_people: bool = False
    bin_sizes: Mapping[str, int] = field(default_factory=dict)
    people_models: Mapping[str, tuple[Model, ...]] = field(default_factory=dict)
    people: Mapping[str, int] = field(default_factory=dict)

    @property
    def person(self) -> Sight:
        return next(sight for sight in self.seen.values() if sight.is_person)


@dataclass(frozen=True, eq=False, kw_only=True)
class TablesRecount:
    """The counts of the written tables. `having` is the number of people with rows in each, as far
    as a release alone shows it; it is counted where only that is at hand."""

    rows: Mapping[str, int]
    people: int
    bins: Bins | None
    verdicts: tuple[Verdict, ...]
    broken: tuple[str, ...]
    counted: Mapping[str, CountedPeople] = field(default_factory=dict)
    having: Mapping[str, int] = field(default_factory=dict)


def recount_tables(
    written: Database, judged: TablesJudgement, *, stages: Mapping[str, Engine]
) -> TablesRecount:
    """Count everything on the written tables. Where they do not show the person of a row, people
    are counted on the stage that was written. The bins of both must have as many rows."""
    counting = _Counting(written, judged, stages)
    bins, about_person = counting.person_bins()
    verdicts = [*about_person, *counting.people(), *counting.row_counts(), *counting.sets()]
    rows = {name: written.view(_plain(sight)).count_rows() for name, sight in judged.seen.items()}
    person = judged.person
    people = rows[person.name] if person.is_unique else counting.everyone()
    return TablesRecount(
        rows=rows,
        people=people,
        bins=bins,
        verdicts=tuple(verdicts),
        broken=(*counting.broken_links(rows), *counting.unlike_their_stage()),
        counted=dict(counting.people_counted),
        having={} if stages else counting.having(rows),
    )


def _plain(sight: Sight) -> TableView:
    return TableView(table=sight.name)


class _Counting:
    def __init__(
        self, written: Database, judged: TablesJudgement, stages: Mapping[str, Engine]
    ) -> None:
        self._written, self._judged, self._stages = written, judged, stages
        self._views: dict[str, Engine] = {}
        self._numbers: dict[tuple[str, tuple[str, ...]], Bins] = {}
        self._people: dict[str, CountedPeople] = {}

    def _shows(self, sight: Sight) -> bool:
        """Whether the person of a row is known; not where links were removed and only the release
        is at hand."""
        return sight.linkable or sight.name in self._stages

    def _engine(self, sight: Sight) -> Engine:
        """The written table with the person key, or the stage where the links were removed.

        Tables are joined once and staged where several questions follow.
        """
        if not sight.linkable:
            return self._stages[sight.name]
        if sight.name not in self._views:
            with_quasi = self._with_quasi(sight)
            looked_at = raw_view(sight, quasi=with_quasi)
            view = self._written.view(looked_at)
            if looked_at.joins and not sight.is_unique:
                items = [
                    asked.field
                    for asked in self._judged.policy.require.each("k_m")
                    if asked.table == sight.name
                ]
                quasi = [item.called for item in sight.quasi] if with_quasi else []
                values = values_in(self._judged.policy, sight) if quasi else ()
                fields = tuple(dict.fromkeys((person_in(sight), *items, *quasi, *values)))
                view = view.staged(WritePlan(fields=fields)) if items or quasi else view
            self._views[sight.name] = view
        return self._views[sight.name]

    def _with_quasi(self, sight: Sight) -> bool:
        """Whether a table is counted together with quasi-identifiers, its own or those above."""
        sets = [
            asked for asked in self._judged.policy.require.each("k_m") if asked.table == sight.name
        ]
        joint = sight.policy.row_counts.linking == 1 or any(asked.within_bins for asked in sets)
        return joint or (self._judged.by_people and bool(sight.own)) or sight.is_person

    def _rows_per_person(self, sight: Sight, fields: tuple[str, ...] = ()) -> Bins:
        if (sight.name, fields) not in self._numbers:
            found = self._engine(sight).rows_per_person(person_in(sight), fields)
            self._numbers[sight.name, fields] = Bins.from_frequencies(found)
        return self._numbers[sight.name, fields]

    def person_bins(self) -> tuple[Bins | None, list[Verdict]]:
        """The person's table by itself, where each person has one row."""
        if not self._judged.models:
            return None, []
        judged, person = self._judged, self._judged.person
        engine = self._written.view(_plain(person))
        # Models that need the source are built later, where it is given, and look at values in the
        # same bins.
        values = (
            *needs_of(judged.models),
            *needed_fields(judged.policy.of_table(person.name), judged.known),
        )
        bins = Bins.count(engine, judged.known, sensitive=tuple(dict.fromkeys(values)))
        return bins, [model.judge(bins) for model in self._judged.models]

    def people(self) -> list[Verdict]:
        if not self._judged.by_people:
            return []
        k = people_in_bins(self._judged.policy)
        out = []
        for sight in self._judged.seen.values():
            if sight.own and sight.person is not None and self._shows(sight):
                fields = tuple(item.called for item in sight.quasi)
                models = self._judged.people_models.get(sight.name, ())
                if (
                    judges_k_apart(self._judged.policy)
                    or sight.name not in self._judged.people_models
                ):
                    bins = Bins.count(self._engine(sight), fields, person=person_in(sight))
                    out.append(KPeople(k=k, fields=fields, table=sight.name).judge(bins))
                out += [model.judge(self.counted(sight)) for model in models]
        return out

    def counted(self, sight: Sight) -> CountedPeople:
        """All people of each bin of a table, and their values."""
        if sight.name not in self._people:
            self._people[sight.name] = count_people(self._engine(sight), self._judged.policy, sight)
        return self._people[sight.name]

    @property
    def people_counted(self) -> Mapping[str, CountedPeople]:
        return self._people

    def everyone(self) -> int:
        """How many people there are; 0 where nothing shows it."""
        person = self._judged.person
        if not self._shows(person):
            return 0
        return Bins.count(self._engine(person), (), person=person_in(person)).rows

    def having(self, rows: Mapping[str, int]) -> dict[str, int]:
        """How many people have rows in each table that shows whose they are."""
        seen = {
            name: sight
            for name, sight in self._judged.seen.items()
            if sight.person is not None and sight.linkable
        }
        return {
            name: rows[name] if sight.is_unique else self._rows_per_person(sight).rows
            for name, sight in seen.items()
        }

    def row_counts(self) -> list[Verdict]:
        out = []
        people = self._judged.person
        for name, bin_size in self._judged.bin_sizes.items():
            sight = self._judged.seen[name]
            joint = sight.policy.row_counts.linking == 1
            shared = [item for item in sight.quasi if joint and item.table == people.name]
            fields = tuple(item.called for item in shared)
            own = [item.field for item in shared]
            before = tables_before(sight, self._judged.bin_sizes)
            if before:
                numbers = tuple(map(rows_of, before))
                with self._numbered(sight, fields, before) as rows:
                    per_person = rows.rows_per_person(person_in(sight), (*fields, *numbers))
                    found = Bins.from_frequencies(per_person)
                with self._numbered(people, own, before) as everyone:
                    found = with_none(found, Bins.count(everyone, [*own, *numbers]))
                fields = (*fields, *numbers)
            else:
                found = self._rows_per_person(sight, fields)
                if people.is_unique:
                    found = with_none(found, Bins.count(self._engine(people), own))
            out.append(RowCounts(table=name, bin_size=bin_size, fields=fields).judge(found))
        return out

    @contextmanager
    def _numbered(
        self, sight: Sight, fields: Sequence[str], before: Sequence[str]
    ) -> Iterator[Engine]:
        """The written rows of a table with the numbers of their person's rows in tables before."""
        people, seen = self._judged.person, self._judged.seen
        numbers = {
            name: person_numbers(self._engine(seen[name]), person_in(seen[name])) for name in before
        }
        everyone = person_numbers(self._engine(people), person_in(people))
        lookup = numbers_lookup(person_in(sight), everyone, numbers)
        kept = dict.fromkeys((person_in(sight), *fields, *lookup.fields))
        stage = self._engine(sight).staged(WritePlan(fields=tuple(kept), lookups=(lookup,)))
        try:
            yield stage
        finally:
            stage.close()

    def sets(self) -> list[Verdict]:
        out = []
        for asked in self._judged.policy.require.each("k_m"):
            sight = self._judged.seen[asked.table]
            model = model_of(asked, sight, self._judged.person.name)
            engine = self._engine(sight)
            found = engine.itemsets(person_in(sight), asked.field, m=asked.m, within=model.within)
            out.append(model.judge(found, self._rows_per_person(sight).rows))
        return out

    def unlike_their_stage(self) -> list[str]:
        """Tables whose people were counted on their stage, and whose bins are not those that were
        written."""
        out = []
        for sight in self._judged.seen.values():
            own = [item.called for item in sight.own]
            if (
                sight.person is not None
                and not sight.linkable
                and own
                and sight.name in self._stages
            ):
                staged, written = (
                    Bins.count(e, own)
                    for e in (self._stages[sight.name], self._written.view(_plain(sight)))
                )
                if staged.sizes() != written.sizes():
                    out.append(f"the bins of {sight.name} are not those that were staged")
        return out

    def broken_links(self, rows: Mapping[str, int]) -> list[str]:
        """Links of the release that lead nowhere, and keys that occur twice; counts only."""
        out = []
        for sight in self._judged.seen.values():
            have = {info.name for info in self._written.view(_plain(sight)).fields()}
            key = sight.policy.key
            if key in have and self._written.repeated(sight.name, key):
                out.append(f"the key {key} of {sight.name} is not unique")
            for link in sight.policy.links:
                theirs = {
                    info.name
                    for info in self._written.view(_plain(self._judged.seen[link.table])).fields()
                }
                if link.field in have and link.key in theirs:
                    loose = self._loose(sight, link, rows[sight.name])
                    if loose:
                        out.append(
                            f"{sight.name} has {wording.counted(loose, 'row')} without a "
                            f"row of {link.table}"
                        )
        return out

    def _loose(self, sight: Sight, link: Link, rows: int) -> int:
        """Where the numbers of rows per person were counted over this link and others, a row that
        is nobody's is one whose link leads nowhere. The last link, to the person's table, is not
        followed for that."""
        if sight.linkable and len(sight.path) > 1 and link == sight.path[0]:
            found = self._rows_per_person(sight)
            return rows - int((row_numbers(found) * found.counts).sum())
        return self._written.loose(sight.name, link.field, to=link.table, key=link.key)
