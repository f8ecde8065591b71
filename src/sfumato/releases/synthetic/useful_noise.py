"""Noise that leaves nothing useful: refused before it is charged where that is known from public
numbers, and a case for a person where only the noisy numbers show it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from sfumato.accounting import sigma_for
from sfumato.errors import Mistake
from sfumato.protection import Outcome
from sfumato.synthesis import BudgetShares

from .private_domain import selection_line

MOST_NOISE: Final = 100_000
"""The noise of a field's counts, in rows, above which no table is useful, whatever its size."""
FEWEST_SIGMAS: Final = 10
"""People in units of that noise, at least."""
MOST_OTHER: Final = 0.5
"""The share of a field's cells outside of its declared or selected values or range, at most."""
LEAST_STATED: Final = 0.01
"""The least share of cells outside of a domain that the manifest states."""
FIELD_COUNTS: Final = "counts of a field"
RANGE_COUNTS: Final = "counts of cells of a range"


def check_noise(
    *, epsilon: float, rho: Fraction, fields: int, rows_per_person: int, people: int | None
) -> None:
    """Refuse, before anything is charged, an epsilon whose noise drowns every count. `people` is
    about how many there are, where the policy says so: a public number."""
    share = Fraction(BudgetShares().fields) if fields > 1 else Fraction(1)
    sigma = sigma_for(share * rho / max(fields, 1), rows_per_person**2)
    most = MOST_NOISE if people is None else people / FEWEST_SIGMAS
    if sigma <= most:
        return
    found = f"Each count would have noise of sigma {sigma:,.0f}"
    raise Mistake(
        f"A synthetic table of epsilon {epsilon:g} was asked for.",
        found=f"{found}; above {MOST_NOISE:,} no table is useful. Nothing was charged."
        if people is None
        else f"{found}, and the policy says that there are about {people:,} people. Nothing was "
        "charged.",
        attempt="a higher epsilon, fewer fields, or fewer rows per person.",
    )


def check_selection(
    *,
    epsilon: float,
    rho: Fraction,
    delta: float,
    select: Sequence[str],
    rows_per_person: int,
    people: int | None,
) -> None:
    """Refuse, before anything is charged, a selection that no value of up to half of the people can
    pass. `rho` and `delta` are those of each field."""
    if not select or people is None:
        return
    line = selection_line(select[0], rho=rho, delta=delta, rows_per_person=rows_per_person)
    if 2 * line.threshold <= people * rows_per_person:
        return
    rows = "one row" if rows_per_person == 1 else f"at most {rows_per_person:,} rows"
    raise Mistake(
        f"A synthetic table of epsilon {epsilon:g} was asked for.",
        found=f"Only values of more than {line.threshold:,} rows would be selected, and the policy "
        f"says that there are about {people:,} people, each with {rows}. Nothing was charged.",
        attempt="lists of values in place of select, which cost nothing; fewer fields in it, or a "
        "higher epsilon.",
    )


def usefulness(
    lines: Sequence[Mapping[str, Any]],
    rows: int,
    other: Mapping[str, float],
    crowded: Sequence[str] = (),
) -> tuple[Outcome, str]:
    """`pass`, or `review` with the reason, from what the manifest and the rows show. `other` has
    the share of cells outside of the values or the range of each field, `crowded` the ranges of
    which most people are in one cell of many steps."""
    sigma = min(_sigmas(lines, FIELD_COUNTS).values(), default=0.0)
    drowned = {
        name for name, own in _sigmas(lines, RANGE_COUNTS).items() if rows < FEWEST_SIGMAS * own
    }
    missed = sorted(name for name, share in other.items() if share > MOST_OTHER)
    reasons = []
    if rows < FEWEST_SIGMAS * sigma:
        reasons.append(
            f"the noise of a count, sigma {sigma:,.0f}, hides most of about {rows:,} rows"
        )
    if missed:
        reasons.append(
            f"most cells of {', '.join(missed)} are outside of the declared or selected values, or "
            "cannot be read"
        )
    if vague := sorted(drowned | set(crowded)):
        reasons.append(
            f"the values of {', '.join(vague)} are hardly known: noise, or a range far beyond them"
        )
    return ("review", "; ".join(reasons)) if reasons else ("pass", "")


def stated_shares(outside: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """The shares of cells outside of a range or of listed values that the manifest states. The rows do
    not show those beyond a range, which are drawn at its ends or as missing; others are `*` there.

    Example:
        >>> stated_shares({"age": 0.12345, "income": 0.001, "city": 0.4}, ["age", "income"])
        {'age': 0.1235}
    """
    return {name: round(outside[name], 4) for name in names if outside[name] >= LEAST_STATED}


def usefulness_of_tables(
    lines: Sequence[Mapping[str, Any]], rows: Mapping[str, int], other: Mapping[str, float]
) -> tuple[Outcome, str]:
    """The same for several tables, of which each line names its fields as `TABLE.FIELD`, and so
    does `other`."""
    reasons = []
    for name, count in rows.items():
        own = [line for line in lines if line["fields"][0].startswith(f"{name}.")]
        missed = {
            field.removeprefix(f"{name}."): share
            for field, share in other.items()
            if field.startswith(f"{name}.")
        }
        _, reason = usefulness(own, count, missed)
        reasons += [f"{name}: {reason}"] if reason else []
    return ("review", "; ".join(reasons)) if reasons else ("pass", "")


def _sigmas(lines: Sequence[Mapping[str, Any]], what: str) -> dict[str, float]:
    """The least noise of such lines, by their first field."""
    out: dict[str, float] = {}
    for line in lines:
        if line["what"] == what:
            name = line["fields"][0]
            out[name] = min(float(line["sigma"]), out.get(name, math.inf))
    return out
