"""The reference engine: slow and obvious, in plain Python, to test the others."""

from __future__ import annotations

from typing import Any

from ..database import Database
from ..declaration import EngineDeclaration
from ..engine import Abilities, Engine

ABILITIES = Abilities(
    larger_than_memory=False, reads=("CSV", "rows"), writes=("CSV",), numbers_stages=True
)


def _open(source: Any, **options: Any) -> Engine:
    from ..reference.engine import ReferenceEngine

    return ReferenceEngine(source, **options)


def _open_tables(source: Any, **options: Any) -> Database:
    from ..reference.database import ReferenceDatabase

    return ReferenceDatabase(source, **options)


DECLARATION = EngineDeclaration(
    key="reference",
    doc="slow and obvious, in plain Python; there to test the others",
    can=ABILITIES,
    open=_open,
    open_tables=_open_tables,
    usual_format="csv",
)
