"""The losses of the bins: precision, loss, discernibility, average bin size, entropies. From two
sets of bins.

For each field and released label, with the source's values under it:

- *loss* of a cell: (values under the label - 1) / (values - 1), the normalised certainty penalty;
  for a range that no hierarchy has, its width over the width of all. `loss` is the mean over cells
  and fields; `loss_arx` is ARX's aggregate of the fields, prod(1 + loss)^(1/n) - 1.
- *precision* (Sweeney 2000, Fig. 32): 1 - mean of level / height. Only where every label is in its
  hierarchy, or is a value.
- *discernibility* (Bayardo and Agrawal 2005): each row costs the size of its bin, a suppressed one
  all rows.
- *average bin size*: rows per bin (LeFevre et al. 2006 divide it by k).
- *non-uniform entropy* (Gionis and Tassa 2009; in ARX by Prasser et al.): a cell loses
  -log2(f(value) / f(label)) bits, with frequencies f in the source. Summed over cells and divided
  by what suppressing them all would lose. The original value of a released cell is not known from
  two tables, so the mean over the values under the label is taken, weighted by the source. It is
  exact where no row is suppressed.
- *entropy* (Sweeney 1997, section 4.2): rows times log2 of the different values, over all fields,
  after to before. Labels that overlap, as after local recoding, can be more than the values were:
  then there is no number.

A suppressed row, one that the release does not have, counts as fully lost in every field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.measures import entropy_bits

from .keyed_sums import Reals, rows_per_label, tally
from .label_values import LabelValues


@dataclass(frozen=True, slots=True, kw_only=True)
class BinLosses:
    """Shares between 0 and 1 unless stated otherwise; an unknown number is None."""

    rows_source: int
    rows_released: int
    loss: float
    loss_arx: float
    loss_per_field: Mapping[str, float]
    precision: float | None
    discernibility: float
    discernibility_before: float
    average_bin_size: float
    average_bin_size_before: float
    non_uniform_entropy: float | None
    entropy: float | None

    @property
    def rows_suppressed(self) -> int:
        return max(self.rows_source - self.rows_released, 0)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "rows_suppressed": self.rows_suppressed}


def bin_losses(
    before: Bins,
    after: Bins,
    fields: Mapping[str, LabelValues],
    hierarchies: Mapping[str, Hierarchy],
) -> BinLosses:
    """Measure released bins against the source's, over the same fields. `fields` say how their
    labels are read."""
    total = max(before.rows, after.rows)
    gone = total - after.rows
    losses, bits, climbed = {}, [], []
    for name in after.fields:
        rows = rows_per_label(after, name)
        hierarchy = hierarchies.get(name)
        labels = after.labels[after.column(name)]
        lost = _label_losses(labels, fields[name], hierarchy)
        losses[name] = float(lost @ rows + gone) / total
        bits.append(_bits_lost(before, name, fields[name], rows, gone))
        climbed.append(_climbed(labels, rows, fields[name], hierarchy, gone=gone))
    by_field = np.array(list(losses.values()))
    known_bits = [share for share in bits if share is not None]
    levels = [share for share in climbed if share is not None]
    before_bits = entropy_bits(before)
    apart = all(fields[name].apart(rows_per_label(after, name)) for name in after.fields)
    return BinLosses(
        rows_source=before.rows,
        rows_released=after.rows,
        loss=float(by_field.mean()) if len(by_field) else gone / total,
        loss_arx=float(np.expm1(np.log1p(by_field).mean())) if len(by_field) else gone / total,
        loss_per_field=losses,
        precision=1 - sum(levels) / len(levels) if levels and len(levels) == len(climbed) else None,
        discernibility=discernibility(after, suppressed=gone),
        discernibility_before=discernibility(before, suppressed=0),
        average_bin_size=after.rows / max(len(after), 1),
        average_bin_size_before=before.rows / max(len(before), 1),
        non_uniform_entropy=sum(known_bits) / len(known_bits) if known_bits else None,
        entropy=entropy_bits(after) / before_bits if before_bits and apart else None,
    )


def discernibility(bins: Bins, *, suppressed: int) -> float:
    """Every row pays for the rows that cannot be distinguished from it; as a share of what one
    single bin would cost.

    Example:
        >>> discernibility(Bins.of(("sex",), {("F",): 2, ("M",): 1}), suppressed=1)
        0.5625
    """
    total = bins.rows + suppressed
    squares = float((bins.counts.astype(np.float64) ** 2).sum())
    return (squares + suppressed * total) / total**2 if total else 0.0


def _label_losses(
    labels: tuple[str | None, ...], field: LabelValues, hierarchy: Hierarchy | None
) -> Reals:
    """The share that a cell with each label lost."""
    under = np.diff(field.starts).astype(np.float64)
    out = np.where(field.says, (under - 1) / max(len(field.values) - 1, 1), 1.0)
    out[field.is_null] = 0.0
    if field.numbers is not None and np.ptp(field.numbers) > 0:
        for code in np.flatnonzero(under > 1).tolist():
            first, last = field.starts[code], field.starts[code + 1] - 1
            low, high = field.numbers[field.members[[first, last]]]
            out[code] = (high - low) / np.ptp(field.numbers)
    if hierarchy is not None:
        leaves = max(hierarchy.values - 1, 1)
        places: dict[int, dict[str | None, int]] = {}
        for code, label in enumerate(labels):
            level = hierarchy.level_of_label.get(label)
            if level is not None:
                codes = places.setdefault(
                    level, {name: n for n, name in enumerate(hierarchy.labels[level])}
                )
                out[code] = (hierarchy.leaves[level][codes[label]] - 1) / leaves
    return out


def _climbed(
    labels: tuple[str | None, ...],
    rows: Reals,
    field: LabelValues,
    hierarchy: Hierarchy | None,
    *,
    gone: int,
) -> float | None:
    """Mean level over height. Labels that are all of one level are at that level; else each at its
    finest."""
    used = np.flatnonzero(rows)
    if hierarchy is None and (np.diff(field.starts)[used[~field.is_null[used]]] == 1).all():
        return gone / (float(rows.sum()) + gone)  # as it was, and no ladder to climb
    if hierarchy is None or any(
        labels[code] not in hierarchy.level_of_label for code in used.tolist()
    ):
        return None
    start = hierarchy.start
    height, total = max(hierarchy.height + start, 1), float(rows.sum()) + gone
    names = {labels[code] for code in used.tolist()}
    for level, at_level in enumerate(hierarchy.labels):
        if names <= set(at_level):
            return float((level + start) / height * rows.sum() + gone) / total
    levels = np.array([hierarchy.level_of_label[labels[code]] + start for code in used.tolist()])
    return float(levels @ rows[used] / height + gone) / total


def _bits_lost(before: Bins, name: str, field: LabelValues, rows: Reals, gone: int) -> float | None:
    """The share of a field's bits that the release lost; None where it has none to lose."""
    counts = rows_per_label(before, name)
    of_value = field.before(counts)
    nulls = float(counts.sum() - of_value.sum())
    every = np.append(of_value, nulls)
    whole = _entropy(every[every > 0])
    if whole <= 0:
        return None
    inside = np.full(field.labels, whole)
    inside[field.is_null] = 0.0
    sizes = tally(field.label_of, of_value[field.members], field.labels)
    share = of_value[field.members] / np.maximum(sizes[field.label_of], 1e-300)
    bits = np.where(share > 0, -share * np.log2(np.maximum(share, 1e-300)), 0.0)
    inside[field.says] = tally(field.label_of, bits, field.labels)[field.says]
    return float(inside @ rows + gone * whole) / (whole * float(rows.sum() + gone))


def _entropy(counts: Reals) -> float:
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
