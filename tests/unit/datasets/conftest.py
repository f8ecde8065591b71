"""Whole tables of the made-up hospital database, put together from their batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sfumato.datasets import hospital_tables

Tables = dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def tables_of() -> Callable[..., Tables]:
    """Every table of a database as whole columns; masked where nulls are masked."""

    def whole(**settings: int) -> Tables:
        batches: dict[str, list[dict[str, Any]]] = {}
        for table, columns in hospital_tables(**settings):
            batches.setdefault(table, []).append(columns)
        return {
            table: {name: np.ma.concatenate([part[name] for part in parts]) for name in parts[0]}
            if table == "visits"
            else {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            for table, parts in batches.items()
        }

    return whole


@pytest.fixture(scope="session")
def small(tables_of: Callable[..., Tables]) -> Tables:
    """The default database."""
    return tables_of()


@pytest.fixture(scope="session")
def large(tables_of: Callable[..., Tables]) -> Tables:
    """A database of several blocks."""
    return tables_of(visits=600_000)
