"""The remaining use of each quasi-identifier of several tables, or of one with several rows per
person: its cells in the stages beside those of the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sfumato.engines import Database, Engine, TableView
from sfumato.hierarchies import Hierarchy, Label
from sfumato.measures import FieldUse
from sfumato.policy import Policy

from .one_table import as_said
from .stages import StagedRows

Counts = Mapping[Label, int]

_UNREAD: Final = -1.0


def table_field_uses(
    policy: Policy, database: Database, staged: Mapping[str, StagedRows]
) -> tuple[FieldUse, ...]:
    """Each quasi-identifier, called TABLE.FIELD where there are several tables. A row that is left
    out counts as lost. A field whose labels are of no level, such as a mean, is not measured."""
    return tuple(
        use for name, stage in staged.items() for use in _uses(policy, database, name, stage)
    )


def _uses(policy: Policy, database: Database, name: str, stage: StagedRows) -> Iterator[FieldUse]:
    view = database.view(TableView(table=name))
    is_alone = as_said(policy) is not policy
    for item in stage.sight.own:
        before, after = _counts(view, item.field), _counts(stage.engine, item.field)
        hierarchy = policy.tables[name].fields[item.field].bind(before)
        rows, released = sum(before.values()), sum(after.values())
        losses = [(count, _loss(label, hierarchy, before)) for label, count in after.items()]
        if not rows or any(loss == _UNREAD for _, loss in losses):
            continue
        yield FieldUse(
            name=item.field if is_alone else item.name,
            loss=(sum(count * loss for count, loss in losses) + rows - released) / rows,
            alike=max(after.values(), default=0) / max(released, 1),
            alike_before=max(before.values()) / rows,
            labels=len(after),
            labels_before=len(before),
        )


def _counts(engine: Engine, name: str) -> dict[Label, int]:
    found = engine.frequencies((name,))
    labels = (found.values[0][code] for code in found.codes[:, 0].tolist())
    return dict(zip(labels, found.counts.tolist(), strict=True))


def _loss(label: Label, hierarchy: Hierarchy, before: Counts) -> float:
    """The share of the field's values that a label covers besides the true one."""
    level = hierarchy.level_of_label.get(label)
    if level is None:
        return 0.0 if label in before else _UNREAD
    code = hierarchy.labels[level].index(label)
    return float(hierarchy.leaves[level][code] - 1) / max(hierarchy.values - 1, 1)
