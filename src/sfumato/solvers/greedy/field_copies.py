"""Fields with the same content in other words, such as a code and its description. One of them is
placed, and the others are shown in the same cells.

Every combination with a copy has the groups that it has with the field itself, so nothing has to be
counted again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from .placed_fields import FieldLadder, PlacedField
from .shown_cells import BLANK, Numbers, ShownColumn


def copies_of(
    ladders: Mapping[str, FieldLadder], order: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Each field that is put in, in `order`, and the fields that divide the bins as it does at every
    level.

    Example:
        >>> column = lambda *codes: ShownColumn(np.array(codes), max(codes) + 1)
        >>> ladder = lambda *codes: FieldLadder((column(*codes),), (np.zeros(3),), np.ones(3) / 3, 1.0)
        >>> some = {"cd": ladder(1, 2, 1), "ds": ladder(2, 1, 2), "sex": ladder(1, 1, 2)}
        >>> copies_of(some, ("cd", "ds", "sex"))
        {'cd': ('ds',), 'sex': ()}
    """
    leaders: dict[tuple[object, ...], str] = {}
    out: dict[str, tuple[str, ...]] = {}
    for name in order:
        ladder = ladders[name]
        parts = (ladder.finest, *(_partition(column.codes) for column in ladder.columns))
        leader = leaders.setdefault(parts, name)
        out[leader] = (*out[leader], name) if leader in out else ()
    return out


def weighed(
    ladders: Mapping[str, FieldLadder], copies: Mapping[str, tuple[str, ...]]
) -> dict[str, FieldLadder]:
    """The ladders, each field that is put in weighing what the heaviest of its copies does."""
    out = dict(ladders)
    for leader, others in copies.items():
        heaviest = max(ladders[name].weight for name in (leader, *others))
        out[leader] = replace(ladders[leader], weight=heaviest)
    return out


def placed_alike(leader: PlacedField, ladder: FieldLadder) -> PlacedField:
    """A copy at the level of its leader, blank where the leader is."""
    if leader.level >= ladder.height:
        return ladder.blank
    column = ladder.columns[leader.level]
    codes = np.where(leader.column.codes == BLANK, BLANK, column.codes)
    return ladder.placed(leader.level, ShownColumn(codes, column.values))


def _partition(codes: Numbers) -> bytes:
    """The same for two columns that divide the bins into the same parts."""
    _, first, parts = np.unique(codes, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[parts].tobytes()
