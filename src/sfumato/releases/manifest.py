"""The manifest: what was done, in a form that travels with the table and that a third party can re-check.

It holds no cell value, no secret, and no count of the source's finer bins: those are in the report, which stays
with the holder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sfumato
from sfumato.assess import Ads0, Utility
from sfumato.bins import GlobalRecoding, LabelledRecoding
from sfumato.policy import Policy, policy_as_table
from sfumato.policy.hierarchies import CsvHierarchy, Hierarchy, HierarchySpec
from sfumato.protection import Outcome, Verdict
from sfumato.solvers import Solution
from sfumato.sources import Snapshot

from .policy_copy import file_name, policy_copy
from .rolling_up import RolledUp

FORMAT = 2


def manifest(
    *,
    policy: Policy,
    created: str,
    engine: str,
    rows_source: int,
    rows_released: int,
    known: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    solution: Solution,
    settings: Mapping[str, Any],
    verdicts: Sequence[Verdict],
    outcome: Outcome,
    utility: Utility,
    ads0: Ads0,
    treatments: Mapping[str, str],
    warnings: Sequence[str],
    household: Mapping[str, object] | None,
    snapshot: Snapshot,
    table: Mapping[str, Any],
    left_out: Mapping[str, Any],
    rolled_up: RolledUp | None = None,
) -> dict[str, Any]:
    """Everything a recipient needs to account for what was done, as JSON-able values."""
    return {
        "sfumato": sfumato.__version__,
        "format": FORMAT,
        "created": created,
        "outcome": outcome,
        "verdicts": [verdict.as_dict() for verdict in verdicts],
        "table": dict(table),
        "rows": {
            "source": rows_source,
            "released": rows_released,
            "suppressed": rows_source - rows_released,
        },
        "left_out": dict(left_out),
        "recipient": policy.recipient,
        "known_fields": list(known),
        "fields": dict(treatments),
        "recoding": _recoding(solution, hierarchies),
        "hierarchies": {name: hierarchy_facts(policy.fields[name].hierarchy, hierarchies[name]) for name in known},
        "solver": {
            "name": solution.solver,
            "seed": policy.solve.seed,
            "settings": dict(settings),
            **({"proof": solution.proof.as_dict()} if solution.proof is not None else {}),
            **({"rolled_up": rolled_up.facts()} if rolled_up is not None and rolled_up.is_raised else {}),
            "moves": [step.what for step in solution.steps],
            "notes": list(solution.notes),
        },
        "engine": engine,
        "snapshot": {"kind": snapshot.kind, **snapshot.facts},
        "utility": utility.as_dict(),
        "ads0": {"holds": ads0.holds, "k_map": ads0.k_map, "reason": ads0.reason},
        **({"household": dict(household)} if household is not None else {}),
        "warnings": list(warnings),
        "policy": policy_as_table(policy_copy(policy)),
    }


def _recoding(solution: Solution, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Any]:
    if isinstance(solution.recoding, GlobalRecoding):
        levels = dict(solution.recoding.levels)
        names = {name: hierarchies[name].level_name(level) for name, level in levels.items()}
        told = {name: level + hierarchies[name].start for name, level in levels.items()}
        return {"kind": "global", "levels": told, "level_names": names}
    return {"kind": "labelled" if isinstance(solution.recoding, LabelledRecoding) else "local"}


def hierarchy_facts(spec: HierarchySpec | None, hierarchy: Hierarchy) -> dict[str, Any]:
    """How a hierarchy was made, the digest of that, and how high it is."""
    described = spec.describe() if spec is not None else {"suppress": True}
    described = file_name(described) if isinstance(described, str) else described
    text = spec.digest if isinstance(spec, CsvHierarchy) else _digest_of(described)
    return {"made_by": described, "sha256": text, "height": hierarchy.height + hierarchy.start}


def _digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def write_manifest(facts: Mapping[str, Any], path: Path) -> None:
    path.write_text(json.dumps(facts, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
