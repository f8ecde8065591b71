"""Where private rows are: engines, and the survey of what they hold. The only room with database drivers."""

from .addresses import is_address, is_postgres, name_of_address, without_secrets
from .compressed_file import stem_of
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
from .null_words import AMONG_NUMBERS, ANYWHERE
from .reading_notes import reading_sentences
from .source_opener import engine_for, open_database, open_source, open_target
from .table_choice import DATABASE_FILES, open_several
from .target import Target

__all__ = [
    "AMONG_NUMBERS",
    "ANYWHERE",
    "DATABASE_FILES",
    "ENGINES",
    "SIZE_CAP",
    "Abilities",
    "Database",
    "Engine",
    "EngineDeclaration",
    "FieldInfo",
    "FieldKind",
    "FieldProfile",
    "Frequencies",
    "Histogram",
    "Itemsets",
    "Join",
    "KeyMap",
    "Lookup",
    "Quota",
    "ShiftedDates",
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
    "reading_sentences",
    "stem_of",
    "without_secrets",
]
