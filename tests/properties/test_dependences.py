"""A search for what determines some fields finds what a search of all pairs finds about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.surveys import Dependence, telling_fields
from sfumato.surveys.coded_rows import MISSING, CodedField
from sfumato.surveys.dependences import DependenceSearch

ROWS = 60


@st.composite
def coded_tables(draw: st.DrawFn) -> dict[str, CodedField]:
    """Numbers and words, some of them copies, parts, sums or coarser forms of earlier fields."""
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    first = chance.integers(0, draw(st.integers(2, 40)), ROWS)
    columns: list[list[str]] = [first.astype(str).tolist()]
    for kind in draw(
        st.lists(st.sampled_from("copy coarser words part sum free".split()), max_size=6)
    ):
        old = columns[int(chance.integers(len(columns)))]
        match kind:
            case "copy":
                new = [cell if chance.random() > 0.005 else "x" for cell in old]
            case "coarser":
                new = [cell[:1] for cell in old]
            case "words":
                new = [f"name{cell}" for cell in old]
            case "part":
                new = [f"{cell}.{n}" for n, cell in enumerate(old)]
            case "sum":
                new = [str(n + int(chance.integers(9))) for n in range(ROWS)]
            case _:
                new = chance.integers(0, 9, ROWS).astype(str).tolist()
        columns.append(new)
    return {f"f{n}": _coded(f"f{n}", cells, chance) for n, cells in enumerate(columns)}


def _coded(name: str, cells: Sequence[str], chance: np.random.Generator) -> CodedField:
    values, codes = np.unique(cells, return_inverse=True)
    if chance.random() < 0.2:
        codes = np.where(chance.random(ROWS) < 0.1, MISSING, codes)
    return CodedField(name, codes.astype(np.int64), tuple(map(str, values)))


def _about(
    found: Sequence[Dependence], telling: frozenset[str], twins: frozenset[str]
) -> list[Dependence]:
    """The dependences by which fields that may tell determine one of the twins."""
    return [
        each
        for each in found
        if any(telling.issuperset(by) and told in twins for by, told in telling_fields(each))
    ]


@given(coded_tables(), st.data())
def test_named_twins_are_searched_as_all_pairs_are(
    table: dict[str, CodedField], data: st.DataObject
) -> None:
    some = st.frozensets(st.sampled_from([*table]))
    telling, told = data.draw(some), data.draw(some)
    twins = data.draw(st.frozensets(st.sampled_from(sorted(told)))) if told else told
    whole = DependenceSearch(table, telling=telling, told=told).find()
    part = DependenceSearch(table, telling=telling, told=told, twins=twins).find()

    assert _about(part, telling, twins) == _about(whole, telling, twins)


@given(coded_tables())
def test_without_names_all_fields_are_twins(table: dict[str, CodedField]) -> None:
    assert DependenceSearch(table, twins=frozenset(table)).find() == DependenceSearch(table).find()
