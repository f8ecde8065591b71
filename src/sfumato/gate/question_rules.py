"""Question rules: whether a question may be asked, and whether its number may be exact. The question,
the policy and the terms decide; no row is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sfumato.errors import NotAdmitted
from sfumato.policy import Membership

from .decide.sensitive_numbers import check_shown_numbers
from .membership import check_membership
from .noise.statistics import QUANTILE, REGRESSIONS, STATISTICS
from .queried_tables import QueriedTables
from .settings import Mode, Terms
from .sql import Question
from .sql.admission import PERSON
from .sql.order_checks import check_orders

_SUMMED: Final = frozenset(("sum", "avg", QUANTILE, *STATISTICS))
_OTHER_FIELDS: Final = "rows of other fields, or numbers about them."


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionRules:
    """The rules of the tables of a gate."""

    tables: QueriedTables = field(repr=False)

    def check(self, question: Question, terms: Terms) -> None:
        """The checks of the question, the policy and the terms alone."""
        of_people = self.tables.is_of_people(question)
        if of_people and (not question.is_aggregate or terms.mode is Mode.EXACT):
            raise NotAdmitted(
                "Joined tables, rows per person and newcomers are asked for noisy numbers alone.",
                code="join",
                attempt="COUNT(*), COUNT(DISTINCT person), SUM(field) or AVG(field).",
            )
        check_membership(question, self.tables.of(question).policy, terms)
        check_orders(question, self.tables.of(question).fields)
        if not of_people:
            check_shown_numbers(question, self.tables.conditions_of(question).measurements)

    def mode(self, question: Question, terms: Terms, mode: Mode | None) -> Mode:
        """How numbers are wanted, as far as the terms allow it."""
        wanted = mode or terms.mode
        if wanted is Mode.NOISY and terms.mode is Mode.EXACT:
            raise NotAdmitted(
                "Noisy numbers are not released under this profile.", code="not-noisy"
            )
        if wanted is not Mode.NOISY and terms.mode is Mode.NOISY and question.is_aggregate:
            wanted = Mode.NOISY
        reason = self.only_noisy(question)
        if reason:
            if terms.mode is Mode.EXACT:
                raise NotAdmitted(reason, code="not-noisy", attempt=_OTHER_FIELDS)
            wanted = Mode.NOISY
        return wanted

    def only_noisy(self, question: Question) -> str:
        """Why a number is never exact, whatever was shown before; nothing where it may be. Decided
        by the question and the policy."""
        if self.tables.is_of_people(question):
            return "Numbers of joined tables, rows per person and newcomers are released only with noise."
        if self._follows_people(question):
            return (
                "People have several rows here, so numbers about protected fields are "
                "released only with noise."
            )
        if self._sums_texts(question):
            return "Sums and means of a field that is text are released only with noise."
        if question.unknown and any(each.function in REGRESSIONS for each in question.aggregates):
            return "Regressions of protected fields are released only with noise."
        if question.is_aggregate and not self.tables.conditions_of(question).is_open(question):
            return (
                "Numbers about a sensitive number are released only with noise, but for sums and "
                "means under a closeness rule."
            )
        return ""

    def _sums_texts(self, question: Question) -> bool:
        """Whether a field is summed that is no number: a file's field with one cell such as `1.2.3` is
        text. The query cannot be worked out from its cells, and would count as shown all the same."""
        fields = self.tables.of(question).fields
        summed = {each.field for each in question.aggregates if each.function in _SUMMED}
        return any(not fields[name].is_number for name in summed & fields.keys())

    def _follows_people(self, question: Question) -> bool:
        """Whether a number follows people with several rows to protected fields. All rows of one of
        them move it together, and somebody who knows their number sees that."""
        return (
            question.is_aggregate
            and bool(question.unknown)
            and not self.tables.of(question).one_row_each
        )

    def counts_public(self, question: Question) -> bool:
        """Whether people are counted by one field whose counts of people are public by the policy.
        Decided by the question and the policy."""
        if question.table not in self.tables.holdings or question.derived or question.people:
            return False
        table = self.tables.holdings[question.table]
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
