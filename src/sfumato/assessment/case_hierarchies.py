"""The hierarchies from the source's values to the released labels, as the release built them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import HierarchyError, PolicyError, Problem, SourceError
from sfumato.hierarchies import Hierarchy, HierarchySpec, Label


def bound(
    specs: Mapping[str, HierarchySpec], values: Mapping[str, Sequence[Label]], *, name: str
) -> dict[str, Hierarchy]:
    """Each hierarchy over the values of its field, in their order; all problems at once."""
    problems: list[Problem] = []
    out: dict[str, Hierarchy] = {}
    for field, spec in specs.items():
        try:
            out[field] = spec.bind(tuple(dict.fromkeys(values[field])))
        except HierarchyError as error:
            found = f"{error.asked} {error.found}".strip()
            problems.append(
                Problem(where=f"fields.{field}.hierarchy", found=found, attempt=error.attempt)
            )
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return out


def widened(hierarchy: Hierarchy, spec: HierarchySpec, more: Iterable[Label]) -> Hierarchy:
    """The hierarchy over further values too, as of a population; unchanged where these would change
    its labels.

    Edges of quantiles depend on the values, and the labels mean the edges of the release.
    """
    mine = hierarchy.labels[0]
    try:
        wider = spec.bind(tuple(dict.fromkeys((*mine, *more))))
    except HierarchyError:
        return hierarchy
    if wider.height != hierarchy.height or wider.labels[0][: len(mine)] != mine:
        return hierarchy
    for level in range(hierarchy.height + 1):
        narrow = np.array(hierarchy.labels[level], object)[hierarchy.up[level]]
        wide = np.array(wider.labels[level], object)[wider.up[level][: len(mine)]]
        if not (narrow == wide).all():
            return hierarchy
    return wider


def values_of(engine: Engine, name: str) -> tuple[Label, ...]:
    return engine.frequencies((name,)).values[0]


def strange_labels(released: Bins, hierarchies: Mapping[str, Hierarchy]) -> dict[str, int]:
    """Known fields with released labels that their hierarchy does not have, and how many; null is
    no label."""
    out = {}
    for name, labels in zip(released.fields, released.labels, strict=True):
        if name in hierarchies:
            known = hierarchies[name].level_of_label
            strange = sum(1 for label in labels if label is not None and label not in known)
            if strange:
                out[name] = strange
    return out


def check_labels(
    released: Bins, hierarchies: dict[str, Hierarchy], *, made_by_levels: bool
) -> tuple[str, ...]:
    """Leave out hierarchies that do not lead to the released labels, with words about them.

    Where the manifest raised values to levels, all labels must be found; else this is a different
    source."""
    strange = strange_labels(released, hierarchies)
    if strange and made_by_levels:
        told = ", ".join(f"{count} of {name}" for name, count in strange.items())
        raise SourceError(
            "The source is not the one that the release was made from.",
            found=f"No value of the source leads to some released labels: {told}.",
            attempt="the source as it was when the release was made.",
        )
    for name in strange:
        del hierarchies[name]
    return tuple(
        f"The labels of {name} are not those of its hierarchy, such as ranges, sets or "
        "means: they are read as written."
        for name in strange
    )
