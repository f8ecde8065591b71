"""The suppression of a release: its share, its reasons, and whether it is within `max_suppression`.

The limit binds every reason for which rows are left out, except a sample that a step draws. Where
each person has one row, rows are counted. In tables with several rows of each person, people are
counted. A person who had rows in a table and has none in the release is suppressed in that table. A
row that is nobody's counts as a person."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import NoRecodingFound
from sfumato.policy import Policy

from .checks import Check

BINS = "bins that break a requirement"
HOUSEHOLDS = "of their households"
NOBODY = "without a person"
FOLLOWED = "gone with the row they hang on"
COUNTS = "dropped to share numbers of rows"
BINS_AND_COUNTS = "small bins, and numbers of rows that are shared"
SAMPLED = "not drawn into the sample"
ROWS_DROPPED = "share_of_rows_dropped_at_most"
"""The manifest states in tenths the share of rows that were dropped so that enough people share
each number of rows. An exact number could be one person's."""


def reasons_apart(above: str | None, *, person: str) -> tuple[str, ...]:
    """Reasons that do not count against the limit in a table whose rows link to those of `above`.

    This holds directly below the person's table only: somebody dropped with a row there is a
    person, and was counted there. Further down, the row above may be one of several. A person who
    lost all rows with it is counted nowhere else."""
    return (FOLLOWED,) if above == person else ()


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """How many of `source` rows or people are not released, by reason. `sampled` were not drawn,
    and are apart; so are the reasons in `apart`, which the limit does not bind. `rows_dropped` is
    the share of rows that were dropped so that enough people share each number of rows. Their
    people may keep other rows."""

    unit: str
    source: int
    by_reason: Mapping[str, int]
    table: str = ""
    sampled: int = 0
    apart: tuple[str, ...] = ()
    rows_dropped: float = 0.0

    @property
    def gone(self) -> int:
        return sum(self.by_reason.values())

    @property
    def bound(self) -> int:
        """Those that count against the limit."""
        return sum(number for reason, number in self.by_reason.items() if reason not in self.apart)

    def as_dict(self) -> dict[str, Any]:
        """For the manifest; reasons that concern nobody are omitted."""
        return {
            "unit": self.unit,
            "source": self.source,
            "released": self.source - self.gone,
            "left_out": self.gone,
            "by_reason": {reason: number for reason, number in self.by_reason.items() if number},
            **({"sampling": {SAMPLED: self.sampled}} if self.sampled else {}),
            **({ROWS_DROPPED: in_tenths(self.rows_dropped)} if self.rows_dropped else {}),
        }


def suppression_limit(policy: Policy) -> tuple[float, str]:
    """The share that may be suppressed, and the key that sets it.

    Datafly's own limit is twice its loss, which a policy without a limit has; one that is smaller
    binds all the same."""
    most, asked = policy.require.max_suppression, policy.require.one("anonymity")
    if asked is not None and most >= 2 * asked.loss:
        return 2 * asked.loss, "anonymity.loss"
    return most, "max_suppression"


def in_tenths(share: float) -> float:
    """A share rounded up to whole tenths.

    Example:
        >>> in_tenths(0.58), in_tenths(0.6), in_tenths(0.001)
        (0.6, 0.6, 0.1)
    """
    return math.ceil(share * 10 - 1e-9) / 10


def is_within(gone: int, source: int, limit: float) -> bool:
    return gone <= limit * source + 1e-9


def check_left_out(policy: Policy, left_out: Iterator[LeftOut] | tuple[LeftOut, ...]) -> None:
    """Refuse to suppress more than the policy allows, all tables at once."""
    limit, key = suppression_limit(policy)
    over = [one for one in left_out if not is_within(one.bound, one.source, limit)]
    if not over:
        return
    told = []
    for one in over:
        counted = {
            reason: number
            for reason, number in one.by_reason.items()
            if number and reason not in one.apart
        }
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in counted.items())
        where = f" of {one.table}" if one.table else ""
        told.append(
            f"{one.bound:,} of {one.source:,} {one.unit}{where} "
            f"({one.bound / one.source:.1%}) would be left out: {reasons}"
        )
    least = max(one.bound / one.source for one in over) / (2 if key == "anonymity.loss" else 1)
    counts = (
        ", a smaller bin_size in row_counts"
        if any(one.by_reason.get(COUNTS) for one in over)
        else ""
    )
    raise NoRecodingFound(
        f"No recoding was found that leaves out at most {limit:.1%} of the {over[0].unit}.",
        found="; ".join(told) + ".",
        attempt=f"{key} = {_rounded_up(least):g}{counts}, coarser hierarchies, or weaker "
        "requirements.",
    )


def _rounded_up(share: float) -> float:
    return min(1.0, -(-share * 1000 // 1) / 1000)


def limit_check(
    policy: Policy,
    said: Mapping[str, Any],
    *,
    released: int | None,
    table: str = "",
    apart: Container[str] = (),
) -> Check:
    """The manifest's suppressed numbers add up, and are within the limit of the policy."""
    limit, key = suppression_limit(policy)
    where = f" of {table}" if table else ""
    claim = f"{said['unit']}{where} left out are within {key} = {limit:g}"
    source, gone = int(said["source"]), int(said["left_out"])
    reasons = [int(number) for number in said["by_reason"].values()]
    adds_up = (
        sum(reasons) == gone == source - int(said["released"])
        and min((gone, source, *reasons)) >= 0
    )
    if not adds_up or (released is not None and int(said["released"]) != released):
        return Check(
            claim=claim,
            outcome="fail",
            found="the numbers of the manifest do not add up",
            requirement=key,
        )
    bound = sum(int(number) for reason, number in said["by_reason"].items() if reason not in apart)
    share = bound / source if source else 0.0
    return Check(
        claim=claim,
        outcome="pass" if is_within(bound, source, limit) else "fail",
        found=f"{bound:,} of {source:,} ({share:.1%}), as the manifest says",
        requirement=key,
    )
