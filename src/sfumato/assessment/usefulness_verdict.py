"""The verdict on usefulness: whether the fields that must stay useful still distinguish rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.measures import MOST_ALIKE
from sfumato.protection import Outcome
from sfumato.wording import some_of

from .case import Case
from .page import Judgement

MOST_NAMED = 5
MANY_KNOWN = 5
"""Known fields from which on a release is wide, so that it matters if most are constant."""


def about_usefulness(case: Case) -> Iterator[Judgement]:
    """The verdict on the fields that the policy keeps. Where it names none, there is one only for a
    release in which most known fields are constant."""
    names = {info.name for info in case.subject.release.fields()}
    asked = kept_fields(case)
    keep = [name for name in asked if name in names]
    gone = [name for name in asked if name not in names]
    known = case.subject.known
    if not asked and len(known) < MANY_KNOWN:
        return
    constant = [name for name in keep or known if _is_constant(case, name)]
    if not asked and 2 * len(constant) <= len(known):
        return
    alike = [name for name in keep if name not in constant and _is_alike(case, name)]
    outcome: Outcome = "review" if alike or not (keep or gone) else "pass"
    yield Judgement(
        question="Can the release still be used?",
        outcome="fail" if (keep or gone) and (constant or gone) else outcome,
        answer=_answer(case, constant=constant, gone=gone, alike=alike, keep=[*keep, *gone]),
        rule="Red where a field that the policy keeps is constant or not released; amber where one "
        "label has over 80 % of its rows and none had in the source, or where most known fields are "
        "constant and the policy names none to keep.",
        anchor="worth",
    )


def kept_fields(case: Case) -> tuple[str, ...]:
    """The fields of the table that the policy keeps; none where there is no policy."""
    policy = case.opened.policy
    if policy is None:
        return ()
    return policy.of_table(case.opened.seen.table).keep if policy.tables else policy.keep


def _answer(
    case: Case,
    *,
    constant: Sequence[str],
    gone: Sequence[str],
    alike: Sequence[str],
    keep: list[str],
) -> str:
    if not keep:
        return (
            f"Hardly: {len(constant)} of {len(case.subject.known)} known fields have one value in "
            f"every row: {some_of(constant, MOST_NAMED)}. The policy names no field to keep."
        )
    parts = [f"{some_of(gone, MOST_NAMED)} not released"] if gone else []
    parts += [f"{some_of(constant, MOST_NAMED)} the same in every row"] if constant else []
    parts += [f"{some_of(alike, MOST_NAMED)} the same in over 80 % of the rows"] if alike else []
    if not parts:
        verb = "distinguish" if keep[1:] else "distinguishes"
        return f"Yes: {some_of(keep, MOST_NAMED)} still {verb} rows."
    return f"Of the fields to be kept: {'; '.join(parts)}."


def _is_constant(case: Case, name: str) -> bool:
    """One value in every row of the release, and several in the source where it is at hand."""
    source = case.subject.source
    if len(_counted(case.subject.release, name)) > 1:
        return False
    return source is None or not _has(source, name) or len(_counted(source, name)) > 1


def _is_alike(case: Case, name: str) -> bool:
    source = case.subject.source
    before = _largest(source, name) if source is not None and _has(source, name) else 0.0
    return _largest(case.subject.release, name) > MOST_ALIKE >= before


def _largest(engine: Engine, name: str) -> float:
    """The share of the most frequent value."""
    bins = _counted(engine, name)
    return float(bins.counts.max()) / bins.rows if len(bins) else 0.0


def _counted(engine: Engine, name: str) -> Bins:
    return Bins.count(engine, (name,))


def _has(engine: Engine, name: str) -> bool:
    return name in {info.name for info in engine.fields()}
