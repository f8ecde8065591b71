"""Repair: a linear assignment rounded number by number, then each channel given the subjects that
it lacks.

It works for small input channels too, where no margin fits (`rounding`). Subjects that are not
risky keep every limit, so a channel beyond a limit gets more of them. They are from its own
members, or from another input channel that becomes a member. The channel of all inputs takes the
subjects that no channel can take."""

from __future__ import annotations

import numpy as np

from .plan import Assigned
from .rules import Members, Reals, Rules

Whole = dict[Members, dict[int, float]]
SLACK = 1e-9
"""Sums of excesses are floating-point numbers: this much is kept free of each limit."""


def repaired(assigned: Assigned, excess: Reals, rules: Rules) -> Whole:
    """Whole subjects in channels that keep every limit, near the amounts that were given."""
    return _Repair(excess, rules).run(assigned)


class _Repair:
    def __init__(self, excess: Reals, rules: Rules) -> None:
        self.excess, self.rules = excess, rules
        self.spare = rules.sizes.copy()
        self.everything: Members = tuple(range(len(rules.sizes)))

    def run(self, assigned: Assigned) -> Whole:
        rounded = self._rounded(assigned)
        out: Whole = {}
        homeless: dict[int, float] = {}
        for members, amounts in sorted(rounded.items(), key=lambda item: self.rules.cost(item[0])):
            into = self._mended(members, amounts) if members != self.everything else None
            _add(homeless if into is None else out.setdefault(into, {}), amounts)
        if homeless:
            self._take_in(homeless, out)
        return out

    def _rounded(self, assigned: Assigned) -> Whole:
        """Risky subjects whole and all of them, the others rounded down."""
        out: Whole = {members: {} for members in assigned}
        of: dict[int, list[tuple[float, Members]]] = {}
        for members, amounts in assigned.items():
            for r, x in amounts.items():
                of.setdefault(r, []).append((x, members))
        for r, parts in of.items():
            whole = [np.floor(x + SLACK) for x, _ in parts]
            if self.rules.risky[r]:
                missing = round(float(self.rules.sizes[r]) - sum(whole))
                rest = np.argsort(
                    [w - x for w, (x, _) in zip(whole, parts, strict=True)], kind="stable"
                )
                for i in range(missing):
                    whole[int(rest[i % len(rest)])] += 1
            for w, (_, members) in zip(whole, parts, strict=True):
                if w > 0:
                    out[members][r] = float(w)
                    self.spare[r] -= w
        return {members: amounts for members, amounts in out.items() if amounts}

    def _mended(self, members: Members, amounts: dict[int, float]) -> Members | None:
        """The channel with what it lacks, `amounts` filled up; None where that cannot be had."""
        while (lacking := self._lacking(amounts)).any():
            chosen = self._helper(members, amounts, lacking)
            if chosen is None:
                return None
            s, wider = chosen
            self._move(s, amounts, lacking)
            members = wider
        return members

    def _lacking(self, amounts: dict[int, float]) -> Reals:
        """By how much each limit is broken; 0 where it holds."""
        inputs = list(amounts)
        total = (
            np.array(list(amounts.values())) @ self.excess[inputs]
            if inputs
            else np.zeros(self.excess.shape[1])
        )
        out: Reals = np.where(total > -SLACK, total + SLACK, 0.0)
        return (
            np.where((total <= 0.0) & ~self.rules.risky[inputs].any(), 0.0, out) if inputs else out
        )

    def _helper(
        self, members: Members, amounts: dict[int, float], lacking: Reals
    ) -> tuple[int, Members] | None:
        """The input that helps at the least cost, and the channel with it: a member, or one that
        becomes a member."""
        helps = -self.excess[:, lacking > 0]
        free = ~self.rules.risky & (self.spare >= 1.0) & (helps > 0).any(axis=1)
        with np.errstate(divide="ignore"):
            needed = np.where(helps > 0, lacking[lacking > 0] / helps, np.inf).max(axis=1)
        worst = np.minimum(np.where(np.isfinite(needed), np.ceil(needed), self.spare), self.spare)
        inside = np.zeros(len(free), bool)
        inside[list(members)] = True
        psi = self.rules.cost(members)
        grows = np.where(inside, 0.0, self.rules.sizes)
        cost = worst * (psi + grows) + grows * sum(amounts.values())
        cost += np.where(
            needed <= self.spare, 0.0, 1e6 * self.rules.sizes.sum()
        )  # those that cannot do it alone last
        for s in np.argsort(np.where(free, cost, np.inf), kind="stable").tolist():
            if not free[s]:
                return None
            wider = (
                members
                if inside[s]
                else self.rules.closed((*members, s), among=inside | (np.arange(len(free)) == s))
            )
            if wider is not None:
                return s, wider
        return None

    def _move(self, s: int, amounts: dict[int, float], lacking: Reals) -> None:
        """As many subjects of one input as it takes, or as there are."""
        helps = -self.excess[s]
        of_use = (lacking > 0) & (helps > 0)
        wanted = np.ceil((lacking[of_use] / helps[of_use]).max() + SLACK)
        number = float(min(wanted, np.floor(self.spare[s])))
        amounts[s] = amounts.get(s, 0.0) + number
        self.spare[s] -= number

    def _take_in(self, homeless: dict[int, float], out: Whole) -> None:
        """The channel of all inputs, with spare subjects until it keeps the limits, then with other
        channels' ones."""
        order = np.argsort(self.excess.sum(axis=1), kind="stable")
        while True:
            for s in order[~self.rules.risky[order]].tolist():
                lacking = self._lacking(homeless)
                if not lacking.any():
                    break
                if self.spare[s] >= 1.0 and (self.excess[s][lacking > 0] < 0).any():
                    self._move(s, homeless, lacking)
            if not self._lacking(homeless).any() or not out:
                break
            _add(homeless, out.pop(next(iter(out))))
        if self._lacking(homeless).any():
            homeless.update({r: float(size) for r, size in enumerate(self.rules.sizes)})
        out[self.everything] = homeless


def _add(into: dict[int, float], amounts: dict[int, float]) -> None:
    for r, x in amounts.items():
        into[r] = into.get(r, 0.0) + x
