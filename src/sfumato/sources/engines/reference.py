"""The slow, obvious engine in plain Python that the others are tested against."""

from __future__ import annotations

import csv
import hashlib
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SourceError
from sfumato.policy.hierarchies import Label
from sfumato.policy.records import Order

from ..engine import (
    SIZE_CAP,
    Abilities,
    Column,
    FieldInfo,
    FieldProfile,
    Frequencies,
    Histogram,
    Kind,
    Lookup,
    WritePlan,
)

Row = dict[str, Label]


class ReferenceEngine:
    """Rows as dictionaries of text, everything by dictionaries and loops. Reads a CSV file or a list of rows."""

    name: ClassVar[str] = "reference"
    abilities: ClassVar[Abilities] = Abilities(
        larger_than_memory=False, reads=("CSV", "rows"), writes=("CSV",)
    )

    def __init__(self, source: Any) -> None:
        self.title = "the rows"
        if isinstance(source, str | os.PathLike):
            self.title = Path(source).name
            with open(source, encoding="utf-8-sig", newline="") as file:
                source = list(csv.DictReader(file))
        rows = [dict(row) for row in source]
        if not rows:
            raise SourceError(f"{self.title} holds no row.", attempt="at least one row.")
        self._fields = tuple(FieldInfo(name, Kind.TEXT, "str") for name in rows[0])
        self._rows: list[Row] = [{name: _text(value) for name, value in row.items()} for row in rows]

    def fields(self) -> tuple[FieldInfo, ...]:
        return self._fields

    def count_rows(self) -> int:
        return len(self._rows)

    def frequencies(self, fields: Sequence[str], *, sensitive: Sequence[str] = ()) -> Frequencies:
        counted = Counter(tuple(row[name] for name in fields) for row in self._rows)
        values = tuple(_sorted({t[i] for t in counted}) for i in range(len(fields)))
        places = [{value: code for code, value in enumerate(texts)} for texts in values]
        coded = {tuple(place[v] for place, v in zip(places, t, strict=True)): n for t, n in counted.items()}
        ordered = sorted(coded)
        number = {t: i for i, t in enumerate(ordered)}
        histograms = {}
        for name in sensitive:
            found = Counter((tuple(row[f] for f in fields), row[name]) for row in self._rows)
            texts = _sorted({value for _, value in found})
            entries = sorted(
                (number[tuple(p[v] for p, v in zip(places, t, strict=True))], texts.index(value), n)
                for (t, value), n in found.items()
            )
            histograms[name] = Histogram(
                values=texts,
                bin_of=np.array([e[0] for e in entries], np.int64),
                value_of=np.array([e[1] for e in entries], np.int32),
                counts=np.array([e[2] for e in entries], np.int64),
            )
        return Frequencies(
            fields=tuple(fields),
            values=values,
            codes=np.array(ordered, np.int32).reshape(len(ordered), len(fields)),
            counts=np.array([coded[t] for t in ordered], np.int64),
            histograms=histograms,
        )

    def bin_sizes(self, fields: Sequence[str]) -> NDArray[np.int64]:
        out = np.zeros(SIZE_CAP + 1, np.int64)
        for size in Counter(tuple(row[name] for name in fields) for row in self._rows).values():
            out[min(size, SIZE_CAP)] += 1
        return out

    def profile(self, name: str) -> FieldProfile:
        info = next(info for info in self._fields if info.name == name)
        counted = Counter(row[name] for row in self._rows)
        nulls = counted.pop(None, 0)
        present = {value: n for value, n in counted.items() if value is not None}
        lengths = [len(value) for value in present]
        return FieldProfile(
            info=info,
            rows=len(self._rows),
            nulls=nulls,
            distinct=len(present),
            unique=sum(1 for n in present.values() if n == 1),
            shortest=min(lengths, default=0),
            longest=max(lengths, default=0),
            integers=sum(n for value, n in present.items() if _is_integer(value)),
            numbers=sum(n for value, n in present.items() if _is_number(value)),
            dates=sum(n for value, n in present.items() if _is_date(value)),
            lowest=min(present, default=None),
            highest=max(present, default=None),
        )

    def sample(self, name: str, size: int) -> tuple[str, ...]:
        present = {row[name] for row in self._rows}
        texts = [value for value in present if value is not None]
        return tuple(sorted(texts, key=lambda value: hashlib.md5(value.encode()).hexdigest())[:size])

    def distinct(self, fields: Sequence[str]) -> Iterator[Mapping[str, Column]]:
        found = {tuple(row[name] for name in fields) for row in self._rows}
        ordered = sorted(found, key=lambda t: tuple((v is None, v or "") for v in t))
        columns = {name: np.array([t[i] for t in ordered], dtype=object) for i, name in enumerate(fields)}
        yield columns

    def write(self, plan: WritePlan, target: Path) -> int:
        rows = self._released(plan)
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=plan.fields)
            writer.writeheader()
            writer.writerows(rows)
        return len(rows)

    def _released(self, plan: WritePlan) -> list[Row]:
        shuffled = random.SystemRandom()
        rows = list(self._rows)
        if plan.order is Order.SCRAMBLE or any(lookup.portions for lookup in plan.lookups):
            shuffled.shuffle(rows)
        entries = [_entries(lookup) for lookup in plan.lookups]
        dropped = _entries(plan.drop) if plan.drop is not None else {}
        drop_keys = plan.drop.keys if plan.drop is not None else ()
        seen: list[Counter[tuple[Label, ...]]] = [Counter() for _ in plan.lookups]
        out: list[Row] = []
        for row in rows:
            if plan.drop is not None and tuple(row[key] for key in drop_keys) in dropped:
                continue
            made = {name: _kept(row, name, plan) for name in plan.fields}
            if all(_look_up(row, made, parts) for parts in zip(plan.lookups, entries, seen, strict=True)):
                out.append(made)
        if plan.order is Order.SORTED:
            out.sort(key=lambda row: tuple((v is None, v or "") for v in row.values()))
        return out

    def close(self) -> None:
        self._rows = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _kept(row: Row, name: str, plan: WritePlan) -> Label:
    value = row[name]
    return plan.constants[name] if name in plan.constants and value is not None else value


def _entries(lookup: Lookup) -> dict[tuple[Label, ...], list[dict[str, Any]]]:
    out: dict[tuple[Label, ...], list[dict[str, Any]]] = {}
    for batch in lookup.batches():
        columns = list(batch)
        for cells in zip(*(batch[name].tolist() for name in columns), strict=True):
            entry = dict(zip(columns, cells, strict=True))
            out.setdefault(tuple(entry[f"key:{key}"] for key in lookup.keys), []).append(entry)
    return out


def _look_up(
    row: Row,
    made: Row,
    parts: tuple[Lookup, dict[tuple[Label, ...], list[dict[str, Any]]], Counter[tuple[Label, ...]]],
) -> bool:
    """Put one lookup's new values into `made`; False where the row has no entry."""
    lookup, entries, seen = parts
    keys = tuple(row[key] for key in lookup.keys)
    seen[keys] += 1
    for entry in entries.get(keys, ()):
        if not lookup.portions or entry["first"] <= seen[keys] <= entry["last"]:
            made.update({name: entry[f"new:{name}"] for name in lookup.fields if name in made})
            return True
    return False


def _text(value: object) -> Label:
    """Canonical text, as every engine writes it."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)


def _sorted(values: set[Label]) -> tuple[Label, ...]:
    texts = tuple(sorted(value for value in values if value is not None))
    return (*texts, None) if None in values else texts


def _is_integer(value: str) -> bool:
    try:
        return abs(int(value)) < 2**63
    except ValueError:
        return False


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
