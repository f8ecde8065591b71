"""The keys of a manifest, and the shape of each value. A key or a kind of value that no release
writes is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .manifest import ReleaseShape

_DIGEST = re.compile(r"[0-9a-f]{64}")
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Each:
    """A table with any keys, the values of which have one shape."""

    of: Any


@dataclass(frozen=True, slots=True)
class Several:
    """A list, the members of which have one shape."""

    of: Any


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of several shapes."""

    shapes: tuple[Any, ...]


TEXT, WHOLE, NUMBER, FLAG, DIGEST, NOTHING, ANY = (
    "text",
    "whole",
    "number",
    "flag",
    "digest",
    "nothing",
    "any",
)
FIGURE = OneOf((NUMBER, NOTHING))
FREE = Each(ANY)
FILE = {"file": TEXT, "sha256": DIGEST, "bytes": WHOLE}
VERDICT = {
    "outcome": TEXT,
    "model": TEXT,
    "requirement": TEXT,
    "fields": Several(TEXT),
    "bins": WHOLE,
    "rows": WHOLE,
    "smallest": WHOLE,
    "bins_below": WHOLE,
    "rows_below": WHOLE,
    "reason": TEXT,
}
LEFT_OUT = {
    "unit": TEXT,
    "source": WHOLE,
    "released": WHOLE,
    "left_out": WHOLE,
    "by_reason": Each(WHOLE),
}
SAMPLING = {"not drawn into the sample": WHOLE}
STEP = {
    "technique": TEXT,
    "table?": TEXT,
    "summary": TEXT,
    "fields": Several(TEXT),
    "parameters": FREE,
    "truthful": FLAG,
    "found?": FREE,
}
HIERARCHY = {"made_by": ANY, "sha256": DIGEST, "height": WHOLE}
SOLVER = {
    "name": TEXT,
    "seed": WHOLE,
    "package?": TEXT,
    "settings?": FREE,
    "choice?": TEXT,
    "proof?": FREE,
    "rolled_up?": FREE,
    "moves?": Several(TEXT),
    "notes": Several(TEXT),
}
BASE = {"sfumato": TEXT, "format": WHOLE, "shape": TEXT, "created": TEXT, "outcome": TEXT}


def _placed(entry: dict[str, Any]) -> OneOf:
    """A table that is a file, or one of a schema."""
    return OneOf((FILE | entry, {"schema": TEXT, "table": TEXT} | entry))


ENTRY = {"key": TEXT, "links": Each(TEXT), "fields": Each(TEXT)}
ROW_EACH = ENTRY | {
    "rows": {"source": WHOLE, "released": WHOLE, "suppressed": WHOLE, "after_steps?": WHOLE},
    "left_out": LEFT_OUT | {"sampling?": SAMPLING},
}
ROWS_OF_PEOPLE = ENTRY | {
    "rows": OneOf(
        (
            {"released": WHOLE},
            {
                "source": WHOLE,
                "released": WHOLE,
                "without a person": WHOLE,
                "gone with the row they hang on": WHOLE,
                "suppressed": WHOLE,
                "dropped to share numbers of rows": WHOLE,
                "after_steps?": WHOLE,
            },
        )
    ),
    "left_out?": LEFT_OUT | {"share_of_rows_dropped_at_most?": NUMBER, "sampling?": SAMPLING},
    "bin_size_of_row_counts?": WHOLE,
}
RELEASE = BASE | {
    "verdicts": Several(VERDICT),
    "recipient": TEXT,
    "solver": SOLVER,
    "engine": TEXT,
    "snapshot": FREE,
    "warnings": Several(TEXT),
    "open_fields?": Several(TEXT),
    "parts?": Each(TEXT),
    "registers?": Each({"file": TEXT, "sha256": DIGEST}),
    "agreement?": {"sha256": DIGEST},
    "people_record?": {"sha256": DIGEST},
    "documentation": Several({"question": TEXT, "answer": TEXT, "answered_by": TEXT}),
    "policy": FREE,
    "files": Each({"sha256": DIGEST, "bytes": WHOLE}),
}
RECODED = RELEASE | {
    "known_fields": Several(TEXT),
    "recoding": {"kind": TEXT, "levels?": Each(WHOLE), "level_names?": Each(TEXT)},
    "hierarchies": Each(HIERARCHY),
    "steps?": Several(STEP),
    "texts?": Each(FREE),
}
ONE_ROW_EACH = RECODED | {
    "tables": Each(_placed(ROW_EACH)),
    "utility": {
        "precision": FIGURE,
        "loss": FIGURE,
        "entropy": FIGURE,
        "rows_released": WHOLE,
        "rows_suppressed": WHOLE,
        "per_field": Each(FIGURE),
        "mean_level": Each(FIGURE),
    },
    "ads0": {"holds": FLAG, "k_map": WHOLE, "reason": TEXT},
    "household?": {"field": TEXT, "average_risk": NUMBER, "maximum_risk": NUMBER},
}
PEOPLE = RECODED | {"tables": Each(_placed(ROWS_OF_PEOPLE)), "people": WHOLE}
CHANNELS = RELEASE | {
    "tables": Each(_placed(ROW_EACH)),
    "channels": {
        "input_channels": WHOLE,
        "risky_input_channels": WHOLE,
        "subjects_at_risk": WHOLE,
        "output_channels": WHOLE,
        "cost": NUMBER,
        "omega": NUMBER,
        "least_cost_at_least": FIGURE,
        "gap": FIGURE,
        "compared_with": TEXT,
        "proven": FLAG,
        "undisclosed": WHOLE,
        "share_undisclosed": NUMBER,
        "inputs_per_subject": NUMBER,
        "tables": Each(FILE),
    },
}
LETTERS = BASE | {
    "statement": TEXT,
    "scrubbed": {
        "files": Several(
            FILE
            | {
                "format": TEXT,
                "texts": WHOLE,
                "languages": Each(WHOLE),
                "findings": WHOLE,
                "left_out": Several(TEXT),
            },
        ),
        "findings": Each(Each(WHOLE)),
        "unusual": Several({"file": TEXT, "where": ANY, "score": NUMBER}),
        "files_skipped": WHOLE,
        "found_again": WHOLE,
        "unreadable_pages": WHOLE,
        "languages": Each(WHOLE),
        "purpose": TEXT,
        "thresholds": Each(NUMBER),
        "detectors": {"set": TEXT, "names": Several(TEXT), "weights": Each(TEXT)},
        "style": {
            "method": TEXT,
            "by_kind": Each(TEXT),
            "keep": Several(TEXT),
            "dates": TEXT,
            "places": TEXT,
            "unsure": TEXT,
        },
        "names": TEXT,
        "key": TEXT,
        "linked_tables": Each(TEXT),
        "checked_by_a_person": OneOf((FLAG, FREE)),
    },
}

ACCOUNT = {
    "unit": TEXT,
    "neighbouring": TEXT,
    "measurements": Several(
        {
            "what": TEXT,
            "fields": Several(TEXT),
            "cells": WHOLE,
            "mechanism": TEXT,
            "sigma": NUMBER,
            "squared_sensitivity": WHOLE,
            "rows_per_person": WHOLE,
            "rho": TEXT,
            "threshold?": WHOLE,
            "delta?": TEXT,
        }
    ),
    "rho": TEXT,
    "delta": NUMBER,
    "delta_of_selections": TEXT,
    "epsilon": NUMBER,
    "limit": {"epsilon": NUMBER, "delta": NUMBER},
    "outside": Several(TEXT),
    "run?": TEXT,
    "digest": DIGEST,
}
_PRIVATE = {
    "measured_together": Several(Several(TEXT)),
    "bins": Each(WHOLE),
    "account_is_kept": FLAG,
    "beyond_range?": Each(NUMBER),
    "other_values?": Each(NUMBER),
    "crowded?": Several(TEXT),
    "reason?": TEXT,
}
_LINKED = {
    "tables": Each({"rows_per_person": WHOLE, "drawn_given": Each(Several(TEXT))}),
    "account_is_kept": FLAG,
    "beyond_range?": Each(NUMBER),
    "other_values?": Each(NUMBER),
    "reason?": TEXT,
}
_TREES = {
    "method": TEXT,
    "private": FLAG,
    "order": Several(TEXT),
    "leaves": Each(WHOLE),
    "combining_rule": {"name": TEXT, "copies": WHOLE, "rows": WHOLE, "source_rows": WHOLE},
    "membership": OneOf((TEXT, FREE)),
}
SYNTHETIC = BASE | {
    "statement": TEXT,
    "tables": Each(FILE | {"rows": WHOLE, "fields": Several(TEXT), "marked_by": TEXT}),
    "synthesis": OneOf((_PRIVATE, _LINKED, _TREES, {"method": TEXT, "private": FLAG})),
    "account?": ACCOUNT,
    "policy": FREE,
}
TABLES_OF_COUNTS = BASE | {
    "statement": TEXT,
    "tables": Each(FILE | {"rows": WHOLE, "fields": Several(TEXT)}),
    "tabulation": FREE,
    "account?": ACCOUNT,
    "policy": FREE,
    "files": Each({"sha256": DIGEST, "bytes": WHOLE}),
}


SHAPES: dict[str, dict[str, Any]] = {
    ReleaseShape.ONE_ROW_EACH: ONE_ROW_EACH,
    ReleaseShape.PEOPLE: PEOPLE,
    ReleaseShape.CHANNELS: CHANNELS,
    ReleaseShape.LETTERS: LETTERS,
    ReleaseShape.SYNTHETIC: SYNTHETIC,
    ReleaseShape.TABLES_OF_COUNTS: TABLES_OF_COUNTS,
}


def shape_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that a manifest of this shape has; KeyError where it has no shape that releases
    have."""
    return SHAPES[facts["shape"]]


def misfits(value: Any, shape: Any, place: str = "") -> Iterator[str]:
    """The places at which a value has not its shape, as dotted names."""
    if isinstance(shape, OneOf):
        found = [list(misfits(value, one, place)) for one in shape.shapes]
        yield from min(found, key=len)
    elif isinstance(shape, Several):
        if not isinstance(value, list):
            yield place
            return
        for number, one in enumerate(value):
            yield from misfits(one, shape.of, f"{place}.{number}")
    elif isinstance(shape, Each | dict):
        yield from _in_table(value, shape, place)
    elif not _IS[shape](value):
        yield place


def _in_table(value: Any, shape: Each | dict[str, Any], place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield place
        return
    known = (
        dict.fromkeys(value, shape.of)
        if isinstance(shape, Each)
        else {k.rstrip("?"): of for k, of in shape.items()}
    )
    needed = () if isinstance(shape, Each) else tuple(key for key in shape if not key.endswith("?"))
    for key in (
        *(key for key in value if key not in known),
        *(key for key in needed if key not in value),
    ):
        yield f"{place}.{key}".removeprefix(".")
    for key, of in known.items():
        if key in value:
            yield from misfits(value[key], of, f"{place}.{key}".removeprefix("."))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_IS: dict[str, Callable[[object], bool]] = {
    TEXT: lambda value: isinstance(value, str),
    WHOLE: _is_whole,
    NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    FLAG: lambda value: isinstance(value, bool),
    DIGEST: lambda value: isinstance(value, str) and _DIGEST.fullmatch(value) is not None,
    NOTHING: lambda value: value is None,
    ANY: lambda value: True,
}
