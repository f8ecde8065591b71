"""How the reference engine follows a write plan: row by row, entry by entry."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from sfumato.hierarchies import SUPPRESSED, Label
from sfumato.policy import Order

from ..engine import Lookup, Quota, ShiftedDates, WritePlan
from .files import Row

Keys = tuple[Label, ...]
Entries = dict[Keys, list[dict[str, Any]]]


def released(source: Sequence[Row], plan: WritePlan) -> list[Row]:
    """The rows of the release, in the plan's order."""
    if plan.drop is not None:
        dropped = _entries(plan.drop)
        source = [row for row in source if _keys(row, plan.drop) not in dropped]
    if plan.quota is not None:
        source = _within(source, plan.quota)
    days = [(moved, {} if moved.lookup is None else _entries(moved.lookup)) for moved in plan.moved]
    parts = [(lookup, _entries(lookup), _ordinals(source, lookup)) for lookup in plan.lookups]
    out: list[Row] = []
    for number, row in enumerate(source):
        made = {name: _kept(row, name, plan) for name in _made(plan)}
        found = all(
            _look_up(row, made, lookup, entries, ordinals[number])
            for lookup, entries, ordinals in parts
        )
        if found and all(_move(row, made, moved, entries) for moved, entries in days):
            out.append({name: _followed(name, made, plan) for name in plan.fields})
    if plan.distinct:
        out = [dict(cells) for cells in dict.fromkeys(tuple(row.items()) for row in out)]
    if plan.order is Order.SCRAMBLE:
        random.SystemRandom().shuffle(out)
    elif plan.order is Order.SORTED:
        out.sort(key=lambda row: in_order(tuple(row.values())))
    for name, start in plan.numbered.items():
        out = [row | {name: str(start + place)} for place, row in enumerate(out, start=1)]
    return out


def _within(source: Sequence[Row], quota: Quota) -> list[Row]:
    """All rows of the people who keep theirs, and as many at random of each of the others as the
    quota allows."""
    entries: dict[tuple[Any, ...], int] = {}
    for batch in quota.batches():
        columns = [batch[f"key:{name}"].tolist() for name in quota.fields]
        for *keys, rows, keep in zip(
            *columns, batch["rows"].tolist(), batch["keep"].tolist(), strict=True
        ):
            entries[(*keys, rows)] = keep
    numbers: dict[Label, list[int]] = {}
    for number, row in enumerate(source):
        numbers.setdefault(row[quota.person], []).append(number)
    gone: set[int] = set()
    for person, mine in numbers.items():
        shared = (source[mine[0]][name] for name in quota.fields)
        keep = entries.get((*shared, len(mine)), len(mine)) if person is not None else len(mine)
        gone.update(random.SystemRandom().sample(mine, len(mine) - keep))
    return [row for number, row in enumerate(source) if number not in gone]


def _move(row: Row, made: Row, moved: ShiftedDates, entries: Entries) -> bool:
    """Move the dates of a row; False where its person has no entry."""
    found: list[Any] = [row[moved.by]] if moved.lookup is None else []
    if moved.lookup is not None:
        found = [entry["new:days"] for entry in entries.get(_keys(row, moved.lookup), ())]
    for days in found[:1]:
        for name in moved.fields:
            text = row[name]
            if text is not None and name in made:
                made[name] = (
                    date.fromisoformat(text[:10]) + timedelta(days=int(days or 0))
                ).isoformat() + text[10:]
    return bool(found)


def in_order(values: Keys) -> tuple[tuple[bool, str], ...]:
    """Sorts as text, null last."""
    return tuple((value is None, value or "") for value in values)


def _keys(row: Row, lookup: Lookup) -> Keys:
    return tuple(row[key] for key in lookup.keys)


def _kept(row: Row, name: str, plan: WritePlan) -> Label:
    value = row.get(plan.taken.get(name, name))
    return plan.constants[name] if name in plan.constants and value is not None else value


def _made(plan: WritePlan) -> dict[str, None]:
    """The released fields, and those that they follow."""
    return dict.fromkeys((*plan.fields, *(leader for leader, _ in plan.follows.values())))


def _followed(name: str, made: Row, plan: WritePlan) -> Label:
    leader, label = plan.follows.get(name, ("", ""))
    return SUPPRESSED if name in plan.follows and made[leader] == label else made[name]


def _entries(lookup: Lookup) -> Entries:
    out: Entries = {}
    for batch in lookup.batches():
        columns = list(batch)
        for cells in zip(*(batch[name].tolist() for name in columns), strict=True):
            entry = dict(zip(columns, cells, strict=True))
            out.setdefault(tuple(entry[f"key:{key}"] for key in lookup.keys), []).append(entry)
    return out


def _ordinals(source: Sequence[Row], lookup: Lookup) -> list[int]:
    """Each row's number, from 1 and at random, among the rows that share its keys."""
    ordinals = [0] * len(source)
    seen: Counter[Keys] = Counter()
    for number in random.SystemRandom().sample(range(len(source)), len(source)):
        keys = _keys(source[number], lookup)
        seen[keys] += 1
        ordinals[number] = seen[keys]
    return ordinals


def _look_up(row: Row, made: Row, lookup: Lookup, entries: Entries, ordinal: int) -> bool:
    """Put one lookup's new values into `made`; False where the row has no entry."""
    for entry in entries.get(_keys(row, lookup), ()):
        if not lookup.portions or entry["first"] <= ordinal <= entry["last"]:
            made.update({name: entry[f"new:{name}"] for name in lookup.fields if name in made})
            return True
    return False
