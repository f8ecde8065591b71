"""The attacker of a table with suppressed cells: bounds on each hidden value by linear programming.

It shares no code with the choice of cells. It reads the table as it was released, by its labels,
and writes the sums anew. Every total that the labels name is the sum of its parts. Then each hidden
value is minimised and maximised under the sums, also with the knowledge of people about their own
cells. So is each hidden total of several cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import highspy
import numpy as np

from .area_tree import AreaTree
from .released_table import ReleasedTable

_TOTAL = "Total"
_INFINITE = highspy.kHighsInf


@dataclass(frozen=True, kw_only=True)
class HiddenBounds:
    """The least and the most that a hidden value can be, in the table's unit; `most` is infinite
    where nothing bounds it."""

    least: float
    most: float

    def covers(self, low: float, high: float) -> bool:
        """Whether all values from `low` to `high` stay possible."""
        near = 1e-6 * max(1.0, abs(high))
        return self.least <= low + near and self.most >= high - near


class DisclosureAudit:
    """One table as seen by an attacker who has nothing else."""

    def __init__(self, table: ReleasedTable, tree: AreaTree) -> None:
        self._values = list(table.values)
        self._place = {labels: n for n, labels in enumerate(table.labels)}
        self.hidden = [n for n, value in enumerate(table.values) if value is None]
        self._column = {n: i for i, n in enumerate(self.hidden)}
        self._program = highspy.Highs()  # type: ignore[no-untyped-call]
        self._program.setOptionValue("output_flag", False)  # noqa: FBT003
        self._program.setOptionValue("threads", 1)
        self._program.setOptionValue("presolve", "off")
        count = len(self.hidden)
        self._program.addVars(count, np.zeros(count), np.full(count, _INFINITE))
        self._broken = 0
        for total, parts in self._sums(table, tree):
            self._add(total, parts)

    def _sums(self, table: ReleasedTable, tree: AreaTree) -> Iterable[tuple[int, Sequence[int]]]:
        """Every total with its parts, by the labels alone."""
        first = 2 if table.has_areas else 0
        above: dict[tuple[str, str], tuple[str, str]] = {}
        for path in tree.paths() if table.has_areas else ():
            chain = [(_TOTAL, _TOTAL), *zip(tree.levels[1:], path, strict=True)]
            above.update(zip(chain[1:], chain, strict=False))
        families: dict[tuple[object, ...], list[int]] = {}
        for labels, n in self._place.items():
            if first and labels[:2] in above:
                families.setdefault((*above[labels[0], labels[1]], *labels[2:], "area"), []).append(
                    n
                )
            for column in range(first, len(labels)):
                if labels[column] != _TOTAL:
                    whole = (*labels[:column], _TOTAL, *labels[column + 1 :])
                    families.setdefault((*whole, column), []).append(n)
        for key, parts in families.items():
            total = self._place.get(key[:-1])  # type: ignore[arg-type]
            if total is not None:
                yield total, parts

    def _add(self, total: int, parts: Sequence[int]) -> None:
        columns, signs, shown = [], [], 0
        for n, sign in ((total, -1), *((part, 1) for part in parts)):
            value = self._values[n]
            if value is None:
                columns.append(self._column[n])
                signs.append(float(sign))
            else:
                shown += sign * value
        if columns:
            self._program.addRow(
                -float(shown),
                -float(shown),
                len(columns),
                np.array(columns, np.int32),
                np.array(signs),
            )
        elif shown:
            self._broken += 1

    @property
    def broken(self) -> int:
        """Sums of shown cells that do not hold."""
        return self._broken

    def bounds(
        self, members: Sequence[int], known: Mapping[int, int] | None = None
    ) -> HiddenBounds:
        """The bounds of one hidden cell or of the total of several, for somebody who knows the
        values of some hidden cells."""
        for n, value in (known or {}).items():
            self._program.changeColBounds(self._column[n], float(value), float(value))
        ends = [self._end(members, sign) for sign in (1.0, -1.0)]
        for n in known or {}:
            self._program.changeColBounds(self._column[n], 0.0, _INFINITE)
        return HiddenBounds(least=ends[0], most=ends[1])

    def _end(self, members: Sequence[int], sign: float) -> float:
        for n in members:
            self._program.changeColCost(self._column[n], sign)
        self._program.run()
        status = self._program.getModelStatus()
        value = sign * self._program.getInfo().objective_function_value
        for n in members:
            self._program.changeColCost(self._column[n], 0.0)
        if status == highspy.HighsModelStatus.kOptimal:
            return value
        # Where the sums contradict each other, no bound covers anything.
        return float("inf") if status == highspy.HighsModelStatus.kUnbounded else float("nan")

    def all_bounds(self) -> dict[int, HiddenBounds]:
        """The bounds of every hidden cell."""
        return {n: self.bounds([n]) for n in self.hidden}
