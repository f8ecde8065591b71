"""Risk by group where rows are linked to people: whether somebody is easier to find by one of their
rows.

Somebody knows one row of a person, in any table, by its known and insensitive fields. The chance to
find the person is one over the number of people who have such a row. Of a person's rows, the one
with the highest chance counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.hierarchies import SUPPRESSED, Label

from .group_risk import FEWEST_PEOPLE, MOST_VALUES, GroupLine, GroupRisks
from .person_facts import FactTable

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]


def linked_group_risks(tables: Sequence[FactTable], knowable: Collection[str]) -> GroupRisks:
    """Compare the groups that the knowable fields with few values make, over all tables; a person is
    in the group of each value in their rows.

    Example:
        >>> from sfumato.engines import open_source
        >>> rows = [{"who": str(n), "sex": "f" if n < 60 else "m", "ward": "1"} for n in range(100)]
        >>> rows += [{"who": str(n), "sex": "m", "ward": str(n)} for n in range(60, 90)]
        >>> with open_source(rows, engine="reference") as engine:
        ...     visits = FactTable(engine=engine, fields=("sex", "ward"), person="who")
        ...     found = linked_group_risks([visits], ("sex", "ward"))
        >>> [(one.value, one.rows, round(one.average, 2)) for one in found.groups]
        [('m', 40, 0.76), ('f', 60, 0.02)]
    """
    numbers: dict[Label, int] = {}
    told = [(table, _people(table, numbers)) for table in tables if table.person is not None]
    chance = np.zeros(len(numbers))
    for table, person in told:
        _raise_chances(chance, table, person, knowable)
    there = chance > 0
    people = max(int(there.sum()), 1)
    lines = [line for table, person in told for line in _lines(table, person, chance, knowable)]
    return GroupRisks(
        fields=tuple(knowable),
        rows=int(there.sum()),
        average=float(chance[there].sum()) / people,
        alone=float((chance[there] == 1).sum()) / people,
        groups=tuple(sorted(lines, key=lambda one: (-one.average, one.field, one.value))),
    )


def _people(table: FactTable, numbers: dict[Label, int]) -> Numbers:
    """The number of the person of each different row; -1 where it is nobody's."""
    found = table.frequencies
    of_label = [
        -1 if label is None else numbers.setdefault(label, len(numbers))
        for label in found.values[0]
    ]
    return np.array(of_label, np.int64)[found.codes[:, 0]]


def _columns(table: FactTable, knowable: Collection[str]) -> list[int]:
    """Where the knowable fields are; the person is first."""
    return [place for place, name in enumerate(table.fields, 1) if table.called(name) in knowable]


def _raise_chances(
    chance: Reals, table: FactTable, person: Numbers, knowable: Collection[str]
) -> None:
    """Raise each person's chance to the highest of their rows of a table."""
    columns, found = _columns(table, knowable), table.frequencies
    if not columns:
        return
    sizes = [len(found.values[place]) for place in columns]
    bin_of, _ = group(found.codes[:, columns], sizes)
    pairs = np.unique(np.stack([bin_of, person], axis=1)[person >= 0], axis=0)
    people = np.bincount(pairs[:, 0])
    np.maximum.at(chance, pairs[:, 1], 1 / people[pairs[:, 0]])


def _lines(
    table: FactTable, person: Numbers, chance: Reals, knowable: Collection[str]
) -> Iterator[GroupLine]:
    found = table.frequencies
    for place in _columns(table, knowable):
        labels = found.values[place]
        told = [label for label in labels if label not in (None, SUPPRESSED)]
        if not 1 < len(told) <= MOST_VALUES:
            continue
        for code, label in enumerate(labels):
            within = np.unique(person[(found.codes[:, place] == code) & (person >= 0)])
            if label is None or label == SUPPRESSED or len(within) < FEWEST_PEOPLE:
                continue
            yield GroupLine(
                field=table.called(found.fields[place]),
                value=label,
                rows=len(within),
                average=float(chance[within].mean()),
                alone=float((chance[within] == 1).mean()),
            )
