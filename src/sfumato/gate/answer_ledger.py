"""Exact answers in the register's ledger: they count as a release does.

An answer is shown only if its group, with all releases and answers that it holds, keeps what the
charter requires. Shown answers are recorded in the register before they are sent, so that a later
release is judged with them. Each state of the tables has a record of its own, because people who
left were in earlier answers. The gate keeps a copy of the newest in its own sealed state, and
writes it to the register whenever it is opened. An older register that was put back is completed,
and missing earlier states are recorded as not judged."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.keys import Key
from sfumato.policy import Role
from sfumato.register import EVERYBODY, AnswerCheck, AnswerScope, GateAnswers, Register
from sfumato.releases import (
    NO_ROW,
    PeopleRecord,
    SensitiveValues,
    key_check,
    person_tags,
    reading_tags,
    value_tags,
)

from .decide.disclosure_state import DisclosureState, Standings
from .decide.exposed_fields import plain
from .decide.exposure import Exposure
from .decide.people_counts import numbered, standing_rows
from .decide.protected_table import ProtectedTable
from .settings import Asker, Audience, Terms
from .state import GateState
from .table_state import read_table_state

Wholes = NDArray[np.int64]
AUDIENCE: Final = "ledger of "
"""Before the name of a group, among the audiences of the gate's state."""
NUMBER: Final = "gate in the register"
RECORDED: Final = "answers in the register"
NOBODY: Final = "rows without a person"


@dataclass(eq=False, kw_only=True)
class AnswerLedger:
    """The register of a gate, for its exact answers. Without a key, or for tables that name no
    person key, answers are recorded as not judged."""

    register: Register
    key: Key | None = field(repr=False)
    state: GateState = field(repr=False)
    _check: tuple[frozenset[str], AnswerCheck] | None = field(default=None, repr=False)
    _people: dict[str, tuple[tuple[ProtectedTable, ...], LedgerPeople]] = field(
        default_factory=dict, repr=False
    )

    def audiences(self, asker: Asker, terms: Terms) -> tuple[str, ...]:
        """The holdings that an answer enters: everybody's, those of the asker's groups, or those of
        somebody without a group."""
        if terms.audience is Audience.EVERYONE:
            groups: Sequence[str] = (EVERYBODY,)
        else:
            # Somebody in several groups holds what all of them hold: the ledger joins them.
            groups = ("\t".join(sorted(asker.groups)) or asker.name,)
        return tuple(f"{AUDIENCE}{group}" for group in groups)

    def accepts(self, now: Mapping[str, DisclosureState], tables: Sequence[ProtectedTable]) -> bool:
        """Whether this much may be disclosed to the audiences; nothing is recorded."""
        answers = self._answers(now, tables)
        scopes = [each.scope for each in answers]
        return self._checked(scopes).keeps(answers)

    def show(self, now: Mapping[str, DisclosureState], tables: Sequence[ProtectedTable]) -> bool:
        """Record that this much was disclosed to the audiences; False where the ledger refuses
        it."""
        answers = self._answers(now, tables)
        check = self._checked([each.scope for each in answers])
        if not self.register.show_answers(answers, check=check):
            return False
        known, lines = self._recorded(), {each.scope.line for each in answers}
        if not lines <= known:
            self.state.state_fact(RECORDED, json.dumps(sorted(known | lines)))
        return True

    def _recorded(self) -> set[str]:
        """The scopes that were ever written to the register."""
        return set(json.loads(self.state.fact(RECORDED) or "[]"))

    def restore(self, standings: Standings, tables: Sequence[ProtectedTable]) -> None:
        """Write again to the register what this gate has disclosed of some tables of one account,
        in their present state. `complete` names the states that are missing after that."""
        account = tables[0].account
        found = self.state.all(
            "SELECT audience FROM exposures WHERE holding = ? ORDER BY audience", account
        )
        now = {
            name: standings.of(name, tables[0]) for (name,) in found if name.startswith(AUDIENCE)
        }
        known = self._recorded()
        answers = [each for each in self._answers(now, tables) if each.scope.line in known]
        self.register.restore_answers(answers)

    def complete(self) -> None:
        """Record as not judged each scope that the register lacks and this gate cannot write
        again."""
        lost = sorted(self._recorded() - self.register.answers().keys())
        self.register.restore_answers(
            [GateAnswers(scope=AnswerScope.of(line), record=None) for line in lost]
        )

    def _answers(
        self, now: Mapping[str, DisclosureState], tables: Sequence[ProtectedTable]
    ) -> list[GateAnswers]:
        people = self._people_of(tables)
        name = f"{self._number()} {tables[0].account}"
        name += "" if people is None else f" {people.state}"
        number = read_table_state(self.state, tables[0].account).number
        if number > 1:  # What was shown of an earlier state stays beside it.
            name += f" state {number}"
        return [
            GateAnswers(
                scope=AnswerScope(gate=name, group=audience.removeprefix(AUDIENCE)),
                record=None if people is None else people.record(standing.exposure),
            )
            for audience, standing in now.items()
        ]

    def _checked(self, scopes: Sequence[AnswerScope]) -> AnswerCheck:
        """The holdings of the groups, read anew where the register has changed."""
        lines = frozenset(each.line for each in scopes)
        if self._check is None or self._check[0] != lines or not self._is_fresh(scopes):
            self._check = lines, self.register.check_answers(scopes)
        return self._check[1]

    def _is_fresh(self, scopes: Sequence[AnswerScope]) -> bool:
        return self._check is not None and self.register.is_fresh(self._check[1], scopes)

    def _people_of(self, tables: Sequence[ProtectedTable]) -> LedgerPeople | None:
        if self.key is None or not all(table.has_person_key for table in tables):
            return None
        account, known = tables[0].account, self._people.get(tables[0].account)
        if (
            known is None
            or len(known[0]) != len(tables)
            or any(one is not other for one, other in zip(known[0], tables, strict=True))
        ):
            known = tuple(tables), LedgerPeople.of(tables, self.key)
            self._people[account] = known
        return known[1] if known[1].is_distinct else None

    def _number(self) -> str:
        """The number by which the register knows this gate."""
        known = self.state.fact(NUMBER)
        if known is None:
            known = f"gate {secrets.token_hex(4)}"
            self.state.state_fact(NUMBER, known)
        return known


@dataclass(frozen=True, eq=False, kw_only=True)
class LedgerPeople:
    """The people of all tables of an account by their keyed numbers, with the bins that each is in,
    and their sensitive values. `order` sorts them by number."""

    tags: NDArray[np.uint64] = field(repr=False)
    readings: NDArray[np.uint64] = field(repr=False)
    order: Wholes = field(repr=False)
    person: str
    key_check: str
    unit: Wholes = field(repr=False)
    whose: Wholes = field(repr=False)
    values: Mapping[str, ShownValues] = field(repr=False)
    """By field, as an exposure names it."""
    known: tuple[str, ...]
    others: tuple[str, ...]
    """Fields that are neither known nor sensitive, as an exposure names them."""
    not_judged: tuple[str, ...]

    @cached_property
    def is_distinct(self) -> bool:
        """Whether no two people have one key but for its spelling: they could not be compared."""
        own = self.tags[self.order]
        return len(np.unique(own)) == len(own)

    @cached_property
    def state(self) -> str:
        """A digest that distinguishes one state of the tables from another."""
        told = hashlib.blake2b(self.tags.tobytes(), digest_size=4)
        told.update(self.unit.tobytes())
        told.update(self.whose.tobytes())
        for values in self.values.values():
            told.update(values.value_of.tobytes())
        return told.hexdigest()

    @classmethod
    def of(cls, tables: Sequence[ProtectedTable], key: Key) -> LedgerPeople:
        first, keys = tables[0], _person_keys(tables)
        nobody = np.array([each is None for each in keys], bool)
        tags = person_tags(keys, key=key)
        order = np.argsort(tags, kind="stable")
        links = first.links
        return cls(
            tags=tags,
            readings=reading_tags(keys, key=key),
            order=order[~nobody[order]],
            person=str(first.policy.entity),
            key_check=key_check(key),
            unit=first.bin_of if links is None else links.unit,
            whose=first.person_of if links is None else links.person,
            values={
                table.exposed((name,))[0]: ShownValues.of(table, name, key, everyone=len(keys))
                for table in tables
                for name, held in table.fields.items()
                if held.role is Role.SENSITIVE
            },
            known=tuple(dict.fromkeys(name for table in tables for name in table.known)),
            others=tuple(
                table.exposed((name,))[0]
                for table in tables
                for name, held in table.fields.items()
                if held.role is not Role.SENSITIVE and name not in table.known
            ),
            not_judged=(NOBODY,) if nobody.any() else (),
        )

    def record(self, exposure: Exposure) -> PeopleRecord:
        """The people who were distinguished by answers."""
        bins = self._numbers(self.whose, exposure.anyone[self.unit])
        shown = {
            name: values
            for name, values in self.values.items()
            if exposure.classes_of(name).max(initial=0) > 0
        }
        return PeopleRecord(
            release="",
            person=self.person,
            fields=self.known,
            key_check=self.key_check,
            tags=self.tags[self.order],
            readings=self.readings[self.order],
            bin_of=bins,
            labels=np.zeros((int(bins.max(initial=-1)) + 1, 0), np.int32),
            sensitive={
                _called(name, shown): SensitiveValues(
                    tags=values.tags,
                    value_of=values.value_of[self.order],
                    bin_of=self._numbers(values.whose, exposure.classes_of(name)[values.unit]),
                )
                for name, values in shown.items()
            },
            not_judged=self.not_judged,
            uncounted=tuple(
                plain(name)[1]
                for name in self.others
                if exposure.classes_of(name).max(initial=0) > 0
            ),
        )

    def _numbers(self, whose: Wholes, classes: Wholes) -> NDArray[np.int32]:
        """The number of each person's set of classes, in the order of the record."""
        sets = _sets(whose, classes, everyone=len(self.tags))[self.order]
        return numbered(sets, int(sets.max(initial=0)) + 1)[0].astype(np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownValues:
    """A sensitive field: keyed numbers of its values, the place of each person's own among them,
    and the bins in which their row represents them."""

    tags: NDArray[np.uint64] = field(repr=False)
    value_of: NDArray[np.int32] = field(repr=False)
    unit: Wholes = field(repr=False)
    whose: Wholes = field(repr=False)

    @classmethod
    def of(cls, table: ProtectedTable, name: str, key: Key, *, everyone: int) -> ShownValues:
        held = table.fields[name]
        row, unit, whose = standing_rows(table)
        value_of = np.full(everyone, len(held.values), np.int32)
        value_of[whose] = held.codes[row]
        tags = np.append(value_tags(name, held.values, key), NO_ROW)
        return cls(tags=tags, value_of=value_of, unit=unit, whose=whose)


def _person_keys(tables: Sequence[ProtectedTable]) -> list[str | None]:
    """The key of everybody who is in one of the tables of an account, by number."""
    links = tables[0].links
    if links is None:
        return list(tables[0].person_keys)
    keys: list[str | None] = [None] * links.everyone
    for table in tables:
        assert table.links is not None
        for number, key in zip(table.links.joint_person.tolist(), table.person_keys, strict=True):
            keys[number] = key
    return keys


def _called(name: str, shown: Iterable[str]) -> str:
    """A field by its own name, unless another table has one of that name."""
    own = plain(name)[1]
    return own if [plain(each)[1] for each in shown].count(own) == 1 else ".".join(plain(name))


def _sets(whose: Wholes, classes: Wholes, *, everyone: int) -> Wholes:
    """The number of each person's set of classes; people without any are 0.

    Example:
        >>> _sets(np.array([0, 0, 1, 2, 2]), np.array([4, 4, 4, 4, 7]), everyone=4).tolist()
        [1, 1, 2, 0]
    """
    span = int(classes.max(initial=0)) + 2
    pairs = np.unique(whose * span + classes + 1)
    person, label = pairs // span, pairs % span
    many = np.bincount(person, minlength=everyone)
    first = np.cumsum(many) - many
    out = np.zeros(everyone, np.int64)
    for place in range(int(many.max(initial=0))):
        there = many > place
        own = np.zeros(everyone, np.int64)
        own[there] = label[first[there] + place]
        out = numbered(out * span + own, (int(out.max(initial=0)) + 1) * span)[0]
    return out
