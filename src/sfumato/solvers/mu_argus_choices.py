"""Rare combinations of values, each with the cell that a person chose to blank before mu-Argus
blanks the rest (Sweeney 2000, section 6.3).

The choices hold values, so they are a file of the holder's beside the policy. A release records
only its name."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.files import write_whole
from sfumato.hierarchies import Label

Cells = NDArray[np.bool_]
BLANK = "blank"
"""The column that names the cell to blank."""
NULL = r"\N"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankedCell:
    """The cell of `field` is blanked in all rows in which `fields` have these `labels`."""

    fields: tuple[str, ...]
    labels: tuple[Label, ...]
    field: str

    def __repr__(self) -> str:
        return f"BlankedCell(fields={self.fields!r}, field={self.field!r})"


def chosen_cells(bins: Bins, choices: Sequence[BlankedCell]) -> Cells:
    """Which cells of each bin the choices blank; each is read on the labels before any of them."""
    out = np.zeros(bins.codes.shape, bool)
    for choice in choices:
        rows = np.ones(len(bins), bool)
        for name, label in zip(choice.fields, choice.labels, strict=True):
            column = bins.column(name)
            rows &= np.array([each == label for each in bins.labels[column]], bool)[
                bins.codes[:, column]
            ]
        out[rows, bins.column(choice.field)] = True
    return out


def write_choices(path: Path, choices: Sequence[BlankedCell]) -> None:
    """A line for each choice: the values of the combination, and the cell to blank."""
    names = list(dict.fromkeys(name for choice in choices for name in choice.fields))
    lines = [[*names, BLANK]]
    for choice in choices:
        values = dict(zip(choice.fields, choice.labels, strict=True))
        cells = [values.get(name, "") for name in names]
        lines.append([*(NULL if cell is None else cell for cell in cells), choice.field])
    text = "".join(_line(line) for line in lines)
    write_whole(path, text)


def _line(cells: Sequence[str]) -> str:
    from io import StringIO

    out = StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def read_choices(path: Path, fields: Sequence[str]) -> tuple[BlankedCell, ...]:
    """The choices of a file; no value is disclosed where it is wrong."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise Mistake(
            f"The cells to blank were expected in {path.name}, beside the policy.",
            found="There is no such file, or it is no CSV file.",
            attempt="sfumato explore, which writes it.",
        ) from None
    out = []
    for number, row in enumerate(rows, start=2):
        cell = row.pop(BLANK, None)
        values = {
            name: None if text == NULL else text
            for name, text in row.items()
            if name in fields and text
        }
        if cell not in fields or not values or any(name not in fields for name in row):
            raise Mistake(
                f"Line {number} of {path.name} names no cell to blank.",
                attempt=f"columns among {', '.join(fields)} and {BLANK}, which names one of them.",
            )
        out.append(BlankedCell(fields=tuple(values), labels=tuple(values.values()), field=cell))
    return tuple(out)
