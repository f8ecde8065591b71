"""The manifest's account of the recoding of one table and of the search that found it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.bins import GlobalRecoding, LabelledRecoding
from sfumato.hierarchies import Hierarchy
from sfumato.solvers import Solution, settings_of

from .manifest import hierarchy_facts
from .prepared_source import PreparedSource


def solver_facts(prepared: PreparedSource, solution: Solution) -> dict[str, Any]:
    """The solver, every setting it was made with, what it proves and how it got there."""
    rolled_up = prepared.rolled_up
    return {
        "name": prepared.policy.solve.solver,
        "settings": settings_of(prepared.solver),
        **({"choice": solution.choice} if solution.choice else {}),
        **({"proof": solution.proof.as_dict()} if solution.proof is not None else {}),
        **(
            {"rolled_up": rolled_up.facts()}
            if rolled_up is not None and rolled_up.is_raised
            else {}
        ),
        "moves": [step.what for step in solution.steps],
        "notes": list(solution.notes),
    }


def recoding_sections(prepared: PreparedSource, solution: Solution) -> dict[str, Any]:
    """The fields that the recipient may know, the level of each, and how their hierarchies were
    made."""
    known, hierarchies, fields = prepared.known, prepared.hierarchies, prepared.policy.fields
    return {
        "known_fields": list(known),
        "recoding": _recoding(solution, hierarchies),
        "hierarchies": {
            name: hierarchy_facts(fields[name].hierarchy, hierarchies[name]) for name in known
        },
    }


def _recoding(solution: Solution, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Any]:
    if isinstance(solution.recoding, GlobalRecoding):
        levels = dict(solution.recoding.levels)
        names = {name: hierarchies[name].level_name(level) for name, level in levels.items()}
        told = {name: level + hierarchies[name].start for name, level in levels.items()}
        return {"kind": "global", "levels": told, "level_names": names}
    return {"kind": "labelled" if isinstance(solution.recoding, LabelledRecoding) else "local"}
