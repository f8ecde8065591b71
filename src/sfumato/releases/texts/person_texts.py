"""The texts and known values of everybody, person by person, over all tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

from sfumato.engines import Engine
from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import Label

from .messages import Cue, Person, Text
from .spill_file import Spill


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownField:
    """A field that is looked for in texts, with its kind and its looks; `is_coarser` and `of` as of
    a cue."""

    field: str
    of: str
    kind: str
    looks: frozenset[int]
    is_coarser: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CueTable:
    """A table with known values of people: `person` is the field that identifies the person."""

    engine: Engine
    person: str
    fields: tuple[KnownField, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.person, *(known.field for known in self.fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField:
    """A text field of a table: `number` distinguishes it from others, and `person` identifies the
    person of a row; None where nothing does.

    Without a person, each row is taken by itself: `own` are the fields of the row that are looked
    for in its text."""

    number: int
    look: int
    engine: Engine
    name: str
    where: str
    person: str | None
    own: tuple[KnownField, ...] = field(default=())

    @property
    def keys(self) -> tuple[str, ...]:
        """The fields that, with the text, determine the scrubbed text of a row."""
        return (
            (self.person,) if self.person is not None else tuple(known.field for known in self.own)
        )


def people(texts: Sequence[TextField], cues: Sequence[CueTable]) -> Iterator[Person]:
    """Everybody who has a text, one after the other, whatever the engine's order of tables.

    Each table is read once and put aside: an engine may not be asked something else while it hands
    out rows."""
    streams: list[Iterable[tuple[Label, tuple[Any, ...]]]] = []
    for of in texts:
        if of.person is not None:
            rows = _rows(of.engine, (of.person, of.name))
            _check_persons(of, rows)
            streams.append(_texts(of, rows))
    if streams:
        streams += [_cues(table, _rows(table.engine, table.names)) for table in cues]
    for name, told in groupby(merge(*streams, key=itemgetter(0)), key=itemgetter(0)):
        parts = dict.fromkeys(part for _, parts in told for part in parts)
        found = tuple(part for part in parts if isinstance(part, Text))
        if found:
            cue_parts = tuple(part for part in parts if isinstance(part, Cue))
            yield Person(name=str(name), keys=(name,), texts=found, cues=cue_parts)
    for of in texts:
        if of.person is None:
            yield from _rows_as_people(of)


def _rows(engine: Engine, fields: Sequence[str]) -> Spill:
    out = Spill()
    for batch in engine.distinct(fields):
        out.put(list(zip(*(batch[name].tolist() for name in fields), strict=True)))
    return out


def _flat(rows: Spill) -> Iterator[tuple[Label, ...]]:
    for batch in rows:
        yield from batch


def _check_persons(of: TextField, rows: Spill) -> None:
    nobodys = sum(1 for person, text in _flat(rows) if person is None and text is not None)
    if nobodys:
        found = (
            f"{nobodys:,} different texts are in rows without {of.person}, so that their "
            "person is unknown."
        )
        attempt = f'a source with {of.person} filled in, or replace = "remove" for the text field.'
        raise PolicyError([Problem(where=of.where, found=found, attempt=attempt)])


def _texts(of: TextField, rows: Spill) -> Iterator[tuple[Label, tuple[Text]]]:
    for person, text in _flat(rows):
        if text is not None and person is not None:
            yield person, (Text(of=of.number, look=of.look, text=text),)


def _cues(table: CueTable, rows: Spill) -> Iterator[tuple[Label, tuple[Cue, ...]]]:
    for person, *values in _flat(rows):
        if person is not None:
            yield person, _known(table.fields, values)


def _known(fields: Sequence[KnownField], values: Sequence[Label]) -> tuple[Cue, ...]:
    return tuple(
        Cue(
            kind=known.kind,
            value=value,
            looks=known.looks,
            is_coarser=known.is_coarser,
            of=known.of,
        )
        for known, value in zip(fields, values, strict=True)
        if value is not None
    )


def _rows_as_people(of: TextField) -> Iterator[Person]:
    """Each different row as a person of its own."""
    fields = [known.field for known in of.own]
    for *values, text in _flat(_rows(of.engine, (*fields, of.name))):
        if text is not None:
            digest = hashlib.sha256(
                repr((values, text)).encode("utf-8", "surrogatepass")
            ).hexdigest()
            yield Person(
                name=f"row {digest}",
                keys=tuple(values),
                texts=(Text(of=of.number, look=of.look, text=text),),
                cues=_known(of.own, values),
            )
