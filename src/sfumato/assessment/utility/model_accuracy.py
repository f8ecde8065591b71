"""Accuracy of a model that was trained on the release and is tested on the source (Garfinkel 2016,
section 4.6.1).

The model is a logistic regression over one-hot features. A released label is a feature for each
value under it, by its share, so a model trained on ranges can be asked about values. Numbers and
dates are in ten classes of about equal size. It is compared with the same model trained on the
source, and with always answering the commonest value.

No row is tested by a model that trained on it where that is known. People who are not in the
release (`control`) are the best test; else rows are kept apart by the fields that are alike in both
tables, see `folds_apart`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import MissingExtra
from sfumato.runs import one_thread

from .bias import wilson
from .model_features import Feature, FeatureRows, Features, MostRows, rows_of, rows_of_control
from .paired_tables import SideBySide
from .train_test_split import folds_apart, said_alike

MOST_TARGET_VALUES = 20
FEWEST_ROWS = 50
"""From fewer rows, a model learns nothing about the release."""
SAMPLE = 100_000
FOLDS = 4
WIDE = 20
"""A table of more features is learned from by fewer rows, in fewer steps and for fewer targets.
Each model would otherwise take as long as all other measures together."""
WIDE_SAMPLE = 2_000
WIDE_TARGETS = 3
STEPS, WIDE_STEPS = 300, 100

Kept = Literal["control", "apart", "overlapping"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The share of right answers, with Wilson's 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAccuracy:
    """How well `target` can be inferred from the other fields. `kept` is how training and test rows
    were kept apart.

    `gain_kept` is the share that the release keeps of the gain of a model from the source over the
    commonest value; None where the source's model gains nothing. `reason` is why there is no number
    where there is none."""

    target: str
    values: int = 0
    features: tuple[str, ...] = ()
    from_source: Accuracy | None = None
    from_release: Accuracy | None = None
    majority: float | None = None
    gain_kept: float | None = None
    kept: Kept = "overlapping"
    tested_rows: int = 0
    sampled: bool = False
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def model_accuracies(
    tables: SideBySide, *, targets: Sequence[str] | None = None, sample: int = SAMPLE
) -> tuple[ModelAccuracy, ...]:
    """One model for each target: those named, or each sensitive field with few values."""
    chosen = (
        [name for name in tables.subject.sensitive if name in tables.fields]
        if targets is None
        else targets
    )
    out: list[ModelAccuracy] = []
    for name in chosen:
        if (
            targets is None
            and len(tables.fields) > WIDE
            and sum(not one.reason for one in out) >= WIDE_TARGETS
        ):
            reason = f"of a wide table {WIDE_TARGETS} sensitive fields are learned unless named"
            out.append(ModelAccuracy(target=name, reason=reason))
        else:
            out.append(_model(tables, name, sample=sample))
    return tuple(out)


def _model(tables: SideBySide, target: str, *, sample: int) -> ModelAccuracy:
    out = ModelAccuracy(target=target)
    why = _cannot(tables, target)
    if why:
        return replace(out, reason=why)
    _sklearn()
    features = _features(tables, target)
    if not features:
        return replace(out, reason="no other field has two different values")
    wanted = tables.fields[target]
    chance = tables.subject.generator(f"model {target}")
    limit = MostRows(min(sample, WIDE_SAMPLE) if len(features) > WIDE else sample, chance)
    before, after = (side.held for side in (tables.before, tables.after))
    assert before is not None
    assert after is not None
    source = rows_of(before, features, wanted, limit, after=False)
    release = rows_of(after, features, wanted, limit, after=True)
    found = replace(
        out,
        values=len(np.unique(source.target)),
        features=tuple(features),
        sampled=source.sampled or release.sampled,
    )
    others = tables.subject.control
    if others is not None and {info.name for info in others.fields()} >= {*features, target}:
        control = Bins.count(others, (*features, target))
        return _scored(
            found,
            [(source, release, rows_of_control(control, features, wanted, limit))],
            kept="control",
        )
    labels = [after.labels[after.column(name)] for name in features]
    common = said_alike(
        [feature.field for feature in features.values()], labels, tables.subject.hierarchies
    )
    folds = folds_apart(source, release, common, chance=chance, folds=FOLDS)
    return _scored(
        found, folds.parts(source, release), kept="apart" if folds.are_apart else "overlapping"
    )


def _cannot(tables: SideBySide, target: str) -> str:
    if target not in tables.fields:
        return "the field is not compared"
    if tables.before.held is None or tables.after.held is None:
        return "there are too many rows to hold"
    wanted = tables.fields[target]
    rows = tables.after.totals(target)[1]
    if len(wanted.values) > MOST_TARGET_VALUES:
        return (
            f"it has {len(wanted.values):,} values, and at most {MOST_TARGET_VALUES} are asked "
            "about"
        )
    if len(wanted.values) < 2:
        return "it has one value only"
    used = np.flatnonzero(rows > 0)
    if (np.diff(wanted.starts)[used[~wanted.is_null[used]]] != 1).any():
        return "it was recoded, and a label that covers several values cannot be learned as one"
    if (wanted.after(rows) > 0).sum() < 2:
        return "the release has one value of it only"
    few = f"the release has fewer than {FEWEST_ROWS} rows, too few to learn from"
    return few if rows.sum() < FEWEST_ROWS else ""


def _features(tables: SideBySide, target: str) -> Features:
    """Every other compared field in which the source has more than one value."""
    out = {}
    for name, field in tables.fields.items():
        rows = field.before(tables.before.totals(name)[1])
        if name != target and (rows > 0).sum() > 1:
            out[name] = Feature.of(field, rows)
    return out


def _sklearn() -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtra("Training a model on the release", extra="assess") from None
    return LogisticRegression


def _scored(
    found: ModelAccuracy,
    parts: Sequence[tuple[FeatureRows, FeatureRows, FeatureRows]],
    *,
    kept: Kept,
) -> ModelAccuracy:
    """Train on the first two of each part, test on the third."""
    right = np.zeros(3)
    tested = 0.0
    for source, release, test in parts:
        right[0] += _right(source, test)
        right[1] += _right(release, test)
        right[2] += float(test.weights[test.target == _commonest(release)].sum())
        tested += float(test.weights.sum())
    if not tested:
        return replace(found, reason="no row is left to test on")
    shares = right / tested
    gain = shares[0] - shares[2]
    low, _ = wilson(shares[:1], tested)
    return replace(
        found,
        from_source=_accuracy(shares[0], tested),
        from_release=_accuracy(shares[1], tested),
        majority=float(shares[2]),
        gain_kept=float((shares[1] - shares[2]) / gain) if low[0] > shares[2] else None,
        kept=kept,
        tested_rows=round(tested),
    )


def _accuracy(share: float, rows: float) -> Accuracy:
    low, high = wilson(np.array([share]), rows)
    return Accuracy(value=float(share), low=float(low[0]), high=float(high[0]))


def _commonest(rows: FeatureRows) -> int:
    return int(np.bincount(rows.target, rows.weights).argmax()) if len(rows.target) else -1


def _right(training: FeatureRows, test: FeatureRows) -> float:
    """The rows of the test that a model from the training rows gets right."""
    if not len(test.target):
        return 0.0
    if len(np.unique(training.target)) < 2:
        return float(test.weights[test.target == _commonest(training)].sum())
    wide = len(training.encodings) > WIDE
    model = _sklearn()(max_iter=WIDE_STEPS if wide else STEPS, tol=1e-3)
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")  # a search that stops a little early is as good for this
        model.fit(training.features(), training.target, sample_weight=training.weights)
        answers: NDArray[np.int64] = model.predict(test.features())
    return float(test.weights[answers == test.target].sum())
