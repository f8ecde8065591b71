"""Query error: random counts such as "how many are 30 to 45 and married", asked of both tables.

A recipient answers from the release as well as possible without the source. Each cell counts for
the share of the values under its label that the query asks for (LeFevre et al. 2006). The relative
error is |answer - truth| over the truth, or over a floor where the truth is smaller. Rare questions
therefore do not decide everything (Garofalakis and Gibbons 2002). Beside it is the answer that a
recipient would get from tables of single fields alone, by multiplying shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

from .keyed_sums import Reals, narrowed, rows_per_label
from .label_values import LabelValues
from .paired_tables import FEW, SideBySide

QUERIES = 600
FLOOR = 0.001
_SETS = 8
_CELLS = 4_000_000
_WORK, _FEWEST = 5_000_000, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Relative errors of some queries over so many fields each, and of answers from single fields
    alone."""

    fields: int
    queries: int
    median: float
    mean: float
    ninth_decile: float
    baseline_median: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """All queries together (`fields` = 0 there), and by how many fields they ask about. `floor` is
    in rows."""

    whole: Errors
    by_fields: tuple[Errors, ...]
    floor: float
    seed: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def query_error(tables: SideBySide, *, queries: int = QUERIES) -> QueryError | None:
    """Ask both tables the same random questions; None where no field has two values."""
    subject = tables.subject

    def pair(names: tuple[str, ...]) -> tuple[Bins, Bins]:
        return tables.before.over(names), tables.after.over(names)

    chance = subject.generator("queries")
    return query_error_of(
        pair,
        tables.fields,
        rows=tables.before.rows,
        queries=queries,
        chance=chance,
        seed=subject.seed,
    )


def query_error_of(
    bins: Callable[[tuple[str, ...]], tuple[Bins, Bins]],
    fields: Mapping[str, LabelValues],
    *,
    rows: int,
    queries: int = QUERIES,
    chance: np.random.Generator,
    seed: int,
) -> QueryError | None:
    """The same from bins: `bins(names)` gives those of source and release, which have these fields
    and perhaps more."""
    usable = [name for name, field in fields.items() if len(field.values) > 1]
    if not usable:
        return None
    floor = max(FLOOR * rows, float(FEW))
    found: dict[int, list[NDArray[np.float64]]] = {}
    sets = _sets(usable, chance)
    for names in sets:
        alike = sum(len(other) == len(names) for other in sets)
        read = [fields[name] for name in names]
        before, after = (narrowed(side, names) for side in bins(names))
        few = max(_WORK // max(len(before), 1), _FEWEST)  # of many bins fewer questions are asked
        count = min(-(-queries // (min(len(usable), 3) * alike)), few)
        asked = [_asked(field, count, chance) for field in read]
        truth = _answers(
            before, [_of_source(field, want) for field, want in zip(read, asked, strict=True)]
        )
        answer = _answers(
            after, [_of_release(field, want) for field, want in zip(read, asked, strict=True)]
        )
        alone = [_alone(after, field, want) for field, want in zip(read, asked, strict=True)]
        guess = after.rows * np.prod(alone, axis=0)
        scale = np.maximum(truth, floor)
        found.setdefault(len(names), []).append(
            np.stack([np.abs(answer - truth), np.abs(guess - truth)]) / scale
        )
    by_fields = {size: np.concatenate(parts, axis=1) for size, parts in sorted(found.items())}
    return QueryError(
        whole=_errors(0, np.concatenate(list(by_fields.values()), axis=1)),
        by_fields=tuple(_errors(size, errors) for size, errors in by_fields.items()),
        floor=floor,
        seed=seed,
    )


def _errors(fields: int, errors: Reals) -> Errors:
    ours = errors[0]
    return Errors(
        fields=fields,
        queries=len(ours),
        median=float(np.median(ours)),
        mean=float(ours.mean()),
        ninth_decile=float(np.quantile(ours, 0.9)),
        baseline_median=float(np.median(errors[1])),
    )


def _sets(names: Sequence[str], chance: np.random.Generator) -> list[tuple[str, ...]]:
    """Sets of one to three fields, at most so many of each size, drawn without repetition."""
    out: list[tuple[str, ...]] = []
    for size in range(1, min(len(names), 3) + 1):
        every = (
            list(combinations(names, size))
            if len(names) <= 60
            else [tuple(chance.choice(names, size, replace=False))]
        )
        drawn = chance.permutation(len(every))[:_SETS]
        out.extend(tuple(str(name) for name in every[number]) for number in sorted(drawn.tolist()))
    return out


def _asked(field: LabelValues, queries: int, chance: np.random.Generator) -> NDArray[np.bool_]:
    """For each query the values it asks for: a range of numbers or dates, or some categories; never
    none."""
    size = len(field.values)
    if field.numbers is not None:
        ends = np.sort(chance.integers(0, size, (queries, 2)), axis=1)
        places = np.arange(size)
        return (places >= ends[:, :1]) & (places <= ends[:, 1:])
    share = chance.uniform(0.05, 0.6, (queries, 1))
    wanted = chance.random((queries, size)) < share
    wanted[np.arange(queries), chance.integers(0, size, queries)] = True
    return wanted


def _of_source(field: LabelValues, wanted: NDArray[np.bool_]) -> Reals:
    """Per query and source label 1 where it is asked for, else 0; null is asked for by nobody."""
    out = wanted[:, np.maximum(field.value_of, 0)].astype(np.float64)
    out[:, field.value_of < 0] = 0
    return out


def _of_release(field: LabelValues, wanted: NDArray[np.bool_]) -> Reals:
    """Per query and released label the share of its values that is asked for; one without
    information may be any value."""
    out = np.stack([field.under(query.astype(np.float64)) for query in wanted])
    silent = ~field.says & ~field.is_null
    out[:, silent] = wanted.mean(axis=1, keepdims=True)
    return out


def _answers(held: Bins, shares: Sequence[Reals]) -> Reals:
    """Per query the sum over bins of their rows times the product of their labels' shares, field by
    field."""
    out = np.zeros(len(shares[0]))
    step = max(_CELLS // len(shares[0]), 1)
    for start in range(0, len(held), step):
        codes = held.codes[start : start + step]
        product = held.counts[start : start + step].astype(np.float64)[None, :]
        for column, share in enumerate(shares):
            product = product * share[:, codes[:, column]]
        out += product.sum(axis=1)
    return out


def _alone(bins: Bins, field: LabelValues, wanted: NDArray[np.bool_]) -> Reals:
    """Per query the share of released rows that one field alone gives it."""
    rows = rows_per_label(bins, field.name)
    share: Reals = _of_release(field, wanted) @ rows / max(float(rows.sum()), 1.0)
    return share
