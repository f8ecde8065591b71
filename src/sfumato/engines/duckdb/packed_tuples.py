"""Counting tuples of which nearly every row has its own, in DuckDB.

Usually rows are grouped first, and the values of the groups are numbered. Where there are nearly as
many groups as rows, grouping saves nothing: here the values are numbered first, and a row is one
whole number, which is read and sorted in half of the time that a group-by over texts takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from sfumato.errors import SourceChanged

from ..engine import FieldInfo
from ..sql.codes import CodedTuples
from ..sql.queries import SOURCE, Queries, column, count_all, named, number, table
from .bin_counts import narrow
from .session import DuckDBSession

FEWEST_ROWS = 100_000
"""Below that, grouping takes no time."""
MOST_FETCHED = 2_000_000
"""Up to so many rows each row's number is fetched; of more, equal ones are counted in DuckDB."""
LEAST_SHARE = 0.25
"""The share of rows with a tuple of their own, roughly, from which values are numbered first."""
ESTIMATED_ROWS, PART, CLEARLY = 1_000_000, 16, 1.05
"""From so many rows on, bins are first counted in one part of so many; where those are clearly too
many, all are not counted. The part is of bins and not of rows, so that of five million bins the
number is within one in a hundred."""
MOST_TUPLES = 2**62
"""Tuples that could be, up to which each is one whole number."""
_PLACE = "rowid"


def packed_tuples(
    session: DuckDBSession, ask: Queries, infos: Sequence[FieldInfo], *, rows: int
) -> CodedTuples | None:
    """The tuples of some fields in order; None where grouping first is better, as over joined
    tables, or where no number of 64 bits holds a tuple."""
    if not _can_pack(ask, infos, rows=rows):
        return None
    if session.rows(_about_distinct(ask, infos))[0][0] < LEAST_SHARE * rows:
        return None
    with ExitStack() as tidy:
        kept = _dictionaries(session, ask, infos, tidy)
        values = [_values(session, ask, info, name) for info, name in zip(infos, kept, strict=True)]
        sizes = [len(own) for own in values]
        if math.prod(sizes) >= MOST_TUPLES:
            return None
        key = named(_key([column(_PLACE, name) for name in kept], sizes), "key")
        query = _numbered(ask, infos, kept).select(key)
        if rows > MOST_FETCHED:
            query = query.select(named(count_all(), "n")).group_by(number(1))
        found = session.columns(query)
    keys = np.asarray(found["key"])
    order = np.argsort(keys) if "n" in found else None
    keys = np.sort(keys) if order is None else keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(starts, append=len(keys)) if order is None else found["n"][order]
    if int(counts.sum()) != rows:  # A value that is in no dictionary came later.
        raise SourceChanged
    keys = keys[starts]
    codes = np.empty((len(keys), len(sizes)), np.int32)
    for place in range(len(sizes) - 1, -1, -1):
        keys, codes[:, place] = np.divmod(keys, sizes[place])
    return CodedTuples(values=tuple(values), codes=codes, counts=counts.astype(np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedRows:
    """A session's table `kept` with the number of each row's value in each field, and for each
    field its dictionary, in which values have these places."""

    kept: str
    rows: int
    dictionaries: Mapping[str, str]
    sizes: Mapping[str, int]

    def count_bins(
        self, session: DuckDBSession, labels: Mapping[str, str], *, limit: int | None = None
    ) -> int | None:
        """How many bins there are with the labels of some fields in place of their values, from
        tables of `key:NAME` and `new:NAME`. None where no number of 64 bits holds a bin. With a
        `limit`, more bins than that are estimated."""
        with ExitStack() as tidy:
            query, sizes = exp.select().from_(table(self.kept)), dict(self.sizes)
            parts: dict[str, exp.Expr] = {name: column(name, self.kept) for name in sizes}
            for name, own in labels.items():
                places = session.keep(_places_of_labels(self.dictionaries[name], own, name))
                tidy.callback(session.forget, places)
                most = exp.select(exp.Max(this=column("label"))).from_(table(places))
                sizes[name] = session.rows(most)[0][0] + 1
                parts[name] = column("label", places)
                same = exp.EQ(this=column(name, self.kept), expression=column("place", places))
                query = query.join(table(places), on=same)
            if math.prod(sizes.values()) >= MOST_TUPLES:
                return None
            keys = query.select(named(_key([*parts.values()], [*sizes.values()]), "key"))
            if limit is not None and self.rows >= ESTIMATED_ROWS:
                estimate = PART * _different(session, keys, part=PART)
                if estimate > CLEARLY * limit:
                    return estimate
            return _different(session, keys)


def _different(session: DuckDBSession, keys: exp.Select, *, part: int = 1) -> int:
    """How many different keys there are, of all or of one part of so many."""
    query = exp.select(column("key")).from_(keys.subquery("keys")).distinct()
    if part > 1:
        place = exp.Mod(
            this=exp.Anonymous(this="hash", expressions=[column("key")]), expression=number(part)
        )
        query = query.where(exp.EQ(this=place, expression=number(0)))
    return int(session.rows(exp.select(count_all()).from_(query.subquery("bins")))[0][0])


@contextmanager
def packed_rows(
    session: DuckDBSession, ask: Queries, infos: Sequence[FieldInfo], *, rows: int
) -> Iterator[PackedRows | None]:
    """The rows of some fields as numbers, as long as this lasts; None where grouping is better."""
    if not _can_pack(ask, infos, rows=rows):
        yield None
        return
    with ExitStack() as tidy:
        kept = _dictionaries(session, ask, infos, tidy)
        counts = (exp.select(count_all()).from_(table(name)) for name in kept)
        sizes = [int(session.rows(query)[0][0]) for query in counts]
        shown = [
            named(exp.cast(column(_PLACE, name), narrow(size)), info.name)
            for info, name, size in zip(infos, kept, sizes, strict=True)
        ]
        large = not session.has_room_for(4 * rows * len(infos))
        numbers = session.keep(_numbered(ask, infos, kept).select(*shown), large=large)
        tidy.callback(session.forget, numbers)
        names = [info.name for info in infos]
        yield PackedRows(
            kept=numbers,
            rows=rows,
            dictionaries=dict(zip(names, kept, strict=True)),
            sizes=dict(zip(names, sizes, strict=True)),
        )


def _can_pack(ask: Queries, infos: Sequence[FieldInfo], *, rows: int) -> bool:
    is_table = isinstance(ask.source(), exp.Table)
    plain = all(map(ask.groups_plainly, infos))
    return rows >= FEWEST_ROWS and len(infos) > 1 and is_table and plain


def _about_distinct(ask: Queries, infos: Sequence[FieldInfo]) -> exp.Select:
    """Roughly how many tuples there are."""
    together = exp.Anonymous(this="hash", expressions=[column(info.name) for info in infos])
    return exp.select(exp.ApproxDistinct(this=together)).from_(ask.source())


def _dictionaries(
    session: DuckDBSession, ask: Queries, infos: Sequence[FieldInfo], tidy: ExitStack
) -> list[str]:
    """For each field a table of its values as they are stored, in the order of their text, null
    last: the place of a value is its number."""
    kept = []
    for info in infos:
        stored = exp.select(named(column(info.name), "k")).distinct().from_(ask.source())
        order = exp.Ordered(this=_text(ask, info), nulls_first=False)
        query = exp.select(column("k")).from_(stored.subquery("stored")).order_by(order)
        kept.append(session.keep(query, in_order=True))
        tidy.callback(session.forget, kept[-1])
    return kept


def _text(ask: Queries, info: FieldInfo) -> exp.Expr:
    """A value of a dictionary as text."""
    return ask.as_text(FieldInfo("k", info.kind, info.declared))


def _values(
    session: DuckDBSession, ask: Queries, info: FieldInfo, dictionary: str
) -> tuple[str, ...]:
    query = exp.select(named(_text(ask, info), "v")).from_(table(dictionary))
    return tuple(session.columns(query, in_order=True)["v"].tolist())


def _key(parts: Sequence[exp.Expr], sizes: Sequence[int]) -> exp.Expr:
    """Numbers below some sizes as one number."""
    key: exp.Expr = exp.cast(number(0), exp.DataType.Type.BIGINT)
    for part, size in zip(parts, sizes, strict=True):
        raised = exp.Mul(this=exp.paren(key), expression=number(size))
        key = exp.Add(this=raised, expression=part)
    return key


def _numbered(ask: Queries, infos: Sequence[FieldInfo], dictionaries: Sequence[str]) -> exp.Select:
    """The rows beside the numbers of their values."""
    query = exp.select().from_(ask.source())
    for info, name in zip(infos, dictionaries, strict=True):
        same = exp.NullSafeEQ(this=column(info.name, SOURCE), expression=column("k", name))
        query = query.join(table(name), on=same)
    return query


def _places_of_labels(dictionary: str, labels: str, name: str) -> exp.Select:
    """The place of each value of a field, and the number of its label."""
    order = exp.Order(expressions=[exp.Ordered(this=column(f"new:{name}", labels))])
    rank = exp.Window(this=exp.Anonymous(this="dense_rank"), order=order)
    label = exp.Sub(this=rank, expression=number(1))
    text = exp.cast(column("k", dictionary), exp.DataType.Type.TEXT)
    same = exp.NullSafeEQ(this=text, expression=column(f"key:{name}", labels))
    shown = (named(column(_PLACE, dictionary), "place"), named(label, "label"))
    return exp.select(*shown).from_(table(dictionary)).join(table(labels), on=same)
