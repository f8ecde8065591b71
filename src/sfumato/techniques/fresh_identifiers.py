"""Identifiers for rows that are nobody's: in the form of the real ones, equal to none of them and
to no other."""

from __future__ import annotations

import string

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import FieldKind

from .cells import Column
from .keyed_random import KeyedRandom, Wholes
from .kinds import fits

_ROUNDS = 6
_STAGES = 4


def fresh(cells: Column, base: Wholes, kind: FieldKind | None, chance: KeyedRandom) -> Column:
    """New identifiers, each as long as that of its base row and null where that is null.

    Each place has a character that some real identifier of that length has there, so that a common
    beginning, separators and alphabets stay. Identifiers that equal a real one, occur twice, or are
    no value of the field's type are drawn again. The next draws take any digits and letters where
    real ones differ, then any digits, then any letters too, and longer texts in the end. An
    identifier that cannot be found is null.
    """
    real = {cell for cell in cells.tolist() if cell is not None}
    by_length: dict[int, list[str]] = {}
    for cell in sorted(real):
        by_length.setdefault(len(cell), []).append(cell)
    out = np.full(len(base), None, object)
    taken = set(real)
    lengths = np.array(
        [-1 if cells[row] is None else len(cells[row]) for row in base.tolist()], np.int64
    )
    may_grow = kind in (None, FieldKind.TEXT, FieldKind.OTHER)
    for length, values in sorted(by_length.items()):
        letters = np.array([list(value) for value in values]).reshape(len(values), length)
        todo = np.flatnonzero(lengths == length).tolist()
        for number in range(_ROUNDS * _STAGES):
            if not todo:
                break
            made = _made(letters, len(todo), number // _ROUNDS, chance)
            if may_grow and number == _ROUNDS * _STAGES - 1:
                made = [
                    text + str(more)
                    for text, more in zip(made, chance.integers(10**9, len(made)), strict=True)
                ]
            todo = _given(out, todo, made, taken, kind)
    return out


def _given(
    out: Column, todo: list[int], made: list[str], taken: set[str], kind: FieldKind | None
) -> list[int]:
    """Assign the new identifiers; returns the places that still have none."""
    left = []
    for place, text in zip(todo, made, strict=True):
        if text in taken or not fits(kind, text):
            left.append(place)
        else:
            taken.add(text)
            out[place] = text
    return left


def _made(letters: NDArray[np.str_], count: int, stage: int, chance: KeyedRandom) -> list[str]:
    """Texts of one length: at each place a letter of some value, and in later stages another of its
    kind."""
    many, length = letters.shape
    rows = chance.integers(many, count * length).reshape(count, length)
    drawn = letters[rows, np.arange(length)]
    if stage:
        differs = (letters != letters[0]).any(axis=0)
        digits = np.char.isdigit(drawn)
        where = [differs[None, :] & np.ones_like(digits), digits, np.ones_like(digits)][stage - 1]
        draws = chance.uniform(count * length).reshape(count, length)
        drawn = np.where(where, _others(drawn, draws), drawn)
    return ["".join(row) for row in drawn.tolist()]


def _others(drawn: NDArray[np.str_], draws: NDArray[np.float64]) -> NDArray[np.str_]:
    """A digit for each digit, a small letter for each small one and a capital for each capital;
    else the same."""
    out = drawn.copy()
    for is_kind, alphabet in (
        (np.char.isdigit, string.digits),
        (np.char.islower, string.ascii_lowercase),
        (np.char.isupper, string.ascii_uppercase),
    ):
        found = is_kind(drawn)
        out[found] = np.array(list(alphabet))[(draws[found] * len(alphabet)).astype(np.int64)]
    return out
