"""A source of a few rows that can only list its distinct tuples, which is all that replacing asks
of an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pytest

Row = Mapping[str, str | None]


class FewRows:
    """Rows written out in a test, listed in batches of two so that batches matter."""

    def __init__(self, rows: Sequence[Row], batch: int) -> None:
        self.rows, self.batch, self.passes = rows, batch, 0

    def distinct(self, fields: Sequence[str]) -> Iterator[Mapping[str, np.ndarray]]:
        self.passes += 1
        tuples = {tuple(row[name] for name in fields) for row in self.rows}
        ordered = sorted(tuples, key=lambda cells: [(cell is None, cell or "") for cell in cells])
        for at in range(0, len(ordered), self.batch):
            part = ordered[at : at + self.batch]
            yield {
                name: np.array([cells[i] for cells in part], object)
                for i, name in enumerate(fields)
            }


@pytest.fixture(scope="session")
def engine_of() -> Callable[..., FewRows]:
    def make(rows: Sequence[Row], *, batch: int = 2) -> FewRows:
        return FewRows(rows, batch)

    return make
