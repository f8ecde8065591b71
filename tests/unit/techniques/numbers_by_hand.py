"""Numbers into cells and out of them again, for the tests of techniques on numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from steps_by_hand import SECRET, taken

from sfumato.engines import FieldKind
from sfumato.techniques import StepResult


def texts(values: Sequence[float | None], digits: int = 0) -> list[str | None]:
    return [None if value is None or np.isnan(value) else f"{value:.{digits}f}" for value in values]


def step(
    technique: str,
    columns: Mapping[str, Sequence[str | None]],
    *,
    fields: Sequence[str] = ("x",),
    real: bool = False,
    secret: bytes = SECRET,
    **settings: Any,
) -> StepResult:
    """One step on these columns; those that it changes are whole numbers, or real ones, and all
    others text."""
    kinds = {
        name: (FieldKind.REAL if real else FieldKind.INTEGER) if name in fields else FieldKind.TEXT
        for name in columns
    }
    given = {"technique": technique, "fields": list(fields), **settings}
    return taken(columns, given, kinds=kinds, secret=secret)


def numbers(done: StepResult, name: str = "x") -> np.ndarray:
    return done.cells.numbers(name)


def normal(count: int, mean: float, spread: float, seed: int = 7) -> np.ndarray:
    """Made-up numbers; nothing is protected by them."""
    return np.random.default_rng(seed).normal(mean, spread, count)
