"""The documents of a release of several tables: the manifest, and the facts of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sfumato
from sfumato.bins import Bins
from sfumato.engines import Snapshot
from sfumato.policy import Policy, person_table, policy_as_toml
from sfumato.protection import Outcome, Verdict
from sfumato.report import RowCountFacts, SetFacts, TableFacts, TablesFacts

from ..manifest import Manifest, ReleaseShape, TableEntry, hierarchy_facts
from ..policy_copy import policy_copy
from ..report_facts import bin_facts
from ..steps import SteppedTables
from .itemset_cuts import SetRecoding
from .one_table import as_said
from .recoding import TablesRecoding
from .recount import TablesRecount
from .row_counts import row_numbers
from .stages import StagedRows


@dataclass(frozen=True, eq=False, kw_only=True)
class TablesAccount:
    """Everything that was made on the way to a release."""

    policy: Policy
    solved: TablesRecoding
    staged: Mapping[str, StagedRows]
    sets: Mapping[str, tuple[SetRecoding, ...]]
    words: Mapping[str, Mapping[str, str]]
    found: TablesRecount
    verdicts: tuple[Verdict, ...]
    places: Mapping[str, Mapping[str, Any]]
    engine: str
    snapshot: Snapshot
    created: str
    outcome: Outcome
    warnings: Sequence[str]
    sections: Mapping[str, Any]
    stepped: SteppedTables
    title: str
    lost: tuple[str, ...] = ()

    @property
    def all_sets(self) -> tuple[SetRecoding, ...]:
        return tuple(one for found in self.sets.values() for one in found)

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(item.name for stage in self.staged.values() for item in stage.sight.own)


def is_kept(policy: Policy, name: str) -> bool:
    """Whether the policy keeps a field, by its own name or with its table."""
    return name in policy.keep or name.rpartition(".")[2] in policy.keep


def tables_manifest(made: TablesAccount) -> Manifest:
    """The manifest of several tables, or of one with several rows of a person."""
    solved = made.solved
    sections = {
        "people": made.found.people,
        "known_fields": list(made.known),
        "recoding": {
            "kind": "global" if solved.levels or not solved.solver else "local",
            "levels": dict(solved.levels),
            "level_names": {
                name: solved.hierarchies[name].level_name(at) for name, at in solved.levels.items()
            },
        },
        "hierarchies": {
            name: hierarchy_facts(_spec(made, name), hierarchy)
            for name, hierarchy in solved.hierarchies.items()
        },
    }
    solver = {
        "name": solved.solver,
        "settings": dict(solved.settings),
        **({"choice": solved.choice} if solved.choice else {}),
        **({"proof": solved.proof.as_dict()} if solved.proof is not None else {}),
        "moves": [step.what for step in solved.steps],
        "notes": [
            *solved.notes,
            *(note for sets in made.sets.values() for one in sets for note in one.found.notes),
        ],
    }
    return Manifest(
        shape=ReleaseShape.PEOPLE,
        created=made.created,
        outcome=made.outcome,
        policy=as_said(made.policy),
        verdicts=made.verdicts,
        tables={name: _table(made, name) for name in made.staged},
        engine=made.engine,
        snapshot=made.snapshot,
        solver=solver,
        warnings=made.warnings,
        sections={**sections, **made.sections},
    )


def _spec(made: TablesAccount, name: str) -> Any:
    item = next(
        item for stage in made.staged.values() for item in stage.sight.own if item.name == name
    )
    return made.policy.tables[item.table].fields[item.field].hierarchy


def row_account(stage: StagedRows, released: int) -> dict[str, int]:
    """An account of the rows of a table. It is for the holder: where one person was suppressed, it
    discloses the number of that person's rows."""
    return {
        "source": stage.rows_source,
        "released": released,
        "without a person": stage.orphans,
        "gone with the row they hang on": stage.followed,
        "suppressed": stage.by_bins,
        "dropped to share numbers of rows": stage.by_count,
    }


def _table(made: TablesAccount, name: str) -> TableEntry:
    """A table as in the manifest. For tables with several rows per person it has only how many were
    released."""
    stage = made.staged[name]
    account = row_account(stage, made.found.rows[name])
    one_each = stage.sight.is_unique or stage.sight.person is None
    stepped = made.stepped.tables.get(name) if made.stepped.steps else None
    left_out = stage.left_out
    if stepped is not None:
        account |= stepped.account(stage.rows_source)
        left_out = (
            replace(left_out, sampled=stepped.people_sampled_out) if left_out is not None else None
        )
    return TableEntry(
        place=made.places[name],
        rows=account if one_each else {"released": account["released"]},
        left_out=left_out.as_dict() if left_out is not None else None,
        row_counts_bin_size=stage.bin_size,
        key=stage.sight.policy.key,
        links={link.field: f"{link.table}.{link.key}" for link in stage.sight.policy.links},
        fields=made.words[name],
    )


def tables_facts(made: TablesAccount) -> TablesFacts:
    policy, solved = made.policy, made.solved
    return TablesFacts(
        title=made.title,
        created=made.created.replace("T", " ").replace("+00:00", " UTC"),
        version=sfumato.__version__,
        outcome=made.outcome,
        proposed=policy.proposed,
        open_fields=policy.open_fields,
        recipient=policy.recipient,
        recipient_description=policy.profile.description,
        engine=made.engine,
        snapshot={"kind": made.snapshot.kind, **made.snapshot.facts},
        solver=solved.solver,
        proof=solved.proof.in_words() if solved.proof is not None else "",
        verdicts=made.verdicts,
        warnings=tuple(made.warnings),
        notes=tuple(solved.notes),
        lost=made.lost,
        keep=tuple(name for name in made.lost if is_kept(policy, name)),
        tables=tuple(_facts(made, name) for name in made.staged),
        people=made.found.people,
        person=person_table(policy),
        levels=tuple(
            (name, solved.hierarchies[name].level_name(level))
            for name, level in solved.levels.items()
        ),
        before=bin_facts(solved.prepared.bins) if solved.prepared is not None else None,
        after=bin_facts(made.found.bins) if made.found.bins is not None else None,
        policy_toml=policy_as_toml(policy_copy(as_said(policy))),
        files={said["file"]: said["sha256"] for said in made.places.values() if "file" in said},
    )


def _facts(made: TablesAccount, name: str) -> TableFacts:
    stage = made.staged[name]
    roles = made.policy.tables[name].fields
    return TableFacts(
        name=name,
        file=str(made.places[name].get("file", name)),
        key=stage.sight.policy.key,
        links=tuple((link.field, f"{link.table}.{link.key}") for link in stage.sight.policy.links),
        rows_source=stage.rows_source,
        rows_released=made.found.rows[name],
        orphans=stage.orphans,
        followed=stage.followed,
        by_bins=stage.by_bins,
        by_count=stage.by_count,
        fields=tuple(
            (field, roles[field].role.value if field in roles else "not named", words)
            for field, words in made.words[name].items()
        ),
        row_counts=_row_counts(stage),
        sets=tuple(_set(found) for found in made.sets.get(name, ())),
    )


def _row_counts(stage: StagedRows) -> RowCountFacts | None:
    if stage.before is None or stage.after is None or stage.bin_size is None:
        return None
    return RowCountFacts(
        bin_size=stage.bin_size,
        with_quasi=stage.with_quasi,
        before=_numbers(stage.before),
        after=_numbers(stage.after),
        rows_dropped=stage.by_count,
    )


def _numbers(counted: Bins) -> tuple[tuple[int, int], ...]:
    people: dict[int, int] = {}
    for rows, count in zip(row_numbers(counted).tolist(), counted.counts.tolist(), strict=True):
        people[rows] = people.get(rows, 0) + count
    return tuple(sorted(people.items()))


def _set(found: SetRecoding) -> SetFacts:
    return SetFacts(
        field=found.asked.field,
        k=found.asked.k,
        m=found.asked.m,
        within_bins=found.asked.within_bins,
        values_before=found.values,
        labels_after=found.labels,
        loss=found.found.loss,
        counts=found.found.counts,
        notes=found.found.notes,
    )
