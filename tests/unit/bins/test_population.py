"""Released tuples looked up in a population: what is counted, and how much work it is."""

from __future__ import annotations

import numpy as np

from sfumato.bins import Bins, CountedPeople, population, population_counts
from sfumato.hierarchies import Hierarchy

AGES = Hierarchy.from_rows([(str(age), f"{age // 10}0s", "*") for age in range(20, 60)])
HIERARCHIES = dict.fromkeys("abcde", AGES)
PEOPLE = Bins.of(
    tuple("abcde"),
    {tuple(str(20 + (n * step) % 40) for step in (1, 3, 7, 9, 11)): 1 + n % 3 for n in range(40)},
)


def _local_recoding() -> Bins:
    """Every bin has levels of its own, as a local recoding has."""
    rows = {}
    for n, values in enumerate(PEOPLE.tuples()):
        levels = [(n // 3**at) % 3 for at in range(5)]
        raised = [
            AGES.labels[level][AGES.up[level][AGES.labels[0].index(value)]] if level else value
            for value, level in zip(values, levels, strict=True)
        ]
        rows[tuple(raised)] = 1
    return Bins.of(PEOPLE.fields, rows)


def test_levels_of_their_own_need_no_sum_for_each_bin(monkeypatch):
    """Fails where the population is summed once for every combination of levels."""
    release = _local_recoding()
    monkeypatch.setattr(population, "FEWEST_PATTERNS", 10**9)
    slowly = population_counts(release, PEOPLE, PEOPLE.fields, HIERARCHIES)
    monkeypatch.undo()
    raised = []
    monkeypatch.setattr(population, "_raised", lambda *given: raised.append(given))
    found = population_counts(release, PEOPLE, PEOPLE.fields, HIERARCHIES)
    assert not raised
    assert found.tolist() == slowly.tolist()
    assert found.min() >= 1


def test_people_in_several_bins_are_counted_once(monkeypatch):
    """One person with a row in each of two bins is one person under both."""
    zips = Hierarchy.from_rows([("02138", "0213*"), ("02139", "0213*")])
    everyone = CountedPeople.of_rows(("zip",), [("02138", "ann"), ("02139", "ann")])
    monkeypatch.setattr(population, "FEWEST_PATTERNS", -1)
    release = Bins.of(("zip",), {("0213*",): 1})
    assert population_counts(release, everyone, ("zip",), {"zip": zips}).tolist() == [1]
    assert np.asarray(everyone.counts).sum() == 2
