"""Cohorts: who may leave a table and who may join it, so that answers before and after distinguish
nobody.

Somebody who asks the same question of two states of a table sees the difference: the people who
left and those who joined. So people join in *cohorts*, which are fixed when they are formed, and
leave in batches. Bins are those of one cohort, and shown answers are counted by bin and cohort. The
classes of an exposure never have people of an older and a newer cohort together. Everybody who left
is no longer in any answer, so that their classes stay as they were.

A batch may leave where those who leave, and those who stay, keep to every rule in each class that
was shown. A cohort may join where it keeps to every rule in each class that would be shown of it if
all answers were given again. Everybody else waits: newcomers unseen, leavers in the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.register import people_to_hold_back

from .confidentiality import Conditions
from .exposure import OUTSIDE, Exposure
from .held_rows import HeldRows
from .people_counts import numbered
from .protected_table import ProtectedTable

Wholes = NDArray[np.int64]
Marks = NDArray[np.bool_]
Tables = Mapping[str, ProtectedTable]
Rows = Mapping[str, HeldRows]
Build = Callable[[Rows], Tables]
_DRAWS: Final = 3
"""So often as many companions are drawn, before half as many more are."""
_MOST_DRAWS: Final = 48


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownAnswer:
    """An answer that was given without noise: of which table, at which levels, and the group of
    each bin."""

    table: str
    levels: Mapping[str, int]
    shows: tuple[str, ...]
    groups: Wholes = field(repr=False)

    def moved(self, tables: Tables, source: Wholes) -> ShownAnswer:
        """The same answer in another state of its table. New bins are in the group of those with
        the same labels, or in one of their own."""
        table = tables[self.table]
        label, count = np.zeros(len(table.bins), np.int64), 1
        for column, name in enumerate(table.known):
            if name in self.levels:
                up = table.hierarchies[name].up[self.levels[name]]
                width = len(table.hierarchies[name].labels[self.levels[name]])
                label, count = numbered(label * width + up[table.bins[:, column]], count * width)
        old = source >= 0
        known = np.full(count, OUTSIDE - 1)
        known[label[old]] = self.groups[source[old]]
        fresh = int(self.groups.max(initial=0)) + 1 + label
        groups = np.where(known[label] >= OUTSIDE, known[label], fresh)
        groups[old] = self.groups[source[old]]
        if table.links is not None:
            groups[~table.links.present] = OUTSIDE
        return replace(self, groups=groups)


@dataclass(frozen=True, eq=False, kw_only=True)
class AudienceRecord:
    """The record of some audiences: their classes, and the answers that made them."""

    exposure: Exposure
    answers: tuple[ShownAnswer, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class StateChange:
    """The tables of one account as they are, which people leave or join."""

    tables: Tables
    rows: Rows
    build: Build = field(repr=False)
    audiences: Sequence[AudienceRecord] = field(repr=False)

    def able_to_leave(self, leaving: Mapping[str, Marks]) -> dict[str, Marks]:
        """Of the rows of people who would leave, those who may; others stay until more leave."""
        wanted = dict(leaving)
        while any(marks.any() for marks in wanted.values()):
            draft = self._split(wanted)
            blocked = np.zeros(draft.units, bool)
            for _, before, failing in self._broken_by_leaving(draft):
                broken = np.unique(before[failing])
                blocked |= draft.flags & np.isin(before, broken)
            if not blocked.any():
                break
            rows = draft.rows_of(blocked)
            wanted = {name: marks & ~rows[name] for name, marks in wanted.items()}
        return wanted

    def with_companions(
        self, leaving: Mapping[str, Marks], chance: Callable[[int], Wholes]
    ) -> dict[str, Marks]:
        """The rows of people who must leave, and of as few others as the rules allow: some of their
        class, by chance, or all.

        A few by chance may have values too alike to leave together. Others are tried with the values
        of a sample of everybody, because a rule may compare with all and a class differ from them;
        then half as many people more, and whole classes at the end."""
        draft = self._split(leaving)
        least, drawn = self._least(draft), 0
        while least < draft.people and drawn < _MOST_DRAWS:
            for place in range(_DRAWS):
                found = self._drawn(leaving, least, chance, like_all=place > 0)
                drawn += 1
                if found is not None:
                    return found
            least += max(1, least // 2)
        return self._whole_classes(leaving)

    def _drawn(
        self,
        leaving: Mapping[str, Marks],
        least: int,
        chance: Callable[[int], Wholes],
        *,
        like_all: bool,
    ) -> dict[str, Marks] | None:
        """With people of the same classes, so that `least` leave each; None where a rule would
        still be broken.

        The finest classes come first. Of these, `least` people are drawn, and each person who must
        leave takes the place of one with the same values; of a measurement, with the nearest one. So
        the values of those who leave together are those of a random draw, whoever must leave; with
        `like_all`, of a draw that is like one of everybody. Those drawn must be able to leave by
        themselves, too: otherwise their number would tell what the values of the others change.

        Others whom the rules about values take along are of many fine classes, of each of which k
        leave: as many as the values need would be whole classes."""
        wanted, in_place = dict(leaving), True
        apart: dict[str, Marks] | None = None
        while True:
            draft = self._split(wanted)
            found = next(self._broken_classes(draft), None)
            if found is None:
                return wanted if apart is None or self._may_leave(apart) else None
            name, before, broken = found
            companions = draft.companions(
                before,
                broken,
                least if name or in_place else draft.conditions.k,
                chance,
                in_place=in_place,
                like_all=like_all and in_place,
            )
            if companions is None:
                return None
            people, drawn = companions
            nobody = np.zeros(draft.units, bool)
            apart = None if drawn is None else draft.rows_of(nobody, drawn)
            in_place = False
            rows = draft.rows_of(nobody, people)
            if not any((rows[name] & ~marks).any() for name, marks in wanted.items()):
                return None
            wanted = {name: marks | rows[name] for name, marks in wanted.items()}

    def _may_leave(self, leaving: Mapping[str, Marks]) -> bool:
        return next(self._broken_classes(self._split(leaving)), None) is None

    def _whole_classes(self, leaving: Mapping[str, Marks]) -> dict[str, Marks]:
        """With everybody of the classes in which a rule would be broken.

        A class that leaves whole tells no more than what was shown of it, also where it breaks a
        rule by now because others left whom the rule compares it with."""
        wanted = dict(leaving)
        while True:
            draft = self._split(wanted)
            more = np.zeros(draft.units, bool)
            for _, _, broken in self._broken_classes(draft):
                more |= broken
            if not more.any():
                return wanted
            rows = draft.rows_of(more)
            if not any((rows[name] & ~marks).any() for name, marks in wanted.items()):
                return wanted
            wanted = {name: marks | rows[name] for name, marks in wanted.items()}

    def _broken_classes(self, draft: _Draft) -> Iterator[tuple[str, Wholes, Marks]]:
        """The field of a rule about values, or none of one about people; the classes before, and the
        units of those that somebody leaves and in which it would be broken; only where there are
        some."""
        for name, before, failing in self._broken_by_leaving(draft):
            broken = np.isin(before, np.unique(before[failing & draft.beside_leavers(before)]))
            if broken.any():
                yield name, before, broken

    def able_to_join(self, kept: Rows, coming: Rows) -> dict[str, HeldRows]:
        """Of the rows of people who would join those that are kept, the ones who may; others
        wait."""
        wanted = dict(coming)
        while any(len(rows) for rows in wanted.values()):
            rows = {name: kept[name].beside(wanted[name]) for name in kept}
            first = min(int(each.cohort.min()) for each in wanted.values() if len(each))
            tables = self.build(rows)
            source = unit_sources(self.tables, tables, self._sources(kept, rows))
            draft = _Draft(tables=tables, flags=unit_cohorts(tables) >= first)
            blocked = np.zeros(draft.units, bool)
            for each in self.audiences:
                now = each.exposure.moved(source, unit_cohorts(tables))
                for answer in each.answers:
                    again = answer.moved(tables, source)
                    shows = tables[answer.table].exposed(answer.shows)
                    now = now.refined(again.groups, shows=shows)
                for _, failing in judged(draft.conditions, now):
                    blocked |= failing & draft.flags
            if not blocked.any():
                break
            marks = draft.rows_of(blocked)
            wanted = {
                name: each.only(~marks[name][len(kept[name]) :]) for name, each in wanted.items()
            }
        return wanted

    def signatures(self, leaving: Mapping[str, Marks]) -> dict[str, Wholes]:
        """For each row: a number for all that was shown of its person; the same for people whom
        nothing distinguishes."""
        draft = self._split(leaving)
        source = unit_sources(self.tables, draft.tables, self._same())
        signature, count = np.zeros(draft.units, np.int64), 1
        for each in self.audiences:
            moved = each.exposure.moved(source, np.zeros(draft.units, np.int64))
            for classes in (moved.anyone, *moved.of_knot.values()):
                span = int(classes.max(initial=0)) + 1
                signature, count = numbered(signature * span + classes, count * span)
        return draft.numbers_of(signature)

    def _split(self, leaving: Mapping[str, Marks]) -> _Draft:
        """The tables with leavers in bins of their own."""
        rows = {
            name: replace(each, cohort=each.cohort * 2 + leaving[name])
            for name, each in self.rows.items()
        }
        tables = self.build(rows)
        return _Draft(tables=tables, flags=unit_cohorts(tables) % 2 > 0)

    def _broken_by_leaving(self, draft: _Draft) -> Iterator[tuple[str, Wholes, Marks]]:
        """The field of a rule, the classes before, and the units that would break it after."""
        source = unit_sources(self.tables, draft.tables, self._same())
        for each in self.audiences:
            before = each.exposure.moved(source, np.zeros(draft.units, np.int64))
            after = before.cut(draft.flags.astype(np.int64))
            for name, failing in judged(draft.conditions, after):
                yield name, before.classes_of(name) if name else before.anyone, failing

    def _least(self, draft: _Draft) -> int:
        fields = [name for each in self.audiences for name in each.exposure.shown]
        return draft.conditions.fewest(fields)

    def _same(self) -> dict[str, Wholes]:
        return {name: np.arange(len(rows)) for name, rows in self.rows.items()}

    def _sources(self, kept: Rows, rows: Rows) -> dict[str, Wholes]:
        """The row here of each row, by the order of those that are kept."""
        out = {}
        for name, each in rows.items():
            source = np.full(len(each), -1)
            source[: len(kept[name])] = self._places(kept[name], name)
            out[name] = source
        return out

    def _places(self, kept: HeldRows, name: str) -> Wholes:
        """The places of rows that are kept. They are in the order of these rows."""
        assert kept.places is not None
        assert len(kept.places) <= len(self.rows[name])
        return kept.places


@dataclass(frozen=True, eq=False, kw_only=True)
class _Draft:
    """Tables of a possible state, some of whose units are marked."""

    tables: Tables
    flags: Marks = field(repr=False)

    @property
    def units(self) -> int:
        return len(self.flags)

    @property
    def _first(self) -> ProtectedTable:
        return next(iter(self.tables.values()))

    @property
    def people(self) -> int:
        first = self._first
        return first.people if first.links is None else first.links.everyone

    @property
    def conditions(self) -> Conditions:
        return conditions_of(self.tables)[self._first.name]

    def pairs(self) -> tuple[Wholes, Wholes]:
        """Each pair of a person and a unit that they are in."""
        first = self._first
        if first.links is None:
            return first.bin_of, first.person_of
        return first.links.unit, first.links.person

    def rows_of(self, units: Marks, people: Marks | None = None) -> dict[str, Marks]:
        """The rows of everybody who is in one of some units, and of some people."""
        unit, person = self.pairs()
        chosen = np.zeros(self.people, bool) if people is None else people.copy()
        chosen[person[units[unit]]] = True
        return {name: chosen[self._person_of(table)] for name, table in self.tables.items()}

    def numbers_of(self, numbers: Wholes) -> dict[str, Wholes]:
        """For each row a number that represents those of all units of its person."""
        unit, person = self.pairs()
        order = np.lexsort((numbers[unit], person))
        seen: dict[int, list[int]] = {}
        for who, number in zip(person[order].tolist(), numbers[unit][order].tolist(), strict=True):
            seen.setdefault(who, []).append(number)
        place: dict[tuple[int, ...], int] = {}
        found = np.zeros(self.people, np.int64)
        for who, all_of in seen.items():
            found[who] = place.setdefault(tuple(all_of), len(place))
        return {name: found[self._person_of(table)] for name, table in self.tables.items()}

    def beside_leavers(self, classes: Wholes) -> Marks:
        """The units of classes that somebody leaves."""
        return np.isin(classes, np.unique(classes[self.flags]))

    def companions(
        self,
        classes: Wholes,
        broken: Marks,
        least: int,
        chance: Callable[[int], Wholes],
        *,
        in_place: bool,
        like_all: bool,
    ) -> tuple[Marks, Marks | None] | None:
        """People who leave with those who must, of the classes that would break a rule. With
        `in_place`, those who must leave take the places of others with their values, or those
        nearest to them, or of anybody where no one has their values; None where nobody was drawn.
        With `like_all`, companions have the values of a sample of everybody.

        Also those drawn before anybody took their places, where a rule about values looks at them
        and no whole class leaves."""
        unit, person = self.pairs()
        class_of = np.zeros(self.people, np.int32)
        class_of[person[broken[unit]]] = classes[unit[broken[unit]]] + 1
        must = np.zeros(self.people, bool)
        must[person[self.flags[unit]]] = True
        leavers = np.flatnonzero(must & (class_of > 0))
        if in_place:
            least += int(np.bincount(class_of[leavers]).max(initial=0))
        order = chance(self.people)
        out = np.zeros(self.people, bool)
        stays = np.where(must, 0, class_of)
        values, ranks = self._values()
        if like_all:
            start = int(chance(self.people)[0])
            for number in np.unique(class_of[leavers]).tolist():
                free = stays[order] == number
                found = _like_all(values[order], ranks[:, order], free, least, start=start)
                out[order[found]] = True
        else:
            held = people_to_hold_back(class_of[order], stays[order], k=least)
            out[order] = held & (class_of[order] > 0)
        if not in_place:
            return out, None
        first = out.copy() if values.any() or len(ranks) else None
        for who in leavers.tolist():
            same = class_of == class_of[who]
            if not (same & ~must & ~out).any():
                first = None
                continue  # The whole class leaves.
            drawn = same & out
            if not drawn.any():
                return None
            like = np.flatnonzero(drawn & (values == values[who]))
            if not len(like):  # How many leave does not tell that the value is rare.
                like = np.flatnonzero(drawn)
            like = like[chance(len(like))]
            apart = np.abs(ranks[:, like] - ranks[:, [who]]).max(axis=0, initial=0.0)
            out[like[np.argmin(apart)]] = False
        return out, first

    def _values(self) -> tuple[Wholes, NDArray[np.float64]]:
        """For each person a number that represents their values of all fields with a rule; and for
        each measurement with a rule, which hardly two people share, their place in its order, from
        0 to 1."""
        out, count = np.zeros(self.people, np.int64), 1
        ranks: list[NDArray[np.float64]] = []
        for name, conditions in conditions_of(self.tables).items():
            alone, person = self.tables[name].alone, self._person_of(self.tables[name])
            for field_name in (each for each, models in conditions.of_values.items() if models):
                held = alone.fields[field_name]
                codes = held.codes[alone.stands].astype(np.int64)
                own = np.zeros(self.people, np.int64)
                own[person[alone.stands]] = codes + 1
                if field_name in conditions.measurements:
                    place = np.zeros(self.people)
                    place[person[alone.stands]] = _places(held.numbers())[codes]
                    ranks.append(place)
                    own[person[alone.stands]] = np.isfinite(held.numbers())[codes]
                span = int(own.max(initial=0)) + 1
                out, count = numbered(out * span + own, count * span)
        return out, np.array(ranks).reshape(len(ranks), self.people)

    @staticmethod
    def _person_of(table: ProtectedTable) -> Wholes:
        own = table.alone.person_of
        return own if table.links is None else table.links.joint_person[own]


def _like_all(
    values: Wholes, ranks: NDArray[np.float64], free: Marks, least: int, *, start: int
) -> Marks:
    """Of some people, `least` whose values are those of a systematic sample of everybody: of each
    value as many as its share, and of a measurement those nearest to evenly spaced places. Where
    too few have a value, others stand in. `start`, below the number of people, and the order of
    people are by chance.

    Example:
        >>> values, free = np.array([1, 2, 1, 1, 2, 1]), np.array([0, 1, 1, 0, 1, 1], bool)
        >>> _like_all(values, np.zeros((0, 6)), free, 3, start=0).nonzero()[0].tolist()
        [1, 2, 5]
    """
    people = len(values)
    first = ranks[0] if len(ranks) else np.zeros(people)
    sample = np.lexsort((first, values))[(np.arange(least) * people + start) // least]
    out = np.zeros(people, bool)
    for who in sample.tolist():
        like = np.flatnonzero(free & ~out & (values == values[who]))
        if len(like):
            apart = np.abs(ranks[:, like] - ranks[:, [who]]).max(axis=0, initial=0.0)
            out[like[np.argmin(apart)]] = True
    others = np.flatnonzero(free & ~out)
    out[others[: max(0, least - int(out.sum()))]] = True
    return out


def _places(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The place of each number in their order, from 0 to 1; what is no number is in front."""
    order = np.argsort(np.where(np.isfinite(numbers), numbers, -np.inf), kind="stable")
    out = np.empty(len(numbers))
    out[order] = np.arange(len(numbers)) / max(1, len(numbers) - 1)
    return out


def conditions_of(tables: Tables) -> dict[str, Conditions]:
    """The confidentiality conditions of each table, with those of tables about the same people."""
    alone = {name: Conditions(holding=each, policy=each.policy) for name, each in tables.items()}
    return {
        name: replace(
            each,
            beside=tuple(
                other
                for other in alone.values()
                if other is not each and other.holding.account == each.holding.account
            ),
        )
        for name, each in alone.items()
    }


def judged(conditions: Conditions, exposure: Exposure) -> Iterator[tuple[str, Marks]]:
    """The units that break a rule about people, under no name, and those that break one about the
    values of each field that was shown."""
    yield "", conditions.too_few(exposure)
    for name in sorted(exposure.shown & exposure.tied.keys()):
        yield name, conditions.too_alike(exposure, shows=(name,))


def unit_cohorts(tables: Tables) -> Wholes:
    """The cohort of each unit: of each bin of a table by itself, of each joint bin of several."""
    out: Wholes | None = None
    for table in tables.values():
        alone = table.alone
        own = np.zeros(len(alone.bins), np.int64)
        if alone.cohort_of is not None:
            own[alone.bin_of] = alone.cohort_of
        if table.links is None:
            return own
        found = np.where(table.links.own >= 0, own[np.maximum(table.links.own, 0)], -1)
        out = found if out is None else np.maximum(out, found)
    assert out is not None
    return out


def unit_sources(old: Tables, new: Tables, rows: Mapping[str, Wholes]) -> Wholes:
    """The old unit of each new one, -1 where nobody of it was there; `rows` has the old row of
    each new row."""
    maps: dict[str, Wholes] = {}
    for name, table in new.items():
        alone, before = table.alone, old[name].alone
        own = np.full(len(alone.bins), -1)
        there = rows[name] >= 0
        own[alone.bin_of[there]] = before.bin_of[rows[name][there]]
        if table.links is None:
            return own
        maps[name] = own
    columns, known = [], []
    for name, table in new.items():
        assert table.links is not None
        before_links = old[name].links
        assert before_links is not None
        own, place = maps[name], table.links.own
        moved = np.where(place >= 0, own[np.maximum(place, 0)], -1)
        columns.append(np.where((place >= 0) & (moved < 0), -2, moved) + 2)
        known.append(before_links.own + 2)
    wanted, held = np.stack(columns, axis=1), np.stack(known, axis=1)
    sizes = [len(old[name].alone.bins) + 2 for name in new]
    number, _ = group(np.concatenate([held, wanted]).astype(np.int32), sizes)
    place_of = np.full(int(number.max(initial=-1)) + 1, -1)
    place_of[number[: len(held)]] = np.arange(len(held))
    return place_of[number[len(held) :]]
