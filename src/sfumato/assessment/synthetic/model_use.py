"""Models on a synthetic table: whether one distinguishes its rows from people's (propensity), and
whether one trained on it answers as well about people. The error of counting queries is measured
too."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra
from sfumato.runs import one_thread

from .coded_rows import CodedRows, Codes

MOST_ROWS = 20_000
MOST_TARGETS = 3
MOST_CLASSES = 20
QUERIES = 500
FIELDS_ASKED = 3
SMALLEST_COUNT = 0.001
"""A query's error is a part of its count, or of this share of all rows where that is more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity:
    """pMSE (Woo et al. 2009; Snoke et al. 2018): how well a logistic model over single fields
    distinguishes synthetic rows from people's. `ratio` is to what chance gives: 1 where it
    cannot."""

    value: float
    by_chance: float
    ratio: float
    rows: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedModel:
    """A model of `target` trained on synthetic rows and one trained on the source, both tried on the
    same people. `auc` are areas under the curve, None for more than two classes."""

    target: str
    accuracy: float
    accuracy_of_source: float
    commonest: float
    auc: float | None
    auc_of_source: float | None

    @property
    def loss(self) -> float:
        """The loss by training on synthetic rows."""
        if self.auc is not None and self.auc_of_source is not None:
            return self.auc_of_source - self.auc
        return self.accuracy_of_source - self.accuracy

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"loss": self.loss}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryErrors:
    """Errors of counting queries over three fields, in parts of the true count."""

    queries: int
    middle: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def propensity(rows: CodedRows, *, seed: int) -> Propensity:
    """Fit the model on as many rows of both."""
    logistic, _, _ = _sklearn()
    chance = np.random.default_rng(seed)
    count = min(MOST_ROWS, len(rows.made), len(rows.source))
    both = np.concatenate([_drawn(rows.made, count, chance), _drawn(rows.source, count, chance)])
    features = _one_hot(both, rows.sizes)
    truth = np.repeat([1, 0], count)
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")  # A model that has not converged tells a little less.
        model = logistic(max_iter=200, C=100.0).fit(features, truth)
    scores = model.predict_proba(features)[:, 1]
    value = float(((scores - 0.5) ** 2).mean())
    by_chance = features.shape[1] / (8 * 2 * count)
    return Propensity(
        value=value, by_chance=by_chance, ratio=value / by_chance if by_chance else 0.0, rows=count
    )


def trained_models(
    rows: CodedRows, targets: Sequence[str], *, seed: int
) -> tuple[TrainedModel, ...]:
    """Train on synthetic rows, test on people: those beside the source, or a quarter of the source
    that neither model sees."""
    _, boosting, area = _sklearn()
    chance = np.random.default_rng(seed)
    source = _drawn(rows.source, min(len(rows.source), 4 * MOST_ROWS), chance)
    if len(rows.control):
        test = _drawn(rows.control, min(len(rows.control), MOST_ROWS), chance)
    else:
        cut = len(source) // 4
        test, source = source[:cut], source[cut:]
    made = _drawn(rows.made, min(len(rows.made), len(source)), chance)
    out = []
    for target in targets[:MOST_TARGETS]:
        column = rows.fields.index(target)
        inputs = [n for n in range(len(rows.fields)) if n != column]
        answers: list[tuple[float, float | None]] = []
        for train in (made, source):
            if len(np.unique(train[:, column])) < 2:
                answers.append((float((test[:, column] == train[0, column]).mean()), 0.5))
                continue
            with one_thread():
                model = boosting(random_state=0).fit(train[:, inputs], train[:, column])
                said = model.predict(test[:, inputs])
            score = None
            if len(np.unique(test[:, column])) == 2 and len(model.classes_) == 2:
                chances = model.predict_proba(test[:, inputs])[:, 1]
                score = float(area(test[:, column] == model.classes_[1], chances))
            answers.append((float((said == test[:, column]).mean()), score))
        (accuracy, auc), (best, best_auc) = answers
        commonest = float(np.bincount(test[:, column]).max() / len(test))
        out.append(
            TrainedModel(
                target=target,
                accuracy=accuracy,
                accuracy_of_source=best,
                commonest=commonest,
                auc=auc if best_auc is not None else None,
                auc_of_source=best_auc,
            )
        )
    return tuple(out)


def usual_targets(rows: CodedRows) -> tuple[str, ...]:
    """Fields of few values, those with the fewest first: likely targets of a prediction."""
    found = []
    for n, name in enumerate(rows.fields):
        counts = np.bincount(rows.source[:, n])
        values = int((counts > 0).sum())
        if 2 <= values <= MOST_CLASSES and counts.max() < 0.98 * counts.sum():
            found.append((values, n, name))
    return tuple(name for _, _, name in sorted(found)[:MOST_TARGETS])


def query_errors(rows: CodedRows, *, seed: int) -> QueryErrors:
    """Counts of people by three fields, each asked for about half of its codes."""
    chance = np.random.default_rng(seed)
    errors = np.zeros(QUERIES)
    for query in range(QUERIES):
        columns = chance.choice(
            len(rows.fields), min(FIELDS_ASKED, len(rows.fields)), replace=False
        )
        inside = [chance.random(rows.sizes[n]) < 0.5 for n in columns]
        shares = [_share(table, columns, inside) for table in (rows.made, rows.source)]
        errors[query] = abs(shares[0] - shares[1]) / max(shares[1], SMALLEST_COUNT)
    return QueryErrors(
        queries=QUERIES, middle=float(np.median(errors)), high=float(np.quantile(errors, 0.9))
    )


def _share(table: Codes, columns: NDArray[np.int64], inside: Sequence[NDArray[np.bool_]]) -> float:
    hit = np.ones(len(table), bool)
    for column, codes in zip(columns.tolist(), inside, strict=True):
        hit &= codes[table[:, column]]
    return float(hit.mean())


def _drawn(rows: Codes, count: int, chance: np.random.Generator) -> Codes:
    return rows[chance.choice(len(rows), count, replace=False)]


def _one_hot(rows: Codes, sizes: Sequence[int]) -> Any:
    """A column for each code but one of each field, in which codes that nobody has are left out."""
    from scipy import sparse

    blocks = []
    for n in range(len(sizes)):
        values, codes = np.unique(rows[:, n], return_inverse=True)
        there = codes > 0
        blocks.append(
            sparse.csr_matrix(
                (np.ones(int(there.sum())), (np.flatnonzero(there), codes[there] - 1)),
                shape=(len(rows), max(len(values) - 1, 1)),
            )
        )
    return sparse.hstack(blocks).tocsr()


def _sklearn() -> tuple[Any, Any, Any]:
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import roc_auc_score
    except ImportError:
        raise MissingExtra("Training models", extra="assess") from None
    return LogisticRegression, HistGradientBoostingClassifier, roc_auc_score
