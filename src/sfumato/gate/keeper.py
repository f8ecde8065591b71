"""The gate-keeper (Chiang et al. 2001, Figure 2): a question is admitted, decided, answered and
written down, in that order.

Every question arrives here, through whatever door: the web, a program or psql. One question is
decided at a time: of two answers at once, neither would count in the exposure before the other."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import (
    ChargedMeasurement,
    Measurement,
    epsilon_of,
    rounded_up,
    sum_of,
)
from sfumato.errors import Mistake, NotAdmitted, NotAnswered, TargetError
from sfumato.parts import with_question
from sfumato.policy import Membership
from sfumato.techniques import KeyedRandom

from .answer_ledger import AnswerLedger
from .answers import Answer, follow, rows_of, shape_marks, union_of
from .audit import Audit
from .audit_writer import Minutes
from .decide.answer_nodes import AnswerNode, DecisionContext, best_shape, shapes
from .decide.cohorts import conditions_of
from .decide.confidentiality import Conditions
from .decide.derived_table import derived_table
from .decide.disclosure_state import DisclosureState, Standings
from .decide.exposure import OUTSIDE
from .decide.joined_table import join_tables
from .decide.person_table import people_table, with_person_rows
from .decide.protected_table import ProtectedTable
from .decide.question_cells import QuestionFields, marked_places
from .decide.sensitive_numbers import check_shown_numbers
from .exact_numbers import is_the_number, number_shape, number_shapes, written_shape
from .link_mode import link_question
from .membership import check_membership, effective_terms, is_protected, promise_in_words
from .noise.budgets import Budgets, BudgetStatement, chosen_terms
from .noise.derived_bounds import terms_for, with_derived_bounds
from .noise.domains import marks_on
from .noise.noisy_answers import NoisyAnswers
from .noise.noisy_query import check_noisy, noise_scales
from .noise.shared_account import SharedAccount
from .noise.statistics import with_statistics
from .offers import NoiseCost, Offer, PlannedAnswer, offer_in_words
from .settings import Asker, Audience, Mode, Settings, Terms
from .sql import Catalogue, Question, admit, admit_all
from .sql.admission import PERSON, QueryableTable
from .sql.joins import JoinedName, joined_field
from .sql.order_checks import check_orders
from .sql.person_rows import PEOPLE
from .state import EARLIER, GateState
from .table_state import read_table_state

_MOST_JOINS: Final = 4
"""So many joins are kept in memory."""
_MOST_DERIVED: Final = 16
"""So many tables with derived fields are kept in memory."""
_LEDGER: Final = "with all that the group holds by the register, it would break the ledger"
_OTHER_FIELDS: Final = "rows of other fields, or numbers about them."
T = TypeVar("T")
_Prepared = tuple[ProtectedTable, ProtectedTable, Conditions | None]
"""A table, the same with derived fields, and the conditions of the latter."""
Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class GateKeeper:
    """The protected tables of a gate, and what was disclosed of them."""

    settings: Settings
    holdings: dict[str, ProtectedTable]
    state: GateState = field(repr=False)
    audit: Audit = field(repr=False)
    secret: bytes = field(repr=False)
    shared: SharedAccount | None = field(default=None, repr=False)
    ledger: AnswerLedger | None = field(default=None, repr=False)
    """Where a register judges exact answers with all that a group holds."""
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _last: list[Any] = field(default_factory=list, repr=False)
    """The question that was worked out last, and the places it means."""
    _keyed: list[Any] = field(default_factory=list, repr=False)
    """The question whose key was worked out last, and the key."""

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
                )
        return out

    def table(self, name: str) -> ProtectedTable:
        """A table that may be asked: one that is held, or a join of two of them, made when it is
        first asked."""
        if name in self.holdings:
            return self.holdings[name]
        with self._lock:
            if name not in self._joined:
                self._joined[name] = self._made_table(name)
                while len(self._joined) > _MOST_JOINS:
                    del self._joined[next(iter(self._joined))]
            return self._joined[name]

    def _made_table(self, name: str) -> ProtectedTable:
        """A join, or the people of a table."""
        if name.startswith(PEOPLE):
            return people_table(self.holdings[name.removeprefix(PEOPLE)].alone)
        joined = JoinedName.read(name)
        if joined is None:
            return self.holdings[name]
        left, right = (self.holdings[each].alone for each in (joined.left, joined.right))
        terms = (*self.settings.terms.values(), Terms())
        most = max(each.rows_per_person for each in terms)
        return join_tables(joined, left, right, most=most)

    def table_of(self, question: Question) -> ProtectedTable:
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
        with self._lock:
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
        return with_person_rows(table, [(each, self.table_of(each.rows).alone) for each in found])

    def _conditions_of(self, question: Question) -> Conditions:
        found = self._prepared(question)[1]
        assert found is not None
        return found

    def _account(self, question: Question) -> str:
        """The account that a question is charged to; tables that are joined have one."""
        joined = self._join(question)
        own = question.table.removeprefix(PEOPLE) if joined is None else joined.left
        return self.holdings[own].account

    def _is_of_people(self, question: Question) -> bool:
        """Whether it asks of several tables about the same people, or of several rows of one."""
        return self._join(question) is not None or bool(question.people)

    def _join(self, question: Question) -> JoinedName | None:
        return None if question.table in self.holdings else JoinedName.read(question.table)

    def change_holding(self, name: str, change: Callable[[ProtectedTable], ProtectedTable]) -> None:
        """A table under another policy, changed between two questions."""
        with self._lock:
            self.holdings[name] = change(self.holdings[name])
            self._joined.clear()
            self._derived.clear()
            self.__dict__.pop("conditions", None)
            self._standings.forget(self.holdings[name].account)

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """No question is decided meanwhile."""
        with self._lock:
            yield

    def hold(self, tables: Mapping[str, ProtectedTable]) -> None:
        """Other states of tables about the same people, between two questions."""
        with self._lock:
            self.holdings.update(tables)
            self._joined.clear()
            self._derived.clear()
            self._last.clear()
            self._keyed.clear()
            self.__dict__.pop("conditions", None)
            for table in tables.values():
                self._standings.forget(table.account)

    def as_of(self, question: Question) -> str:
        """When the rows that a question is answered from were read from their source."""
        return read_table_state(self.state, self._account(question)).as_of

    def look(self, asker: Asker, sql: str, *, epsilon: float | None = None) -> Offer:
        """How a question could be answered, without answering it; only levels and facts about known
        fields."""
        with self._lock:
            question = self._admitted(asker, sql, lambda: admit(sql, self.catalogue(asker)))
            return self._noted(
                asker, question, lambda: self._look(asker, question, epsilon=epsilon)
            )

    def ask(
        self,
        asker: Asker,
        sql: str,
        *,
        shape: str = "",
        mode: Mode | None = None,
        epsilon: float | None = None,
    ) -> Answer:
        """Answer a question: in the shape chosen, or in the one that loses least. Asked again, it
        is answered alike, unless a larger epsilon is chosen for it."""
        with self._lock:
            catalogue = self.catalogue(asker)
            questions = self._admitted(asker, sql, lambda: admit_all(sql, catalogue))
            if len(questions) > 1:
                self._noted(
                    asker,
                    questions[0],
                    lambda: self._check_union(asker, questions, shape=shape, mode=mode),
                )
            return union_of(
                [
                    self._noted(
                        asker,
                        each,
                        partial(self._answer, asker, each, shape=shape, mode=mode, epsilon=epsilon),
                    )
                    for each in questions
                ]
            )

    def _check_union(
        self, asker: Asker, questions: Sequence[Question], *, shape: str, mode: Mode | None
    ) -> None:
        """Whether all parts of UNION ALL can be answered: before the first one is, so that nothing
        is spent on a part of an answer."""
        if shape:
            raise NotAdmitted("A shape is chosen for one SELECT.", code="not-listed")
        stands: dict[str, dict[str, DisclosureState]] = {}
        rho: dict[str, Fraction] = {}
        for question in questions:
            terms = self._terms(asker, question)
            self._check(question, terms)
            wanted = self._wanted_mode(question, terms, mode)
            if self._known(asker, question, terms, shape="", wanted=wanted) is not None:
                continue
            planned = self._rehearsed_question(
                asker, question, stands, wanted=wanted, coarser=not question.is_aggregate
            )
            if planned is PlannedAnswer.NONE:
                raise self._refused(asker, question, _unsafe(""))
            if planned is PlannedAnswer.NOISY:
                account = self._account(question)
                rho[account] = rho.get(account, Fraction(0)) + terms.budget.question_rho
                self._budgets.check(asker, account, terms, rho=rho[account])

    # ------------------------------------------------------------------ plans

    def rehearse(self, asker: Asker, questions: Sequence[str]) -> dict[str, PlannedAnswer | str]:
        """How questions would be answered one after the other; nothing is answered or recorded for
        anybody."""
        with self._lock:
            stands: dict[str, dict[str, DisclosureState]] = {}
            return {sql: self._rehearsed(asker, sql, stands) for sql in questions}

    def _rehearsed(
        self, asker: Asker, sql: str, stands: dict[str, dict[str, DisclosureState]]
    ) -> PlannedAnswer | str:
        try:
            question = admit(sql, self.catalogue(asker))
            terms = self._terms(asker, question)
            self._check(question, terms)
            wanted = self._wanted_mode(question, terms, None)
        except NotAdmitted:
            return PlannedAnswer.NONE
        return self._rehearsed_question(asker, question, stands, wanted=wanted, coarser=True)

    def _rehearsed_question(
        self,
        asker: Asker,
        question: Question,
        stands: dict[str, dict[str, DisclosureState]],
        *,
        wanted: Mode,
        coarser: bool,
    ) -> PlannedAnswer | str:
        """The answer to a question in the disclosure states `stands`; they are then as after its
        answer. `coarser` is whether groups may be."""
        terms = self._terms(asker, question)
        noisy = wanted is not Mode.EXACT and self._is_noisy(question, terms)
        if wanted is not Mode.NOISY or not question.is_aggregate:
            account = self._account(question)
            before = stands.setdefault(account, self._stand(asker, question))
            ground = replace(
                self._ground(asker, question), standings=tuple(dict.fromkeys(before.values()))
            )
            shape = self._rehearsed_shape(question, ground, noisy=noisy, coarser=coarser)
            if shape is not None:
                after = {id(each): self._after(each, question, shape) for each in before.values()}
                stands[account] = {name: after[id(each)] for name, each in before.items()}
                exact = not any(question.told_levels(shape.levels).values()) and not shape.withheld
                name = written_shape(question, shape) if question.is_aggregate else shape.name
                return PlannedAnswer.EXACT if exact else name
        return PlannedAnswer.NOISY if noisy else PlannedAnswer.NONE

    def _rehearsed_shape(
        self, question: Question, ground: DecisionContext, *, noisy: bool, coarser: bool
    ) -> AnswerNode | None:
        """The shape that a plan takes: exactly the question, or coarser groups that still carry
        information about every field. Without noise, any groups will do."""
        if not question.is_aggregate:
            allowed = self.table_of(question).policy.require.max_suppression
            return best_shape(ground, allowed=allowed)
        exact = number_shape(ground, question)
        if exact is not None or not coarser:
            return exact
        table = self.table_of(question)
        for shape in number_shapes(ground, question):
            tops = [
                shape.levels[name] >= table.hierarchies[name].height for name in question.outputs
            ]
            if not any(tops) or not noisy:
                return shape
        return None

    def _is_noisy(self, question: Question, terms: Terms) -> bool:
        """Whether a question may be answered with noise; no row is read for it."""
        if not question.is_aggregate or terms.mode is Mode.EXACT:
            return False
        try:
            asked, own = self._with_statistics(question, terms)
            check_noisy(question, self.table_of(asked).alone, own)
        except NotAdmitted:
            return False
        return True

    def planned_fields(self, asker: Asker, sql: str) -> tuple[str, ...]:
        """The known fields of a question; none where it may not be asked."""
        try:
            return admit(sql, self.catalogue(asker)).known
        except NotAdmitted:
            return ()

    def by_account(self, asker: Asker, questions: Iterable[str]) -> dict[str, list[str]]:
        """Questions by the account that they are charged to."""
        out: dict[str, list[str]] = {}
        for sql in questions:
            account = self._account(admit(sql, self.catalogue(asker)))
            out.setdefault(account, []).append(sql)
        return out

    def questions_left(self, asker: Asker, account: str) -> tuple[float, float]:
        """How many noisy answers of the usual size are left, and their epsilon."""
        budget = self.settings.terms_of(asker.profile).budget
        left = self._budgets.left(asker, account, self.settings.terms_of(asker.profile))
        return float(left / budget.question_rho), budget.query

    def link(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, str | None]],
        *,
        on: Sequence[str],
        show: Sequence[str],
        shape: str = "",
    ) -> Answer:
        """Answer with further fields of people that somebody brought records of (Chiang et al.
        2001, link mode)."""
        with self._lock:
            text = _link_text(table, on=on, show=show)
            question = self._admitted(
                asker, text, lambda: self._brought(asker, table, records, on=on, show=show)
            )
            return self._noted(
                asker, question, lambda: self._answer(asker, question, shape=shape, mode=Mode.EXACT)
            )

    def look_at_link(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, str | None]],
        *,
        on: Sequence[str],
        show: Sequence[str],
    ) -> Offer:
        """How records could be answered, without answering them."""
        with self._lock:
            text = _link_text(table, on=on, show=show)
            question = self._admitted(
                asker, text, lambda: self._brought(asker, table, records, on=on, show=show)
            )
            return self._noted(asker, question, lambda: self._look(asker, question))

    def _brought(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, str | None]],
        *,
        on: Sequence[str],
        show: Sequence[str],
    ) -> Question:
        catalogue = self.catalogue(asker)
        if table not in catalogue:
            said = with_question(f"There is no table {table!r}.", table, catalogue)
            raise NotAdmitted(
                said, code="unknown-table", found=f"There are: {', '.join(catalogue)}."
            )
        return link_question(table, catalogue[table], records, on=on, show=show)

    # ------------------------------------------------------------------ deciding

    def _admitted(self, asker: Asker, text: str, admitted: Callable[[], T]) -> T:
        try:
            return admitted()
        except NotAdmitted as refused:
            self._minutes.not_admitted(asker, text, code=refused.code, reason=refused.asked)
            raise

    def _noted(self, asker: Asker, question: Question, then: Callable[[], T]) -> T:
        """Do it; a question that is not admitted, or cannot be worked out, is recorded too."""
        try:
            if not self.audit.has_room():
                raise TargetError("The disk is full, so nothing is answered.")
            return then()
        except (NotAdmitted, Mistake) as refused:
            code = getattr(refused, "code", "not-worked-out")
            self._minutes.not_admitted(asker, question, code=code, reason=refused.asked)
            raise

    def _look(self, asker: Asker, question: Question, *, epsilon: float | None = None) -> Offer:
        terms = chosen_terms(self._terms(asker, question), epsilon)
        self._check(question, terms)
        noisy = question.is_aggregate and (
            terms.mode is Mode.NOISY or bool(self._only_noisy(question))
        )
        found = () if noisy else self._shapes(asker, question)
        found = tuple(replace(each, levels=question.told_levels(each.levels)) for each in found)
        cost = self._noise_cost(asker, question, terms)
        query = self._number(asker, question)
        self._minutes.looked(asker, question, query=query, shapes=[shape.name for shape in found])
        account = self._account(question)
        left = 0 if cost is None else self._budgets.answers_left(asker, account, terms)
        return Offer(query=query, table=question.table, shapes=found, cost=cost, left=left)

    def _check(self, question: Question, terms: Terms) -> None:
        """The checks of the question, the policy and the terms alone."""
        of_people = self._is_of_people(question)
        if of_people and (not question.is_aggregate or terms.mode is Mode.EXACT):
            raise NotAdmitted(
                "Joined tables and rows per person are asked for noisy numbers alone.",
                code="join",
                attempt="COUNT(*), COUNT(DISTINCT person), SUM(field) or AVG(field).",
            )
        check_membership(question, self.table_of(question).policy, terms)
        check_orders(question, self.table_of(question).fields)
        if not of_people:
            check_shown_numbers(question, self._conditions_of(question).measurements)

    def _terms(self, asker: Asker, question: Question) -> Terms:
        """The terms under which somebody asks a table; in a join, fields have their tables' names."""
        terms = effective_terms(
            self.table_of(question).policy, self.settings.terms_of(asker.profile)
        )
        joined = self._join(question)
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
        """The most rows of one person that noisy numbers of a table count."""
        held = self.settings.tables.get(table)
        return (
            min(terms.rows_per_person, held.rows_per_person or terms.rows_per_person)
            if held
            else terms.rows_per_person
        )

    def _answer(
        self,
        asker: Asker,
        question: Question,
        *,
        shape: str,
        mode: Mode | None,
        epsilon: float | None = None,
    ) -> Answer:
        terms = chosen_terms(self._terms(asker, question), epsilon)
        self._check(question, terms)
        if self._counts_public(question) and not shape and mode is not Mode.NOISY:
            return self._public_count(asker, question)
        wanted = self._wanted_mode(question, terms, mode)
        known = self._known(asker, question, terms, shape=shape, wanted=wanted)
        if known is not None and (epsilon is None or _is_as_near(known, terms)):
            return self._again(asker, question, known)
        if question.is_aggregate:
            return self._aggregate(asker, question, terms, shape=shape, wanted=wanted)
        allowed = self.table_of(question).policy.require.max_suppression
        if shape:
            chosen = next(
                (each for each in self._shapes(asker, question) if each.name == shape), None
            )
        else:
            chosen = best_shape(self._ground(asker, question), allowed=allowed)
        if chosen is None:
            raise self._refused(asker, question, _unsafe(shape))
        return self._shown(asker, question, chosen)

    def _counts_public(self, question: Question) -> bool:
        """Whether people are counted by one field whose counts of people are public by the policy.
        Decided by the question and the policy."""
        if question.table not in self.holdings or question.derived or question.people:
            return False
        table = self.holdings[question.table]
        rows = tuple(each for each in question.aggregates if not each.distinct)
        return (
            table.policy.membership is Membership.PUBLIC
            and question.is_aggregate
            and not question.unknown
            and len(question.known) == 1
            and table.policy.fields[question.known[0]].public
            and all(each.function == "count" and not each.field for each in rows)
            and all(each.field == PERSON for each in question.aggregates if each.distinct)
            and not (rows and table.has_person_key)
        )

    def _public_count(self, asker: Asker, question: Question) -> Answer:
        """A count that is public anyway: nothing is charged or counted as shown."""
        (name,) = question.known
        groups = np.where(self._meant(question), 0, OUTSIDE)
        shape = AnswerNode(
            levels={name: 0}, groups=groups, parts=groups, rows=0, withheld=0, loss=0.0
        )
        answer = replace(self._rows(asker, question, shape), public=name)
        self._minutes.answered(asker, question, answer, rule="public")
        return answer

    def _wanted_mode(self, question: Question, terms: Terms, mode: Mode | None) -> Mode:
        """How numbers are wanted, as far as the terms allow it."""
        wanted = mode or terms.mode
        if wanted is Mode.NOISY and terms.mode is Mode.EXACT:
            raise NotAdmitted(
                "Noisy numbers are not released under this profile.", code="not-noisy"
            )
        if wanted is not Mode.NOISY and terms.mode is Mode.NOISY and question.is_aggregate:
            wanted = Mode.NOISY
        reason = self._only_noisy(question)
        if reason:
            if terms.mode is Mode.EXACT:
                raise NotAdmitted(reason, code="not-noisy", attempt=_OTHER_FIELDS)
            wanted = Mode.NOISY
        return wanted

    def _only_noisy(self, question: Question) -> str:
        """Why a number is never exact, whatever was shown before; nothing where it may be. Decided
        by the question and the policy."""
        if self._is_of_people(question):
            return "Numbers of joined tables and rows per person are released only with noise."
        if self._follows_people(question):
            return (
                "People have several rows here, so numbers about protected fields are "
                "released only with noise."
            )
        if question.is_aggregate and not self._conditions_of(question).is_open(question):
            return (
                "Numbers about a sensitive number are released only with noise, but for sums and "
                "means under a closeness rule."
            )
        return ""

    def _aggregate(
        self, asker: Asker, question: Question, terms: Terms, *, shape: str, wanted: Mode
    ) -> Answer:
        """A number: exactly what was asked, with noise, or refused with an offer; never another
        question's."""
        found = ""
        if wanted is not Mode.NOISY:
            chosen = number_shape(self._ground(asker, question), question, shape)
            if chosen is not None:
                return self._shown(asker, question, chosen)
        if wanted is not Mode.EXACT and not (shape and wanted is Mode.EITHER):
            try:
                return self._noisily(asker, question, terms)
            except NotAdmitted as refused:
                if wanted is Mode.NOISY:
                    raise
                found = f"No noisy answer is possible either: {refused.asked}"
        raise self._refused(
            asker, question, _unsafe(shape), found=found, attempt=self._offer(asker, question)
        )

    def _offer(self, asker: Asker, question: Question) -> str:
        seen = self.state.shown_to(_asker(asker))
        return offer_in_words(question, self.table_of(question), seen)

    def _follows_people(self, question: Question) -> bool:
        """Whether a number follows people with several rows to protected fields. All rows of one of
        them move it together, and somebody who knows their number sees that."""
        return (
            question.is_aggregate
            and bool(question.unknown)
            and not self.table_of(question).one_row_each
        )

    def _known(
        self, asker: Asker, question: Question, terms: Terms, *, shape: str, wanted: Mode
    ) -> Mapping[str, Any] | None:
        """The earlier answer: to the asker; or with noise to an audience of theirs, which has it
        for nothing."""
        key = self._key(asker, question)
        found = (self.state.record(name, key) for name in (_asker(asker), *asker.audiences(terms)))
        return next(
            (
                each
                for each in found
                if each and self._fits(question, each, shape=shape, wanted=wanted)
            ),
            None,
        )

    def _fits(
        self, question: Question, record: Mapping[str, Any], *, shape: str, wanted: Mode
    ) -> bool:
        """Whether an answer given before is one to what is asked now: a number only where it is
        that very number."""
        if record["kind"] == EARLIER:
            return False
        if record["kind"] == "noisy":
            return not shape and wanted is not Mode.EXACT
        if wanted is Mode.NOISY and question.is_aggregate:
            return False
        if not question.is_aggregate:
            return not shape or bool(record["shape"] == shape)
        return is_the_number(question, record, self._meant(question), chosen=shape)

    def _shapes(self, asker: Asker, question: Question) -> tuple[AnswerNode, ...]:
        if question.is_aggregate:
            return number_shapes(self._ground(asker, question), question)
        allowed = self.table_of(question).policy.require.max_suppression
        return shapes(self._ground(asker, question), allowed=allowed)

    def _ground(self, asker: Asker, question: Question) -> DecisionContext:
        return DecisionContext(
            wanted=self._wanted(question),
            conditions=self._conditions_of(question),
            standings=tuple(dict.fromkeys(self._stand(asker, question).values())),
            meant=self._meant(question),
            accepts=lambda shape: self._is_held(asker, question, shape),
        )

    def _is_held(self, asker: Asker, question: Question, shape: AnswerNode) -> bool:
        """Whether the register's ledger takes an answer."""
        new = self._new_in_ledger(asker, question, shape)
        return (
            self.ledger is None
            or not new
            or self.ledger.accepts(new, self._same_people(self._account(question)))
        )

    def _new_in_ledger(
        self, asker: Asker, question: Question, shape: AnswerNode
    ) -> dict[str, DisclosureState]:
        """The states of groups after an answer that shows them more than before."""
        account, before = self._account(question), self._in_ledger(asker, question)
        now = {name: self._after(each, question, shape) for name, each in before.items()}
        return {
            name: each
            for name, each in now.items()
            if self.state.exposure(name, account) is None
            or not each.exposure.is_as(before[name].exposure)
        }

    def _in_ledger(self, asker: Asker, question: Question) -> dict[str, DisclosureState]:
        """The states of the groups whose holdings an answer enters, by the register."""
        if self.ledger is None:
            return {}
        audiences = self.ledger.audiences(asker, self.settings.terms_of(asker.profile))
        holding = self.table(question.table)
        return {audience: self._standings.of(audience, holding) for audience in audiences}

    def _same_people(self, account: str) -> tuple[ProtectedTable, ...]:
        return tuple(each for each in self.holdings.values() if each.account == account)

    def restore_answers(self) -> None:
        """Record in the register everything shown without noise, as this gate remembers it."""
        if self.ledger is not None:
            for account in sorted({each.account for each in self.holdings.values()}):
                self.ledger.restore(self._standings, self._same_people(account))
            self.ledger.complete()

    def _wanted(self, question: Question) -> QuestionFields:
        shows = self.table_of(question).exposed(question.unknown)
        return QuestionFields(known=question.known, about=question.about, shows=shows)

    def _meant(self, question: Question) -> Marks:
        """The bins that a question means."""
        return self._places(question).take(
            self.table_of(question).projection(question.known).place_of
        )

    def _places(self, question: Question) -> Marks:
        """The places that it means on the projection of its known fields; worked out once for
        each."""
        if not self._last or self._last[0] is not question:
            holding = self.table_of(question)
            self._last[:] = question, marked_places(question.about, holding, question.known)
        return cast(Marks, self._last[1])

    @cached_property
    def conditions(self) -> Mapping[str, Conditions]:
        """The confidentiality conditions of each table."""
        return conditions_of(self.holdings)

    @cached_property
    def _standings(self) -> Standings:
        return Standings(self.state)

    @cached_property
    def _minutes(self) -> Minutes:
        return Minutes(audit=self.audit, secret=self.secret)

    @cached_property
    def _noise(self) -> NoisyAnswers:
        return NoisyAnswers(secret=self.secret)

    @cached_property
    def _budgets(self) -> Budgets:
        return Budgets(state=self.state, lifetime=self.settings.lifetime, shared=self.shared)

    def _stand(self, asker: Asker, question: Question) -> dict[str, DisclosureState]:
        """The state of each audience of the asker; those that have seen the same are one."""
        audiences = asker.audiences(self.settings.terms_of(asker.profile))
        holding = self.table(question.table)
        return {audience: self._standings.of(audience, holding) for audience in audiences}

    # ------------------------------------------------------------------ answering

    def _shown(self, asker: Asker, question: Question, shape: AnswerNode) -> Answer:
        before = self._stand(asker, question) | self._in_ledger(asker, question)
        after = {id(each): self._after(each, question, shape) for each in before.values()}
        now = {audience: after[id(each)] for audience, each in before.items()}
        told = self._new_in_ledger(asker, question, shape)
        if self.ledger is not None and told:
            people = self._same_people(self._account(question))
            if not self.ledger.show(told, people):
                raise self._refused(asker, question, _LEDGER)
        with (
            self.state.changing()
        ):  # First: that something cannot be worked out from the rows tells of them, too.
            self._standings.write(self._account(question), now)
            content = {
                "kind": "shown", "table": question.table, "shows": list(question.unknown),
                "whole": question.about is None, "audiences": list(now), **shape.as_record(),
            }  # fmt: skip
            self.state.remember(_asker(asker), self._key(asker, question), content)
        self._standings.keep(self._account(question), now)
        answer = self._rows(asker, question, shape)
        self._minutes.answered(asker, question, answer, rule="exposure", shape=shape.name)
        return answer

    def _after(
        self, standing: DisclosureState, question: Question, shape: AnswerNode
    ) -> DisclosureState:
        lasting = self._conditions_of(question).lasting
        shows = self.table_of(question).exposed(question.unknown)
        return standing.after(
            shape.groups, shape.parts, shows=shows, told=shape.told, lasting=lasting
        )

    def _rows(
        self, asker: Asker, question: Question, shape: AnswerNode, *, remembered: bool = False
    ) -> Answer:
        holding = self.table_of(question)
        chance = self._chance(asker, question)
        columns, rows = follow(question, rows_of(shape, question, holding), chance)
        answer = Answer(
            query=self._number(asker, question),
            table=question.table,
            columns=columns,
            rows=rows,
            levels=question.told_levels(shape.levels),
            withheld=shape.withheld,
            widened=bool(((shape.groups >= 0) & ~self._meant(question)).any()),
            one_each=bool(question.unknown) and not holding.one_row_each,
            remembered=remembered,
            as_of=self.as_of(question),
        )
        marks = shape_marks(answer, holding, shown=question.outputs, numbers=question.numbers)
        return replace(answer, marks=marks)

    def _noisily(self, asker: Asker, question: Question, terms: Terms) -> Answer:
        asked, terms = self._with_statistics(question, terms)
        holding = self.table_of(asked).alone
        account = self._account(question)
        check_noisy(question, holding, terms)
        try:
            self._budgets.check(asker, account, terms)
        except NotAdmitted:
            earlier = self._earlier(asker, question, terms)
            if earlier is None:
                raise
            return self._again(asker, question, earlier)
        charged: list[Measurement] = []

        def charge(lines: Sequence[Measurement]) -> tuple[ChargedMeasurement, ...]:
            charged.extend(lines)
            return self._budgets.charge(asker, account, terms, lines)

        protected = self._protected(question, terms)
        record = self._noise.draw(asked, holding, terms, protected=protected, charge=charge)
        record["as_of"] = self.as_of(question)
        record["epsilon"], record["rho"] = terms.budget.query, str(terms.budget.question_rho)
        if not question.groups and not any(record["numbers"].values()):
            reason = "the question covers fewer people than a noisy number needs"
            raise self._refused(asker, question, reason, attempt=self._offer(asker, question))
        with self.state.changing():
            for audience in asker.audiences(terms):
                self.state.remember(audience, self._key(asker, question), record)
                self.state.remember(audience, _text_key(question), record)
        answer = self._noisy_answer(asker, question, record, remembered=False)
        rho = rounded_up(sum_of(charged)[0])
        self._minutes.answered(
            asker, question, answer, rule="noise", rho=rho, delta=record["delta"]
        )
        return answer

    def _earlier(self, asker: Asker, question: Question, terms: Terms) -> Mapping[str, Any] | None:
        """The noisy answer about an earlier state of the table, where there is one: it states the
        age of its data."""
        found = (self.state.record(name, _text_key(question)) for name in asker.audiences(terms))
        return next((each for each in found if each is not None), None)

    def _protected(self, question: Question, terms: Terms) -> bool:
        """Whether the choice of released groups must not depend on who is there: where membership
        is protected, and where groups are of a protected field."""
        grouped = any(name not in question.known for name in question.groups)
        return grouped or is_protected(self.table_of(question).policy, terms)

    def _with_statistics(self, question: Question, terms: Terms) -> tuple[Question, Terms]:
        """A question and terms with the fields that variances and correlations are made of."""
        asked = with_statistics(question, terms.bounds)
        return asked, with_derived_bounds(asked, self.table(question.table), terms)

    def _noisy_answer(
        self, asker: Asker, question: Question, record: Mapping[str, Any], *, remembered: bool
    ) -> Answer:
        columns, rows, marks = self._noise.shown(question, record, self._terms(asker, question))
        return Answer(
            query=self._number(asker, question),
            table=question.table,
            columns=columns,
            rows=rows,
            withheld=record["withheld"],
            noise=record["noise"],
            threshold=record.get("threshold", 0),
            delta=record.get("delta", 0.0),
            cuts=tuple(record.get("cuts", ())),
            remembered=remembered,
            as_of=record.get("as_of", ""),
            epsilon=0.0 if remembered else record.get("epsilon", 0.0),
            left=self._answers_left(asker, question),
            marks=marks,
        )

    def _answers_left(self, asker: Asker, question: Question) -> int:
        terms = self._terms(asker, question)
        return self._budgets.answers_left(asker, self._account(question), terms)

    def _again(self, asker: Asker, question: Question, known: Mapping[str, Any]) -> Answer:
        """The answer given before: the same rows, or the same noise."""
        if known["kind"] == "noisy":
            answer = self._noisy_answer(asker, question, known, remembered=True)
        else:
            shape = AnswerNode.of_record(known)
            answer = self._rows(asker, question, shape, remembered=True)
        self._minutes.answered(asker, question, answer, rule="remembered")
        return answer

    # ------------------------------------------------------------------ not answering

    def _refused(
        self, asker: Asker, question: Question, reason: str, *, found: str = "", attempt: str = ""
    ) -> NotAnswered:
        query = self._number(asker, question)
        closest = self._why(asker, question)
        self._minutes.not_answered(asker, question, query=query, reason=reason, closest=closest)
        return NotAnswered(query, profile=asker.profile, found=found, attempt=attempt)

    def _why(self, asker: Asker, question: Question) -> dict[str, dict[str, int]]:
        """For the steward: the rules that break at the levels asked for, and those that still break
        at the coarsest ones."""
        if self._is_of_people(question):  # Nothing of a join is decided by classes.
            return {}
        cells = self._ground(asker, question).cells
        coarsest = {name: self.table_of(question).top(name) for name in question.known}
        out: dict[str, dict[str, int]] = {}
        for name, levels in (
            ("as asked", dict.fromkeys(question.known, 0)),
            ("at the coarsest", coarsest),
        ):
            whole = cells.whole(levels)
            groups = cells.included(whole)
            for _, after in cells.after(groups, cells.parts(whole, groups)):
                shows = after.touched(cells.wanted.shows)
                broken = self._conditions_of(question).broken_rules(
                    after, shows=shows, tally=cells.tally, values_tallies=cells.values_tallies
                )
                out[name] = {**out.get(name, {}), **broken}
        return out

    def _key(self, asker: Asker, question: Question) -> str:
        """One for all spellings: which people are meant, and what is asked of them."""
        if self._keyed and self._keyed[0] is question:
            return str(self._keyed[1])
        told = hashlib.sha256(
            question.canonical().encode()
        )  # It names the fields, so that their places are enough.
        told.update(self._meaning(asker, question))
        told.update("|".join(sorted(question.groups)).encode())
        told.update("|".join(sorted({each.canonical() for each in question.aggregates})).encode())
        number = read_table_state(self.state, self._account(question)).number
        if number > 1:  # Another state of the table is another question.
            told.update(f"state {number}".encode())
        self._keyed[:] = question, told.hexdigest()
        return told.hexdigest()

    def _meaning(self, asker: Asker, question: Question) -> bytes:
        """The people whom a question means, as a key. Where membership is protected, its condition
        decides, and not who is there. Otherwise two conditions with one key would disclose that
        nobody meets only one of them."""
        holding = self.table_of(question)
        if not is_protected(holding.policy, self._terms(asker, question)):
            return self._places(question).tobytes()
        if question.about is None:
            return b"protected: anybody"
        marks = marks_on(question.about, holding)
        return b"protected: " + (
            question.about.canonical().encode() if marks is None else marks.tobytes()
        )

    def _number(self, asker: Asker, question: Question) -> str:
        told = hashlib.blake2b(
            self._key(asker, question).encode(), key=self.secret[:32], digest_size=4
        )
        return f"q-{told.hexdigest()}"

    def _chance(self, asker: Asker, question: Question) -> KeyedRandom:
        return KeyedRandom(self.secret + self._key(asker, question).encode())

    def _noise_cost(self, asker: Asker, question: Question, terms: Terms) -> NoiseCost | None:
        if not question.is_aggregate or terms.mode is Mode.EXACT:
            return None
        try:
            asked, terms = self._with_statistics(question, terms)
            holding = self.table_of(asked).alone
            check_noisy(question, holding, terms)
        except NotAdmitted:
            return None
        budget = terms.budget
        return NoiseCost(
            rho=float(budget.question_rho),
            epsilon=epsilon_of(budget.question_rho, budget.delta / 2),
            share=budget.query / budget.person,
            within=noise_scales(asked, holding, terms, protected=self._protected(question, terms)),
        )

    def promise(self, asker: Asker, table: str) -> str:
        """Towards whom differential privacy holds for the people of a table, in words."""
        return promise_in_words(
            self.holdings[table].policy,
            asker.profile,
            self.settings.terms_of,
            lifetime=self.settings.lifetime,
        )

    def spent_delta(self, table: str) -> float:
        """The cost to everybody together of thresholds of noisy groups of a table, beside
        epsilon."""
        return self._budgets.spent_delta(self.holdings[table].account)

    def budget(self, asker: Asker, table: str) -> BudgetStatement:
        """The cost to somebody of noisy numbers of a table, and the remainder."""
        terms = self.settings.terms_of(asker.profile)
        return self._budgets.statement(asker, self.holdings[table].account, terms)


def _text_key(question: Question) -> str:
    """The key by which a question is found again in another state of its table: its own words."""
    return f"text {hashlib.sha256(question.told().encode()).hexdigest()}"


def _is_as_near(record: Mapping[str, Any], terms: Terms) -> bool:
    """Whether an answer that was given has no more noise than one with these terms would."""
    if record["kind"] != "noisy":
        return True
    return "rho" in record and Fraction(record["rho"]) >= terms.budget.question_rho


def _asker(asker: Asker) -> str:
    """The name under which the answers to somebody are remembered; no audience is called so."""
    return f"asker {asker.name}"


def _link_text(table: str, *, on: Sequence[str], show: Sequence[str]) -> str:
    """For the audit: what was asked for with records, without the records."""
    return f"LINK {table} ON ({', '.join(on)}) SHOW ({', '.join(show)})"


def _unsafe(shape: str) -> str:
    """For the steward: why a question was refused."""
    return (
        "the chosen shape would break a condition"
        if shape
        else "every shape of it would break a condition"
    )


def _never(holding: ProtectedTable) -> tuple[str, ...]:
    return tuple(name for name in holding.policy.fields if name not in holding.fields)
