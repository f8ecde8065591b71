"""The people of a register in the source: a claim about a named person is checked by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, group
from sfumato.hierarchies import Label
from sfumato.measures import Records, Subject

from .distances import away_from_rows
from .row_fit import people_for_rows, weigh

Numbers = NDArray[np.int64]


def fields_that_identify(
    register: Sequence[str], source: Sequence[str], released: Sequence[str]
) -> tuple[str, ...]:
    """The fields by which a register's people are found in the source. They are names and numbers,
    which are not released, where both tables have some, else all common fields.

    Example:
        >>> fields_that_identify(("name", "zip"), ("name", "zip", "problem"), ("zip", "problem"))
        ('name',)
        >>> fields_that_identify(("zip", "sex"), ("zip", "sex", "problem"), ("zip", "sex", "problem"))
        ('zip', 'sex')
    """
    both = tuple(name for name in register if name in source)
    return tuple(name for name in both if name not in released) or both


@dataclass(frozen=True, eq=False, kw_only=True)
class Identity:
    """The source as the judge of "this row is that person's"."""

    subject: Subject
    people: Bins
    by: tuple[str, ...]

    def numbered(self, claimants: Records) -> tuple[Numbers, Numbers]:
        """Numbers that are equal where the identifying fields are: of the claimants, and of the
        source's people."""
        mine = claimants.codes[:, [claimants.fields.index(name) for name in self.by]]
        theirs = self.people.codes[:, [self.people.column(name) for name in self.by]]
        both = np.zeros((len(mine) + len(theirs), len(self.by)), np.int32)
        sizes = []
        for at, name in enumerate(self.by):
            index: dict[Label, int] = {}
            for labels, codes, part in (
                (claimants.labels[claimants.fields.index(name)], mine, slice(0, len(mine))),
                (self.people.labels[self.people.column(name)], theirs, slice(len(mine), None)),
            ):
                moved = np.array(
                    [index.setdefault(label, len(index)) for label in labels], np.int32
                )
                both[part, at] = moved[codes[:, at]]
            sizes.append(len(index))
        numbers, _ = group(both, sizes)
        return numbers[: len(mine)], numbers[len(mine) :]

    def present(self, claimants: Records) -> NDArray[np.bool_]:
        """The claimants who are in the source."""
        mine, theirs = self.numbered(claimants)
        return np.isin(mine, theirs)

    def right(
        self, rows: Records, claimants: Records, *, chance: np.random.Generator
    ) -> NDArray[np.bool_]:
        """For each row whether it is that of the person beside it.

        The row is that of one of the m people whom its labels cover. The person is one of the n of
        the source with the same identifying values. Where some people are both, the claim is right
        that many times in m times n. Where the row covers nobody, it is that of one of those who
        are nearest to it (see `claims`)."""
        out = np.zeros(len(rows), bool)
        if not len(rows):
            return out
        mine, theirs = self.numbered(claimants)
        counts = self.people.counts
        draws = chance.random(len(rows))
        for part, found in people_for_rows(self.subject, rows, self.people).batches():
            moved = np.flatnonzero(~found.any(axis=1))
            for some, everyone, _ in away_from_rows(
                self.subject, rows.only(part.start + moved), self.people
            ):
                found[moved[some]] = everyone == everyone.min(axis=1, keepdims=True)
            same = mine[part, None] == theirs[None, :]
            both, under, named = (weigh(marks, counts) for marks in (found & same, found, same))
            out[part] = draws[part] * np.maximum(under * named, 1) < both
        return out
