"""A verdict: the outcome of judging bins against one requirement. It has counts and a reason, never
a cell value."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Outcome = Literal["pass", "fail", "review"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The judgement of one requirement. `bins_below` and `rows_below` count what breaks it."""

    outcome: Outcome
    model: str
    requirement: str
    fields: tuple[str, ...]
    bins: int
    rows: int
    smallest: int
    bins_below: int
    rows_below: int
    reason: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"fields": list(self.fields)}


def overall(verdicts: tuple[Verdict, ...]) -> Outcome:
    """The worst of several: one fail fails all; one review, or no verdict at all, requires
    review."""
    outcomes = {verdict.outcome for verdict in verdicts}
    if "fail" in outcomes:
        return "fail"
    return "review" if "review" in outcomes or not outcomes else "pass"
