"""Pseudonyms that are the same in every table, and dates of one person that move together over all
of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from sfumato.engines import Engine, KeyMap, Lookup, ShiftedDates
from sfumato.errors import PolicyError, Problem
from sfumato.policy import (
    DateShift,
    Field,
    Method,
    Policy,
    Role,
    encrypted_fields,
    is_released,
)
from sfumato.wording import counted

from ..dates import FIRST_DAY, LAST_DAY, YEAR, describe_shift, shift_lookups
from ..identifiers import Key, Replacer, constant_of, constant_words, replacement_lookup
from ..treatments import BY_BIN, KEPT, NUMBERED, Treatments, number_start, text_words
from .days import days_lookup
from .itemset_cuts import SetRecoding
from .people_models import person_in
from .recoding import TablesRecoding
from .stage_columns import number_of
from .stages import StagedRows


@dataclass(slots=True)
class TableTreatments(Treatments):
    """The treatment of the fields of one table, including dates that move."""

    moved: list[ShiftedDates] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)


class TablesReplacements:
    """The treatments of every table, made one after the other; the replacement of a key is made
    once."""

    def __init__(
        self,
        policy: Policy,
        staged: Mapping[str, StagedRows],
        *,
        key: Key | None,
        lookup_file: Path | None,
    ) -> None:
        self._policy, self._staged = policy, staged
        self._key, self._lookup_file = key, lookup_file
        self._kept: dict[tuple[str, str], tuple[KeyMap, Replacer | None, str]] = {}
        self.root = key or Key.generate()

    def treat(
        self, name: str, solved: TablesRecoding, sets: tuple[SetRecoding, ...]
    ) -> TableTreatments:
        """Go through the fields of one table once."""
        out = TableTreatments()
        fields, mine = self._policy.tables[name].fields, self._policy.of_table(name)
        for info in self._staged[name].fields:
            decided = fields.get(info.name)
            if decided is None:
                out.words[info.name] = "removed: the policy does not name it"
            elif decided.role is Role.DIRECT and info.name in encrypted_fields(mine):
                out.fields.append(info.name)
                out.words[info.name] = KEPT
            elif decided.role is Role.DIRECT:
                self._direct(out, name, decided)
            elif decided.role is Role.TEXT:
                out.words[info.name] = text_words(mine, decided)
                out.fields += [info.name] if is_released(mine, info.name) else []
            else:
                out.fields.append(info.name)
                out.words[info.name] = _recoded_words(name, info.name, solved)
        for found in sets:
            out.lookups.append(found.lookup)
            out.words[found.asked.field] = (
                f"generalised from {counted(found.values, 'value')} to "
                f"{counted(found.labels, 'label')}, "
                f"for sets of up to {found.asked.m}"
            )
        self._move(out, name)
        return out

    def _direct(self, out: TableTreatments, table: str, decided: Field) -> None:
        method = decided.replace.method if decided.replace else Method.REMOVE
        if method is Method.REMOVE:
            out.words[decided.name] = "removed"
            return
        out.fields.append(decided.name)
        if decided.replace is not None and decided.replace.leaves_a_constant:
            out.constants[decided.name] = constant_of(decided.replace)
            out.words[decided.name] = constant_words(decided.replace)
            return
        out.replaced.append(decided.name)
        root, taken = self._root(table, decided.name), self._staged[table].carried.taken
        if decided.name in taken and taken[decided.name] == number_of(*root):
            out.taken[decided.name] = taken[decided.name]
            out.words[decided.name] = NUMBERED
            return
        numbers, replacer, out.words[decided.name] = self._instead(*root)
        if decided.name in taken:
            out.taken[decided.name] = taken[decided.name]
        else:
            out.lookups.append(numbers.lookup(decided.name))
        if replacer is not None:
            out.replacers[decided.name] = replacer

    def instead_of(self, table: str, name: str) -> KeyMap | None:
        """The replacement of a key, or of the key that a link leads to, once that is staged; None
        where nothing does."""
        decided = self._policy.tables[table].fields[name].replace
        if decided is None or not decided.tells_rows_apart:
            return None
        return self._instead(*self._root(table, name))[0]

    def replacers(self) -> dict[str, Replacer]:
        """The replacement of each field that has one, as TABLE.FIELD: asked once all were
        treated."""
        out = {}
        for table, decided in self._policy.tables.items():
            for name in decided.fields:
                _, replacer, _ = self._kept.get(self._root(table, name), (None, None, ""))
                if replacer is not None:
                    out[f"{table}.{name}"] = replacer
        return out

    def _root(self, table: str, name: str) -> tuple[str, str]:
        """The key that a field leads to over links; itself where it is none."""
        link = next((link for link in self._policy.tables[table].links if link.field == name), None)
        return (table, name) if link is None else self._root(link.table, link.key)

    def _instead(self, table: str, name: str) -> tuple[KeyMap, Replacer | None, str]:
        """The replacement of a key, everywhere."""
        if (table, name) not in self._kept:
            engine = self._staged[table].engine
            decided = self._policy.tables[table].fields[name]
            if decided.replace is not None and decided.replace.method is Method.NUMBER:
                unique, given = (
                    name == self._policy.tables[table].key,
                    self._staged[table].carried.number,
                )
                if unique and given:
                    numbers = engine.numbers_in(given, of=name)
                else:
                    numbers = engine.numbers(name, start=number_start(engine, name), unique=unique)
                self._kept[table, name] = numbers, None, NUMBERED
            else:
                lookup, replacer = replacement_lookup(
                    engine,
                    decided,
                    key=self._key,
                    lookup_file=self._lookup_file,
                    domain=self._domain(table, name),
                )
                self._kept[table, name] = engine.kept(lookup), replacer, replacer.describe()
        return self._kept[table, name]

    def _domain(self, table: str, name: str) -> str:
        """Where the keys of two tables have one name, such as `id`, their pseudonyms must not show
        which are equal."""
        alike = [other for other, decided in self._policy.tables.items() if decided.key == name]
        return f"{table}.{name}" if len(alike) > 1 and table in alike else name

    # -------------------------------------------------------------------------------------------------------
    # dates

    def _move(self, out: TableTreatments, table: str) -> None:
        """All dates of one person move by one number of days, in every table."""
        fields = self._policy.tables[table].fields
        shifts = {
            name: item.shift
            for name, item in fields.items()
            if item.shift is not None and name in out.fields
        }
        if not shifts:
            return
        stage = self._staged[table]
        if any(shift.is_by_dates for shift in shifts.values()):
            person = person_in(stage.sight)
            mine = {name: replace(s, per=person) for name, s in shifts.items()}
            out.lookups.extend(shift_lookups(stage.engine, mine, key=self.root))
        else:
            self._check_dates(table, stage.engine, shifts)
            out.moved.append(ShiftedDates(fields=tuple(shifts), by=stage.carried.days))
        out.words |= {
            name: describe_shift(shift, kept=self._key is not None)
            for name, shift in shifts.items()
        }

    def days(self, people: Engine, person: str) -> Lookup | None:
        """The days that each person's dates move by; None where dates are perturbed, or none
        move."""
        return days_lookup(people, self._policy, self.root, person=person)

    def _check_dates(self, table: str, engine: Engine, shifts: Mapping[str, DateShift]) -> None:
        problems: list[Problem] = []
        for name, shift in shifts.items():
            where = f"tables.{table}.fields.{name}.shift"
            found = engine.profile(name)
            strange = found.rows - found.nulls - found.dates
            margin = max(shift.days, YEAR)
            first, last = (
                date.fromordinal(d).isoformat() for d in (FIRST_DAY + margin, LAST_DAY - margin)
            )
            if strange:
                problems.append(
                    Problem(
                        where=where,
                        found=f"{strange:,} of {found.rows:,} rows hold no ISO date or timestamp.",
                        attempt="a source that has them as dates, or as null.",
                    )
                )
            elif found.lowest is not None and (
                found.lowest < first or (found.highest or "")[:10] > last
            ):
                problems.append(
                    Problem(
                        where=where,
                        found="some dates are at an end of the calendar, where a placeholder "
                        "would reveal the shift.",
                        attempt="null in the source in place of such placeholders.",
                    )
                )
        if problems:
            raise PolicyError(problems, name=f"Policy {self._policy.name}")


def check_shifts(policy: Policy) -> None:
    """All dates of one person move together, so every shift of the policy is the same."""
    shifts = {
        f"tables.{table}.fields.{name}.shift": item.shift
        for table, decided in policy.tables.items()
        for name, item in decided.fields.items()
        if item.shift is not None
    }
    if len({(shift.days, shift.intervals, shift.weekdays) for shift in shifts.values()}) > 1:
        first = next(iter(shifts))
        raise PolicyError(
            [
                Problem(
                    where=where,
                    found=f"dates of one person move together over all tables, but {first} asks "
                    "for other days.",
                    attempt="the same days, intervals and weekdays for all of them.",
                )
                for where, shift in shifts.items()
                if shift != shifts[first]
            ],
            name=f"Policy {policy.name}",
        )


def _recoded_words(table: str, name: str, solved: TablesRecoding) -> str:
    local = solved.local.get(table)
    if local is not None and name in local.changed:
        return BY_BIN
    hierarchy, level = (
        solved.hierarchies.get(f"{table}.{name}"),
        solved.levels.get(f"{table}.{name}", 0),
    )
    if hierarchy is None or not level:
        return KEPT
    if level == hierarchy.height and hierarchy.ends_in_one_value:
        return "suppressed in every row"
    return f"generalised to {hierarchy.level_name(level)} (level {level} of {hierarchy.height})"
