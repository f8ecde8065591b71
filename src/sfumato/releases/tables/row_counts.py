"""The number of rows of a person in a table, as bins over that number (Sweeney 1997, section 3.8);
and the numbers of several tables together, as further fields of these bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine, Lookup
from sfumato.hierarchies import Label

from .table_view import Sight

PersonNumbers = Mapping[Label, int]
"""How many rows each person has in a table; nobody is in it who has none."""


def rows_of(table: str) -> str:
    """The field of bins and stages that holds the number of rows in another table."""
    return f"rows of {table}"


def tables_before(sight: Sight, protected: Iterable[str]) -> tuple[str, ...]:
    """The tables before one, of those whose numbers of rows are `protected`, in their order. Their
    numbers are known together with its own; none where the policy does not ask for it."""
    if not sight.policy.row_counts.together:
        return ()
    names = tuple(protected)
    return names[: names.index(sight.name)] if sight.name in names else names


def person_numbers(engine: Engine, person: str) -> PersonNumbers:
    """How many rows each person has."""
    out: Counter[Label] = Counter()
    for batch in engine.spread_rows((person,)):
        out.update(who for who in batch[f"cell:{person}"].tolist() if who is not None)
    return out


def numbers_lookup(
    person: str, people: Iterable[Label], numbers: Mapping[str, PersonNumbers]
) -> Lookup:
    """From each person, by the field `person`, to the number of their rows in each table."""
    who: Sequence[Label] = [*people, None]
    keys = np.empty(len(who), object)
    keys[:] = who
    batch = {f"key:{person}": keys}
    for table, rows in numbers.items():
        batch[f"new:{rows_of(table)}"] = np.array([str(rows.get(w, 0)) for w in who], object)
    fields = tuple(rows_of(table) for table in numbers)
    return Lookup(keys=(person,), fields=fields, batches=lambda: iter([batch]))


def with_none(found: Bins, everyone: Bins) -> Bins:
    """The numbers of rows with the people who have none: all of them, less those who have some."""
    sizes = found.sizes()
    having: Counter[tuple[Label, ...]] = Counter()
    for key, people in sizes.items():
        having[key[:-1]] += people
    for key, people in everyone.sizes().items():
        if people > having[key]:
            sizes[*key, "0"] = people - having[key]
    return Bins.of(found.fields, sizes)


def row_numbers(counted: Bins) -> NDArray[np.int64]:
    """The number of rows of each bin, which is its last field."""
    numbers = np.array([int(label or 0) for label in counted.labels[-1]], np.int64)
    return numbers[counted.codes[:, -1]] if len(counted) else np.zeros(0, np.int64)


def renumbered(counted: Bins, rows: NDArray[np.int64]) -> Bins:
    """The bins when everyone in each has another number of rows."""
    sizes: Counter[tuple[Label, ...]] = Counter()
    for (*key, _), new, people in zip(
        counted.tuples(), rows.tolist(), counted.counts.tolist(), strict=True
    ):
        sizes[*key, str(new)] += people
    return Bins.of(counted.fields, sizes)
