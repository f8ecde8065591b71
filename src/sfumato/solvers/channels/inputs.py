"""Input channels: the bins of the confidentiality-related fields with how often each risky value
occurs in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import Label

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Inputs:
    """Input channels (Garfinkel et al. 2007, section 4): `sizes[r]` is m_r, `counts[r, k]` how many
    of these have risky value k.

    `values[r]` are the channel's values of `fields`. A field with a weight adds that multiple to the
    cost of an output channel with several of its values. Where published statistics are coarser,
    `statistic_of[r]` is the number of the one that input channel r is counted in.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("H", "flu"), ("H", None), ("N", None)]
        >>> inputs = Inputs.of(bins_of_rows(("crp",), rows, sensitive=("problem",)), "problem", ("flu",))
        >>> inputs.sizes.tolist(), inputs.counts.tolist()
        ([2, 1], [[1], [0]])
    """

    fields: tuple[str, ...]
    values: tuple[tuple[Label, ...], ...] = field(repr=False)
    sizes: Counts
    counts: Counts
    field_weights: Mapping[str, float] = field(default_factory=dict)
    statistic_of: Counts | None = field(default=None, repr=False)

    @classmethod
    def of(cls, bins: Bins, confidential: str, risky: Sequence[Label]) -> Inputs:
        """From bins that were counted with the confidential field inside them."""
        return cls.of_fields(bins, [(confidential, value) for value in risky])

    @classmethod
    def of_fields(cls, bins: Bins, risky: Sequence[tuple[str, Label]]) -> Inputs:
        """From bins that were counted with several confidential fields inside them: `risky` are
        fields with their values."""
        names = dict.fromkeys(name for name, _ in risky)
        parts = [
            _counts(bins, name, [value for own, value in risky if own == name]) for name in names
        ]
        counts = np.column_stack(parts) if parts else np.zeros((len(bins), 0), np.int64)
        return cls(
            fields=bins.fields, values=tuple(bins.tuples()), sizes=bins.counts, counts=counts
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def subjects(self) -> int:
        return int(self.sizes.sum())

    @property
    def published_sizes(self) -> Counts:
        """The subjects of each published statistic."""
        return self._summed(self.sizes)

    @property
    def published_counts(self) -> Counts:
        """How many subjects of each published statistic have each risky value."""
        return self._summed(self.counts)

    @property
    def known_sizes(self) -> Counts:
        """The subjects of the published statistic of each input channel."""
        found: Counts = self.published_sizes
        return found if self.statistic_of is None else found[self.statistic_of]

    @property
    def known_counts(self) -> Counts:
        """How many of these have each risky value: all that a recipient knows of an input
        channel."""
        found: Counts = self.published_counts
        return found if self.statistic_of is None else found[self.statistic_of]

    def _summed(self, numbers: Counts) -> Counts:
        if self.statistic_of is None:
            return numbers
        out: Counts = np.zeros((int(self.statistic_of.max()) + 1, *numbers.shape[1:]), np.int64)
        np.add.at(out, self.statistic_of, numbers)
        return out

    def times(self, members: Sequence[int]) -> float:
        """By how much fields with weights multiply the cost of an output channel."""
        out = 1.0
        for name, weight in self.field_weights.items():
            column = self.fields.index(name)
            out += weight * (len({self.values[r][column] for r in members}) > 1)
        return out


def _counts(bins: Bins, confidential: str, risky: Sequence[Label]) -> Counts:
    """How many subjects of each bin have each risky value of one field."""
    found = bins.histograms.get(confidential)
    if found is None:
        raise Mistake(
            f"The bins were counted without the values of {confidential} inside them.",
            attempt=f"Bins.count(engine, fields, sensitive=({confidential!r},)).",
        )
    place = {value: k for k, value in enumerate(risky)}
    column = np.array([place.get(value, -1) for value in found.values], np.int64)[found.value_of]
    counts = np.zeros((len(bins), len(place)), np.int64)
    named = column >= 0
    np.add.at(counts, (found.bin_of[named], column[named]), found.counts[named])
    return counts
