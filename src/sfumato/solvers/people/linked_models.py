"""Models of linked tables that are recoded one after the other, asked inside one bin of the table
above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label
from sfumato.protection import (
    BoundedInference,
    BoundedKnowledge,
    KAnonymity,
    Model,
    Verdict,
    is_bin_monotone,
    needs_of,
    reads_labels,
)

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class InsideBinAbove:
    """A model of a table, asked of the child rows of one released bin of the table above. `above`
    are that bin's cells, and the judged bins have the table's own `fields`."""

    model: Model
    fields: tuple[str, ...]
    above: Mapping[str, Label]

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def k(self) -> int | None:
        return getattr(self.model, "k", None)

    @property
    def least_bin(self) -> int:
        return int(getattr(self.model, "least_bin", 1))

    @property
    def needs(self) -> tuple[str, ...]:
        return needs_of(self.model)

    @property
    def reads_labels(self) -> bool:
        return reads_labels(self.model)

    @property
    def bin_monotone(self) -> bool:
        return is_bin_monotone(self.model)

    @property
    def monotone_generalisation(self) -> bool:
        return self.model.monotone_generalisation

    @property
    def monotone_suppression(self) -> bool:
        return self.model.monotone_suppression

    def failing(self, bins: Bins) -> Marks:
        return self.model.failing(self._whole(bins))

    def judge(self, bins: Bins) -> Verdict:
        return self.model.judge(self._whole(bins))

    def _whole(self, bins: Bins) -> Bins:
        """The bins with the cells of the bin above, which all of them share."""
        same = np.zeros((len(bins), len(self.above)), np.int32)
        return replace(
            bins,
            fields=(*self.above, *bins.fields),
            labels=(*((label,) for label in self.above.values()), *bins.labels),
            codes=np.concatenate([same, bins.codes], axis=1),
        )


def models_inside(
    models: Sequence[Model], own: tuple[str, ...], above: Mapping[str, Label]
) -> tuple[Model, ...]:
    """The models of a table as asked inside one bin of the table above.

    The cells above are alike in all of its rows. People who share some of the table's own cells
    there therefore share any cells above too, and models that count keep their guarantee. A model
    about cells above alone is not asked: nothing below changes them."""
    out: list[Model] = []
    for model in models:
        if isinstance(model, BoundedKnowledge | BoundedInference):
            register = tuple(name for name in model.register if name in own)
            others = tuple(name for name in model.others if name in own)
            out.append(replace(model, register=register, others=others))
            continue
        named = tuple(getattr(model, "fields", ()))
        mine = tuple(name for name in named if name in own)
        if named and not mine:
            continue
        if isinstance(model, KAnonymity):
            out.append(replace(model, fields=mine))
        else:
            out.append(cast("Model", InsideBinAbove(model=model, fields=mine or own, above=above)))
    return tuple(out)
