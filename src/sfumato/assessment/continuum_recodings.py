"""The techniques of Fig. 14 that are no steps, for the continuum: removing, generalising,
suppressing, scrambling.

At the level of the attribute every cell of a field is treated alike; at the level of the cell, only
where rows need it (Sweeney 2000, section 5). Both generalise for the same end, that every row is
alike with k - 1 others. Attributes are generalised by Datafly II (Sweeney 2000, section 6.2), cells
by a local recoding, along the hierarchies or with suppression alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, GlobalRecoding, LabelledRecoding, LocalRecoding, group
from sfumato.errors import Bug, SfumatoError
from sfumato.hierarchies import SUPPRESSED, Hierarchy, Suppression
from sfumato.policy import Policy, Role
from sfumato.protection import KAnonymity
from sfumato.solvers import Datafly2, Local
from sfumato.techniques import Cells, StepContext

from .continuum_trials import Trial, measured_fields

KS = (2, 5, 10)
_ROUNDS = 4
_ROWS_LEFT_OUT = 0.05


def recoding_trials(policy: Policy, cells: Cells, left_out: dict[str, str]) -> Iterator[Trial]:
    """Each of them with its settings; a field whose hierarchy does not fit is noted."""
    for name in policy.named(Role.DIRECT):
        if name in cells.columns:
            yield _removed("de-identification", name, policy)
    for name in measured_fields(policy):
        if name in cells.columns:
            yield _removed("attribute suppression", name, policy)
    hierarchies = _bound(policy, cells, left_out)
    alone = {
        name: Suppression().bind(hierarchy.labels[0]) for name, hierarchy in hierarchies.items()
    }
    for k in KS if hierarchies else ():
        yield _global("attribute generalisation", k, hierarchies)
        yield _local("cell generalisation", k, hierarchies)
        yield _local("cell suppression", k, alone)
    yield Trial(
        place="scrambling tuples",
        setting="random order",
        fields=measured_fields(policy),
        make=_scrambled,
    )


def _bound(policy: Policy, cells: Cells, left_out: dict[str, str]) -> dict[str, Hierarchy]:
    """The hierarchies of the quasi fields over the values that were picked; without one, a cell is
    kept or `*`."""
    out = {}
    for name in policy.named(Role.QUASI):
        spec = policy.fields[name].hierarchy or Suppression()
        if name in cells.columns:
            try:
                out[name] = spec.bind(tuple(cells.codes(name)[1].tolist()))
            except SfumatoError as error:
                left_out[f"generalising {name}"] = f"{error.asked} {error.found}".strip()
    return out


def _removed(place: str, name: str, policy: Policy) -> Trial:
    def make(cells: Cells, around: StepContext) -> Cells:
        return cells.with_texts(name, np.full(len(cells), SUPPRESSED, object), is_text=True)

    return Trial(place=place, setting="every cell", fields=(name,), make=make, by_chance=False)


def _global(place: str, k: int, hierarchies: Mapping[str, Hierarchy]) -> Trial:
    fields = tuple(hierarchies)

    def make(cells: Cells, around: StepContext) -> Cells:
        bins, bin_of = _bins(cells, fields)
        solver = Datafly2(models=(KAnonymity(k=k, fields=fields),), max_suppression=_ROWS_LEFT_OUT)
        recoding = solver.solve(bins, hierarchies).recoding
        if not isinstance(recoding, GlobalRecoding):
            raise Bug("a global recoding was asked for and another one was made.")
        for column, name in enumerate(fields):
            hierarchy, level = hierarchies[name], recoding.levels[name]
            labels = np.array(hierarchy.labels[level], object)[hierarchy.up[level]]
            cells = cells.with_texts(name, labels[bins.codes[bin_of, column]], is_text=True)
        return cells.only(~recoding.suppressed[bin_of])

    return Trial(place=place, setting=_alike(k), fields=fields, make=make, by_chance=False)


def _local(place: str, k: int, hierarchies: Mapping[str, Hierarchy]) -> Trial:
    fields = tuple(hierarchies)

    def make(cells: Cells, around: StepContext) -> Cells:
        bins, bin_of = _bins(cells, fields)
        recoding = Local(k=k, rounds=_ROUNDS).solve(bins, hierarchies).recoding
        if not isinstance(recoding, LocalRecoding | LabelledRecoding):
            raise Bug("a local recoding was asked for and another one was made.")
        labels, codes = recoding.cells(bins, hierarchies)
        portion = np.repeat(np.arange(len(recoding.rows)), recoding.rows)
        portion = portion[np.argsort(recoding.bin_of[portion], kind="stable")]
        portion_of = np.empty(len(cells), np.int64)
        portion_of[np.argsort(bin_of, kind="stable")] = portion
        for column, name in enumerate(fields):
            names = np.array(labels[column], object)
            cells = cells.with_texts(name, names[codes[portion_of, column]], is_text=True)
        return cells

    return Trial(place=place, setting=_alike(k), fields=fields, make=make, by_chance=False)


def _alike(k: int) -> str:
    return f"k = {k}"


def _bins(cells: Cells, fields: tuple[str, ...]) -> tuple[Bins, NDArray[np.int64]]:
    """The bins of some fields, and the bin of each row."""
    columns = [cells.codes(name) for name in fields]
    codes = np.stack([column for column, _ in columns], axis=1).astype(np.int32)
    labels = tuple(tuple(names.tolist()) for _, names in columns)
    groups, first = group(codes, [len(names) for names in labels])
    return Bins(fields, labels, codes[first], np.bincount(groups, minlength=len(first))), groups


def _scrambled(cells: Cells, around: StepContext) -> Cells:
    return cells.only(around.chance.permutation(len(cells)))
