"""Assigning subjects to channels: at random within an input channel, independently of their other
values.

The plan has the number of subjects of an input channel in each of its output channels. The engine
draws the subjects, by random ordinals among the rows that share the values. The confidential field
takes no part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine, Lookup, WritePlan
from sfumato.errors import Bug
from sfumato.hierarchies import Label
from sfumato.policy import Channels
from sfumato.solvers.channels import ChannelPlan

from .account_files import set_of

Batch = Mapping[str, NDArray[Any]]


def drawn(engine: Engine, plan: ChannelPlan, asked: Channels, fields: tuple[str, ...]) -> Engine:
    """A stage with `fields`, the fields of channels and the drawn channel of each row, counted
    against the plan."""
    kept = tuple(dict.fromkeys((*fields, *asked.fields)))
    stage = engine.staged(WritePlan(fields=(*kept, asked.label), lookups=(_draw(plan, asked),)))
    _check_drawn(stage, plan, asked)
    return stage


def _draw(plan: ChannelPlan, asked: Channels) -> Lookup:
    """For each input channel, as many ordinals to each of its output channels as the plan has."""
    used = np.flatnonzero(plan.subjects > 0)
    order = used[np.argsort(plan.input_of[used], kind="stable")]
    inputs, subjects = plan.input_of[order], np.rint(plan.subjects[order]).astype(np.int64)
    total = np.cumsum(subjects)
    starts = np.searchsorted(inputs, inputs)
    before = (total - subjects)[starts]
    batch: dict[str, NDArray[Any]] = {
        f"key:{name}": _texts([plan.inputs.values[r][f] for r in inputs.tolist()])
        for f, name in enumerate(asked.fields)
    }
    batch[f"new:{asked.label}"] = _texts(
        [str(channel + 1) for channel in plan.channel_of[order].tolist()]
    )
    batch["first"], batch["last"] = total - subjects - before + 1, total - before
    return Lookup(keys=asked.fields, fields=(asked.label,), batches=_once(batch), portions=True)


def _check_drawn(stage: Engine, plan: ChannelPlan, asked: Channels) -> None:
    """Every subject is in a channel that has its own input channel, and as many in each as were
    planned."""
    found = Bins.count(stage, asked.fields, sensitive=(asked.label,))
    inside = found.histograms[asked.label]
    place = {values: r for r, values in enumerate(plan.inputs.values)}
    rows = [place.get(values, -1) for values in found.tuples()]
    drawn_subjects = {
        (rows[b], int(inside.values[v] or 0) - 1): count
        for b, v, count in zip(
            inside.bin_of.tolist(), inside.value_of.tolist(), inside.counts.tolist(), strict=True
        )
    }
    entries = zip(
        plan.input_of.tolist(), plan.channel_of.tolist(), plan.subjects.tolist(), strict=True
    )
    planned = {(r, channel): round(subjects) for r, channel, subjects in entries if subjects > 0}
    if drawn_subjects != planned:
        raise Bug("subjects were drawn into channels other than planned.")


def sets_lookup(plan: ChannelPlan, asked: Channels) -> Lookup:
    """The cell of each output channel in each field: the set of its input channels' values."""
    batch: dict[str, NDArray[Any]] = {
        f"key:{asked.label}": _texts([str(number) for number in range(1, len(plan.channels) + 1)])
    }
    for f, name in enumerate(asked.fields):
        sets = [set_of([plan.inputs.values[r][f] for r in members]) for members in plan.channels]
        batch[f"new:{name}"] = _texts(sets)
    return Lookup(keys=(asked.label,), fields=asked.fields, batches=_once(batch))


def _texts(labels: Sequence[Label]) -> NDArray[np.object_]:
    out = np.empty(len(labels), object)
    out[:] = labels
    return out


def _once(batch: Batch) -> Any:
    def batches() -> Iterator[Batch]:
        yield batch

    return batches
