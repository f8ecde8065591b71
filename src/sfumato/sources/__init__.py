"""Where private rows are: engines, and the survey of what they hold. The only room with database drivers."""

from .database import Database, Join, TableView
from .engine import (
    SIZE_CAP,
    Abilities,
    Engine,
    FieldInfo,
    FieldProfile,
    Frequencies,
    Histogram,
    Itemsets,
    Kind,
    Lookup,
    Moved,
    Numbers,
    Quota,
    Snapshot,
    Witnesses,
    WritePlan,
)
from .opening import DATABASES, ENGINES, engine_for, open_database, open_source

__all__ = [
    "DATABASES",
    "ENGINES",
    "SIZE_CAP",
    "Abilities",
    "Database",
    "Engine",
    "FieldInfo",
    "FieldProfile",
    "Frequencies",
    "Histogram",
    "Itemsets",
    "Join",
    "Kind",
    "Lookup",
    "Moved",
    "Numbers",
    "Quota",
    "Snapshot",
    "TableView",
    "Witnesses",
    "WritePlan",
    "engine_for",
    "open_database",
    "open_source",
]
