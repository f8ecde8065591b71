"""The contract of every protection model with solvers, the release and the tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, CountedPeople
from sfumato.wording import agreeing, some_of

from .verdict import Verdict


@runtime_checkable
class Model(Protocol):
    """A rule about bins. Constructors store its numbers; bins arrive in the verbs.

    The declarations of a model hold for bins over exactly its fields, as a release has them:

    `monotone_generalisation`: once it holds, recoding any field to a coarser level keeps it
    holding. `monotone_suppression`: once it holds, leaving out whole bins keeps it holding. A
    search may prune only where the first is true.

    A model may declare more, for the functions of this file and for a search. A property that it
    does not declare does not hold:

    `bin_monotone`: each bin is judged by itself, and one that passes still passes when merged with
    any other. Then the rows that break the rule at some levels include all those that break it at
    coarser ones. `needs`: the fields outside the bins whose histograms it reads. `monotone_rows`:
    groups over some of the fields are counted, so that rows which pass at some levels pass at
    coarser ones. `reads_labels`: it reads the meaning of labels. `least_rows`: a table with fewer
    rows cannot pass. `least_bin`: a bin over its fields with fewer rows cannot pass. `stuck(bins)`:
    for each bin, the least number of its rows that break the rule in it and in every part of it. No
    finer levels can keep these rows. `impossible`: why no levels and no suppression can make it
    hold, in words without a value; empty where some may."""

    name: ClassVar[str]

    @property
    def monotone_generalisation(self) -> bool: ...

    @property
    def monotone_suppression(self) -> bool: ...

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        """Which bins break the rule. The rule holds when none does."""
        ...

    def judge(self, bins: Bins) -> Verdict:
        """The verdict about bins that were counted on what was written."""
        ...


def is_bin_monotone(model: Model) -> bool:
    """Whether a bin that passes still passes when merged with any other; false where a model does
    not declare it."""
    return bool(getattr(model, "bin_monotone", False))


def is_row_monotone(model: Model) -> bool:
    """Whether rows that pass at some levels pass at all coarser ones, however few other rows are
    released.

    That is so where each bin is judged by itself and merging keeps it passing, and where groups
    over some fields are counted (`monotone_rows`). Then rows that must be suppressed at a node must
    be suppressed at every finer one. Any rows that could be released at the finer node could be
    released here, with all that share their coarser bins."""
    return model.monotone_generalisation and (
        is_bin_monotone(model) or bool(getattr(model, "monotone_rows", False))
    )


def reads_labels(model: Model) -> bool:
    """Whether a model reads the meaning of a label from a hierarchy or a list of labels; it cannot
    read a range."""
    return bool(getattr(model, "reads_labels", False))


def impossible_reasons(models: Iterable[Model]) -> tuple[str, ...]:
    """Why no recoding can make these models hold; empty where none of them says so."""
    found = (str(getattr(model, "impossible", "")) for model in models)
    return tuple(dict.fromkeys(reason for reason in found if reason))


def needs_of(models: Model | Iterable[Model]) -> tuple[str, ...]:
    """The fields whose histograms one or several models need in the bins; each once."""
    several = (models,) if isinstance(models, Model) else models
    return tuple(dict.fromkeys(name for model in several for name in getattr(model, "needs", ())))


def broken_by(
    models: Iterable[Model], bins: CountedPeople, out: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The bins of people to suppress, `out` among them, so that all others pass every model.

    Leaving bins out may make others fail, so this repeats until nothing more fails.
    """
    several, out = tuple(models), out.copy()
    while not out.all():
        kept = np.flatnonzero(~out)
        there = bins.only(~out)
        failing = np.zeros(len(kept), bool)
        for model in several:
            failing |= model.failing(there)
        if not failing.any():
            break
        out[kept[failing]] = True
    return out


_ONE = {"rows": "row", "people": "person"}
MOST_NAMED = 8


def verdict_of(
    model: Model,
    bins: Bins,
    *,
    requirement: str,
    fields: tuple[str, ...],
    smallest: int,
    measured: str = "",
    failing: NDArray[np.bool_] | None = None,
) -> Verdict:
    """The verdict for the bins that fail. `measured` has the measured numbers; `failing` saves a
    second count."""
    failing = model.failing(bins) if failing is None else failing
    rows_below = bins.people_in(failing)
    total, below = _bins_over(bins, fields, failing)
    over = _few(fields)
    if not fields:
        outcome, reason = (
            "review",
            "no field is counted as known to this recipient, so nothing was required",
        )
    elif below:
        outcome = "fail"
        broken = agreeing(below, "breaks it; it holds", "break it; they hold")
        unit = agreeing(bins.people, _ONE.get(bins.unit, bins.unit), bins.unit)
        reason = f"{below} of {total} {agreeing(total, 'bin', 'bins')} over ({over}) {broken}"
        reason += f" {rows_below} of {bins.people} {unit}"
        reason += f"; {measured}" if measured else ""
    else:
        outcome = "pass"
        kept = (
            f"the only bin over ({over}) keeps it"
            if total == 1
            else f"all {total} bins over ({over}) keep it"
        )
        reason = f"{kept}; {measured or f'the smallest count is {smallest}'}"
    return Verdict(
        outcome=outcome,  # type: ignore[arg-type]
        model=model.name,
        requirement=requirement,
        fields=fields,
        bins=total,
        rows=bins.people,
        smallest=smallest,
        bins_below=below,
        rows_below=rows_below,
        reason=reason,
    )


def _few(fields: tuple[str, ...]) -> str:
    """The fields of a verdict as its reason names them, shortened; the verdict lists all of
    them."""
    return some_of(fields, len(fields) if len(fields) <= MOST_NAMED else 3)


def _bins_over(bins: Bins, fields: tuple[str, ...], failing: NDArray[np.bool_]) -> tuple[int, int]:
    """How many bins there are over `fields`, which may be fewer than were counted, and how many of
    these fail."""
    if not fields or not set(fields) < set(bins.fields):
        return len(bins), int(failing.sum())
    groups, sizes = bins.group_of(fields)
    return len(sizes), len(np.unique(groups[failing]))
