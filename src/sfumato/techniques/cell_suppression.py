"""Suppressing cells: those with certain values, and those whose value few rows have (000, 3.2; 003, 4.3.2)."""

from __future__ import annotations

import numpy as np

from sfumato.policy import Step

from .cells import Cells, Column
from .chance import Wholes
from .done import Around, Done


def suppressed(cells: Cells, step: Step, around: Around) -> Done:
    """Cells become null; what is not suppressed stays as it is and stays true.

    `rarer_than` counts rows as they are before this step, so a value that enough rows have stays in all of them.
    """
    named, least = step.names("values"), step.whole("rarer_than")
    words, shares, warnings = {}, {}, []
    for name in step.fields:
        codes, labels = cells.codes(name)
        hit = _hit(codes, labels, named, least)
        there = int((~cells.is_null(name)).sum())
        gone = hit[codes]
        out = cells.columns[name].copy()
        out[gone] = None
        cells = cells.with_texts(name, out)
        words[name] = _words(named, least)
        shares[name] = round(int(gone.sum()) / max(len(cells), 1), 4)
        unseen = len(set(named) - set(labels.tolist()))
        if unseen:
            warnings.append(f"{unseen} of the {len(named)} values that are to be suppressed in {name} occur nowhere.")
        if there and int(gone.sum()) == there:
            warnings.append(f"Every cell of {name} is suppressed.")
        if named and unseen < len(named):
            warnings.append(
                f"The policy, which travels with the release, names the values that are suppressed in {name}: who "
                "reads it knows that a missing cell may have been one of them."
            )
    return Done(cells=cells, words=words, facts={"share_suppressed": shares}, warnings=tuple(warnings))


def _hit(
    codes: Wholes, labels: Column, named: tuple[str, ...], least: int
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each value of the field, whether its cells go; null has nothing to lose."""
    counts = np.bincount(codes, minlength=len(labels))
    chosen = set(named)
    return np.array(
        [
            label is not None and (label in chosen or count < least)
            for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ],
        bool,
    )


def _words(named: tuple[str, ...], least: int) -> str:
    values = "a value that the policy lists" if len(named) == 1 else f"one of {len(named)} values that the policy lists"
    which = [f"had {values}"] if named else []
    which += [f"had a value that fewer than {least} rows have"] if least else []
    return f"suppressed (left empty) where the cell {' or '.join(which)}"
