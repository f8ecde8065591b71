"""The requirements of the protection models in the form of the file; each is read back as itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from enum import StrEnum
from typing import Any

from .hierarchies import HierarchySpec
from .records import Requirements

_SEVERAL = (
    "key_combinations",
    "l_diversity",
    "t_closeness",
    "p_sensitive",
    "alpha_k",
    "delta_disclosure",
    "beta_likeness",
    "confidence_gain",
    "k_m",
)
_ONE = (
    "non_uniqueness",
    "delta_presence",
    "average_risk",
    "maximum_risk",
    "population_uniqueness",
    "null_map",
    "wrong_map",
    "safe_harbor",
)


def models_as_table(require: Requirements) -> dict[str, object]:
    """What is required of each model, in the order of the page; what is not required is left out."""
    out: dict[str, object] = {}
    for key in _ONE[:1] + _SEVERAL + _ONE[1:]:
        asked = getattr(require, key)
        if key in _SEVERAL and asked:
            out[key] = record_as_table(asked[0]) if len(asked) == 1 else [record_as_table(one) for one in asked]
        elif key in _ONE and asked is not None:
            out[key] = asked if isinstance(asked, float) else record_as_table(asked) or True
    return out


def record_as_table(record: Any) -> dict[str, object]:
    """The fields of a record that differ from their defaults, or have none."""
    return {
        field.name: plain(value)
        for field in fields(record)
        if (value := getattr(record, field.name)) != field.default or field.default is MISSING
    }


def plain(value: object) -> object:
    """Mappings as dicts and sequences as lists, all the way down: what JSON and TOML both write."""
    if isinstance(value, HierarchySpec):
        return plain(value.describe())
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
