"""Where private rows are: engines, and the survey of what they hold. The only room with database drivers."""

from .engine import (
    SIZE_CAP,
    Abilities,
    Engine,
    FieldInfo,
    FieldProfile,
    Frequencies,
    Histogram,
    Kind,
    Lookup,
    WritePlan,
)
from .opening import ENGINES, open_source

__all__ = [
    "ENGINES",
    "SIZE_CAP",
    "Abilities",
    "Engine",
    "FieldInfo",
    "FieldProfile",
    "Frequencies",
    "Histogram",
    "Kind",
    "Lookup",
    "WritePlan",
    "open_source",
]
