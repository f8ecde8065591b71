"""The manifest: what was done, in a form that travels with the release and that a third party can
re-check.

One record and one format for every release: one table, several tables, channels, letters,
synthetic rows and tables of counts. It holds no cell value, no secret, and no count of the source's
finer bins: those are in the report, which stays with the holder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import sfumato
from sfumato.engines import Snapshot
from sfumato.hierarchies import CsvHierarchy, Hierarchy, HierarchySpec
from sfumato.policy import SOLVERS, Policy, policy_as_table
from sfumato.protection import Outcome, Verdict

from .documentation import documentation_facts
from .policy_copy import file_name, part_facts, policy_copy, register_facts

FORMAT = 3
ONE_TABLE = "release"
"""The name of the table where a release has only one."""


class ReleaseShape(StrEnum):
    """The kind of a release, which decides how it is counted."""

    ONE_ROW_EACH = "one row per person"
    PEOPLE = "people with several rows or tables"
    CHANNELS = "channels"
    LETTERS = "letters"
    SYNTHETIC = "synthetic rows"
    TABLES_OF_COUNTS = "tables of counts"


UNMEASURED: Final = frozenset((ReleaseShape.LETTERS, ReleaseShape.TABLES_OF_COUNTS))
"""Shapes that no assessment measures: their rows are those of nobody, or they have none."""


@dataclass(frozen=True, kw_only=True)
class TableEntry:
    """One released table: where it is, what was done to its fields, and how many rows or people
    were left out.

    `place` is its file with a digest, or schema and table. `left_out` is None where its rows are
    nobody's."""

    place: Mapping[str, Any]
    rows: Mapping[str, int]
    fields: Mapping[str, str]
    left_out: Mapping[str, Any] | None = None
    key: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    row_counts_bin_size: int | None = None

    def as_dict(self) -> dict[str, Any]:
        size = self.row_counts_bin_size
        return {
            **self.place,
            "rows": dict(self.rows),
            **({"left_out": dict(self.left_out)} if self.left_out is not None else {}),
            **({"bin_size_of_row_counts": size} if size is not None else {}),
            "key": self.key,
            "links": dict(self.links),
            "fields": dict(self.fields),
        }


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The manifest of a release. `solver` and `recoding` are the solvers' own accounts; `sections`
    are what only some shapes have: recoding, hierarchies, utility, steps, texts, channels, scrubbed
    files."""

    shape: ReleaseShape
    created: str
    outcome: Outcome
    policy: Policy | None = None
    verdicts: Sequence[Verdict] = ()
    tables: Mapping[str, TableEntry] = field(default_factory=dict)
    engine: str = ""
    snapshot: Snapshot | None = None
    solver: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    sections: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Everything a recipient needs to account for what was done, as JSON-able values."""
        out: dict[str, Any] = {
            "sfumato": sfumato.__version__,
            "format": FORMAT,
            "shape": self.shape.value,
            "created": self.created,
            "outcome": self.outcome,
        }
        if self.policy is None:
            return out | dict(self.sections)
        assert self.snapshot is not None
        verdicts = [verdict.as_dict() for verdict in self.verdicts]
        return out | {
            "verdicts": verdicts,
            "tables": {name: table.as_dict() for name, table in self.tables.items()},
            "recipient": self.policy.recipient,
            "solver": {"seed": self.policy.solve.seed, **package_facts(self.policy), **self.solver},
            "engine": self.engine,
            "snapshot": {"kind": self.snapshot.kind, **self.snapshot.facts},
            **self.sections,
            "warnings": list(self.warnings),
            **({"open_fields": list(undecided)} if (undecided := self.policy.open_fields) else {}),
            **part_facts(self.policy),
            **register_facts(self.policy),
            "documentation": documentation_facts(
                self.policy, verdicts, software=sfumato.__version__
            ),
            "policy": policy_as_table(policy_copy(self.policy)),
        }


def package_facts(policy: Policy) -> dict[str, str]:
    """The package that brought the solver, with its version; nothing for Sfumato's own."""
    package = SOLVERS.origin(policy.solve.solver)
    return {"package": package} if package else {}


def hierarchy_facts(spec: HierarchySpec | None, hierarchy: Hierarchy) -> dict[str, Any]:
    """How a hierarchy was made, the digest of that, and how high it is."""
    described = spec.describe() if spec is not None else {"suppress": True}
    described = file_name(described) if isinstance(described, str) else described
    text = spec.digest if isinstance(spec, CsvHierarchy) else _digest_of(described)
    return {"made_by": described, "sha256": text, "height": hierarchy.height + hierarchy.start}


def _digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def write_manifest(facts: Mapping[str, Any], path: Path) -> None:
    path.write_text(
        json.dumps(facts, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8"
    )
