"""Queried tables: the tables that a question may name, joins and derived fields of them, and the
terms under which somebody asks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from .decide.cohorts import conditions_of
from .decide.confidentiality import Conditions
from .decide.derived_table import derived_table
from .decide.joined_table import join_tables
from .decide.person_table import people_table, with_person_rows
from .decide.protected_table import ProtectedTable
from .membership import effective_terms, is_protected
from .newcomers import SinceName, days_of, only_newcomers
from .noise.derived_bounds import terms_for
from .settings import Asker, Audience, Settings, Terms
from .sql import Catalogue, Question
from .sql.admission import QueryableTable
from .sql.joins import JoinedName, joined_field
from .sql.person_rows import PEOPLE
from .sql.row_pairs import RowPairs
from .table_state import TableState

_MOST_JOINS: Final = 4
"""So many joins are kept in memory."""
_MOST_DERIVED: Final = 16
"""So many tables with derived fields are kept in memory."""
_Prepared = tuple[ProtectedTable, ProtectedTable, Conditions | None]
"""A table, the same with derived fields, and the conditions of the latter."""


@dataclass(frozen=True, eq=False, kw_only=True)
class QueriedTables:
    """The protected tables of a gate, as questions see them."""

    settings: Settings
    holdings: dict[str, ProtectedTable]
    lock: threading.RLock = field(repr=False)
    state_of: Callable[[str], TableState] = field(repr=False)
    """The state of the tables of an account."""
    _joined: dict[str, ProtectedTable] = field(default_factory=dict, repr=False)
    """Joins that were asked lately."""
    _derived: dict[Any, _Prepared] = field(default_factory=dict, repr=False)
    """Tables with the fields that questions of late derived."""

    def catalogue(self, asker: Asker) -> Catalogue:
        """The tables as this person may name them. A field is known where they, or people who share
        answers with them, may link on it."""
        out: dict[str, QueryableTable] = {}
        for name, holding in self.holdings.items():
            profile = holding.policy.recipients.get(asker.profile)
            if profile is not None:
                terms = self.settings.terms_of(asker.profile)
                sharing = (
                    (profile,)
                    if terms.audience is Audience.PERSON
                    else holding.policy.recipients.values()
                )
                known = tuple(
                    each for each in holding.known if any(who.links_on(each) > 0 for who in sharing)
                )
                unknown = tuple(each for each in holding.fields if each not in known)
                out[name] = QueryableTable(
                    known=known,
                    unknown=unknown,
                    never=_never(holding),
                    person_key=holding.policy.entity or "",
                    people=holding.account,
                    counted_key=_counted_key(holding, terms),
                    keyed_rows=not is_protected(holding.policy, terms),
                )
        return {**self._since_tables(out), **out}

    def _since_tables(self, catalogue: Catalogue) -> dict[str, QueryableTable]:
        """The tables of those who joined since a day. They are joined to no other: its rows may be
        of people who joined earlier."""
        return {
            str(SinceName(name, day)): replace(table, person_key="", people="")
            for name, table in catalogue.items()
            for day in days_of(self.state_of(table.people))
        }

    def since(self, question: Question) -> int:
        """The cohort since which people joined whom a question is about; 0 for everybody."""
        found = self._since_name(question.table)
        return 0 if found is None else days_of(self._state_of_table(found.table))[found.day]

    def since_tables(self, question: Question) -> dict[str, int]:
        """The tables of those who joined since each day, and the first cohort of each."""
        if question.table not in self.holdings:
            return {}
        days = days_of(self._state_of_table(question.table))
        return {str(SinceName(question.table, day)): number for day, number in days.items()}

    def _since_name(self, name: str) -> SinceName | None:
        found = None if name in self.holdings else SinceName.read(name)
        return found if found is not None and found.table in self.holdings else None

    def _state_of_table(self, name: str) -> TableState:
        return self.state_of(self.holdings[name].account)

    def table(self, name: str) -> ProtectedTable:
        """A table that may be asked: one that is held, or a join of two of them, made when it is
        first asked."""
        if name in self.holdings:
            return self.holdings[name]
        with self.lock:
            if name not in self._joined:
                self._joined[name] = self._made_table(name)
                while len(self._joined) > _MOST_JOINS:
                    del self._joined[next(iter(self._joined))]
            return self._joined[name]

    def forget(self) -> None:
        """Make joins and derived fields afresh, and conditions: tables have changed."""
        self._joined.clear()
        self._derived.clear()
        self.__dict__.pop("conditions", None)

    def _made_table(self, name: str) -> ProtectedTable:
        """A join, the people of a table, or those of a table who joined since a day."""
        since = self._since_name(name)
        if since is not None:
            state = self._state_of_table(since.table)
            first = days_of(state)[since.day]
            those = [int(number) for number in state.newcomers if int(number) >= first]
            return only_newcomers(self.holdings[since.table].alone, those, name=name)
        if name.startswith(PEOPLE):
            return people_table(self.holdings[name.removeprefix(PEOPLE)].alone)
        joined = JoinedName.read(name)
        if joined is None:
            return self.holdings[name]
        left, right = (self.holdings[each].alone for each in (joined.left, joined.right))
        terms = (*self.settings.terms.values(), Terms())
        most = max(each.rows_per_person for each in terms)
        return join_tables(joined, left, right, most=most)

    def of(self, question: Question) -> ProtectedTable:
        """The table that a question is about, with the fields that it derives."""
        return self._prepared(question)[0]

    def _prepared(self, question: Question) -> tuple[ProtectedTable, Conditions | None]:
        """A question's table and its conditions; a join has none."""
        table = self.table(question.table)
        conditions = self.conditions.get(question.table)
        grouped = tuple(name for name in question.groups if name not in question.known)
        if not question.derived and not grouped and not question.people:
            return table, conditions
        whole_groups = bool(question.unknown)
        key = (
            question.table,
            tuple(sorted(question.derived)),
            tuple(sorted(question.people)),
            grouped,
            whole_groups,
        )
        with self.lock:
            known = self._derived.pop(key, None)
            if known is None or known[0] is not table:
                own = table if not question.people else self._with_people(question, table.alone)
                made = derived_table(
                    own, question.derived.values(), whole_groups=whole_groups, grouped=grouped
                )
                own_rules = conditions.over(made) if conditions and not question.people else None
                known = table, made, own_rules
            self._derived[key] = known
            while len(self._derived) > _MOST_DERIVED:
                del self._derived[next(iter(self._derived))]
        return known[1], known[2]

    def _with_people(self, question: Question, table: ProtectedTable) -> ProtectedTable:
        found = question.people.values()
        return with_person_rows(table, [(each, self._inner(each.rows)) for each in found])

    def _inner(self, rows: Question) -> ProtectedTable:
        """The rows of people that a number is made of, or those that are beside the rows of a table."""
        pairs = RowPairs.read(rows.table)
        return (self.of(rows) if pairs is None else self.holdings[pairs.other]).alone

    @cached_property
    def conditions(self) -> Mapping[str, Conditions]:
        """The confidentiality conditions of each table."""
        return conditions_of(self.holdings)

    def conditions_of(self, question: Question) -> Conditions:
        found = self._prepared(question)[1]
        assert found is not None
        return found

    def account(self, question: Question) -> str:
        """The account that a question is charged to; tables that are joined have one."""
        return self.holdings[self._held_name(question)].account

    def _held_name(self, question: Question) -> str:
        """The table that a question is about, or the first one of a join."""
        joined, since = self.join(question), self._since_name(question.table)
        if since is not None:
            return since.table
        return question.table.removeprefix(PEOPLE) if joined is None else joined.left

    def same_people(self, account: str) -> tuple[ProtectedTable, ...]:
        return tuple(each for each in self.holdings.values() if each.account == account)

    def is_of_people(self, question: Question) -> bool:
        """Whether it asks of several tables about the same people, of several rows of one, or of
        those who joined since a day."""
        return (
            self.join(question) is not None
            or bool(question.people)
            or self._since_name(question.table) is not None
        )

    def join(self, question: Question) -> JoinedName | None:
        return None if question.table in self.holdings else JoinedName.read(question.table)

    def terms(self, asker: Asker, question: Question) -> Terms:
        """The terms under which somebody asks a table; in a join, fields have their tables' names."""
        terms = effective_terms(self.of(question).policy, self.settings.terms_of(asker.profile))
        joined = self.join(question)
        if joined is not None:
            tables = (joined.left, joined.right)
            bounds, steps = terms.bounds.items(), terms.steps.items()
            terms = replace(
                terms,
                bounds={joined_field(t, n): each for t in tables for n, each in bounds},
                steps={joined_field(t, n): each for t in tables for n, each in steps},
            )
        own = replace(terms, rows_per_person=self._most_rows(question.table, terms))
        return terms_for(question, self.table, own, most=lambda name: self._most_rows(name, terms))

    def _most_rows(self, table: str, terms: Terms) -> int:
        """The most rows of one person that noisy numbers of a table count: of a join, the pairs of
        as many rows of each table."""
        joined, since = JoinedName.read(table), self._since_name(table)
        if joined is not None and table not in self.holdings:
            pairs = self._most_rows(joined.left, terms) * self._most_rows(joined.right, terms)
            return min(terms.rows_per_person, pairs)
        held = self.settings.tables.get(table if since is None else since.table)
        return (
            min(terms.rows_per_person, held.rows_per_person or terms.rows_per_person)
            if held
            else terms.rows_per_person
        )


def _never(holding: ProtectedTable) -> tuple[str, ...]:
    return tuple(name for name in holding.policy.fields if name not in holding.fields)


def _counted_key(holding: ProtectedTable, terms: Terms) -> str:
    """The person key, where the number of its values is the number of people. Rows without a key
    count as one person: where membership is protected noise covers that one, elsewhere the key
    is not counted."""
    key = holding.policy.entity or ""
    if key in holding.fields:
        return ""
    is_whole = is_protected(holding.policy, terms) or not holding.has_rows_of_nobody
    return key if is_whole else ""
