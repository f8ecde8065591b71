"""A release held against its source and its policy: every promise counted again. Imports nothing of
Sfumato."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from .additions import moved_fields
from .cells import Cell, Row, read_released
from .ladders import Ladder, ladders
from .requirements import bins_of, broken

POPULATION, POPULATION_COPIES = "population.csv", 3
"""The file of everybody beside the policy: the source, so many times."""
LINKING = {"public": 1.0, "contracted-researcher": 0.5, "in-house": 0.5, "care-giver": 0.0}
LABELLED = ("local", "microaggregation")
"""Solvers whose labels may be ranges, sets or means, which stand in no hierarchy."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """A released table with all that is needed to judge it: policy and source in canonical text."""

    folder: Path
    policy: Mapping[str, Any]
    source: Sequence[Row]

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "manifest.json").read_text(encoding="utf-8")))

    @cached_property
    def _read(self) -> tuple[list[str], list[Row]]:
        return read_released(self.folder / self.manifest["tables"]["release"]["file"])

    @property
    def names(self) -> list[str]:
        return self._read[0]

    @property
    def rows(self) -> list[Row]:
        return self._read[1]

    @property
    def solver(self) -> str:
        return str(self.policy.get("solve", {}).get("solver", "anytime"))

    def roles(self, *wanted: str) -> list[str]:
        return [name for name, spec in self.policy["fields"].items() if spec["role"] in wanted]

    @cached_property
    def known(self) -> list[str]:
        """Quasi-identifiers that the recipient may link on."""
        to = self.policy.get("release_to", "public")
        profile = self.policy.get("recipient", {}).get(to, {})
        default = profile.get("default_linking", LINKING.get(to, 1.0))
        linking = profile.get("linking", {})
        every = self.solver == "datafly"
        return [name for name in self.roles("quasi") if every or linking.get(name, default) > 0]

    @cached_property
    def kept(self) -> list[str]:
        """Fields whose cells leave as they are."""
        quasi = [name for name in self.roles("quasi") if name not in self.known]
        return [
            name
            for name in self.roles("sensitive", "insensitive") + quasi
            if not self.follows(name)
        ]

    def follows(self, name: str) -> str:
        return str(self.policy["fields"][name].get("follows", ""))

    @cached_property
    def ladders(self) -> dict[str, dict[Cell, Ladder] | None]:
        """For each known field what its values become; None where its labels are not of a
        hierarchy."""
        return {name: self._ladder(name) for name in self.known}

    def _ladder(self, name: str) -> dict[Cell, Ladder] | None:
        values = list(dict.fromkeys(row[name] for row in self.source))
        return ladders(self.policy["fields"][name].get("hierarchy"), values)

    @property
    def levels(self) -> Mapping[str, int] | None:
        """The level of each known field, where every value of it has the same."""
        recoding = self.manifest["recoding"]
        return recoding["levels"] if recoding["kind"] == "global" else None


def contradictions(release: Release) -> list[str]:
    """All that a release, its manifest and its policy say that is not so."""
    return [found for rule in RULES for found in rule(release)]


def _figures(release: Release) -> Iterator[str]:
    """The manifest's numbers of rows, and that no more rows left than the policy lets."""
    rows, source = release.manifest["tables"]["release"]["rows"], len(release.source)
    truth = {
        "source": source,
        "released": len(release.rows),
        "suppressed": source - len(release.rows),
    }
    for key, value in truth.items():
        if rows[key] != value:
            yield f"rows: the manifest says {rows[key]} {key}, and there are {value}"
    most = release.policy["require"].get("max_suppression", 0)
    if release.solver == "datafly" and "anonymity" in release.policy["require"]:
        return
    if truth["suppressed"] > most * source + 1e-9:
        yield f"max_suppression: {truth['suppressed']} of {source} rows left, and {most} may"


def _fields(release: Release) -> Iterator[str]:
    """The released fields are those of the policy, without the removed ones."""
    removed = {
        name
        for name in release.roles("direct")
        if release.policy["fields"][name].get("replace", "remove") == "remove"
    }
    wanted = set(release.policy["fields"]) - removed
    if set(release.names) != wanted:
        yield (
            f"fields: {len(set(release.names) ^ wanted)} fields are there and should not be, "
            "or the other way round"
        )


def _identifiers(release: Release) -> Iterator[str]:
    """No original of a direct field stands anywhere; what takes its place keeps nulls."""
    for name in release.roles("direct"):
        originals = {row[name] for row in release.source} - {None}
        for other in release.names:
            inside = release.policy["fields"][other]["role"] == "text"
            cells = (row[other] or "" for row in release.rows)
            if any(
                any(each in cell for each in originals if each) if inside else cell in originals
                for cell in cells
            ):
                yield (
                    "identifiers: an original of a direct field stands in the release (field "
                    f"{other!r})"
                )
        if name in release.names and any(row[name] is None for row in release.rows):
            yield "identifiers: a replacement is empty"
    for name in set(release.roles("direct")) & set(release.names):
        replace = release.policy["fields"][name].get("replace")
        if replace != "mask" and len({row[name] for row in release.rows}) != len(release.rows):
            yield "identifiers: two people have one replacement"


def _kept_cells(release: Release) -> Iterator[str]:
    """Cells of kept fields, taken together row by row, are those of the source."""
    moved = moved_fields(release.policy)
    for name in moved & set(release.names):
        if Counter(row[name] for row in release.rows) - Counter(
            row[name] for row in release.source
        ):
            yield "moved cells: a field that was swapped has cells that the source has not"
    kept = [name for name in release.kept if name in release.names and name not in moved]
    if not kept:
        return
    before = Counter(tuple(row[name] for name in kept) for row in release.source)
    after = Counter(tuple(row[name] for name in kept) for row in release.rows)
    if extra := (after - before).total():
        yield f"kept cells: {extra} rows have cells that the source has not"


def _recoded_rows(release: Release) -> Iterator[str]:
    """Under one level per field each released row is a row of the source at these levels."""
    if release.levels is None:
        return
    apart = {*release.roles("direct", "text"), *moved_fields(release.policy)}
    fields = [name for name in release.names if name not in apart]
    known = [name for name in release.known if release.ladders[name] is not None]
    unknown = set(release.known) - set(known)
    fields = [
        name for name in fields if name not in unknown and release.follows(name) not in unknown
    ]
    before = Counter(
        tuple(_recoded(release, row, name) for name in fields) for row in release.source
    )
    after = Counter(tuple(row[name] for name in fields) for row in release.rows)
    if extra := (after - before).total():
        yield f"recoding: {extra} rows are not rows of the source at the manifest's levels"


def _recoded(release: Release, row: Row, name: str) -> Cell:
    levels = release.levels or {}
    found = release.ladders.get(name)
    if found is not None:
        return found[row[name]][levels[name]]
    if leader := release.follows(name):
        top = release.ladders.get(leader)
        if top is not None and _recoded(release, row, leader) == top[row[leader]][-1]:
            return "*"
    return row[name]


def _labels(release: Release) -> Iterator[str]:
    """Every label stands in its field's hierarchy, above the value of its own row where a mark says
    which that is."""
    if release.solver in LABELLED and release.levels is None:
        return
    marks = _mark(release)
    own = {row[marks]: row for row in release.source} if marks else {}
    for name in release.known:
        found = release.ladders[name]
        if found is None:
            continue
        allowed = set(itertools.chain.from_iterable(found.values()))
        if bad := sum(row[name] not in allowed for row in release.rows):
            yield f"labels: {bad} cells are no label of their hierarchy"
        if own and (
            bad := sum(
                row[name] not in found[own[row[marks]][name]]
                for row in release.rows
                if row[marks] in own
            )
        ):
            yield f"labels: {bad} cells are not above their own value"


def _mark(release: Release) -> str:
    """A kept field that is different in every row, if there is one."""
    moved = moved_fields(release.policy)
    for name in (name for name in release.kept if name not in moved):
        values = [row[name] for row in release.source]
        if name in release.names and len(set(values)) == len(values):
            return name
    return ""


def _requirements(release: Release) -> Iterator[str]:
    """Each requirement of the policy, from its definition; and the outcome that the manifest
    gives."""
    require = release.policy["require"]
    wildcard = require.get("reading") == "wildcard" or release.solver == "mu_argus"
    tops = {found[value][-1] for found in release.ladders.values() if found for value in found}
    matches: set[Cell] = ({"*"} | tops) if wildcard else set()
    if release.policy.get("nulls") == "matches-anything":
        matches.add(None)
    bad = [
        *broken(
            require,
            release.rows,
            release.source,
            known=release.known,
            sensitive=release.roles("sensitive"),
            matches=frozenset(matches),
            combinations=_combinations(release),
        ),
        *_population(release),
        *_bounded_knowledge(release),
    ]
    said = release.manifest["outcome"]
    verdicts = [verdict["outcome"] for verdict in release.manifest["verdicts"]]
    if said == "pass" and set(verdicts) - {"pass"}:
        yield "verdicts: the outcome is pass, and a verdict is not"
    if "fail" in verdicts and said != "fail":
        yield "verdicts: one fails, and the outcome does not"
    if said != "fail":
        yield from (f"requirement broken: {each}" for each in bad)


def _bounded_knowledge(release: Release) -> Iterator[str]:
    """Each combination of the register fields with any m others is that of k rows; not counted
    where a missing value may be any."""
    asked = release.policy["require"].get("bounded_knowledge")
    if asked is None or release.policy.get("nulls") == "matches-anything":
        return
    register = [name for name in asked["register"] if name in release.known]
    others = [name for name in release.known if name not in register]
    for more in itertools.combinations(others, min(asked["m"], len(others))):
        shared = Counter(tuple(row[name] for name in (*register, *more)) for row in release.rows)
        if shared and min(shared.values()) < asked["k"]:
            yield f"bounded_knowledge over {len(register) + len(more)} fields"


def _combinations(release: Release) -> list[tuple[str, ...]]:
    """The sets of fields that `combinations` is asked of: by size, or as mu-Argus ranks them."""
    asked = release.policy["require"].get("combinations")
    if asked is None:
        return []
    if release.solver != "mu_argus":
        sizes = {min(size, len(release.known)) for size in asked.get("sizes", (2, 3))}
        return [
            fields
            for size in sizes
            if size
            for fields in itertools.combinations(release.known, size)
        ]
    ranks = {name: release.policy["fields"][name].get("rank", 1) for name in release.known}
    every = [fields for size in (1, 2, 3) for fields in itertools.combinations(release.known, size)]
    return [
        fields
        for fields in every
        if _checked(sorted((ranks[name] for name in fields), reverse=True))
    ]


def _checked(ranks: Sequence[int]) -> bool:
    return (
        (len(ranks) == 1 and ranks[0] >= 1)
        or (len(ranks) == 2 and ranks[0] >= 2)
        or (len(ranks) == 3 and ranks[0] >= 3 and ranks[1] >= 2)
    )


def _population(release: Release) -> Iterator[str]:
    """k-map and delta-presence: the people whom a tuple covers, by survey weights or in the
    population's table."""
    k_map, presence = (
        release.policy["require"].get(key, {}) for key in ("k_map", "delta_presence")
    )
    if not (k_map or presence) or any(release.ladders[name] is None for name in release.known):
        return
    if release.solver in LABELLED and release.levels is None:
        return
    everybody = {
        cells: len(held) * POPULATION_COPIES
        for cells, held in bins_of(release.source, release.known).items()
    }
    for cells, held in bins_of(release.rows, release.known).items():
        if (
            k_map
            and _covered(release, cells, _weighted(release) if "weight" in k_map else everybody)
            < k_map["k"]
        ):
            yield "k_map: a tuple covers fewer people"
            return
        if presence and len(held) / _covered(release, cells, everybody) > presence["max"] + 1e-9:
            yield "delta_presence: of those whom a tuple covers, more are in the release"
            return


def _weighted(release: Release) -> dict[tuple[Cell, ...], int]:
    """The sum of weights of each original tuple, rounded down."""
    weight = release.policy["require"]["k_map"]["weight"]
    return {
        cells: sum((Fraction(row[weight] or 0) for row in held), Fraction()).__floor__()
        for cells, held in bins_of(release.source, release.known).items()
    }


def _covered(
    release: Release, cells: tuple[Cell, ...], sizes: Mapping[tuple[Cell, ...], int]
) -> int:
    """How many people have values under the labels of a released tuple."""
    found = [
        (release.ladders[name] or {}, label)
        for name, label in zip(release.known, cells, strict=True)
    ]
    return sum(
        size
        for values, size in sizes.items()
        if all(label in ladder[value] for (ladder, label), value in zip(found, values, strict=True))
    )


def _verdict_figures(release: Release) -> Iterator[str]:
    """Bins, rows and the smallest bin of each verdict, as counted on the file."""
    strict = (
        release.policy["require"].get("reading", "strict") == "strict"
        and "nulls" not in release.policy
    )
    for verdict in release.manifest["verdicts"]:
        fields = verdict.get("fields") or []
        if verdict["model"] != "k-anonymity" or not fields or set(fields) - set(release.names):
            continue
        sizes = [len(held) for held in bins_of(release.rows, fields).values()]
        if verdict["bins"] != len(sizes) or verdict["rows"] != len(release.rows):
            yield "verdicts: bins or rows of a verdict are not those of the file"
        if strict and sizes and verdict["smallest"] != min(sizes):
            yield "verdicts: the smallest bin of a verdict is not that of the file"


def _utility(release: Release) -> Iterator[str]:
    """Loss and precision, from the policy's hierarchies and the manifest's levels."""
    levels, found = release.levels, release.ladders
    if levels is None or not release.known or any(found[name] is None for name in release.known):
        return
    total, gone = len(release.source), len(release.source) - len(release.rows)
    losses, precisions = [], []
    for name in release.known:
        rungs = found[name] or {}
        leaves = {
            label: sum(label in ladder for ladder in rungs.values())
            for label in _at(rungs, levels[name])
        }
        height = len(next(iter(rungs.values()))) - 1
        under = [leaves.get(row[name], 0) for row in release.rows]
        lost = sum(count - 1 for count in under) / (len(rungs) - 1) if len(rungs) > 1 else 0
        losses.append((lost + gone) / total)
        precisions.append(1 - (levels[name] / max(height, 1) * len(release.rows) + gone) / total)
    said = release.manifest["utility"]
    if abs(said["precision"] - sum(precisions) / len(precisions)) > 1e-6:
        yield (
            f"utility: precision is {sum(precisions) / len(precisions):.6f}, and the manifest "
            "says another"
        )
    if _clear(release) and abs(said["loss"] - sum(losses) / len(losses)) > 1e-6:
        yield f"utility: loss is {sum(losses) / len(losses):.6f}, and the manifest says another"


def _at(rungs: Mapping[Cell, Ladder], level: int) -> set[Cell]:
    return {ladder[level] for ladder in rungs.values()}


def _clear(release: Release) -> bool:
    """Whether each label means one set of values: then its leaves can be counted from the label
    alone."""
    for rungs in release.ladders.values():
        meant: dict[Cell, set[frozenset[Cell]]] = {}
        for level in range(len(next(iter((rungs or {}).values()), ()))):
            for label in _at(rungs or {}, level):
                under = frozenset(
                    value for value, ladder in (rungs or {}).items() if ladder[level] == label
                )
                meant.setdefault(label, set()).add(under)
        if any(len(sets) > 1 for sets in meant.values()):
            return False
    return True


def _households(release: Release) -> Iterator[str]:
    """Households leave whole."""
    name, mark = release.policy.get("household"), _mark(release)
    if not name or not mark:
        return
    there = {row[mark] for row in release.rows}
    for cells, held in bins_of(release.source, [name]).items():
        stayed = sum(row[mark] in there for row in held)
        if cells != (None,) and stayed not in (0, len(held)):
            yield "household: part of one left"
            return


def _order(release: Release) -> Iterator[str]:
    """`keep` leaves the rows as they stood."""
    mark = _mark(release)
    if release.policy.get("order") == "keep" and mark:
        places = {row[mark]: number for number, row in enumerate(release.source)}
        found = [places[row[mark]] for row in release.rows if row[mark] in places]
        if found != sorted(found):
            yield "order: rows were to be kept in order, and are not"


RULES = (
    _figures,
    _fields,
    _identifiers,
    _kept_cells,
    _recoded_rows,
    _labels,
    _requirements,
    _verdict_figures,
    _utility,
    _households,
    _order,
)
