"""The facts of the report, computed from a finished candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

import sfumato
from sfumato.bins import Bins, LabelledRecoding
from sfumato.hierarchies import Hierarchy, RaisedHierarchy
from sfumato.measures import Ads0, Utility
from sfumato.policy import Policy, policy_as_toml
from sfumato.protection import Outcome, Verdict
from sfumato.report import BinFacts, FieldFacts, ReportFacts, StepFacts
from sfumato.solvers import Solution

from .policy_copy import policy_copy
from .prepared_source import PreparedSource
from .release_recount import Recount

EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000)


def bin_facts(bins: Bins) -> BinFacts:
    """The distribution of bin sizes."""
    place = np.searchsorted(EDGES, bins.counts, side="right") - 1
    rows = np.zeros(len(EDGES), np.int64)
    np.add.at(rows, place, bins.counts)
    return BinFacts(
        count=len(bins),
        smallest=bins.smallest,
        average=bins.rows / len(bins) if len(bins) else 0.0,
        edges=EDGES,
        bins=tuple(np.bincount(place, minlength=len(EDGES)).tolist()),
        rows=tuple(rows.tolist()),
        unique_rows=int((bins.counts == 1).sum()),
    )


def report_facts(
    prepared: PreparedSource,
    solution: Solution,
    found: Recount,
    *,
    verdicts: Sequence[Verdict],
    title: str,
    created: str,
    engine: str,
    outcome: Outcome,
    utility: Utility,
    ads0: Ads0,
    words: Mapping[str, str],
    warnings: Sequence[str],
    files: Mapping[str, str],
) -> ReportFacts:
    policy = prepared.policy
    return ReportFacts(
        title=title,
        created=created.replace("T", " ").replace("+00:00", " UTC"),
        version=sfumato.__version__,
        outcome=outcome,
        proposed=policy.proposed,
        open_fields=policy.open_fields,
        recipient=policy.recipient,
        recipient_description=policy.profile.description,
        engine=engine,
        solver=solution.solver,
        seed=policy.solve.seed,
        rows_source=prepared.rows,
        rows_released=found.rows,
        verdicts=tuple(verdicts),
        ads0=ads0,
        utility=utility,
        before=_before(prepared),
        after=bin_facts(found.bins),
        fields=_fields(prepared, solution, found, words=words, utility=utility),
        steps=tuple(
            StepFacts(what=s.what, bins=s.bins, rows_failing=s.rows_failing) for s in solution.steps
        ),
        notes=solution.notes,
        warnings=tuple(warnings),
        policy_toml=policy_as_toml(policy_copy(policy)),
        files=files,
        hierarchies={name: _whole(hierarchy) for name, hierarchy in prepared.hierarchies.items()},
        proof=solution.proof.in_words() if solution.proof is not None else "",
        picture=solution.picture,
        keep=policy.keep,
    )


def _fields(
    prepared: PreparedSource,
    solution: Solution,
    found: Recount,
    *,
    words: Mapping[str, str],
    utility: Utility,
) -> tuple[FieldFacts, ...]:
    levels, rows = solution.recoding.cell_levels(prepared.bins)
    out = []
    for name in prepared.source_fields:
        role = _role(prepared.policy, name)
        if name not in prepared.known:
            out.append(FieldFacts(name=name, role=role, treatment=words[name]))
            continue
        start, hierarchy = prepared.hierarchies[name].start, _whole(prepared.hierarchies[name])
        names = _level_names(hierarchy, solution)
        at = np.zeros(len(names), np.int64)
        np.add.at(at, levels[:, prepared.bins.column(name)] + start, rows)
        out.append(
            FieldFacts(
                name=name,
                role=role,
                treatment=words[name],
                known=True,
                level_names=names,
                labels_per_level=_labels_per_level(hierarchy, solution, found.bins.distinct(name)),
                rows_at_level=tuple(at.tolist()),
                distinct_before=_distinct_before(prepared, name),
                distinct_after=found.bins.distinct(name),
                precision=utility.per_field[name],
            )
        )
    return tuple(out)


def _whole(hierarchy: Hierarchy) -> Hierarchy:
    """The policy's hierarchy, also where it was raised before the search."""
    return hierarchy.whole if isinstance(hierarchy, RaisedHierarchy) else hierarchy


def _distinct_before(prepared: PreparedSource, name: str) -> int:
    hierarchy = prepared.hierarchies[name]
    if isinstance(hierarchy, RaisedHierarchy):
        return int((hierarchy.counts > 0).sum())
    return prepared.bins.distinct(name)


def _before(prepared: PreparedSource) -> BinFacts:
    """The source's bins as they are, also where they were rolled up before the search."""
    rolled = prepared.rolled_up
    if rolled is None or not rolled.is_raised:
        bins = prepared.bins
        same = bins.fields == prepared.known
        return bin_facts(bins if same else bins.project(prepared.known))
    return bin_facts_of_sizes(rolled.sizes, rows=prepared.rows)


def bin_facts_of_sizes(sizes: NDArray[np.int64], *, rows: int) -> BinFacts:
    """The same from how many bins there are of each size; the last entry gathers all larger
    ones."""
    there = np.flatnonzero(sizes)
    place = np.searchsorted(EDGES, there, side="right") - 1
    rows_of = sizes[there] * there
    if len(there):
        rows_of[-1] += rows - int(
            rows_of.sum()
        )  # Larger bins are counted, and not how large they are.
    return BinFacts(
        count=int(sizes.sum()),
        smallest=int(there[0]) if len(there) else 0,
        average=rows / int(sizes.sum()) if len(there) else 0.0,
        edges=EDGES,
        bins=tuple(
            np.bincount(place, weights=sizes[there], minlength=len(EDGES)).astype(int).tolist()
        ),
        rows=tuple(np.bincount(place, weights=rows_of, minlength=len(EDGES)).astype(int).tolist()),
        unique_rows=int(sizes[1]) if len(sizes) > 1 else 0,
    )


def _level_names(hierarchy: Hierarchy, solution: Solution) -> tuple[str, ...]:
    """The rungs a field could climb: its hierarchy's levels, or just as it is and in a range or
    set."""
    if isinstance(solution.recoding, LabelledRecoding):
        return "value", "range or set"
    return tuple(hierarchy.level_name(level) for level in range(hierarchy.height + 1))


def _labels_per_level(hierarchy: Hierarchy, solution: Solution, released: int) -> tuple[int, ...]:
    if isinstance(solution.recoding, LabelledRecoding):
        return len(hierarchy.labels[0]), released
    return tuple(len(labels) for labels in hierarchy.labels)


def _role(policy: Policy, name: str) -> str:
    decided = policy.fields.get(name)
    return decided.role.value if decided else "not named"
