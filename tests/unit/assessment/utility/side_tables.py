"""Small tables about nobody, as subjects to measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from sfumato.engines import open_source
from sfumato.hierarchies import Hierarchy
from sfumato.hierarchies.widths import FixedWidths
from sfumato.measures.subject import Subject

Columns = Mapping[str, Sequence[Any]]


@contextmanager
def subject_of(release: Columns, source: Columns, **given: Any) -> Iterator[Subject]:
    """A subject of two tables written out by columns."""
    with open_source(pd.DataFrame(source)) as ours, open_source(pd.DataFrame(release)) as theirs:
        yield Subject(release=theirs, source=ours, **given)


def people(rows: int = 400, *, seed: int = 3) -> dict[str, list[Any]]:
    """Age, sex, town and whether somebody works, which age and town tell something about."""
    chance = np.random.default_rng(seed)
    age = chance.integers(18, 78, rows)
    town = chance.choice(["north", "south", "east"], rows, p=[0.5, 0.3, 0.2])
    works = (age < 60) & (chance.random(rows) < np.where(town == "north", 0.95, 0.7))
    return {
        "age": age.tolist(),
        "sex": chance.choice(["f", "m"], rows).tolist(),
        "town": town.tolist(),
        "works": np.where(works, "yes", "no").tolist(),
    }


def in_decades(table: Columns) -> tuple[dict[str, list[Any]], dict[str, Hierarchy]]:
    """The same with ages as ranges of ten years, and the hierarchy that leads there."""
    hierarchy = FixedWidths((10,)).bind(sorted({str(age) for age in table["age"]}))
    up = dict(
        zip(
            hierarchy.labels[0],
            (hierarchy.labels[1][code] for code in hierarchy.up[1]),
            strict=True,
        )
    )
    return {**table, "age": [up[str(age)] for age in table["age"]]}, {"age": hierarchy}
