"""Where private rows are: engines, and the survey of what they hold. The only room with database
drivers."""

from .addresses import is_address, is_postgres, name_of_address, without_secrets
from .compressed_file import stem_of
from .database import Database, Join, TableView
from .declaration import ENGINES, EngineDeclaration
from .declared_text import declared_text
from .engine import (
    SIZE_CAP,
    Abilities,
    CountedSet,
    CountedUnits,
    Engine,
    FieldInfo,
    FieldKind,
    FieldProfile,
    Frequencies,
    Histogram,
    Itemsets,
    KeyMap,
    Lookup,
    MadeColumn,
    NumberGrid,
    Quota,
    ShiftedDates,
    Snapshot,
    Witnesses,
    WritePlan,
)
from .field_profiles import profile_held, sample_held
from .formula_cells import formula_sentences, is_formula, quote_file
from .frame_kind import FrameKind, frame_kind
from .null_words import AMONG_NUMBERS, ANYWHERE
from .parquet_marks import mark_parquet, parquet_marks
from .reading_notes import reading_sentences
from .role_views import RoleView, RoleViews
from .source_opener import (
    USUAL,
    engine_for,
    open_database,
    open_source,
    open_target,
    open_views,
    read_released_frame,
    write_database_file,
    write_made_rows,
)
from .survey_weights import no_weights, weight_of
from .table_choice import DATABASE_FILES, UndecidedSource, open_several, open_undecided
from .target import Target

__all__ = [
    "AMONG_NUMBERS",
    "ANYWHERE",
    "DATABASE_FILES",
    "ENGINES",
    "SIZE_CAP",
    "USUAL",
    "Abilities",
    "CountedSet",
    "CountedUnits",
    "Database",
    "Engine",
    "EngineDeclaration",
    "FieldInfo",
    "FieldKind",
    "FieldProfile",
    "FrameKind",
    "Frequencies",
    "Histogram",
    "Itemsets",
    "Join",
    "KeyMap",
    "Lookup",
    "MadeColumn",
    "NumberGrid",
    "Quota",
    "RoleView",
    "RoleViews",
    "ShiftedDates",
    "Snapshot",
    "TableView",
    "Target",
    "UndecidedSource",
    "Witnesses",
    "WritePlan",
    "declared_text",
    "engine_for",
    "formula_sentences",
    "frame_kind",
    "is_address",
    "is_formula",
    "is_postgres",
    "mark_parquet",
    "name_of_address",
    "no_weights",
    "open_database",
    "open_several",
    "open_source",
    "open_target",
    "open_undecided",
    "open_views",
    "parquet_marks",
    "profile_held",
    "quote_file",
    "read_released_frame",
    "reading_sentences",
    "sample_held",
    "stem_of",
    "weight_of",
    "write_database_file",
    "write_made_rows",
    "without_secrets",
]
