"""The person of each row after the steps. This is the last place where it is known, so its
consequences are counted here.

A released row may lead to the one it is about, to someone else or to nobody (Sweeney 2000, section
5); and its other values may or may not be those collected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import NOBODY, Bins, Pairing
from sfumato.engines import Engine
from sfumato.hierarchies import Label
from sfumato.policy import OutsideNeed, Policy, Role
from sfumato.techniques import Cells, TakenStep

from .prepared_source import known_fields

Numbers = NDArray[np.int64]
Column = NDArray[np.object_]

_NO_CELLS: Column = np.zeros(0, object)


@dataclass(frozen=True, eq=False, kw_only=True)
class SteppedRows:
    """Cells before and after the steps, with the place of each row's own among the former; the
    stage holds the latter as the engine writes them."""

    before: Cells
    after: Cells
    own: Numbers
    stage: Engine = field(repr=False)

    @classmethod
    def of(cls, before: Cells, after: Cells, stage: Engine) -> SteppedRows:
        own = np.searchsorted(before.rows, after.rows)
        return cls(
            before=before, after=after, own=np.where(after.rows < 0, NOBODY, own), stage=stage
        )

    def column(self, name: str) -> Column:
        """A field of the rows as they are now."""
        if name in self.after.columns:
            return self.after.columns[name]
        return np.asarray(
            np.where(self.own == NOBODY, np.array(None), self.before.columns[name][self.own])
        )

    def coded(self, name: str) -> tuple[tuple[Label, ...], Numbers, Numbers]:
        """A field as labels, and the codes of them before and after; equal numbers are equal
        however written."""
        labels: dict[Label, int] = {}
        codes = []
        spelling = self._spelling(name)
        for column in (self.before.columns[name], self.column(name)):
            null = np.asarray(column == np.array(None), bool)
            values, place = np.unique(column[~null].astype(str), return_inverse=True)
            names = [spelling.get(text, text) for text in values.tolist()]
            translate = np.array([labels.setdefault(text, len(labels)) for text in names], np.int64)
            out = np.full(len(column), -1, np.int64)
            out[~null] = translate[place]
            out[null] = labels.setdefault(None, len(labels)) if null.any() else 0
            codes.append(out)
        return tuple(labels), codes[0], codes[1]

    def _spelling(self, name: str) -> dict[str, str]:
        """How the stage writes the numbers of a field that steps changed, so that 40, 40.0 and
        40.00 are one label."""
        if name not in self.after.given:
            return {}
        written = _texts(
            np.concatenate([batch[name] for batch in self.stage.distinct((name,))] or [_NO_CELLS])
        )
        others = [
            text
            for column in (self.before.columns[name], self.column(name))
            for text in _texts(column)
        ]
        numbers = {text: _number(text) for text in (*written, *others)}
        if not all(map(math.isfinite, numbers.values())):
            return {}
        by_number = {numbers[text]: text for text in written}
        return {
            text: by_number[numbers[text]]
            for text in others
            if text not in written and numbers[text] in by_number
        }


def _texts(column: Column) -> set[str]:
    return set(column[column != np.array(None)].tolist())


def _number(text: str) -> float:
    """Infinite where it is none."""
    try:
        return float(text)
    except ValueError:
        return math.inf


@dataclass(frozen=True, eq=False, kw_only=True)
class FollowedRows:
    """The knowledge about the rows after the steps. `pairing` is None where every row still leads
    to the one it is about; `is_true` is whether some row still has the collected values outside the
    quasi-identifiers. `unread` are known fields with labels, made by steps, that nobody can look
    up."""

    pairing: Pairing | None = None
    is_true: bool = True
    unread: tuple[str, ...] = ()


def follow(
    engine: Engine,
    policy: Policy,
    *,
    before: Cells,
    after: Cells,
    stage: Engine,
    taken: Sequence[TakenStep],
) -> FollowedRows:
    """Follow the rows through the steps, as far as a requirement or the check of property 9 asks
    for it."""
    known = known_fields(policy)
    changed = {name for one in taken if not one.step.truthful for name in one.step.fields}
    recoded = {name for one in taken if one.step.truthful for name in one.step.fields}
    asked = any(True for _ in policy.require.needing(OutsideNeed.PAIRING))
    outside = outside_fields(policy)
    pairing = None
    if asked or changed & set(known) or (after.rows < 0).any():
        whole = _with_fields(before, engine, (*known, *outside))
        pairing = _pairing(SteppedRows.of(whole, after, stage), known, outside)
    return FollowedRows(
        pairing=pairing,
        is_true=_some_are_true(
            SteppedRows.of(before, after, stage), released_outside(policy), changed
        ),
        unread=tuple(name for name in known if name in recoded) if pairing is not None else (),
    )


def released_outside(policy: Policy) -> tuple[str, ...]:
    """The released fields outside the quasi-identifiers that are not replaced."""
    return tuple(
        name
        for name, item in policy.fields.items()
        if item.role in (Role.SENSITIVE, Role.INSENSITIVE)
    )


def outside_fields(policy: Policy) -> tuple[str, ...]:
    """The fields in which a requirement of the pairing asks that no row has the collected value;
    all where it names none, and none where nothing asks for that."""
    asking = [
        asked
        for _, asked in policy.require.needing(OutsideNeed.PAIRING)
        if hasattr(asked, "outside")
    ]
    named = dict.fromkeys(
        name for asked in asking for name in asked.outside or released_outside(policy)
    )
    return tuple(named)


def _with_fields(cells: Cells, engine: Engine, names: Sequence[str]) -> Cells:
    """The cells before the steps with other fields of the source beside them."""
    absent = tuple(dict.fromkeys(name for name in names if name not in cells.columns))
    more = Cells.of(engine, absent) if absent else cells
    return Cells(cells.rows, {**cells.columns, **more.columns}, cells.kinds, {}, cells.title)


def _pairing(rows: SteppedRows, known: Sequence[str], outside: Sequence[str]) -> Pairing:
    columns = [rows.coded(name) for name in known]
    labels = tuple(names for names, _, _ in columns)
    tables = []
    for size, sides in (
        (len(rows.before), [before for _, before, _ in columns]),
        (len(rows.after), [after for _, _, after in columns]),
    ):
        codes = np.stack(sides, axis=1) if sides else np.zeros((size, 0))
        tables.append(Bins(tuple(known), labels, codes.astype(np.int32), np.ones(size, np.int64)))
    both = np.zeros(len(rows.before) + len(rows.after), np.int64)
    for name in outside:
        names, collected, said = rows.coded(name)
        _, both = np.unique(
            both * len(names) + np.concatenate([collected, said]), return_inverse=True
        )
    parts = np.split(both, [len(rows.before)]) if outside else [both[:0], both[:0]]
    return Pairing(
        subjects=tables[0], released=tables[1], own=rows.own, collected=parts[0], said=parts[1]
    )


def _some_are_true(rows: SteppedRows, outside: Sequence[str], changed: set[str]) -> bool:
    """Whether a row has in any field outside what was collected about its person: surely where one
    was not touched."""
    if not outside or set(outside) - changed:
        return True
    real = rows.own != NOBODY
    for name in outside:
        _, before, after = rows.coded(name)
        if (before[rows.own[real]] == after[real]).any():
            return True
    return False
