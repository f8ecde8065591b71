"""Secondary suppression: further cells that keep the sensitive ones from being computed.

A heuristic by linear programs, cell by cell (Robertson 1993; Hundepool and others 2012, section
4.4). For each sensitive cell, a world is sought in which its value is higher by its margin and all
sums hold, at the least cost of suppressed cells. Then a world is sought in which it is lower. Each
world protects whichever cells move far enough in it. Where a cell has one person, a world is needed
in which that cell is fixed, because the person knows it. Further passes start anew within the cells
of the best one, in another order, and cells that are not needed are shown again.

Departs from it in that unions are protected too. Where a sum is shown and the hidden cells under it
are sensitive together, they need a world as one cell."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import highspy
import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake

from .linked_cells import LinkedCells
from .sensitive_cells import SensitivityRules, known_inside, lone_people, margins, union_margin

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
_FREE = 1e-4
"""The cost of moving a cell that is suppressed already: small, so that worlds stay small."""
_MOVED = 1e-6
_ROUNDS = 12
_PASSES, _FEW = 5, 2_000
"""So many passes start anew within the best pattern, in tables of so few cells; else one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SuppressionPattern:
    """The suppressed cells: `primary` by a rule, the others to protect them."""

    primary: Flags = field(repr=False)
    suppressed: Flags = field(repr=False)
    below: NDArray[np.int64] = field(repr=False)
    above: NDArray[np.int64] = field(repr=False)
    cost: float
    unions: int

    @property
    def secondary(self) -> Flags:
        return self.suppressed & ~self.primary


def cell_costs(cells: LinkedCells) -> Floats:
    """The cost of suppressing a cell: one, and more for a large value."""
    costs: Floats = 1.0 + np.log1p(cells.values.astype(float))
    return costs


def suppress_cells(cells: LinkedCells, rules: SensitivityRules) -> SuppressionPattern:
    """A pattern in which every sensitive cell and union has its margins, also for people who are
    alone in a cell."""
    below, above = margins(cells, rules)
    primary = (below > 0) | (above > 0)
    search = _WorldSearch(cells, rules, below=below, above=above)
    costs = cell_costs(cells)
    size = (above + below).astype(float)
    chance = np.random.default_rng(1)
    best = search.protect(primary, order=-size)
    for number in range(_PASSES if len(cells.keys) <= _FEW else 1):
        order = size if number == 0 else chance.random(len(size))
        with contextlib.suppress(Mistake):  # Unions of this pass may need cells beyond the best.
            found = search.protect(primary, order=order, within=best)
            best = min((best, found), key=lambda gone: float(costs[gone & ~primary].sum()))
    return SuppressionPattern(
        primary=primary,
        suppressed=best,
        below=below,
        above=above,
        cost=float(costs[best & ~primary].sum()),
        unions=search.unions,
    )


@dataclass(frozen=True)
class _Need:
    """A cell, or several that are known together, that must be able to move by so much."""

    members: tuple[int, ...]
    amount: float


class _WorldSearch:
    """Worlds in which all sums hold. One program: each cell moves up by a variable and down by
    another, at a price."""

    def __init__(
        self,
        cells: LinkedCells,
        rules: SensitivityRules,
        *,
        below: NDArray[np.int64],
        above: NDArray[np.int64],
    ) -> None:
        self._cells, self._rules = cells, rules
        self._below, self._above = below, above
        self._count = len(cells.keys)
        self._costs = cell_costs(cells)
        self._room = float(cells.values.max(initial=0) + above.max(initial=0) + 1) * 2
        self._alone = lone_people(cells)
        self._of_person: dict[int, list[int]] = {}
        for cell, person in self._alone.items():
            self._of_person.setdefault(person, []).append(cell)
        self.unions = 0

    def protect(self, primary: Flags, *, order: Floats, within: Flags | None = None) -> Flags:
        """Suppress the cells that each sensitive cell needs, in an order, and only cells
        `within`."""
        self._program = _sum_program(self._cells)
        self._down = self._cells.values.astype(float)
        allowed = np.ones(self._count, bool) if within is None else within
        if self._cells.zeros is not None:
            # To hide what everybody knows to be empty protects nobody.
            allowed = allowed & ~self._cells.zeros
        self._upper = np.concatenate(
            [np.where(allowed, self._room, 0.0), np.where(allowed, self._down, 0.0)]
        )
        everywhere = np.arange(2 * self._count, dtype=np.int32)
        self._program.changeColsBounds(
            2 * self._count, everywhere, np.zeros(2 * self._count), self._upper
        )
        self._gone = primary.copy()
        self._set_costs(np.arange(self._count))
        self._worlds: dict[tuple[int, int], set[int] | None] = {}
        places = np.flatnonzero(primary)
        needs = places[np.argsort(order[places], kind="stable")]
        seen: set[tuple[int, ...]] = set()
        for cell in needs.tolist():
            self._satisfy((cell,), float(self._below[cell]), float(self._above[cell]))
        for _ in range(_ROUNDS):
            found = [each for each in self._sensitive_unions() if each[0] not in seen]
            if not found:
                break
            for members, below, above in found:
                seen.add(members)
                self._satisfy(members, below, above)
        self.unions = max(self.unions, len(seen))
        return self._gone.copy()

    def _satisfy(self, members: tuple[int, ...], below: float, above: float) -> None:
        for sign, amount in ((1, above), (-1, below)):
            if amount <= 0:
                continue
            known = self._worlds.get((members[0], sign)) if len(members) == 1 else None
            if known is not None and not known:
                continue
            knowing = (
                self._found(_Need(members, amount), sign, frozenset()) if known is None else known
            )
            for person in sorted(knowing):
                still = frozenset(self._of_person[person])
                if still & set(members):
                    continue
                most = amount
                if sign < 0 and len(members) == 1:
                    inside = known_inside(self._cells, still, members[0])
                    most = min(amount, float(self._cells.values[members[0]]) - inside)
                if most > 0:
                    self._found(_Need(members, most), sign, still)

    def _found(self, need: _Need, sign: int, still: frozenset[int]) -> set[int]:
        """Seek a world, suppress the cells that move in it, and note the people whose own cells
        move: it does not protect against them."""
        moves = self._world(need, sign, still)
        moved = np.flatnonzero(np.abs(moves) > _MOVED)
        new = moved[~self._gone[moved]]
        self._gone[new] = True
        self._set_costs(new)
        people = {self._alone[n] for n in moved.tolist() if n in self._alone}
        for cell in moved.tolist():
            for side, needed in ((1, self._above[cell]), (-1, self._below[cell])):
                if needed and moves[cell] * side >= needed - _MOVED:
                    key = (cell, side)
                    own = people - {self._alone.get(cell, -1)}
                    kept = self._worlds.get(key)
                    self._worlds[key] = own if kept is None else kept & own
        return people - {self._alone[n] for n in need.members if n in self._alone}

    def _world(self, need: _Need, sign: int, still: frozenset[int]) -> Floats:
        """The cheapest world with the move that is needed."""
        program, count = self._program, self._count
        fixed = np.array(sorted(still), np.int32)
        both = np.concatenate([fixed, fixed + count]).astype(np.int32)
        if len(both):
            program.changeColsBounds(len(both), both, np.zeros(len(both)), np.zeros(len(both)))
        moving = len(need.members) == 1
        if moving:
            up, down = (need.amount, 0.0) if sign > 0 else (0.0, need.amount)
            own = np.array([need.members[0], need.members[0] + count], np.int32)
            program.changeColsBounds(2, own, np.array([up, down]), np.array([up, down]))
        else:
            members = np.array(need.members, np.int32)
            columns = np.concatenate([members, members + count])
            signs = np.repeat([1.0, -1.0], len(members))
            program.addRow(sign * need.amount, sign * need.amount, len(columns), columns, signs)
        program.run()
        status = program.getModelStatus()
        moves = np.array(program.getSolution().col_value)
        if moving:
            both = np.concatenate([both, own]).astype(np.int32)
        else:
            program.deleteRows(1, np.array([program.getNumRow() - 1], np.int32))
        if len(both):
            program.changeColsBounds(len(both), both, np.zeros(len(both)), self._upper[both])
        if status != highspy.HighsModelStatus.kOptimal:
            raise _unprotectable()
        found: Floats = moves[:count] - moves[count:]
        return found

    def _set_costs(self, places: NDArray[np.int64]) -> None:
        prices = np.where(self._gone[places], _FREE, self._costs[places])
        both = np.concatenate([places, places + self._count]).astype(np.int32)
        self._program.changeColsCost(len(both), both, np.concatenate([prices, prices]))

    def _sensitive_unions(self) -> Iterable[tuple[tuple[int, ...], float, float]]:
        """The hidden parts of a sum that is shown, where they are sensitive together."""
        for total, parts in self._cells.equations:
            hidden = tuple(n for n in parts if self._gone[n])
            if self._gone[total] or len(hidden) < 2:
                continue
            below, above = union_margin(self._cells, hidden, self._rules)
            if below or above:
                yield hidden, float(below), float(above)


def _sum_program(cells: LinkedCells) -> highspy.Highs:
    """Sums hold: for each equation the total moves as its parts do together."""
    program = quiet_highs()
    count = len(cells.keys)
    program.addVars(2 * count, np.zeros(2 * count), np.zeros(2 * count))
    for total, parts in cells.equations:
        own = np.array([total, *parts], np.int32)
        signs = np.concatenate([[-1.0], np.ones(len(parts))])
        program.addRow(
            0.0,
            0.0,
            2 * len(own),
            np.concatenate([own, own + count]),
            np.concatenate([signs, -signs]),
        )
    return program


def quiet_highs() -> highspy.Highs:
    """A program that prints nothing and takes one core."""
    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)  # noqa: FBT003
    program.setOptionValue("threads", 1)
    return program


def _unprotectable() -> Mistake:
    return Mistake(
        "A table by cell suppression was asked for.",
        found="A sensitive cell cannot be protected: too few other cells could move with it.",
        attempt="fewer fields, larger areas, a lower threshold, or another method.",
    )
