"""Several registers as one. An intruder joins them by the names that they share, and knows more of
each person than any register has. See Sweeney 2000, section 3: linking the voter list, the
discharges and further collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.bins import Bins
from sfumato.engines import Engine, open_source
from sfumato.hierarchies import Label

Row = dict[str, Label]


@dataclass(frozen=True, eq=False, kw_only=True)
class JoinedRegister:
    """`people` of all registers that could be joined, over every field that one of them has; None
    where fewer than two could. `joined` and `left_out` name the registers."""

    people: Engine | None
    by: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def joined_register(
    registers: Sequence[Engine], released: Sequence[str], *, fields: Sequence[str]
) -> JoinedRegister:
    """Join registers one after the other, by the names and numbers that they share.

    Two people are one where the values agree and nobody else in either register has them. `fields`
    are what the intruder needs of each person. A register that shares no field with the others
    stays alone. Where two registers differ about a person, the first is believed.
    """
    names = [[info.name for info in engine.fields()] for engine in registers]
    if len(registers) < 2:
        return JoinedRegister(people=None)
    rows, have, titles, by = (
        _rows(registers[0], names[0], fields),
        names[0],
        [registers[0].title],
        [],
    )
    left_out = []
    for engine, others in zip(registers[1:], names[1:], strict=True):
        keys = _keys(have, others, released)
        if not keys:
            left_out.append(engine.title)
            continue
        rows = _joined(rows, _rows(engine, others, fields), keys)
        have = list(dict.fromkeys((*have, *others)))
        titles.append(engine.title)
        by += [key for key in keys if key not in by]
    if len(titles) < 2 or not rows:
        return JoinedRegister(people=None, left_out=tuple(left_out))
    return JoinedRegister(
        people=open_source(rows, engine="reference"),
        by=tuple(by),
        joined=tuple(titles),
        left_out=tuple(left_out),
    )


def _keys(have: Sequence[str], others: Sequence[str], released: Sequence[str]) -> tuple[str, ...]:
    """Names and numbers that both have and the release has not; else all fields that both have."""
    both = tuple(name for name in others if name in have)
    return tuple(name for name in both if name not in released) or both


def _rows(engine: Engine, names: Sequence[str], fields: Sequence[str]) -> list[Row]:
    """The people of a register with a unique combination of values; others cannot be
    distinguished."""
    kept = [name for name in names if name in fields] if fields else list(names)
    bins = Bins.count(engine, kept)
    return [
        {name: bins.labels[at][code] for at, (name, code) in enumerate(zip(kept, row, strict=True))}
        for row, count in zip(bins.codes.tolist(), bins.counts.tolist(), strict=True)
        if count == 1
    ]


def _joined(left: Sequence[Row], right: Sequence[Row], keys: tuple[str, ...]) -> list[Row]:
    here, there = _single(left, keys), _single(right, keys)
    return [there[key] | row for key, row in here.items() if key in there]


def _single(rows: Sequence[Row], keys: tuple[str, ...]) -> dict[tuple[Label, ...], Row]:
    """The row of each key that one row alone has, without those that miss a part of it."""
    found: dict[tuple[Label, ...], Row | None] = {}
    for row in rows:
        key = tuple(row.get(name) for name in keys)
        if None not in key:
            found[key] = None if key in found else row
    return {key: row for key, row in found.items() if row is not None}
