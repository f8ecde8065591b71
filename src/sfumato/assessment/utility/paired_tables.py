"""A release beside its source: which fields can be compared, and both tables counted over them,
once.

Up to `HELD` rows a table is one group-by over all fields compared, from which everything else is a
sum. Larger ones are asked for each set of fields that a measure needs: small answers, wherever the
rows are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine, FieldKind
from sfumato.errors import Mistake
from sfumato.measures import Subject
from sfumato.parts import with_question

from .keyed_sums import Reals, rows_per_label
from .label_values import LabelValues, Spread, label_values

HELD = 5_000_000
MOST_VALUES = 1_000
"""A further field with more values than this, and none of them a number or a date, is a key or a
text."""
FEW = 10
"""A value of fewer people than this is not named."""


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table's bins over any of some fields."""

    engine: Engine
    fields: tuple[str, ...]
    rows: int
    held: Bins | None
    asked: dict[tuple[str, ...], Bins] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, engine: Engine, fields: Sequence[str]) -> CountedTable:
        rows = engine.count_rows()
        held = Bins.count(engine, fields) if rows <= HELD else None
        return cls(engine, tuple(fields), rows, held)

    def over(self, fields: Sequence[str]) -> Bins:
        """Bins that have these fields, and perhaps more."""
        if self.held is not None:
            return self.held
        key = tuple(fields)
        if key not in self.asked:
            self.asked[key] = Bins.count(self.engine, key)
        return self.asked[key]

    def totals(self, name: str) -> tuple[tuple[str | None, ...], Reals]:
        """The labels of a field and how many rows have each."""
        bins = self.over((name,))
        return bins.labels[bins.column(name)], rows_per_label(bins, name)


@dataclass(frozen=True, eq=False, kw_only=True)
class SideBySide:
    """Both tables, and how each of the compared fields is read. `left_out` is why others were not
    compared."""

    subject: Subject
    before: CountedTable
    after: CountedTable
    fields: dict[str, LabelValues]
    left_out: dict[str, str]
    spread: Spread
    people_with: dict[str, Reals] = field(repr=False)
    around: float = FEW
    """How many rows are ten different people's, at the least."""

    def people(self, name: str) -> Reals:
        """How many people of the source have each value of a field."""
        return self.people_with[name]

    def shown(self, name: str) -> NDArray[np.bool_]:
        """Which values of a field may be named: those that enough people of the source have."""
        return self.people_with[name] >= FEW

    def of(self, reading: str) -> tuple[LabelValues, ...]:
        return tuple(found for found in self.fields.values() if found.reading == reading)


def side_by_side(
    subject: Subject,
    *,
    fields: Sequence[str] | None = None,
    categories: Sequence[str] = (),
    spread: Spread = "evenly",
) -> SideBySide:
    """Count both tables over the fields that they share: those named, or all that are worth
    comparing."""
    source = _source(subject)
    names, left_out = _compared(subject, source, fields)
    before, after = CountedTable.of(source, names), CountedTable.of(subject.release, names)
    for table, what in ((before, "source"), (after, "release")):
        if not table.rows:
            raise Mistake(
                f"The {what} holds no row, so there is nothing to compare.",
                attempt="a table with rows.",
            )
    read: dict[str, LabelValues] = {}
    for name in names:
        labels, counts = before.totals(name)
        read[name] = label_values(
            name,
            (labels, counts),
            after.totals(name)[0],
            kind=subject.kinds.get(name, FieldKind.TEXT),
            hierarchy=subject.hierarchies.get(name),
            spread=spread,
            as_category=name in categories,
        )
    return SideBySide(
        subject=subject,
        before=before,
        after=after,
        fields=read,
        left_out=left_out,
        spread=spread,
        people_with={name: _people(subject, source, before, read[name]) for name in names},
        around=FEW * _most_rows(subject, source),
    )


def _source(subject: Subject) -> Engine:
    if subject.source is None:
        raise Mistake(
            "Utility is measured against the source, and no source was given.",
            attempt="the table that the release was made from.",
        )
    return subject.source


def _compared(
    subject: Subject, source: Engine, asked: Sequence[str] | None
) -> tuple[tuple[str, ...], dict[str, str]]:
    ours = [info.name for info in source.fields()]
    theirs = [info.name for info in subject.release.fields()]
    wanted = tuple(dict.fromkeys((*subject.known, *subject.sensitive) if asked is None else asked))
    missing = [name for name in wanted if name not in ours or name not in theirs]
    if missing:
        places = {
            name: ("source", ours) if name not in ours else ("release", theirs) for name in missing
        }
        found = " ".join(
            with_question(f"{n} is not in the {what}.", n, have)
            for n, (what, have) in places.items()
        )
        raise Mistake(
            "Release and source are compared field by field.",
            found=found,
            attempt="fields that both have.",
        )
    left_out = {name: "only in the source" for name in ours if name not in theirs}
    left_out |= {name: "only in the release" for name in theirs if name not in ours}
    names = list(wanted)
    for name in ours if asked is None else ():
        if name in theirs and name not in wanted:
            why = _not_worth(subject, source, name)
            if why:
                left_out[name] = why
            else:
                names.append(name)
    if not names:
        raise Mistake(
            "Release and source have no field in common that can be compared.",
            attempt="the release of this source.",
        )
    return tuple(names), left_out


def _not_worth(subject: Subject, source: Engine, name: str) -> str:
    """Why a field that nobody named is not compared."""
    if name in (subject.person, subject.household, subject.weight):
        return "it only groups rows"
    found = source.profile(name)
    present = found.rows - found.nulls
    if not present:
        return ""
    measured = found.info.kind in (
        FieldKind.INTEGER,
        FieldKind.REAL,
        FieldKind.DATE,
        FieldKind.TIMESTAMP,
    )
    if found.distinct >= 0.9 * present and present > FEW and found.info.kind is not FieldKind.REAL:
        return "nearly every row has its own value, as keys do"
    if (
        not measured
        and present not in (found.numbers, found.dates)
        and found.distinct > MOST_VALUES
    ):
        return f"text with more than {MOST_VALUES:,} different values"
    return ""


def _people(subject: Subject, source: Engine, before: CountedTable, read: LabelValues) -> Reals:
    """How many people of the source have each value."""
    if subject.person is None:
        return read.before(before.totals(read.name)[1])
    found = Bins.count(source, (read.name,), person=subject.person)
    place = {value: number for number, value in enumerate(read.values)}
    out = np.zeros(len(read.values))
    for label, count in zip(
        (names[0] for names in found.tuples()), found.counts.tolist(), strict=True
    ):
        if label is not None:
            out[place[label]] = count
    return out


def _most_rows(subject: Subject, source: Engine) -> int:
    """The most rows that one person has."""
    if subject.person is None:
        return 1
    return max(
        (int(rows) for rows in source.rows_per_person(subject.person).values[-1] if rows), default=1
    )
