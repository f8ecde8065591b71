"""Where private rows are: engines, and the survey of what they hold. The only room with database drivers."""

from .addresses import is_address, is_postgres, name_of_address, without_secrets
from .database import Database, Join, TableView
from .declaration import ENGINES, EngineDeclaration
from .engine import (
    SIZE_CAP,
    Abilities,
    Engine,
    FieldInfo,
    FieldKind,
    FieldProfile,
    Frequencies,
    Histogram,
    Itemsets,
    KeyMap,
    Lookup,
    Quota,
    ShiftedDates,
    Snapshot,
    Witnesses,
    WritePlan,
)
from .source_opener import engine_for, open_database, open_source, open_target
from .table_choice import open_several
from .target import Target

__all__ = [
    "ENGINES",
    "SIZE_CAP",
    "Abilities",
    "Database",
    "Engine",
    "EngineDeclaration",
    "FieldInfo",
    "FieldProfile",
    "Frequencies",
    "Histogram",
    "Itemsets",
    "Join",
    "FieldKind",
    "Lookup",
    "ShiftedDates",
    "KeyMap",
    "Quota",
    "Snapshot",
    "TableView",
    "Target",
    "Witnesses",
    "WritePlan",
    "engine_for",
    "is_address",
    "is_postgres",
    "name_of_address",
    "open_database",
    "open_several",
    "open_source",
    "open_target",
    "without_secrets",
]
