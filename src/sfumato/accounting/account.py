"""The privacy account of the people in a source: what private measurements have cost each of them.

The unit is rho of zero-concentrated differential privacy, with one delta per person. Neighbouring
sources differ by one person with all their rows in all tables, who is in one of them and not in the
other. Costs add up exactly; epsilon is only shown, converted from the total. Exact numbers are
listed as outside the account and never summed."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from sfumato.errors import Bug, Mistake

from .account_book import AccountHead, ReadCharges
from .account_file import AccountFile, read_terms
from .charge import charge_first
from .conversion import epsilon_of, rho_of
from .discrete_gaussian import Counts
from .measurement import Measurement, rounded_up

NEIGHBOURS: Final = "one person with all their rows in all tables"
FROM_THE_POLICY: Final = ", from the policy"
"""The end of the words about a decision that is outside an account, because a person made it and no
data did."""
UNIT: Final = "zero-concentrated differential privacy (rho)"


@dataclass(frozen=True, kw_only=True)
class PrivacyLimit:
    """The most that measurements may cost a person: epsilon at a delta.

    The deltas of selections of values add up, and the conversion of rho uses the rest of delta."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not (0 < self.epsilon < float("inf")) or not (0 < self.delta < 1):
            raise ValueError("epsilon is above 0, and delta between 0 and 1")

    def rho(self, selected: Fraction = Fraction(0)) -> Fraction:
        """The delta that selections do not use decides how much rho there is."""
        left = Fraction(self.delta) - selected
        return rho_of(self.epsilon, _below(left)) if left > 0 else Fraction(0)


@dataclass(eq=False, kw_only=True)
class PrivacyAccount:
    """Lines of measurements under a limit. `measure` is the only way to noise: it charges, keeps
    the charge on disk where the account has a file, and only then draws.

    Example:
        >>> account = PrivacyAccount(limit=PrivacyLimit(epsilon=1.0, delta=1e-9))
        >>> account.charge([Measurement(what="counts", fields=("age",), cells=85, sigma=10.0)])
        >>> account.rho, round(account.epsilon, 2)
        (Fraction(1, 200), 0.56)
        >>> account.charge([Measurement(what="counts", fields=("sex",), cells=2, sigma=4.0)])
        Traceback (most recent call last):
        ...
        sfumato.errors.Mistake: A measurement of sex was asked for.
          It would bring epsilon to 1.6 at delta 1e-09, and the limit of a person is 1.
          Try more noise, fewer measurements, or a higher limit that somebody decides on.
    """

    limit: PrivacyLimit
    file: Path | None = None
    lines: tuple[Measurement, ...] = ()
    outside: tuple[str, ...] = ()
    run: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    """The name of this run's charges in the file."""

    def __post_init__(self) -> None:
        self._kept = (
            AccountFile(self.file, delta=self.limit.delta) if self.file is not None else None
        )

    @classmethod
    def of_run(
        cls, *, epsilon: float, delta: float, limit: float | None, file: Path | None
    ) -> PrivacyAccount:
        """The account of a run that costs `epsilon`. All runs in its file may cost `limit`; where
        none is given, what the charter of a register allows, and otherwise no more than this run."""
        terms = read_terms(file) if limit is None and file is not None else None
        allowed = None if terms is None else terms.epsilon
        return cls(limit=PrivacyLimit(epsilon=limit or allowed or epsilon, delta=delta), file=file)

    @property
    def rho(self) -> Fraction:
        """The sum of this run's lines, exactly."""
        return sum_of(self.lines)[0]

    @property
    def epsilon(self) -> float:
        """The epsilon that this run's lines imply at the limit's delta; for display."""
        return displayed_epsilon(self.lines, self.limit.delta)

    def measure(self, line: Measurement, counts: Counts) -> Counts:
        """Charge one measurement, then add its noise."""
        return self.measure_all([(line, counts)])[0]

    def measure_all(self, asked: Sequence[tuple[Measurement, Counts]]) -> list[Counts]:
        """Charge several measurements at once, then add their noise."""
        charged = charge_first([line for line, _ in asked], self.charge)
        return [each.add_noise(counts) for each, (_, counts) in zip(charged, asked, strict=True)]

    def charge(self, lines: Iterable[Measurement]) -> None:
        """Add lines within the limit, on disk before this returns; all of them or none."""
        new = tuple(lines)
        if self._kept is None:
            self._check(sum_of(self.lines), new, self.limit)
        else:
            with self._kept.charging() as (book, charged):
                before = charged.rho, charged.selected
                for limit in self._limits(charged):
                    self._check(before, new, limit)
                book.append(new, run=self.run, after=charged)
        self.lines = (*self.lines, *new)

    def note_outside(self, words: str) -> None:
        """List something exact that is released beside the account. It is never summed."""
        self.outside = tuple(dict.fromkeys((*self.outside, words)))

    def spent(self) -> tuple[Measurement, ...]:
        """All lines: of earlier runs, where the account has a file, and of this one."""
        return self.lines if self._kept is None else tuple(self._kept.read().lines)

    def left(self) -> Fraction:
        """The rho that may still be spent without a further selection."""
        if self._kept is None:
            rho, selected = sum_of(self.lines)
            return max(Fraction(0), self.limit.rho(selected) - rho)
        charged = self._kept.read()
        return min(
            max(Fraction(0), limit.rho(charged.selected) - charged.rho)
            for limit in self._limits(charged)
        )

    def check_left(self, rho: Fraction, asked: str) -> None:
        """Refuse a run that needs more rho than the account has left, before it charges anything."""
        if self.left() >= rho:
            return
        spent, selected = sum_of(self.lines)
        lowest = self.limit
        if self._kept is not None:
            charged = self._kept.read()
            spent, selected = charged.rho, charged.selected
            lowest = min(self._limits(charged), key=lambda limit: limit.rho(selected))
        raise Mistake(
            asked,
            found=f"The account {self.file} has less than that left for a person: epsilon "
            f"{epsilon_of_sum(spent, selected, lowest.delta):.3g} of {lowest.epsilon:g} is spent.",
            attempt="a lower epsilon, or a higher limit that somebody decides on; nothing was "
            "charged.",
        )

    def head(self) -> AccountHead:
        """The end of the account in its file."""
        if self._kept is None:
            raise Bug("an account without a file has no end to be kept.")
        return self._kept.read().head

    def _limits(self, charged: ReadCharges) -> tuple[PrivacyLimit, ...]:
        """The limit of this run, and that of a register's charter where it has one."""
        if charged.epsilon is None:
            return (self.limit,)
        return self.limit, PrivacyLimit(epsilon=charged.epsilon, delta=charged.delta)

    def _check(
        self,
        before: tuple[Fraction, Fraction],
        new: Sequence[Measurement],
        limit: PrivacyLimit,
    ) -> None:
        rho, selected = (one + other for one, other in zip(before, sum_of(new), strict=True))
        if rho <= limit.rho(selected):
            return
        fields = ", ".join(dict.fromkeys(name for line in new for name in line.fields))
        found = epsilon_of_sum(rho, selected, limit.delta)
        raise Mistake(
            f"A measurement of {fields} was asked for.",
            found=f"It would bring epsilon to {found:.2g} at delta {limit.delta:g}, and the "
            f"limit of a person is {limit.epsilon:g}.",
            attempt="more noise, fewer measurements, or a higher limit that somebody decides on.",
        )

    def as_dict(self) -> dict[str, Any]:
        """This run's lines and their sum, as a manifest holds them."""
        rho, selected = sum_of(self.lines)
        facts: dict[str, Any] = {
            "unit": UNIT,
            "neighbouring": NEIGHBOURS,
            "measurements": [line.as_dict() for line in self.lines],
            "rho": rounded_up(rho),
            "delta": self.limit.delta,
            "delta_of_selections": rounded_up(selected),
            "epsilon": self.epsilon,
            "limit": {"epsilon": self.limit.epsilon, "delta": self.limit.delta},
            "outside": list(self.outside),
            **({"run": self.run} if self.file is not None else {}),
        }
        return {**facts, "digest": _digest(facts)}


def sum_of(lines: Iterable[Measurement]) -> tuple[Fraction, Fraction]:
    """The rho and the delta of selections of all lines, exactly."""
    kept = tuple(lines)
    return (
        sum((line.rho for line in kept), Fraction(0)),
        sum((line.delta for line in kept), Fraction(0)),
    )


def displayed_epsilon(lines: Iterable[Measurement], delta: float) -> float:
    """The epsilon of a sum of lines at a delta, of which selections take their part."""
    return epsilon_of_sum(*sum_of(lines), delta)


def epsilon_of_sum(rho: Fraction, selected: Fraction, delta: float) -> float:
    """The epsilon of a sum of rho at a delta, of which selections took their part."""
    left = Fraction(delta) - selected
    return epsilon_of(rho, _below(left)) if left > 0 else float("inf")


def check_account(facts: Mapping[str, Any]) -> list[str]:
    """Add the lines of a manifest up again. The disagreements, in words; nothing where all agrees.

    Example:
        >>> account = PrivacyAccount(limit=PrivacyLimit(epsilon=1.0, delta=1e-9))
        >>> account.charge([Measurement(what="counts", fields=("age",), cells=85, sigma=10.0)])
        >>> facts = account.as_dict()
        >>> check_account(facts), check_account({**facts, "rho": "0.001"})
        ([], ['the sum of rho is not that of the measurements', 'the lines were changed after they were written'])
    """
    broken = []
    try:
        lines = [Measurement.from_dict(line) for line in facts["measurements"]]
        limit = PrivacyLimit(
            epsilon=float(facts["limit"]["epsilon"]), delta=float(facts["limit"]["delta"])
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = str(error) if isinstance(error, ValueError) else "a part of it is missing"
        return [f"the account cannot be added up: {why}"]
    rho, selected = sum_of(lines)
    if facts.get("rho") != rounded_up(rho):
        broken.append("the sum of rho is not that of the measurements")
    if facts.get("delta_of_selections") != rounded_up(selected):
        broken.append("the delta of selections is not that of the measurements")
    if facts.get("delta") != limit.delta:
        broken.append("the delta is not that of the limit")
    if facts.get("epsilon") != displayed_epsilon(lines, limit.delta):
        broken.append("epsilon is not that of the measurements")
    if rho > limit.rho(selected):
        broken.append("the measurements cost more than the limit")
    if facts.get("unit") != UNIT or facts.get("neighbouring") != NEIGHBOURS:
        broken.append("the unit or the neighbouring relation differs")
    if facts.get("digest") != _digest({k: v for k, v in facts.items() if k != "digest"}):
        broken.append("the lines were changed after they were written")
    return broken


def _digest(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _below(number: Fraction) -> float:
    """The largest floating-point number that is not above a fraction."""
    found = float(number)
    return found if Fraction(found) <= number else float(np.nextafter(found, -np.inf))
