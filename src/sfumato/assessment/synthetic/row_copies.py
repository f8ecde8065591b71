"""Copies: rows of the source that are synthetic rows too, beside rows of people who are not in it.

As many rows of each are drawn, and rows that both have are not counted. So each side has the same
chance of a match where nothing was copied."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np

from ..attacks.rates import Rate
from .coded_rows import CodedRows, Codes, matched_sample

FEWEST_MET = 6
"""Of fewer, all may be of one side by chance more often than once in 40 times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Distinct rows of the source, and of people who are not in it, that are synthetic rows too;
    `made_rows` is how many distinct synthetic rows there are."""

    source_rows: int
    source_met: int
    control_rows: int
    control_met: int
    made_rows: int
    has_control: bool

    @property
    def of_source(self) -> float:
        return self.source_met / max(self.source_rows, 1)

    @property
    def of_control(self) -> float | None:
        return self.control_met / max(self.control_rows, 1) if self.has_control else None

    @property
    def surely_of_source(self) -> float:
        """By how much the share of the source's rows that are matched is surely above that of other
        people's."""
        return surely_more(
            Rate(successes=self.source_met, attempts=self.source_rows),
            Rate(successes=self.control_met, attempts=self.control_rows),
        )

    @property
    def surely_of_made(self) -> float:
        """How many more of the synthetic rows are surely the source's than other people's: a few
        rows may all be copies."""
        return surely_more(
            Rate(successes=self.source_met, attempts=self.made_rows),
            Rate(successes=self.control_met, attempts=self.made_rows),
        )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "of_source": self.of_source,
            "of_control": self.of_control,
            "surely_of_source": self.surely_of_source,
            "surely_of_made": self.surely_of_made,
        }


def surely_more(one: Rate, other: Rate) -> float:
    """The least that a rate is above another, 39 times in 40 (Newcombe 1998), which also holds near
    0 and 1; never below 0.

    Example:
        >>> surely_more(Rate(successes=40, attempts=4000), Rate(successes=0, attempts=4000)) > 0.005
        True
        >>> surely_more(Rate(successes=2, attempts=4000), Rate(successes=0, attempts=4000))
        0.0
    """
    if not one.attempts or not other.attempts or one.successes + other.successes < FEWEST_MET:
        return 0.0
    margin = sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    return max(one.value - other.value - margin, 0.0)


def copies(rows: CodedRows) -> Copies:
    """Count exact copies, over all fields that were compared."""
    made = set(_whole(rows.made))
    source, control = matched_sample(_whole(rows.source), _whole(rows.control))
    return Copies(
        source_rows=len(source),
        source_met=len(source & made),
        control_rows=len(control),
        control_met=len(control & made),
        made_rows=len(made),
        has_control=len(rows.control) > 0,
    )


def _whole(rows: Codes) -> list[bytes]:
    return [row.tobytes() for row in np.ascontiguousarray(rows)]
