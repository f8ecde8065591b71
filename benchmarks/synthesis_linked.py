"""Private synthesis of patients, visits and diagnoses of the made-up hospital database, epsilon 1 per
person: python -m benchmarks synthesis_linked. Children per parent and pairs of parent and child are
compared with the rows that were counted; days are compared by decade, year or month, and charges by
powers of two."""

from __future__ import annotations

import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import sfumato
from sfumato.datasets import hospital_tables

VISITS, EPSILON, MOST = 1_000_000, 1.0, {"visits": 10, "diagnoses": 4}
TABLES = ("patients", "visits", "diagnoses")
PARENT = ("sex", "ethnicity", "zip", "birth", "registered")
CHILD = ("ward", "principal_diagnosis", "admitted", "charges", "stay")


def source(visits: int) -> dict[str, pandas.DataFrame]:
    parts: dict[str, list[pandas.DataFrame]] = {}
    for name, columns in hospital_tables(visits=visits):
        if name in TABLES:
            plain = {
                key: column.filled(-1) if isinstance(column, np.ma.MaskedArray) else column
                for key, column in columns.items()
            }
            parts.setdefault(name, []).append(pandas.DataFrame(plain))
    tables = {name: pandas.concat(parts[name], ignore_index=True) for name in TABLES}
    for table in tables.values():
        for name in table.columns:
            if table[name].dtype.kind == "M":
                days = table[name].dt.strftime("%Y-%m-%d")
                table[name] = days.where(table[name].notna(), None)
    return tables


def policy(tables: dict[str, pandas.DataFrame], epsilon: float) -> dict[str, Any]:
    """Codes and places are public lists; they are read from the made-up tables to be short."""

    def listed(table: str, name: str) -> list[str]:
        return sorted(tables[table][name].dropna().unique())

    return {
        "synthesis": {
            "epsilon": epsilon,
            "tables": {
                "patients": {
                    "key": "patient_id",
                    "leave_out": ["name", "ssn"],
                    "domains": {
                        "birth": {"least": "1915-01-01", "most": "2025-12-31"},
                        "sex": ["f", "m"],
                        "ethnicity": listed("patients", "ethnicity"),
                        "zip": listed("patients", "zip"),
                        "registered": {"least": "2000-01-01", "most": "2025-12-31"},
                    },
                },
                "visits": {
                    "key": "visit_id",
                    "parent": "patients",
                    "link": "patient_id",
                    "most": MOST["visits"],
                    "leave_out": ["physician_id"],
                    "after": {"discharged": "admitted", "admitted": "registered"},
                    "domains": {
                        "admitted": {"least": "2020-01-01", "most": "2025-12-31"},
                        "discharged": {"least": "2020-01-01", "most": "2026-06-30"},
                        "ward": listed("visits", "ward"),
                        "principal_diagnosis": listed("visits", "principal_diagnosis"),
                        "charges": {"least": 0, "most": 300_000},
                    },
                },
                "diagnoses": {
                    "parent": "visits",
                    "link": "visit_id",
                    "most": MOST["diagnoses"],
                    "domains": {
                        "position": {"least": 1, "most": 12},
                        "code": listed("diagnoses", "code"),
                    },
                },
            },
        }
    }


def compared(patients: pandas.DataFrame, visits: pandas.DataFrame) -> pandas.DataFrame:
    both = visits.astype({"patient_id": str}).merge(
        patients.astype({"patient_id": str}), on="patient_id"
    )
    out = both[["sex", "ethnicity", "zip", "ward", "principal_diagnosis"]].fillna("?")
    out["birth"] = both["birth"].fillna("0").str[:3]
    out["registered"] = both["registered"].fillna("0").str[:4]
    out["admitted"] = both["admitted"].fillna("0").str[:7]
    out["charges"] = np.floor(np.log2(pandas.to_numeric(both["charges"]) + 1)).fillna(-1)
    days = pandas.to_datetime(both["discharged"]) - pandas.to_datetime(both["admitted"])
    out["stay"] = days.dt.days.clip(upper=14).fillna(-1)
    return out


def distance(one: pandas.DataFrame, other: pandas.DataFrame, fields: list[str]) -> float:
    shares = [table.groupby(fields).size() / len(table) for table in (one, other)]
    left, right = shares[0].align(shares[1], fill_value=0)
    return float((left - right).abs().sum() / 2)


def children(parents: Any, links: Any, most: int) -> Any:
    counts = links.value_counts().reindex(parents).fillna(0).clip(upper=most).astype(int)
    return np.bincount(counts, minlength=most + 1) / len(counts)


def main() -> None:
    real = source(VISITS)
    with tempfile.TemporaryDirectory() as place:
        start = time.process_time()
        made = sfumato.synthesize(real, policy(real, EPSILON), to=Path(place) / "made")
        seconds = time.process_time() - start
        assert made.folder is not None
        drawn = {
            name: pandas.read_csv(made.folder / f"synthetic_{name}.csv", dtype=str)
            for name in TABLES
        }
    counted = real["visits"].sample(frac=1, random_state=1)
    counted = counted.groupby("patient_id").head(MOST["visits"])
    print(f"{VISITS:,} visits, epsilon {EPSILON:g}: {seconds:.1f} CPU s")
    for child, parent, key, own in (
        ("visits", "patients", "patient_id", real["patients"]),
        ("diagnoses", "visits", "visit_id", counted),
    ):
        was = children(own[key], real[child][key], MOST[child])
        now = children(drawn[parent][key], drawn[child][key], MOST[child])
        print(f"{child} of {parent}: tvd {np.abs(was - now).sum() / 2:.4f}")
    one, other = compared(real["patients"], counted), compared(drawn["patients"], drawn["visits"])
    pairs = {(a, b): distance(one, other, [a, b]) for a in PARENT for b in CHILD}
    inside = {pair: distance(one, other, list(pair)) for pair in combinations(CHILD, 2)}
    print(f"pairs of parent and child: tvd2 {np.mean(list(pairs.values())):.4f}")
    print(f"pairs inside visits: tvd2 {np.mean(list(inside.values())):.4f}")
    print("  " + ", ".join(f"{a} with {b} {far:.3f}" for (a, b), far in (pairs | inside).items()))
