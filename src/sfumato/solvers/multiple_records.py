"""The Datafly Multiple Records Algorithm: how many rows of a person stay, so that their number
singles nobody out.

Sweeney 1997, section 3.8 and Fig. 2. A bin is a number of rows, its size how many people have that
number. Adjacent bins are merged until each holds b_tabf people. Merged people keep as many rows as
the one of them with the fewest has, so that rows are only ever dropped. The engine draws these rows
at random (`Quota`).

`RowCountMerging.DATAFLY` is Fig. 2: the smallest bin first, with the fewest possible adjacent bins.
`RowCountMerging.FEWEST_ROWS` finds, of all ways to merge adjacent bins, one that drops the fewest
rows, by dynamic programming. Merging adjacent bins is the same as keeping people's order: a person
who had more rows than another never has fewer afterwards. Without that rule rows could be saved. Of
4, 5 and 1 people with 1, 2 and 3 rows and b = 5, the one may join the four. But people with many
rows would then be grouped with people with one row, while those between keep their number.

Departures: the paper does not decide ties. Here, of equally few bins, those whose merger drops the
fewest rows are taken, and then the ones with fewer rows. Where P_tabf = 1 the paper raises b_tabf
step by step within the combination of fields. Here the bins of the quasi-identifiers are the groups
in which numbers of rows are merged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.policy import RowCountMerging
from sfumato.protection import overall_bin_size

Counts = NDArray[np.int64]

TOO_FEW = -1
"""The result of `merge_row_counts` for a group with fewer people than the bin size: no number of
rows can be kept."""

_NEVER = 2**60


def b_tabf(linking: float, *, r1: float, r2: float) -> int:
    """Section 3.8: b_tabf = (r2 - r1) * P_tabf + r1, not weighted; rounded down as Datafly's other
    bin sizes.

    Example:
        >>> [b_tabf(p, r1=0, r2=30) for p in (0.1, 0.5, 1.0)]
        [3, 15, 30]
    """
    if not 0 <= linking <= 1 or not r1 < r2:
        raise Mistake(
            "b_tabf needs a linking likelihood between 0 and 1, and r1 < r2.",
            found=f"P_tabf = {linking:g}, r1 = {r1:g}, r2 = {r2:g}.",
        )
    return overall_bin_size(linking, r1=r1, r2=r2)


def merge_row_counts(
    groups: Counts, rows: Counts, people: Counts, *, bin_size: int, merging: RowCountMerging
) -> Counts:
    """For each entry, how many rows stay: `people[i]` people of group `groups[i]` have `rows[i]`
    rows each.

    Afterwards every number that occurs in a group is that of at least `bin_size` of its people.
    Each pair of group and number occurs once, in any order; people without rows are an entry with
    0. Where a whole group has fewer people than `bin_size`, its entries are TOO_FEW: the caller
    must leave these people out.

    Example:
        >>> visits, people = np.array([1, 2, 3, 9]), np.array([21, 2, 4, 1])
        >>> datafly = {"bin_size": 5, "merging": RowCountMerging.DATAFLY}
        >>> merge_row_counts(np.zeros(4, np.int64), visits, people, **datafly).tolist()
        [1, 1, 3, 3]
    """
    order = np.lexsort((rows, groups))
    table = _Table(groups[order], rows[order], people[order])
    table.check()
    totals = np.add.reduceat(table.people, table.starts) if len(order) else np.zeros(0, np.int64)
    smallest = np.minimum.reduceat(table.people, table.starts) if len(order) else totals
    kept = table.rows.copy()
    kept[np.repeat(totals < bin_size, table.lengths)] = TOO_FEW
    chosen = np.repeat((totals >= bin_size) & (smallest < bin_size), table.lengths)
    if chosen.any():
        part = _Table(table.groups[chosen], table.rows[chosen], table.people[chosen])
        merge = _fewest_rows if merging is RowCountMerging.FEWEST_ROWS else _datafly
        first = np.zeros(len(part.rows), np.int64)
        begins = merge(part, bin_size)
        first[begins] = begins
        kept[chosen] = part.rows[np.maximum.accumulate(first)]
    out = np.empty_like(kept)
    out[order] = kept
    return out


class _Table:
    """Entries sorted by group and number of rows, and where each group begins."""

    def __init__(self, groups: Counts, rows: Counts, people: Counts) -> None:
        self.groups, self.rows, self.people = groups, rows, people
        self.starts = _begins(groups)
        self.lengths = np.diff(self.starts, append=len(groups))
        self.start_of = np.repeat(self.starts, self.lengths)

    def check(self) -> None:
        twice = (self.groups[1:] == self.groups[:-1]) & (self.rows[1:] == self.rows[:-1])
        wrong = int(twice.sum() + (self.rows < 0).sum() + (self.people < 1).sum())
        if wrong:
            raise Mistake(
                "Each number of rows must occur once in its group, be 0 or more, and belong "
                "to a person.",
                found=f"{wrong} of {len(self.rows)} entries break this.",
            )


def _begins(groups: Counts) -> Counts:
    """The first entry of each group, in sorted groups."""
    changed = np.ones(len(groups), bool)
    changed[1:] = groups[1:] != groups[:-1]
    return np.flatnonzero(changed)


def _before(amounts: Counts) -> Counts:
    """Running totals: entry i is the sum of all amounts before i, and the last one of all."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(amounts)))


def _spread(first: Counts, last: Counts) -> tuple[Counts, Counts]:
    """All numbers from first[i] to last[i] one after the other, and where each i begins."""
    lengths = last - first + 1
    begins = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(begins - first, lengths), begins


def _fewest_rows(table: _Table, bin_size: int) -> Counts:
    """The first entry of each merged bin, so that the fewest rows are dropped: all groups a step at
    a time.

    The least that is dropped up to entry e is the least over i of what is dropped before i and by
    merging i to e. Only some i matter. They are so early that i to e holds enough people. They are
    so late that the part that could be cut off in front does not hold enough by itself, since
    cutting drops fewer rows. That is less than `bin_size` of them."""
    held, had = _before(table.people), _before(table.people * table.rows)
    latest = np.searchsorted(held, held[1:] - bin_size, side="right") - 1
    earliest = np.searchsorted(held, held[np.maximum(latest, 0)] - bin_size, side="right")
    earliest = np.maximum(earliest, table.start_of)
    least = np.zeros(
        len(table.rows) + 1, np.int64
    )  # least[i] is what is dropped before entry i in its group.
    choice = np.zeros(len(table.rows), np.int64)
    lengths = np.sort(table.lengths)
    by_length = table.starts[np.argsort(table.lengths, kind="stable")]
    offset = np.zeros(len(table.rows), np.int64)
    for step in range(int(lengths[-1])):
        at = by_length[np.searchsorted(lengths, step, side="right") :] + step
        before = least[at] if step else 0
        offset[at] = before - had[at] + table.rows[at] * held[at]
        enough = at[latest[at] >= table.start_of[at]]
        least[at + 1] = _NEVER
        if len(enough):
            candidates, begins = _spread(earliest[enough], latest[enough])
            owner = np.repeat(np.arange(len(enough)), np.diff(begins, append=len(candidates)))
            dropped = offset[candidates] - table.rows[candidates] * held[enough + 1][owner]
            fewest = np.minimum.reduceat(dropped, begins)
            ties = np.where(dropped == fewest[owner], candidates, -1)
            choice[enough] = np.maximum.reduceat(ties, begins)
            least[enough + 1] = fewest + had[enough + 1]
    return _walked_back(table, choice)


def _walked_back(table: _Table, choice: Counts) -> Counts:
    """The first entry of each merged bin, from each group's last entry to its first; choice[e]
    begins the bin of e."""
    out = []
    at = table.starts + table.lengths - 1
    while len(at):
        begins = choice[at]
        out.append(begins)
        at = begins[begins > table.start_of[begins]] - 1
    return np.sort(np.concatenate(out))


def _datafly(table: _Table, bin_size: int) -> Counts:
    """The first entry of each merged bin, as Fig. 2 merges: every group its smallest bin, again and
    again.

    The figure sorts the array outset once. A merged bin has its size, so the next one of outset
    that is still too small is the smallest bin that there is."""
    done = []
    firsts, people = np.arange(len(table.rows)), table.people
    while len(firsts):
        now = _Table(table.groups[firsts], table.rows[firsts], people)
        small = np.repeat(np.minimum.reduceat(people, now.starts) < bin_size, now.lengths)
        done.append(firsts[~small])
        firsts, people = firsts[small], people[small]
        if len(firsts):
            inside = _absorbed(_Table(table.groups[firsts], table.rows[firsts], people), bin_size)
            people = np.add.reduceat(people, np.flatnonzero(~inside))
            firsts = firsts[~inside]
    return np.sort(np.concatenate(done))


def _absorbed(now: _Table, bin_size: int) -> NDArray[np.bool_]:
    """Which bins join the one before them: each group's smallest is merged with as few adjacent
    ones as possible."""
    held, had = _before(now.people), _before(now.people * now.rows)
    position = np.arange(len(now.rows))
    smallest = np.repeat(np.minimum.reduceat(now.people, now.starts), now.lengths)
    bin_of = np.minimum.reduceat(np.where(now.people == smallest, position, _NEVER), now.starts)
    farthest = np.maximum(
        np.searchsorted(held, held[bin_of + 1] - bin_size, side="right") - 1, now.starts
    )
    low, begins = _spread(farthest, bin_of)
    owner = np.repeat(np.arange(len(bin_of)), bin_of - farthest + 1)
    high = np.maximum(np.searchsorted(held, held[low] + bin_size, side="left") - 1, bin_of[owner])
    fits = high < (now.starts + now.lengths)[owner]
    high = np.minimum(high, len(now.rows) - 1)
    dropped = had[high + 1] - had[low] - now.rows[low] * (held[high + 1] - held[low])
    best = fits
    for price in (high - low, dropped, low):
        asked = np.where(best, price, _NEVER)
        best = best & (asked == np.minimum.reduceat(asked, begins)[owner])
    joins, _ = _spread(low[best] + 1, high[best])
    inside = np.zeros(len(now.rows), bool)
    inside[joins] = True
    return inside
