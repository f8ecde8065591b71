"""Reloading: the tables of an account as their sources have them now, without distinguishing
anybody by the difference (`decide/cohorts.py`).

Everything changes together, in one change of the state: the rows, each audience's record by bin and
cohort, who has left, and the time. A reload that fails changes nothing, and questions are answered
from the old rows meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake, NotAdmitted, SourceError
from sfumato.techniques import KeyedRandom

from .decide.answer_nodes import AnswerNode
from .decide.cohorts import (
    AudienceRecord,
    Rows,
    ShownAnswer,
    StateChange,
    Tables,
    conditions_of,
    unit_cohorts,
    unit_sources,
)
from .decide.exposure import Exposure
from .decide.held_rows import HeldRows, differences
from .decide.protected_table import ProtectedTable, bounded
from .departures import Departures, departures_fact, person_tag, read_departures
from .gate_opener import Gate, fact_of, fingerprint, link_by_people, read_rows, table_of_rows
from .membership import is_protected
from .newcomers import add_newcomers, add_past_people, read_past_people
from .state import EARLIER
from .table_state import (
    TableState,
    end_exact_answers,
    is_noise_only,
    read_table_state,
    write_table_state,
)

MOST_ALONG: Final = 0.5
"""An erasure that takes a larger share of the people along is refused: nobody wants that unasked."""

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadReport:
    """The effect of a reload, for those who look after the gate; numbers are of people."""

    tables: tuple[str, ...]
    number: int
    as_of: str
    joined: int
    left: int
    waiting: int | None
    """Newcomers, and people whose rows were corrected, who are not in the answers yet. None after an
    erasure, which does not read the source."""
    staying: int | None
    """People who are gone or changed in the source, and still in the answers as they were."""
    away: int = 0
    """People of the source who were erased, or left with somebody erased: they never join."""
    not_held: int = 0
    """Of the people to be erased, those of whom the gate held no row."""
    noise_only: bool = False
    """Whether an erasure ended exact answers about these tables."""

    def facts(self) -> dict[str, Any]:
        """For the audit and the interfaces."""
        return {
            "tables": list(self.tables), "state": self.number, "as_of": self.as_of,
            "joined": self.joined, "left": self.left, "waiting": self.waiting,
            "staying": self.staying, "away": self.away, "not_held": self.not_held,
            "noise_only": self.noise_only,
        }  # fmt: skip


def reload_tables(
    gate: Gate, name: str, *, by: str, clock: Callable[[], float] = time.time
) -> ReloadReport:
    """Read a table and all others about the same people again, and answer from the rows that may be
    shown."""
    with gate.rows.changing:
        tables = _account(gate, name).tables
        now = {
            each: read_rows(gate.settings, each, table.policy) for each, table in tables.items()
        }  # Before the keeper stands still: questions are answered meanwhile.
        with gate.keeper.standing_still():
            report = _Reload(gate=gate, account=_account(gate, name), clock=clock).run(now)
    gate.audit.append("tables reloaded", {"who": by, **report.facts()})
    return report


def erase_people(
    gate: Gate,
    name: str,
    people: Sequence[str],
    *,
    by: str,
    why: str = "",
    noise_only: bool = False,
    clock: Callable[[], float] = time.time,
) -> ReloadReport:
    """Delete people, whom the law gives that right, from the rows that the gate holds, at once and
    for good. As many others leave with them as the policy needs, so that the difference does not
    identify them. The others stay away as well.

    With `noise_only` nobody leaves with them. Exact answers about these tables then end for good,
    because the difference from earlier ones would identify the erased people; noise covers it."""
    with gate.rows.changing, gate.keeper.standing_still():
        reload = _Reload(gate=gate, account=_account(gate, name), clock=clock)
        report = reload.erase(people, noise_only=noise_only)
    facts = {"who": by, "why": why, "asked": len(set(people)), **report.facts()}
    gate.audit.append("people erased", facts)
    return report


@dataclass(frozen=True, eq=False, kw_only=True)
class _Account:
    """Tables about the same people, as the gate holds them."""

    name: str
    tables: Mapping[str, ProtectedTable]
    rows: Mapping[str, HeldRows] = field(repr=False)


def _account(gate: Gate, name: str) -> _Account:
    holdings = gate.keeper.holdings
    if name not in holdings:
        raise NotAdmitted("There is no such table.", code="not-there")
    account = holdings[name].account
    tables = {each: table for each, table in holdings.items() if table.account == account}
    if not all(gate.rows.has(each) for each in tables):
        raise NotAdmitted(
            "This gate keeps no rows, so its tables are not reloaded.",
            code="not-kept",
            attempt="reload = true in gate.toml, before anything is answered.",
        )
    return _Account(
        name=account, tables=tables, rows={each: gate.rows.read(each) for each in tables}
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Reload:
    """One change of an account's tables."""

    gate: Gate
    account: _Account
    clock: Callable[[], float]

    def run(self, now: Rows) -> ReloadReport:
        self._check_kinds(now)
        known = read_departures(self.gate.state, self.account.name)
        gone, new = self._differences(now)
        change = self._change()
        leaving = change.able_to_leave(gone)
        kept = {name: each.only(~leaving[name]) for name, each in self.account.rows.items()}
        left = self._departed(change, leaving, known)
        coming = self._coming({n: now[n].only(new[n]) for n in now}, gone, leaving, left)
        joining, left = self._joining(change, kept, coming, left)
        joined, departed = self._people(joining), self._people(self._only(leaving))
        away = self._erased_of({n: now[n].only(new[n]) for n in now}, left)
        return self._apply(
            kept=kept,
            joining=joining,
            departures=left,
            leaving=self._only(leaving),
            takes_newcomers=True,
            joined=joined,
            left=departed,
            waiting=self._people({n: now[n].only(new[n]) for n in now}) - joined - away,
            away=away,
            staying=self._people(self._only(gone)) - departed,
        )

    def _erased_of(self, rows: Rows, left: Departures) -> int:
        """How many people of some rows were erased, or left with somebody erased."""
        if any(not each.person for each in rows.values()):
            return 0
        keys = {key for each in rows.values() for key in each.people()}
        return sum(left.erased(self._tag(key)) for key in keys)

    def erase(self, people: Sequence[str], *, noise_only: bool = False) -> ReloadReport:
        rows, wanted = self.account.rows, frozenset(people)
        if any(not each.person for each in rows.values()):
            raise NotAdmitted(
                "People of this table have no key, so nobody can be named.",
                code="not-kept",
                attempt="deleting the row in the source, and reloading.",
            )
        leaving = {name: _with_keys(each, wanted) for name, each in rows.items()}
        known = read_departures(self.gate.state, self.account.name)
        change = self._change()
        held = {key for each in self._only(leaving).values() for key in each.people()}
        if any(marks.any() for marks in leaving.values()) and not noise_only:
            chance = KeyedRandom()
            leaving = change.with_companions(leaving, chance.permutation)
        kept = {name: each.only(~leaving[name]) for name, each in rows.items()}
        away = {key for each in self._only(leaving).values() for key in each.people()}
        everybody = {key for each in rows.values() for key in each.people()}
        along = len(away - wanted)
        if not all(len(each) for each in kept.values()) or along > MOST_ALONG * len(everybody):
            raise Mistake(
                "People were to be erased.",
                found=f"{along:,} of {len(everybody):,} people would have to leave with them, which is over half, or "
                "nobody would remain in a table. Nobody left.",
                attempt="noise_only, which erases nobody else and ends exact answers about these "
                "tables; or closing this gate and deleting its folder.",
            )
        left = self._departed(change, leaving, known)
        return self._apply(
            kept=kept,
            joining={name: each.only(np.zeros(len(each), bool)) for name, each in rows.items()},
            departures=left.with_erased(self._tag(key) for key in away | wanted),
            leaving=self._only(leaving),
            left=self._people(self._only(leaving)),
            not_held=len(wanted - held),
            noise_only=noise_only,
        )

    # ------------------------------------------------------------------ who differs

    def _check_kinds(self, now: Rows) -> None:
        """A source that declares its types still declares the same."""
        for name, rows in self.account.rows.items():
            same = rows.fields == now[name].fields and rows.person == now[name].person
            if not same or rows.kinds != now[name].kinds:
                raise SourceError(
                    f"Table {name!r} was not reloaded.",
                    found="Its fields, or their types, are not those of before.",
                    attempt="the fields and types of before in the source.",
                )

    def _differences(self, now: Rows) -> tuple[dict[str, Marks], dict[str, Marks]]:
        """The rows of people who are gone or changed, and the rows of those who are new or
        changed: in all tables, whichever shows it."""
        found = {name: differences(rows, now[name]) for name, rows in self.account.rows.items()}
        gone = {name: marks for name, (marks, _) in found.items()}
        new = {name: marks for name, (_, marks) in found.items()}
        if len(found) > 1:
            changed = {
                key
                for name, rows in self.account.rows.items()
                for each, marks in ((rows, gone[name]), (now[name], new[name]))
                for key in each.only(marks).people()
            }
            gone = {n: _with_keys(rows, changed) for n, rows in self.account.rows.items()}
            new = {name: _with_keys(rows, changed) for name, rows in now.items()}
        return gone, new

    def _coming(
        self,
        new: Rows,
        gone: Mapping[str, Marks],
        leaving: Mapping[str, Marks],
        left: Departures,
    ) -> dict[str, HeldRows]:
        """The rows of people who would join. None of them is still in the answers with earlier
        rows, and none was erased. People who left before are in a cohort with those who left from
        the same classes. The first cohort has people alone who were never there before."""
        first = self._before.cohorts
        if any(not rows.person for rows in new.values()):
            return {name: self._in_cohorts(name, rows, first) for name, rows in new.items()}
        staying = {
            key
            for name, rows in self.account.rows.items()
            for key in rows.only(gone[name] & ~leaving[name]).people()
        }
        keys = {key for rows in new.values() for key in rows.people()} - staying
        tags = {key: self._tag(key) for key in keys}
        back = left.returning(tags.values(), least_away=self._least_away)
        place = {number: 1 + at for at, number in enumerate(sorted(set(back.values())))}
        past = read_past_people(self.gate.state, self.account.name)
        there = {key for rows in self.account.rows.values() for key in rows.people()}
        cohorts = {
            key: first
            + (
                place[back[tag]]
                if tag in back
                else len(place) + 1
                if tag in past or key in there
                else 0
            )
            for key, tag in tags.items()
            if tag not in left.of_tag or tag in back
        }
        out = {}
        for name, rows in new.items():
            own = rows.only(_with_keys(rows, cohorts))
            numbers = np.array([cohorts[key] for key in own.people()], np.int32)
            out[name] = self._in_cohorts(name, own, numbers)
        return out

    def _in_cohorts(self, name: str, rows: HeldRows, cohort: Any) -> HeldRows:
        """Newcomers with their cohort, and with the one row that represents each of them."""
        count = len(rows)
        stands = np.ones(count, bool)
        if rows.person and count:
            words = f"one row of each in {name}, cohorts from {self._before.cohorts}"
            chance = KeyedRandom(self.gate.keeper.secret + words.encode())
            person = rows.codes[rows.person].astype(np.int64)
            stands = np.zeros(count, bool)
            stands[bounded(person, np.arange(count), 1, chance.permutation(count))] = True
        return replace(rows, cohort=np.full(count, cohort, np.int32), stands=stands)

    def _joining(
        self, change: StateChange, kept: Rows, coming: dict[str, HeldRows], left: Departures
    ) -> tuple[dict[str, HeldRows], Departures]:
        """Those who join, and who is then still away. Where a part of those who left together would
        return so that few stay away, none of them does."""
        while True:
            joining = change.able_to_join(kept, coming)
            if any(not rows.person for rows in joining.values()):
                return joining, left
            tags = {self._tag(key) for rows in joining.values() for key in rows.people()}
            allowed = left.returning(tags, least_away=self._least_away)
            blocked = {tag for tag in tags if tag in left.of_tag and tag not in allowed}
            if not blocked:
                away = {tag: at for tag, at in left.of_tag.items() if tag not in tags}
                return joining, replace(left, of_tag=away)
            coming = {
                name: rows.only(
                    np.array([self._tag(key) not in blocked for key in rows.people()], bool)
                )
                for name, rows in joining.items()
            }

    def _departed(
        self, change: StateChange, leaving: Mapping[str, Marks], known: Departures
    ) -> Departures:
        """With those who leave now, each with the number of what was shown of them."""
        if not change.audiences or any(not rows.person for rows in self.account.rows.values()):
            return known
        numbers, of_tag = change.signatures(leaving), dict(known.of_tag)
        for name, rows in self._only(leaving).items():
            for key, number in zip(
                rows.people(), numbers[name][leaving[name]].tolist(), strict=True
            ):
                of_tag[self._tag(key)] = known.next_number + number
        most = max(of_tag.values(), default=0)
        return replace(known, of_tag=of_tag, next_number=max(known.next_number, most + 1))

    # ------------------------------------------------------------------ the account

    @cached_property
    def _before(self) -> TableState:
        return read_table_state(self.gate.state, self.account.name)

    @cached_property
    def _least_away(self) -> int | None:
        """How many of those who left together must stay away where others return: k, and None, for
        all or nobody, where a rule is about values. Those who stay away may have one value."""
        found = conditions_of(self.account.tables).values()
        return None if any(each.of_values for each in found) else max(each.k for each in found)

    @cached_property
    def _is_protected(self) -> bool:
        """Whether everybody gets noisy numbers alone. Then the whole source is taken, so that
        nobody's joining or leaving depends on others: the noise covers it."""
        terms_of = self.gate.settings.terms_of
        found = {
            is_protected(table.policy, terms_of(profile))
            for table in self.account.tables.values()
            for profile in table.policy.recipients
        }
        if len(found) > 1:
            raise Mistake(
                f"The tables {', '.join(self.account.tables)} were to be reloaded.",
                found="Their membership is protected towards some recipients and public to "
                "others: who waits would depend on others, which noise does not cover.",
                attempt='membership = "public" or "protected" in their policies.',
            )
        return found == {True} or is_noise_only(self.gate.state, self.account.name)

    def _change(self) -> StateChange:
        found = () if self._is_protected else tuple(self._audiences.values())
        return StateChange(
            tables=self.account.tables, rows=self.account.rows, build=self._built, audiences=found
        )

    def _built(self, rows: Rows) -> Tables:
        """The tables of some rows, linked as these are."""
        keeper = self.gate.keeper
        made = {
            name: table_of_rows(
                self.gate.settings, name, self.account.tables[name].policy, each, keeper.secret
            )
            for name, each in rows.items()
        }
        return link_by_people(made, self.gate.settings)

    @cached_property
    def _audiences(self) -> dict[bytes, AudienceRecord]:
        """The records of audiences, those with the same record as one."""
        answers = self._answers()
        found: dict[bytes, list[str]] = {}
        for audience, classes in self.gate.state.all(
            "SELECT audience, classes FROM exposures WHERE holding = ?", self.account.name
        ):
            found.setdefault(bytes(classes), []).append(audience)
        return {
            classes: AudienceRecord(
                exposure=Exposure.unpacked(classes),
                answers=tuple(
                    {
                        (each.table, repr(each.levels), each.shows, each.groups.tobytes()): each
                        for seen, each in answers
                        if seen is None or seen & set(those)
                    }.values()
                ),
            )
            for classes, those in found.items()
        }

    def _answers(self) -> list[tuple[set[str] | None, ShownAnswer]]:
        """The answers without noise about the tables, with the audiences that they were given to;
        None for all."""
        bins = len(next(iter(self.account.tables.values())).bins)
        out = []
        for _, _, record in self._records():
            groups = AnswerNode.of_record(record).groups
            if len(groups) == bins:
                seen = set(record["audiences"]) if "audiences" in record else None
                levels = {str(name): int(level) for name, level in record["levels"].items()}
                shown = ShownAnswer(
                    table=record["table"],
                    levels=levels,
                    shows=tuple(n for n in record["shows"] if self._has(record["table"], n)),
                    groups=groups,
                )
                out.append((seen, shown))
        return out

    def _records(self) -> list[tuple[str, str, dict[str, Any]]]:
        found = self.gate.state.all("SELECT asker, question, content FROM records")
        read = ((asker, question, json.loads(content)) for asker, question, content in found)
        return [
            each
            for each in read
            if each[2].get("kind") in ("shown", EARLIER)
            and each[2].get("table") in self.account.tables
        ]

    def _has(self, table: str, name: str) -> bool:
        return name in self.account.tables[table].fields

    def _tag(self, key: Any) -> str:
        return person_tag(key, account=self.account.name, secret=self.gate.keeper.secret)

    def _only(self, marks: Mapping[str, Marks]) -> dict[str, HeldRows]:
        return {name: rows.only(marks[name]) for name, rows in self.account.rows.items()}

    @staticmethod
    def _people(rows: Rows) -> int:
        """How many people some rows are of."""
        if any(not each.person for each in rows.values()):
            return sum(len(each) for each in rows.values())
        return len({key for each in rows.values() for key in each.people()})

    # ------------------------------------------------------------------ the change

    def _apply(
        self,
        *,
        kept: Rows,
        joining: Rows,
        departures: Departures,
        leaving: Rows,
        takes_newcomers: bool = False,
        joined: int = 0,
        left: int = 0,
        waiting: int | None = None,
        staying: int | None = None,
        away: int = 0,
        not_held: int = 0,
        noise_only: bool = False,
    ) -> ReloadReport:
        gate, state, account = self.gate, self.gate.state, self.account
        rows = {name: kept[name].beside(joining[name]) for name in kept}
        tables = self._built(rows)
        source = unit_sources(account.tables, tables, _row_sources(kept, rows))
        cohorts = unit_cohorts(tables)
        last = max(int(each.cohort.max(initial=0)) for each in rows.values())
        now = TableState(
            number=self._before.number + 1,
            as_of=datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="seconds"),
            cohorts=max(self._before.cohorts, last) + 1,
            newcomers=self._before.newcomers,
        )
        keyed = all(each.person for each in rows.values())
        if keyed and takes_newcomers:
            fresh = {str(self._before.cohorts): now.as_of}
            now = replace(now, newcomers={**now.newcomers, **fresh})
        written: dict[str, str] = {}
        try:
            for name, each in rows.items():
                written[name] = gate.rows.write(name, each)
            with state.changing():
                for name, fact in written.items():
                    gate.rows.name(name, fact)
                    state.state_fact(fact_of(name), fingerprint(tables[name], gate.keeper.secret))
                self._move_exposures(source, cohorts)
                self._move_records(tables, source)
                state.state_fact(departures_fact(account.name), departures.packed())
                write_table_state(state, account.name, now)
                if keyed:
                    gone = {key for each in leaving.values() for key in each.people()}
                    add_past_people(state, account.name, map(self._tag, gone))
                if keyed and takes_newcomers:
                    add_newcomers(state, account.name, self._before.cohorts)
                if noise_only:
                    end_exact_answers(state, account.name)
        except BaseException:
            for fact in written.values():
                gate.rows.discard(fact)
            raise
        gate.keeper.hold(tables)
        gate.keeper.restore_answers()
        gate.rows.clean()
        return ReloadReport(
            tables=tuple(rows),
            number=now.number,
            as_of=now.as_of,
            joined=joined,
            left=left,
            waiting=waiting,
            staying=staying,
            away=away,
            not_held=not_held,
            noise_only=noise_only,
        )

    def _move_exposures(self, source: Wholes, cohorts: Wholes) -> None:
        state = self.gate.state
        for audience, classes in state.all(
            "SELECT audience, classes FROM exposures WHERE holding = ?", self.account.name
        ):
            moved = Exposure.unpacked(bytes(classes)).moved(source, cohorts)
            state.expose(audience, self.account.name, moved.packed())

    def _move_records(self, tables: Tables, source: Wholes) -> None:
        """Earlier answers are not given again. They are kept, because newcomers are judged in their
        groups."""
        state = self.gate.state
        for asker, question, record in self._records():
            node = AnswerNode.of_record(record)
            if len(node.groups) != len(next(iter(self.account.tables.values())).bins):
                continue
            shown = ShownAnswer(
                table=record["table"], levels=node.levels, shows=(), groups=node.groups
            ).moved(tables, source)
            packed = replace(node, groups=shown.groups).as_record()["groups"]
            state.remember(asker, question, {**record, "kind": EARLIER, "groups": packed})


def _row_sources(kept: Rows, rows: Rows) -> dict[str, Wholes]:
    out = {}
    for name, each in rows.items():
        places = kept[name].places
        assert places is not None
        out[name] = np.concatenate([places, np.full(len(each) - len(places), -1)])
    return out


def _with_keys(rows: HeldRows, keys: Container[Any]) -> Marks:
    """The rows of people with some keys."""
    chosen = np.array([value in keys for value in rows.values[rows.person]], bool)
    return chosen[rows.codes[rows.person]]
