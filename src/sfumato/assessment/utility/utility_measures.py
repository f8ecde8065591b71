"""All measures of a release's utility, in one call and one result (Garfinkel 2016, sections 4.6.1
and 5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.bins import Bins
from sfumato.errors import MissingExtra
from sfumato.measures import Subject

from .associations import Associations, associations
from .bias import Bias, biases
from .bin_losses import BinLosses, bin_losses
from .label_values import Spread
from .model_accuracy import SAMPLE, ModelAccuracy, model_accuracies
from .one_variable import FieldChange, field_changes
from .paired_tables import SideBySide, side_by_side
from .query_error import QUERIES, QueryError, query_error


@dataclass(frozen=True, kw_only=True)
class Usefulness:
    """How close a release is to its source, measure by measure.

    `spread` is how a label of several values is read: evenly over them, or by the source's
    frequencies. `left_out` has the fields that were not compared, with the reason; `not_said` the
    measures that are missing, with the reason. Nothing in it names a value that fewer than ten
    people of the source have."""

    rows_source: int
    rows_released: int
    spread: Spread
    fields: tuple[FieldChange, ...]
    biases: tuple[Bias, ...]
    associations: Associations | None
    losses: BinLosses | None
    queries: QueryError | None
    models: tuple[ModelAccuracy, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    not_said: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "rows_source": self.rows_source,
            "rows_released": self.rows_released,
            "spread": self.spread,
            "seed": self.seed,
            "fields": [change.as_dict() for change in self.fields],
            "biases": [bias.as_dict() for bias in self.biases],
            "associations": self.associations.as_dict() if self.associations else None,
            "losses": self.losses.as_dict() if self.losses else None,
            "queries": self.queries.as_dict() if self.queries else None,
            "models": [model.as_dict() for model in self.models],
            "left_out": dict(self.left_out),
            "not_said": dict(self.not_said),
        }


def measure_usefulness(
    subject: Subject,
    *,
    fields: Sequence[str] | None = None,
    categories: Sequence[str] = (),
    spread: Spread = "evenly",
    targets: Sequence[str] | None = None,
    queries: int = QUERIES,
    models: bool = True,
    sample: int = SAMPLE,
) -> Usefulness:
    """Compare a release with its source.

    `fields` are those to compare: by default the known and sensitive ones and every other common
    field that is no key or text; `categories` those whose digits are not numbers. `targets` are the
    fields that models should infer, by default the sensitive fields with few values; a table of
    more than `sample` rows is learned from by a sample. Models need the extra "assess": without it
    the result states that, and where targets were named MissingExtra is raised."""
    subject.progress("counting both tables")
    tables = side_by_side(subject, fields=fields, categories=categories, spread=spread)
    subject.progress("comparing fields")
    changes = field_changes(tables)
    subject.progress("comparing pairs of fields")
    pairs = associations(tables)
    subject.progress("asking both tables random questions")
    asked = query_error(tables, queries=queries) if queries > 0 else None
    subject.progress("training models")
    learned, no_models = (
        _learned(tables, targets, sample=sample) if models else ((), "no model was asked for")
    )
    lost = _losses(tables)
    return Usefulness(
        rows_source=tables.before.rows,
        rows_released=tables.after.rows,
        spread=spread,
        fields=changes,
        biases=biases(tables, changes),
        associations=pairs,
        losses=lost,
        queries=asked,
        models=learned,
        left_out=tables.left_out,
        not_said=_not_said(pairs, lost, asked) | ({"models": no_models} if no_models else {}),
        seed=subject.seed,
    )


def _losses(tables: SideBySide) -> BinLosses | None:
    """Over the fields that are counted as known, the ones that recodings are about."""
    subject = tables.subject
    known = tuple(name for name in subject.known if name in tables.fields)
    if not known or subject.source is None:
        return None
    if subject.person is None and known == subject.known and subject.original is not None:
        before, after = subject.original, subject.released
    else:
        before, after = Bins.count(subject.source, known), Bins.count(subject.release, known)
    return bin_losses(before, after, tables.fields, subject.hierarchies)


def _learned(
    tables: SideBySide, targets: Sequence[str] | None, *, sample: int
) -> tuple[tuple[ModelAccuracy, ...], str]:
    try:
        found = model_accuracies(tables, targets=targets, sample=sample)
    except MissingExtra as missing:
        if targets is not None:
            raise
        return (), f"{missing.asked} Try {missing.attempt}"
    return found, "" if found else "no target was named, and no compared field is sensitive"


def _not_said(
    pairs: Associations | None, lost: BinLosses | None, asked: QueryError | None
) -> dict[str, str]:
    out: dict[str, str] = {}
    if pairs is None:
        out["associations"] = "fewer than two fields are compared"
    if lost is None:
        out["losses"] = "no compared field is counted as known to a recipient, so there are no bins"
    if lost is not None and lost.precision is None:
        out["precision"] = "some released labels are in no hierarchy, and so at no level"
    if lost is not None and lost.entropy is None:
        out["entropy"] = (
            "released labels overlap, and there may be more of them than there were values"
        )
    if asked is None:
        out["queries"] = "no question was asked, or no field has two different values"
    return out
