"""Synthetic copies: the releases that recipients work on, as the gate asks them the same questions.

A copy is asked exactly as the real table is: its rows are cut to the same contributions, its values to
the same bounds, and added up by the same code. A copy is public to its recipients, so its numbers have
no noise and cost nothing. The gate takes only a synthetic release whose manifest has the digest that
gate.toml names."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from sfumato.accounting import ChargedMeasurement, Counts, Measurement
from sfumato.engines import open_source
from sfumato.errors import Mistake, NotAdmitted, ReleaseBroken
from sfumato.policy import Policy, Requirements
from sfumato.releases import ReleaseShape, manifest_of, verify, written

from ..decide.held_rows import HeldRows
from ..decide.protected_table import ProtectedTable
from ..noise.noisy_answers import NoisyAnswers
from ..queried_tables import QueriedTables
from ..settings import HeldTable, LinkedCopy, Settings, Terms
from ..sql.joins import JoinedName
from ..sql.person_rows import PEOPLE
from ..sql.questions import Question
from ..sql.row_pairs import RowPairs
from ..table_state import TableState
from .claims import CODE

COPY: Final = b"synthetic copy"
"""Which rows of a person beyond the most are counted is no secret in a copy."""


@dataclass(eq=False, kw_only=True)
class SyntheticCopies:
    """The copies of a gate's tables. Each is checked when the gate opens, and read when it is first
    asked."""

    settings: Settings
    _read: dict[str, tuple[ProtectedTable, ProtectedTable]] = field(
        default_factory=dict, repr=False
    )
    """By name, the real table and its copy."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def of(cls, settings: Settings) -> SyntheticCopies:
        """Check that every release is there, is synthetic and has its digest."""
        for table in settings.tables.values():
            if table.synthetic is not None:
                _checked_file(table, table.synthetic)
        return cls(settings=settings)

    def digest(self, question: Question) -> str:
        """The digests of the copies of a question's tables; empty where one has none."""
        held = self.settings.tables
        found = [held[name].synthetic if name in held else None for name in _tables_of(question)]
        return " ".join(each.digest for each in found if each) if all(found) else ""

    def numbers(
        self, real: Mapping[str, ProtectedTable], question: Question, terms: Terms
    ) -> dict[str, Any] | None:
        """The record of a question as an answer has it, computed from the copies without noise; None
        where a table of the question has no copy. `real` are the tables themselves, whose policies and
        kinds of fields it has; `terms` are those of the real question."""
        names = _tables_of(question)
        if not self.digest(question):
            return None
        with self._lock:
            copies = {name: self._copy(name, real[name]) for name in names}
            own = QueriedTables(
                settings=self.settings,
                holdings=copies,
                lock=threading.RLock(),
                state_of=lambda _: TableState(),
            )
            self._check_keys(question, copies)
            _check_fields(question, own.table(question.table), names)
            table = own.of(question).alone
            return NoisyAnswers(secret=COPY).draw(
                question, table, terms, protected=True, charge=_of_public_rows
            )

    def _check_keys(self, question: Question, copies: Mapping[str, ProtectedTable]) -> None:
        """Whether rows of several tables can be joined by their people."""
        without = [name for name, each in copies.items() if not each.has_person_key]
        if without and (question.people or question.table not in copies):
            raise NotAdmitted(
                f"The synthetic copy of {without[0]} has no person key to join by.",
                code=CODE,
                attempt="stating the value.",
            )

    def _copy(self, name: str, real: ProtectedTable) -> ProtectedTable:
        known = self._read.get(name)
        if known is None or known[0] is not real:
            known = self._read[name] = real, _read_copy(self.settings.tables[name], real)
        return known[1]


def _tables_of(question: Question) -> tuple[str, ...]:
    """The tables that a question reads."""
    joined, pairs = JoinedName.read(question.table), RowPairs.read(question.table)
    own = (question.table.removeprefix(PEOPLE),) if joined is None else (joined.left, joined.right)
    own = own if pairs is None else (pairs.of, pairs.other)
    others = (name for each in question.people.values() for name in _tables_of(each.rows))
    return tuple(dict.fromkeys((*own, *others)))


def _checked_file(table: HeldTable, copy: LinkedCopy) -> Path:
    """The file of a copy, after every check of its release."""
    release = written(copy.release)
    facts = manifest_of(release)
    if facts.get("shape") != ReleaseShape.SYNTHETIC:
        raise Mistake(
            f"The copy of the table {table.name} was to be a synthetic release.",
            found="Its manifest is that of another kind of release.",
            attempt="the folder that `sfumato synthesize` wrote.",
        )
    checks = verify(copy.release, digest=copy.digest)
    if checks.outcome == "fail":
        failed = next(each.claim for each in checks if each.outcome == "fail")
        raise ReleaseBroken(
            f"The synthetic copy of the table {table.name} is not the release that gate.toml names.",
            found=f"A check failed: {failed}.",
            attempt="the release as it was made, and the digest that was printed then.",
        )
    tables: Mapping[str, Any] = facts["tables"]
    name = table.name if table.name in tables else next(iter(tables))
    if len(tables) > 1 and table.name not in tables:
        raise Mistake(
            f"The synthetic release of the table {table.name} has several tables.",
            found="None of them is called so.",
            attempt="a release with a table of this name.",
        )
    return copy.release / str(tables[name]["file"])


def _read_copy(table: HeldTable, real: ProtectedTable) -> ProtectedTable:
    """The rows of a copy as a table under the policy of the real one, with its fields' kinds."""
    assert table.synthetic is not None
    file = _checked_file(table, table.synthetic)
    with open_source(str(file)) as engine:
        policy = _fitting_policy(real.policy, {info.name for info in engine.fields()})
        rows = HeldRows.read(engine, policy)
    kinds = {name: real.fields[name].kind for name in rows.fields if name in real.fields}
    return ProtectedTable.of_rows(replace(rows, read_as=kinds), policy, name=table.name)


def _fitting_policy(policy: Policy, there: AbstractSet[str]) -> Policy:
    """The roles of the fields that a copy has. It is public, so that nothing is required of it."""
    return replace(
        policy,
        fields={
            name: replace(each, hierarchy=None)
            for name, each in policy.fields.items()
            if name in there
        },
        entity=policy.entity if policy.entity in there else None,
        household=None,
        require=Requirements(),
        steps=(),
        keep=(),
        other_fields="remove",
    )


def _check_fields(question: Question, table: ProtectedTable, copies: Sequence[str]) -> None:
    """Whether a copy has what is asked of it."""
    asked = {*question.known, *question.unknown} - {*question.derived, *question.people}
    missing = sorted(asked - table.fields.keys())
    if missing:
        raise NotAdmitted(
            f"The synthetic copy of {' and '.join(copies)} has no field {missing[0]!r}.",
            code=CODE,
            attempt="stating the value.",
        )


class _PublicNumbers(ChargedMeasurement):
    """Numbers of a synthetic copy. They are public, so they are taken as they are."""

    def add_noise(self, counts: Counts) -> Counts:
        return np.asarray(counts, np.int64)


def _of_public_rows(lines: Sequence[Measurement]) -> tuple[ChargedMeasurement, ...]:
    return tuple(_PublicNumbers(line=line) for line in lines)
