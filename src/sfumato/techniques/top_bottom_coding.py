"""Top and bottom coding: numbers beyond a limit are not distinguished (Garfinkel 2016, 4.3.2;
HIPAA: ages over 89).

A limit that is taken from the data is a number of the data: the income of the person at the 99th
percentile. A limit by share is therefore moved towards the middle to a round number, so coarse that
at least `least` rows are between it and the next; the limit then discloses something about all of
them only. In place of the limit, the mean or median of the cut numbers may be written. It is not
where they are so few, or one is so large among them, that it would disclose a number (the p% rule,
with p = 10: Loeve 2001)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sfumato.errors import Problem
from sfumato.parts import parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration, Wants, never

from .cells import Cells, Reals
from .grid import Grid, objects, off_grid, on_grid
from .medians import middle
from .stated_numbers import left_empty, told_count
from .step_result import StepContext, StepResult

_P = 0.1
_ENDS = {"above": 1, "below": -1}
_FURTHER = {"above": "more", "below": "less"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TopBottomCoding:
    """The numbers that are cut off, and the values written for them."""

    top: float | None = parameter("values above this", default=None, least=-math.inf)
    bottom: float | None = parameter("values below this", default=None, least=-math.inf)
    top_share: float = parameter("this share of the highest", default=0.0, least=0, most=1)
    bottom_share: float = parameter("this share of the lowest", default=0.0, least=0, most=1)
    to: str = parameter(
        "become the limit, or the mean or median of those cut off",
        default="limit",
        words=("limit", "mean", "median"),
    )
    least: int = parameter(
        "rows that a limit by share, a mean or a median is about, at least", default=5, least=3
    )


@dataclass(frozen=True, kw_only=True)
class _Cut:
    """One end of a field: its limit, how many rows are beyond it, and what is written for them."""

    end: str
    limit: float
    rows: int
    written: float

    def apply(self, numbers: Reals, before: Reals) -> Reals:
        sign = _ENDS[self.end]
        return np.where(sign * before > sign * self.limit, self.written, numbers)

    def words(self, places: int) -> str:
        limit = f"{self.limit:.{places}f}"
        if self.written != self.limit:
            return f"numbers {self.end} {limit} are written as one number in the middle of those"
        return (
            f"numbers {self.end} {limit} are written as {limit}, which means {limit} or "
            f"{_FURTHER[self.end]}"
        )


def top_bottom_coded(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Numbers above the upper limit and below the lower one become the limit, or the mean or median
    of themselves."""
    words, warnings = {}, []
    facts: dict[str, object] = {}
    for name in step.fields:
        values, places = cells.numbers(name), cells.decimals(name)
        there = ~np.isnan(values)
        before = after = values[there]
        cuts, refused = _cuts(name, before, places, step)
        for cut in cuts:
            after = cut.apply(after, before)
        words[name] = "; ".join(cut.words(places) for cut in cuts) or "left empty"
        facts[name] = {
            cut.end: {"limit": cut.limit, "rows": told_count(cut.rows, step.whole("least"))}
            for cut in cuts
        }
        if not cuts:
            after = np.full(len(before), np.nan)
            warnings.append(
                left_empty(
                    name, len(before), "too few numbers to say which are the highest or lowest"
                )
            )
        warnings += refused
        out = values.copy()
        out[there] = after
        cells = cells.with_numbers(name, out)
    return StepResult(cells=cells, words=words, facts=facts, warnings=tuple(warnings))


def _cuts(name: str, numbers: Reals, places: int, step: PolicyStep) -> tuple[list[_Cut], list[str]]:
    """The cuts of a field and the warnings about them; both empty where a limit is missing or the
    limits cross."""
    cuts, warnings = [], []
    for end, key in (("above", "top"), ("below", "bottom")):
        if getattr(step.settings, key) is None and step.number(f"{key}_share") == 0.0:
            continue
        limit = _limit(step, key, numbers, places, sign=_ENDS[end])
        if limit is None:
            return [], []
        cut, said = _cut(name, numbers, limit, step, end=end)
        cuts.append(cut)
        warnings += said
    return ([], []) if len(cuts) == 2 and cuts[0].limit < cuts[1].limit else (cuts, warnings)


def _limit(step: PolicyStep, key: str, numbers: Reals, places: int, *, sign: int) -> float | None:
    """The limit of this end: as given, or by share; None where there are too few numbers for a
    share. It is no finer than the field is written."""
    if getattr(step.settings, key) is not None:
        grain = 10.0**places
        return sign * math.floor(sign * step.number(key) * grain + 1e-9) / grain
    if len(numbers) < step.whole("least"):
        return None
    units = sign * on_grid(numbers, places)
    found = round_limit(units, step.number(f"{key}_share"), step.whole("least"))
    return sign * float(off_grid(objects([found]), places)[0]) if found is not None else None


def round_limit(units: Grid, share: float, least: int) -> int | None:
    """A round number that at least this share of the numbers, and `least` of them, are not below;
    at least `least` are between it and the next. None where no number is so round, because all but
    a few are on the other side of 0.

    Example:
        >>> round_limit(np.array([31, 47, 52, 66, 71, 81, 88, 93, 97, 412]), 0.1, 3)
        80
        >>> round_limit(np.array([7, 41, 41, 41, 62]), 0.4, 3)
        41
    """
    ordered = np.sort(units)
    at = int(ordered[len(ordered) - max(math.ceil(share * len(ordered) - 1e-9), least)])
    widest = 10 * max(abs(int(ordered[0])), abs(int(ordered[-1])), 1)
    step = 1
    while step <= widest:
        low = at // step * step
        if ((ordered >= low) & (ordered < low + step)).sum() >= least:
            return low
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return None


def _cut(
    name: str, numbers: Reals, limit: float, step: PolicyStep, *, end: str
) -> tuple[_Cut, list[str]]:
    """The value written beyond a limit: the limit itself where the mean or median of few numbers
    would disclose them."""
    sign, to, least = _ENDS[end], step.word("to"), step.whole("least")
    beyond = numbers[sign * numbers > sign * limit]
    written, warnings = limit, []
    if to != "limit" and 0 < len(beyond) < least:
        warnings.append(
            f"So few rows are {end} the limit of {name} that their {to} would reveal them: "
            "it is the limit."
        )
    elif to == "mean" and len(beyond) and not _dominated(np.abs(beyond / 2 - limit / 2)):
        written = float((beyond / len(beyond)).sum())
    elif to != "limit" and len(beyond):
        written = middle(beyond)
        if to == "mean":
            warnings.append(
                f"One number {end} the limit of {name} would follow from their mean: it is "
                "their median."
            )
    if written == limit and len(beyond) and len(beyond) + (numbers == limit).sum() < least:
        warnings.append(
            f"Fewer than {least} rows are {end} the limit of {name} or at it: they are "
            "as rare as before."
        )
    return _Cut(end=end, limit=limit, rows=len(beyond), written=written), warnings


def _dominated(excess: Reals) -> bool:
    """Whether the owner of the second largest number could infer the largest from the sum to within
    p of it."""
    ordered = np.sort(excess)[::-1] / excess.max()
    return bool(ordered[2:].sum() < _P)


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: TopBottomCoding = step.settings
    shares = {"top": asked.top_share, "bottom": asked.bottom_share}
    limits = {"top": asked.top, "bottom": asked.bottom}
    if asked.top is None and asked.bottom is None and not any(shares.values()):
        yield Problem(
            where=where,
            found="The step does not say what is cut off.",
            attempt="top, bottom, or a share of each.",
        )
    for end, share in shares.items():
        if limits[end] is not None and share:
            yield Problem(
                where=f"{where}.{end}_share",
                found=f"There is a limit as well: {end}.",
                attempt="one of them.",
            )
    if asked.top is not None and asked.bottom is not None and asked.bottom >= asked.top:
        yield Problem(
            where=f"{where}.bottom", found="It is not below top, so that one number would be left."
        )
    if sum(shares.values()) >= 1.0:
        yield Problem(
            where=f"{where}.top_share",
            found="With bottom_share it is 1 or more: nothing would be left.",
        )


def _still_truthful(asked: TopBottomCoding) -> bool:
    """A limit is true of the row; a mean or median of others is not."""
    return asked.to == "limit"


DECLARATION = TechniqueDeclaration(
    key="top_bottom",
    doc="the highest and lowest values are cut off",
    title="top and bottom coding",
    record=TopBottomCoding,
    apply=top_bottom_coded,
    check=_check,
    wants=Wants.NUMBERS,
    truthful=True,
    still_truthful=_still_truthful,
    draws=never,
    trials=tuple({"top_share": share, "bottom_share": share} for share in (0.02, 0.05, 0.2)),
)
