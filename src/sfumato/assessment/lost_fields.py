"""The remaining use of each known field of a case, by the rule that the report of a release
follows."""

from __future__ import annotations

from sfumato.measures import FieldUse, compare_uses

from .case import Case
from .case_measures import CaseMeasures
from .usefulness_verdict import kept_fields


def known_field_uses(case: Case, found: CaseMeasures) -> tuple[FieldUse, ...]:
    """Each known field beside the source: those that the policy keeps first, then the most lost.
    None where the source was not looked at or nothing could be compared."""
    before, after = case.subject.original, case.subject.released
    usefulness = found.results.get("usefulness")
    if before is None or usefulness is None or usefulness.losses is None:
        return ()
    kept = kept_fields(case)
    uses = compare_uses(before, after, losses=usefulness.losses.loss_per_field)
    told = [use for use in uses if use.labels_before > 1]  # One value has nothing to lose.
    return tuple(sorted(told, key=lambda use: (use.name not in kept, not use.is_lost, -use.loss)))


def constant_fields(case: Case) -> tuple[str, ...]:
    """The known fields that have one value, or none, in every released row, though not in the source
    where that is at hand."""
    released, original = case.subject.released, case.subject.original
    labels_before = dict.fromkeys(released.fields, 2)
    if original is not None:
        labels_before = {
            name: len(labels) for name, labels in zip(original.fields, original.labels, strict=True)
        }
    return tuple(
        name
        for name, labels in zip(released.fields, released.labels, strict=True)
        if len(labels) < 2 <= labels_before[name]
    )
