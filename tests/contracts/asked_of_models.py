"""Something to ask of each declared protection model, and a table with a policy under which it can
be released.

A model of Sfumato without a line here fails the contract.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

ASKED: dict[str, Any] = {
    "k": 2,
    "k_map": {"k": 2, "population": "register.csv"},
    "bin_sizes": {"zip": 2},
    "combinations": {"k": 2, "sizes": [1, 2]},
    "key_combinations": [{"k": 2, "fields": ["zip", "sex"]}],
    "bounded_knowledge": [
        {"k": 2, "m": 1, "register": ["sex"], "confidence": 0.8, "fields": ["problem"]}
    ],
    "anonymity": {"level": 0.5, "r2": 4.0, "e": 2.0},
    "non_uniqueness": {"fields": ["problem"]},
    "l_diversity": {"l": 2, "fields": ["problem"]},
    "t_closeness": {"t": 0.5, "fields": ["problem"]},
    "value_spread": {"width": 2, "share": 0.6, "fields": ["pay"]},
    "p_sensitive": {"p": 2, "k": 2, "fields": ["problem"]},
    "alpha_k": {"alpha": 0.8, "k": 2, "fields": ["problem"]},
    "delta_disclosure": {"delta": 2.0, "fields": ["problem"]},
    "beta_likeness": {"beta": 2.0, "kind": "basic", "fields": ["problem"]},
    "confidence_gain": {"gain": 0.6, "facts": 1, "fields": ["problem"]},
    "delta_presence": {"min": 0.0, "max": 0.5, "population": "register.csv"},
    "average_risk": 0.5,
    "maximum_risk": 0.5,
    "population_uniqueness": {"threshold": 0.5, "population_size": 100},
    "null_map": {},
    "wrong_map": {},
    "safe_harbor": {"zips": ["zip"]},
    "k_m": [{"k": 2, "m": 2, "field": "problem"}],
}
FIELDS: dict[str, Any] = {
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
    "sex": {"role": "quasi"},
    "problem": {"role": "sensitive"},
    "odd": {"role": "insensitive"},
    "pay": {"role": "insensitive"},
}
PEOPLE = [
    (f"021{n:02d}", "fm"[n % 2], ("flu", "cold", "gout")[n % 3], f"v{n}", 7 * n % 11)
    for n in range(24)
]


def policy_table(key: str) -> dict[str, Any]:
    """A policy of one table that asks for one thing, and for what that cannot be had without."""
    table: dict[str, Any] = {"fields": FIELDS, "require": {key: ASKED[key]}}
    if key == "anonymity":
        table["solve"] = {"solver": "datafly"}
        table["require"]["max_suppression"] = 0.5
    if key == "null_map":
        table["steps"] = [{"technique": "encrypt", "fields": ["zip", "sex"]}]
        table["fields"] = FIELDS | {"zip": {"role": "quasi"}}
    if key == "wrong_map":
        table["steps"] = [{"technique": "swap", "method": "unit", "fields": ["zip", "sex"]}]
    if key in ("safe_harbor", "bin_sizes", "k_m"):
        table["require"]["k"] = 2
    if key == "value_spread":
        table["fields"] = FIELDS | {"pay": {"role": "sensitive"}}
    if key == "k_m":
        who = {"role": "direct", "replace": "number"}
        sets = {"role": "sensitive", "hierarchy": {"suppress": True}}
        table |= {"entity": "who", "fields": FIELDS | {"who": who, "problem": sets}}
        table["row_counts"] = {"linking": 0}
    return table


def write_people(folder: Path) -> Path:
    """The table that is released, and a register of its people and others."""
    source = folder / "people.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        rows = [(f"p{n // 2}", *row) for n, row in enumerate(PEOPLE)]
        csv.writer(file).writerows([("who", *FIELDS), *rows])
    with (folder / "register.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("zip", "sex"), *[row[:2] for row in PEOPLE * 3]])
    return source
