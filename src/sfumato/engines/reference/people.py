"""People, items and stages in the reference engine: dictionaries and loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from sfumato.hierarchies import Label

from ..engine import Frequencies, Itemsets, Witnesses

Tuples = Sequence[tuple[Label, ...]]


def in_text_order(values: set[Label]) -> tuple[Label, ...]:
    """Sorted as text, null last."""
    texts = tuple(sorted(value for value in values if value is not None))
    return (*texts, None) if None in values else texts


def frequencies(fields: Sequence[str], counted: Mapping[tuple[Label, ...], int]) -> Frequencies:
    """Counts of tuples as codes, in order."""
    values = tuple(in_text_order({t[i] for t in counted}) for i in range(len(fields)))
    places = [{value: code for code, value in enumerate(texts)} for texts in values]
    coded = {
        tuple(place[value] for place, value in zip(places, found, strict=True)): n
        for found, n in counted.items()
    }
    ordered = sorted(coded)
    return Frequencies(
        fields=tuple(fields),
        values=values,
        codes=np.array(ordered, np.int32).reshape(len(ordered), len(fields)),
        counts=np.array([coded[t] for t in ordered], np.int64),
    )


def people_in(tuples: Tuples, people: Sequence[Label]) -> dict[tuple[Label, ...], int]:
    """How many different people each tuple has."""
    found: dict[tuple[Label, ...], set[str]] = {}
    for key, person in zip(tuples, people, strict=True):
        found.setdefault(key, set()).update([] if person is None else [person])
    return {key: len(those) for key, those in found.items()}


def witnesses(fields: Sequence[str], tuples: Tuples, people: Sequence[Label], k: int) -> Witnesses:
    bins = frequencies(fields, Counter(tuples))
    place = {
        tuple(texts[code] for texts, code in zip(bins.values, codes, strict=True)): i
        for i, codes in enumerate(bins.codes.tolist())
    }
    numbers = {person: i for i, person in enumerate(sorted({p for p in people if p is not None}))}
    found: dict[int, dict[int, None]] = {}
    for key, person in zip(tuples, people, strict=True):
        if person is not None:
            found.setdefault(place[key], {})[numbers[person]] = None
    pairs = [(bin_, person) for bin_ in sorted(found) for person in list(found[bin_])[:k]]
    return Witnesses(
        fields=tuple(fields),
        values=bins.values,
        codes=bins.codes,
        rows=bins.counts,
        bin_of=np.array([bin_ for bin_, _ in pairs], np.int64),
        person_of=np.array([person for _, person in pairs], np.int64),
        k=k,
    )


def rows_per_person(fields: Sequence[str], tuples: Tuples, people: Sequence[Label]) -> Frequencies:
    each = Counter(
        (person, *key) for key, person in zip(tuples, people, strict=True) if person is not None
    )
    return frequencies((*fields, "rows"), Counter((*key[1:], str(n)) for key, n in each.items()))


def itemsets(items: Sequence[Label], within: Tuples, people: Sequence[Label], m: int) -> Itemsets:
    held: dict[tuple[Label, tuple[Label, ...]], set[str]] = {}
    for item, group, person in zip(items, within, people, strict=True):
        if item is not None and person is not None:
            held.setdefault((person, group), set()).add(item)
    values = tuple(sorted({item for found in held.values() for item in found}))
    places = {item: code for code, item in enumerate(values)}
    groups = {group: i for i, group in enumerate(dict.fromkeys(group for _, group in held))}
    counted: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for (_, group), found in held.items():
        codes = sorted(places[item] for item in found)
        counted.update(
            (groups[group], some) for size in range(1, m + 1) for some in combinations(codes, size)
        )
    entries = list(counted.items())
    return Itemsets(
        values=values,
        codes=np.array(
            [(*some, *[-1] * (m - len(some))) for (_, some), _ in entries], np.int32
        ).reshape(-1, m),
        groups=np.array([group for (group, _), _ in entries], np.int64),
        people=np.array([n for _, n in entries], np.int64),
    )
