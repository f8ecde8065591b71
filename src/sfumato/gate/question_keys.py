"""Question keys: the people whom a question means, one key for all its spellings, and its number."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import FieldKind
from sfumato.techniques import KeyedRandom

from .decide.question_cells import marked_places
from .membership import is_protected
from .noise.domains import marks_on
from .queried_tables import QueriedTables
from .settings import Asker
from .sql import Question
from .sql.normal_form import normal_form
from .state import GateState
from .table_state import read_table_state

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionKeys:
    """The keys of the questions of a gate."""

    tables: QueriedTables = field(repr=False)
    state: GateState = field(repr=False)
    secret: bytes = field(repr=False)
    _last: list[Any] = field(default_factory=list, repr=False)
    """The question that was worked out last, and the places it means."""
    _keyed: list[Any] = field(default_factory=list, repr=False)
    """The question whose key was worked out last, and the key."""

    def forget(self) -> None:
        """Tables have changed."""
        self._last.clear()
        self._keyed.clear()

    def key(self, asker: Asker, question: Question) -> str:
        """One for all spellings: which people are meant, and what is asked of them."""
        if self._keyed and self._keyed[0] is question:
            return str(self._keyed[1])
        told = self._asked(question)
        told.update(self._meaning(asker, question))
        number = read_table_state(self.state, self.tables.account(question)).number
        if number > 1:  # Another state of the table is another question.
            told.update(f"state {number}".encode())
        self._keyed[:] = question, told.hexdigest()
        return told.hexdigest()

    def text_key(self, question: Question) -> str:
        """The key by which a question is found again in another state of its table, where other
        people meet its condition."""
        told = self._asked(question)
        told.update(normal_form(question.about, self._kinds(question)).encode())
        return f"text {told.hexdigest()}"

    def _asked(self, question: Question) -> hashlib._Hash:
        """What is asked, but for the condition over known fields. It names the fields, so that
        their places are enough for that."""
        having = normal_form(question.having, self._kinds(question))
        told = hashlib.sha256(question.canonical(having).encode())
        told.update("|".join(sorted(question.groups)).encode())
        told.update("|".join(sorted({each.canonical() for each in question.aggregates})).encode())
        return told

    def _kinds(self, question: Question) -> dict[str, FieldKind]:
        return {name: held.kind for name, held in self.tables.of(question).fields.items()}

    def _meaning(self, asker: Asker, question: Question) -> bytes:
        """The people whom a question means, as a key. Where membership is protected, its condition
        decides, and not who is there. Otherwise two conditions with one key would disclose that
        nobody meets only one of them."""
        holding = self.tables.of(question)
        if not is_protected(holding.policy, self.tables.terms(asker, question)):
            return self._places(question).tobytes()
        if question.about is None:
            return b"protected: anybody"
        marks = marks_on(question.about, holding)
        if marks is not None:
            return b"protected: " + marks.tobytes()
        return b"protected: " + normal_form(question.about, self._kinds(question)).encode()

    def number(self, asker: Asker, question: Question) -> str:
        told = hashlib.blake2b(
            self.key(asker, question).encode(), key=self.secret[:32], digest_size=4
        )
        return f"q-{told.hexdigest()}"

    def chance(self, asker: Asker, question: Question) -> KeyedRandom:
        return KeyedRandom(self.secret + self.key(asker, question).encode())

    def meant(self, question: Question) -> Marks:
        """The bins that a question means."""
        return self._places(question).take(
            self.tables.of(question).projection(question.known).place_of
        )

    def _places(self, question: Question) -> Marks:
        """The places that it means on the projection of its known fields; worked out once for
        each."""
        if not self._last or self._last[0] is not question:
            holding = self.tables.of(question)
            self._last[:] = question, marked_places(question.about, holding, question.known)
        return cast(Marks, self._last[1])

    def as_of(self, question: Question) -> str:
        """When the rows that a question is answered from were read from their source."""
        return read_table_state(self.state, self.tables.account(question)).as_of
