"""Structural zeros: cells that a rule of the policy keeps empty, as pregnant men. Everybody knows
them, so that they are neither measured with noise nor hidden to protect others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .linked_cells import LinkedCells

Rules = Sequence[Mapping[str, tuple[str, ...]]]


def ruled_out(
    rules: Rules, fields: Sequence[str], labels: Sequence[Sequence[str]]
) -> NDArray[np.bool_]:
    """Which combinations of all labels a rule names, the last field fastest.

    Example:
        >>> rules = [{"sex": ("M",), "pregnant": ("yes",)}]
        >>> ruled_out(rules, ["sex", "pregnant"], [["F", "M"], ["no", "yes"]]).tolist()
        [False, False, False, True]
    """
    out = np.zeros([len(each) for each in labels], bool)
    for rule in rules:
        inside = np.ones(out.shape, bool)
        for axis, (name, own) in enumerate(zip(fields, labels, strict=True)):
            if name in rule:
                named = np.array([label in rule[name] for label in own], bool)
                shape = [-1 if n == axis else 1 for n in range(out.ndim)]
                inside &= named.reshape(shape)
        out |= inside
    return out.ravel()


def zero_cells(cells: LinkedCells, rules: Rules) -> NDArray[np.bool_]:
    """The cells that rules name, and totals all of whose parts they are."""
    out = np.zeros(len(cells.keys), bool)
    if not rules:
        return out
    for rule in rules:
        codes = {
            place: {cells.labels[place].index(label) for label in rule[name]}
            for place, name in enumerate(cells.fields)
            if name in rule
        }
        for n, (_, _, *own) in enumerate(cells.keys):
            out[n] |= all(own[place] in named for place, named in codes.items())
    grown = True
    while grown:
        grown = False
        for total, parts in cells.equations:
            if not out[total] and out[list(parts)].all():
                out[total] = grown = True
    return out
