"""Link mode (Chiang et al. 2001, section 3): somebody brings records of their own and asks for
further fields of the same people.

The records are one more condition over fields that others may know: these people. The answer is
therefore decided as any other: whole groups of the lattice are shown. Somebody may bring one target
among made-up fillers, near-duplicates of it, or all but the target. They get the group of the
target, or the class of all omitted bins, and never less."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import NotAdmitted
from sfumato.parts import with_question
from sfumato.wording import counted

from .decide.protected_table import HeldField
from .sql.admission import ANSWER, QueryableTable
from .sql.predicates import Marks, Predicate, Truth, TruthOf
from .sql.questions import Question

MOST_RECORDS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtRecords(Predicate):
    """The people whose fields agree with one of the records that somebody brought."""

    on: tuple[str, ...]
    records: frozenset[tuple[str | None, ...]] = field(repr=False)

    def canonical(self) -> str:
        told = hashlib.sha256(repr(sorted(self.records, key=repr)).encode()).hexdigest()[:16]
        return f"{counted(len(self.records), 'record')} on ({', '.join(self.on)}), {told}"

    def fields(self) -> frozenset[str]:
        return frozenset(self.on)

    def truth(self, of_field: Callable[[str], TruthOf]) -> Truth:
        raise NotImplementedError  # It is about several fields at once: see marks.

    def marks(
        self, fields: Mapping[str, HeldField], codes: Mapping[str, NDArray[np.int32]]
    ) -> Marks:
        keys = [self._keys(fields[name], place) for place, name in enumerate(self.on)]
        wanted = {
            tuple(key[cell] for key, cell in zip(keys, record, strict=True))
            for record in self.records
            if all(cell in key for key, cell in zip(keys, record, strict=True))
        }
        count = len(next(iter(codes.values())))
        if not wanted:
            return np.zeros(count, bool)
        spans = [len(fields[name].values) for name in self.on]
        brought = np.array(sorted(wanted), np.int64).T
        return np.isin(_packed([codes[name] for name in self.on], spans), _packed(brought, spans))

    def _keys(self, held: HeldField, place: int) -> dict[str | None, int]:
        """Each cell that was brought for a field, as the code of the value it means."""
        by_value = {value: code for code, value in enumerate(held.values)}
        if not held.is_number:
            return {
                cell: by_value[cell]
                for cell in {record[place] for record in self.records}
                if cell in by_value
            }
        by_number = {number: code for code, number in enumerate(held.numbers().tolist())}
        out: dict[str | None, int] = {}
        for cell in {record[place] for record in self.records}:
            code = by_value.get(cell) if cell is None else by_number.get(_number(cell))
            if code is not None:
                out[cell] = code
        return out


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _packed(columns: Iterable[NDArray[Any]], spans: Sequence[int]) -> NDArray[np.int64]:
    """Rows as single numbers, hashed where they would not fit: two that differ may then agree,
    which only widens."""
    key: NDArray[np.uint64] | None = None
    for column, span in zip(columns, spans, strict=True):
        codes = column.astype(np.uint64)
        key = codes if key is None else key * np.uint64(max(span, 1)) + codes
    assert key is not None
    return key.view(np.int64)


def link_question(
    name: str,
    table: QueryableTable,
    records: Sequence[Mapping[str, str | None]],
    *,
    on: Sequence[str],
    show: Sequence[str],
) -> Question:
    """The question of somebody who brings records; `NotAdmitted` where it does not fit the
    table."""
    _check(name, table, records, on=on, show=show)
    fields = (*on, *(each for each in show if each not in on))
    brought = frozenset(tuple(record.get(each) for each in on) for record in records)
    shown = [
        exp.alias_(exp.column(exp.to_identifier(each, quoted=True)), each, quoted=True)
        for each in fields
    ]
    return Question(
        table=name,
        known=tuple(each for each in table.known if each in fields),
        unknown=tuple(each for each in table.unknown if each in fields),
        about=BroughtRecords(on=tuple(on), records=brought),
        having=None,
        after=exp.select(*shown).from_(ANSWER),
        columns=fields,
    )


def _check(
    name: str,
    table: QueryableTable,
    records: Sequence[Mapping[str, str | None]],
    *,
    on: Sequence[str],
    show: Sequence[str],
) -> None:
    for each in (*on, *show):
        if each not in table.shown:
            never = each in table.never
            said = (
                f"The field {each!r} is never released."
                if never
                else f"There is no field {each!r} in {name}."
            )
            raise NotAdmitted(
                said if never else with_question(said, each, table.shown),
                code="never-shown" if never else "unknown-field",
            )
    strange = [each for each in on if each not in table.known]
    if not on or strange:
        raise NotAdmitted(
            "Records are linked on fields that others may know.",
            code="link-fields",
            found=f"Protected: {', '.join(strange)}." if strange else "No field was named.",
            attempt=f"{', '.join(table.known)}.",
        )
    absent = sorted(set(on) - {each for record in records for each in record})
    if absent or not records:
        raise NotAdmitted(
            "The records do not have the fields they are to be linked on.",
            code="link-fields",
            found=f"Missing: {', '.join(absent)}." if records else "No record was sent.",
        )
    if len(records) > MOST_RECORDS:
        raise NotAdmitted(
            "Too many records were sent at once.",
            code="too-long",
            found=f"{len(records):,} were sent; at most {MOST_RECORDS:,} are allowed.",
        )
