"""Estimates made non-negative with given sums, and then whole numbers: the two steps by which noisy
counts become counts."""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
_ROUNDS = 500
_NEAR = 1e-3
"""Margins are met this closely before cells are rounded."""


def on_simplex(rows: Floats, sums: Floats) -> Floats:
    """The nearest non-negative numbers with the given sum, row by row.

    Example:
        >>> on_simplex(np.array([[3.0, -1.0, 2.0]]), np.array([4.0])).tolist()
        [[2.5, 0.0, 1.5]]
    """
    return np.maximum(0.0, rows - _shift(rows, sums)[:, None])


def _shift(rows: Floats, sums: Floats) -> Floats:
    """The number to take from each cell of a row, so that the numbers that stay above 0 have the
    sum."""
    descending = -np.sort(-rows, axis=1)
    shifts = (np.cumsum(descending, axis=1) - sums[:, None]) / np.arange(1, rows.shape[1] + 1)
    count = np.maximum(1, (descending > shifts).sum(axis=1))
    return np.asarray(shifts[np.arange(len(rows)), count - 1], float)


def whole_with_sum(row: Floats, total: int) -> Whole:
    """Whole numbers near non-negative ones, with their sum: the largest remainders are rounded up.

    Example:
        >>> whole_with_sum(np.array([1.5, 0.2, 2.3]), 4).tolist()
        [2, 0, 2]
    """
    out = np.floor(row + 1e-9).astype(np.int64)
    left = total - int(out.sum())
    order = np.argsort(-(row - out), kind="stable")
    if left >= 0:
        whole, more = divmod(left, len(row))
        out += whole
        out[order[:more]] += 1
        return out
    for place in order[::-1]:
        taken = min(int(out[place]), -left)
        out[place] -= taken
        left += taken
    return out


def with_margins(cells: Floats, rows: Whole, columns: Whole) -> Whole:
    """The whole non-negative numbers with given sums of rows and columns near an estimate.

    Least squares by ascent of the dual, block by block, then rounding by a linear program. Its
    vertices are whole numbers, because the constraints of a table of two ways are unimodular."""
    if cells.shape[0] == 1:
        return columns[None, :].copy()
    if cells.shape[1] == 1:
        return rows[:, None].copy()
    return _rounded(_nearest(cells, rows.astype(float), columns.astype(float)), rows, columns)


def _nearest(cells: Floats, rows: Floats, columns: Floats) -> Floats:
    by_column = np.zeros(cells.shape[1])
    for _ in range(_ROUNDS):
        by_row = _shift(cells - by_column, rows)[:, None]
        by_column = _shift((cells - by_row).T, columns)
        found = np.maximum(0.0, cells - by_row - by_column)
        if np.abs(found.sum(axis=1) - rows).max() < _NEAR:
            break
    return found


def _rounded(cells: Floats, rows: Whole, columns: Whole) -> Whole:
    """Each cell rounded down or up, so that the margins hold and the distance is least."""
    floor = np.floor(cells + 1e-6).astype(np.int64)
    part = np.clip(cells - floor, 0.0, 1.0)
    left_of_rows, left_of_columns = rows - floor.sum(axis=1), columns - floor.sum(axis=0)
    if left_of_rows.min() >= 0 and left_of_columns.min() >= 0:
        up = _assignment(part, np.ones(part.size), left_of_rows, left_of_columns)
        if up is not None:
            return floor + up
    # The estimate missed its margins by too much to be rounded: any whole numbers near it.
    found = _assignment(cells, np.full(cells.size, float(rows.sum())), rows, columns)
    if found is None:
        raise Bug("rows and columns of a table of counts have different sums.")
    return found


def _assignment(gain: Floats, most: Floats, rows: Whole, columns: Whole) -> Whole | None:
    """The whole numbers from 0 to `most` with the margins and the largest gain."""
    height, width = gain.shape
    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)  # noqa: FBT003
    program.setOptionValue("threads", 1)
    count = height * width
    starts = 2 * np.arange(count + 1, dtype=np.int32)
    places = np.empty(2 * count, np.int32)
    places[0::2] = np.repeat(np.arange(height), width)
    places[1::2] = height + np.tile(np.arange(width), height)
    margins = np.concatenate([rows, columns]).astype(float)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = count, height + width
    model.col_cost_ = -gain.ravel()
    model.col_lower_, model.col_upper_ = np.zeros(count), most
    model.row_lower_, model.row_upper_ = margins, margins
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = starts, places
    model.a_matrix_.value_ = np.ones(2 * count)
    program.passModel(model)
    program.run()
    if program.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = np.rint(np.array(program.getSolution().col_value)).astype(np.int64)
    found = found.reshape(height, width)
    exact = (found.sum(axis=1) == rows).all() and (found.sum(axis=0) == columns).all()
    return found if exact and found.min() >= 0 else None
