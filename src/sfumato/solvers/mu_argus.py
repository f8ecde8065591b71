"""mu-Argus: check chosen 1-, 2- and 3-combinations of fields and blank the fewest cells that make
each one safe.

Sweeney 2000, section 6.3 (Sweeney 1997, section 4.1). Fields are ranked 0 to 3: not, identifying,
more, most identifying. Checked are: each identifying field alone; each pair with a field ranked
more or most; each triple with one ranked most and one ranked more. The paper's words are ambiguous;
this is the reading under which Fig. 30 keeps its unique row. A person chooses the levels
(`mu_argus_session`), and the solver blanks cells. Per bin it takes a smallest set of fields that
meets every unsafe combination, and among these the values that are in most outliers.

Departures: the paper counts once, but a blanked cell lowers the counts of other rows, so that
combinations become unsafe which were not. Here it is counted and blanked again until none is left;
`repeat=False` is the paper's way. Where other models are required, rows that break them are left
out, within a limit. The table published as Fig. 30 has one unsafe pair (see
docs/solvers/mu-argus.md); this does not. Not a departure: the result need not be k-anonymous, and
the notes say how far it is from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, CountedPeople, LocalRecoding, pairs_of
from sfumato.errors import Bug, HierarchyError, NoRecodingFound, Problem
from sfumato.hierarchies import SUPPRESSED, Hierarchy
from sfumato.parts import parameter
from sfumato.policy import CellReading, Policy
from sfumato.protection import Combinations, KAnonymity, Model
from sfumato.wording import counted

from .declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverNeed,
    SolverRequest,
)
from .mu_argus_choices import BlankedCell, chosen_cells, read_choices
from .rows_below import RowsBelow
from .solver import Hierarchies, Solution, Step

if TYPE_CHECKING:
    from .mu_argus_session import MuArgusSession

Cells = NDArray[np.bool_]
FEW_KEYS = 1_000_000
LARGEST_COMBINATION = 3


@dataclass(frozen=True, kw_only=True)
class MuArgus:
    """Cell suppression until each checked combination of values occurs at least `k` times.

    `levels` are the global recodings that a person chose beforehand, 0 where a field is not named.
    A level above a hierarchy's top means its top. A field without a rank is "identifying" (1).
    `sizes` are those of combinations that a policy requires: of each, some or all are checked. A
    blanked cell is at the top level of its hierarchy, `*`. At most the share `max_suppression` of
    the rows is left out, for `models` that blanked cells do not keep. Cells of `fixed` fields are
    never blanked: they are those of a table above, and rows that they alone make unsafe are left
    out. `chosen` cells, which a person chose by hand, are blanked first. Where `models` are about
    rows below, a combination must be that of `k` people with such rows too, or of none.

    Does not protect: a row that is unique over more fields than a combination holds.

    Example:
        >>> solver = MuArgus(k=2, ranks={"zip": 2, "sex": 2, "job": 1})
        >>> solver.combinations(("zip", "sex", "job"))
        (('zip',), ('sex',), ('job',), ('zip', 'sex'), ('zip', 'job'), ('sex', 'job'))
    """

    k: int
    ranks: Mapping[str, int]
    levels: Mapping[str, int] = field(default_factory=dict)
    max_size: int = 3
    sizes: tuple[int, ...] = ()
    repeat: bool = True
    models: Sequence[Model] = ()
    max_suppression: float = 0.0
    fixed: tuple[str, ...] = ()
    chosen: tuple[BlankedCell, ...] | Path = ()

    name: ClassVar[str] = "mu_argus"

    def combinations(self, fields: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """The checked combinations, and no others. Where ranks choose no combination of a size that
        is required, all of that size are."""
        named = [name for name in fields if self._rank(name) >= 1]
        found: list[tuple[str, ...]] = [(name,) for name in named]
        if self.max_size >= 2:
            found += [pair for pair in combinations(named, 2) if max(map(self._rank, pair)) >= 2]
        if self.max_size >= 3:
            found += [
                triple
                for triple in combinations(named, 3)
                if _most_and_more(map(self._rank, triple))
            ]
        required = {min(size, len(fields)) for size in self.sizes}
        for size in sorted(required - {len(names) for names in found}):
            found += combinations(fields, size)
        return tuple(found)

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        """Blank cells of the bins at `levels`, which a person chose, perhaps with
        `MuArgusSession`."""
        return self.solve_at(bins, hierarchies, self.levels)

    def solve_at(self, bins: Bins, hierarchies: Hierarchies, levels: Mapping[str, int]) -> Solution:
        """Blank cells of the bins recoded to `levels`. The recoding found starts from the bins as
        they are."""
        model = self.model(bins.fields)
        _check_tops(model, {name: hierarchies[name] for name in self._free(bins.fields)})
        levels = {name: _level(hierarchies[name], levels.get(name, 0)) for name in bins.fields}
        before = recoded_bins(bins, hierarchies, levels)
        blank, steps = self.blanked(before)
        tops = np.array([hierarchies[name].height for name in bins.fields])
        chosen = np.array([levels.get(name, 0) for name in bins.fields])
        recoding = LocalRecoding(
            bin_of=np.arange(len(bins)),
            rows=bins.counts,
            levels=np.where(blank, tops, chosen).astype(np.int16),
            suppressed=self._left_out(with_blanks(before, blank)),
        )
        released = with_blanks(before, blank).only(~recoding.suppressed).project(bins.fields)
        if self.repeat and model.failing(released).any():
            raise Bug("mu-Argus left a combination that its model calls unsafe")
        notes = self._notes(released, cells=int(bins.counts @ blank.sum(axis=1)), model=model)
        return Solution(solver=self.name, recoding=recoding, steps=tuple(steps), notes=notes)

    def _left_out(self, blanked: Bins) -> NDArray[np.bool_]:
        """Which bins break the other models; leaving some out can make others fail, also by
        mu-Argus's own."""
        others = tuple(model for model in self.models if not isinstance(model, RowsBelow))
        models = (*others, self.model(blanked.fields)) if self.repeat else others
        out = np.zeros(len(blanked), bool)
        while others and not out.all():
            released, groups = blanked.only(~out).recoded({}, {})
            failing = np.zeros(len(released), bool)
            for model in models:
                failing |= model.failing(released)
            if not failing.any():
                break
            out[np.flatnonzero(~out)[failing[groups]]] = True
        if not blanked.may_leave_out(out, self.max_suppression):
            raise _not_found(self, blanked, blanked.people_in(out))
        return out

    def model(self, fields: Sequence[str]) -> Combinations:
        """The protection model that the result keeps (with `repeat`)."""
        return Combinations(
            k=self.k, combinations=self.combinations(fields), reading=CellReading.WILDCARD
        )

    def blanked(self, bins: Bins) -> tuple[Cells, list[Step]]:
        """The cells of each bin to blank, and the account of each round."""
        model, free = self.model(bins.fields), self._free(bins.fields)
        below = [each.held for each in self.models if isinstance(each, RowsBelow)]
        mendable = [any(name in free for name in each) for each in model.combinations]
        blank = chosen_cells(
            bins, [each for each in self.choices(bins.fields) if each.field in free]
        )
        steps: list[Step] = []
        while True:
            now = with_blanks(bins, blank)
            unsafe = _unsafe_patterns(now, model, below) & np.array(mendable, bool)
            rows = int(bins.counts[unsafe.any(axis=1)].sum())
            what = (
                f"count {len(model.combinations)} combinations, "
                f"{int(bins.counts @ blank.sum(axis=1))} cells blank"
            )
            steps.append(Step(what=what, levels={}, bins=len(bins), rows_failing=rows))
            if not rows or (steps[1:] and not self.repeat):
                return blank, steps
            blank |= _smallest_covers(
                unsafe,
                model,
                bins.fields,
                free=free,
                precedence=_in_outliers(now, model, unsafe),
            )

    def choices(self, fields: Sequence[str]) -> tuple[BlankedCell, ...]:
        """The cells that a person chose, read from their file where they are in one."""
        return read_choices(self.chosen, fields) if isinstance(self.chosen, Path) else self.chosen

    def _free(self, fields: Sequence[str]) -> tuple[str, ...]:
        """The fields whose cells may be blanked."""
        return tuple(name for name in fields if name not in self.fixed)

    def _rank(self, name: str) -> int:
        return self.ranks.get(name, 1)

    def _notes(self, released: Bins, *, cells: int, model: Combinations) -> tuple[str, ...]:
        left = count_unsafe(released, model)
        notes = [
            f"{counted(cells, 'cell is', 'cells are')} blanked; {left} values of checked "
            "combinations "
            f"occur under {self.k} times."
        ]
        told = []
        for reading in CellReading if released.adds_up else (CellReading.STRICT,):
            below = KAnonymity(k=self.k, fields=released.fields, reading=reading).failing(released)
            several = ("row",) if released.adds_up else ("person", "people")
            told.append(f"{counted(released.people_in(below), *several)} read {reading.value}")
        notes.append(
            f"mu-Argus does not promise k-anonymity: over all {len(released.fields)} "
            f"fields, bins under {self.k} "
            f"hold {' and '.join(told)}, of {released.people}."
        )
        return tuple(notes)


def _not_found(solver: MuArgus, bins: Bins, lost: int) -> NoRecodingFound:
    asked = ", ".join(dict.fromkeys(model.name for model in solver.models))
    return NoRecodingFound(
        f"No blanked cells keep {asked} with at most {solver.max_suppression:.1%} of "
        f"{bins.unit} left out.",
        found=f"mu-Argus works towards combinations of fields; {lost} of {bins.people} {bins.unit} "
        f"({lost / bins.people:.1%}) break what is required besides.",
        attempt="coarser levels, a larger max_suppression, or another solver.",
    )


def count_unsafe(bins: Bins, model: Combinations) -> int:
    """How many values of the checked combinations occur under k times, each counted once."""
    total = 0
    for combination in model.combinations:
        unsafe = model.unsafe(bins, combination)
        total += len(bins.only(unsafe).project(combination)) if unsafe.any() else 0
    return total


def _level(hierarchy: Hierarchy, asked: int) -> int:
    """The level that a person chose, within what the hierarchy and its finest level allow."""
    return min(max(asked, hierarchy.finest), hierarchy.height)


def _most_and_more(ranks: map[int]) -> bool:
    highest, second, *_ = sorted(ranks, reverse=True)
    return highest >= 3 and second >= 2


def _check_tops(model: Combinations, hierarchies: Hierarchies) -> None:
    checked = dict.fromkeys(name for combination in model.combinations for name in combination)
    wrong = [
        name
        for name in checked
        if name in hierarchies and hierarchies[name].labels[-1] != (SUPPRESSED,)
    ]
    if wrong:
        raise HierarchyError(
            "mu-Argus blanks cells, so the hierarchy of each checked field must end in "
            f"{SUPPRESSED} alone.",
            found=f"That of {', '.join(wrong)} does not.",
            attempt=f"adding a last level with the label {SUPPRESSED} for every value.",
        )


def recoded_bins(bins: Bins, hierarchies: Hierarchies, levels: Mapping[str, int]) -> Bins:
    """The bins at some levels, still one for each bin of the source, so that each has its cells to
    blank."""
    codes, labels = bins.codes.copy(), list(bins.labels)
    for column, name in enumerate(bins.fields):
        if level := levels.get(name, 0):
            codes[:, column] = hierarchies[name].up[level][codes[:, column]]
            labels[column] = hierarchies[name].labels[level]
    return bins.with_cells(tuple(labels), codes)


def with_blanks(bins: Bins, blank: Cells) -> Bins:
    labels = tuple(names if SUPPRESSED in names else (*names, SUPPRESSED) for names in bins.labels)
    stars = np.array([names.index(SUPPRESSED) for names in labels], np.int32)
    return bins.with_cells(labels, np.where(blank, stars, bins.codes))


def _unsafe_patterns(bins: Bins, model: Combinations, below: Sequence[str] = ()) -> Cells:
    """Per bin and combination: whether the bin's value of it is too rare; as the model counts, for
    all at once. Also where it is too rare among those of the bin who have rows `below`.

    Bins may be alike here, and are not merged. Codes of a combination are packed into one key.
    Where few keys are possible, they are counted without sorting."""
    sizes = np.array([len(names) for names in bins.labels])
    stars = np.array([names.index(SUPPRESSED) for names in bins.labels])
    whole = bins.codes != stars
    out = np.zeros((len(bins), len(model.combinations)), bool)
    for number, combination in enumerate(model.combinations):
        columns = [bins.column(name) for name in combination]
        at = np.flatnonzero(whole[:, columns].all(axis=1))
        keys = np.zeros(len(at), np.int64)
        for column in columns:
            keys = keys * int(sizes[column]) + bins.codes[at, column]
        if int(np.prod(sizes[columns])) > FEW_KEYS:
            _, keys = np.unique(keys, return_inverse=True)
        counts = (
            np.bincount(keys, weights=bins.counts[at])
            if bins.adds_up
            else _people_of(bins, at, keys)
        )
        out[at, number] = counts[keys] < model.k
        for held in below:
            out[at, number] |= _few_have(bins, at, keys, held, k=model.k)
    return out


def _few_have(
    bins: Bins, at: NDArray[np.int64], keys: NDArray[np.int64], held: str, *, k: int
) -> NDArray[np.bool_]:
    """Of the bins `at`, those with people who have something that fewer than k people of their key
    have."""
    assert isinstance(bins, CountedPeople)
    key_of = np.full(len(bins), -1, np.int64)
    key_of[at] = keys
    having = bins.held[held]
    groups = key_of[having.bin_of]
    there = groups >= 0
    several, _ = pairs_of(groups[there], having.person_of[there])
    people = np.bincount(several, minlength=int(keys.max(initial=-1)) + 1)
    has = np.zeros(len(bins), bool)
    has[having.bin_of] = True
    return has[at] & (people[keys] < k)


def _people_of(bins: Bins, at: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many people the bins `at` of each key have together."""
    chosen = np.zeros(len(bins), bool)
    chosen[at] = True
    return bins.only(chosen).sizes_of(keys)


def _in_outliers(bins: Bins, model: Combinations, unsafe: Cells) -> NDArray[np.int64]:
    """Per cell: in how many outliers of the whole table its value is."""
    out = np.zeros(bins.codes.shape, np.int64)
    for column, name in enumerate(bins.fields):
        holds = [name in combination for combination in model.combinations]
        outliers = np.zeros(len(bins.labels[column]), np.int64)
        np.add.at(outliers, bins.codes[:, column], unsafe[:, holds].sum(axis=1) * bins.counts)
        out[:, column] = outliers[bins.codes[:, column]]
    return out


def _smallest_covers(
    unsafe: Cells,
    model: Combinations,
    fields: Sequence[str],
    *,
    free: Sequence[str],
    precedence: NDArray[np.int64],
) -> Cells:
    """Per bin a smallest set of free fields that meets all its unsafe combinations; the cells that
    precede win ties."""
    blank = np.zeros(precedence.shape, bool)
    outliers = np.flatnonzero(unsafe.any(axis=1))
    packed = np.packbits(unsafe[outliers], axis=1)
    _, first, pattern_of = np.unique(
        packed.view(f"V{packed.shape[1]}"), return_index=True, return_inverse=True
    )
    patterns, pattern_of = unsafe[outliers[first]], pattern_of.reshape(-1)
    holds = np.array(
        [[name in combination for combination in model.combinations] for name in fields]
    )
    waiting = list(range(len(patterns)))
    columns = [column for column, name in enumerate(fields) if name in free]
    for size in range(1, len(columns) + 1):
        chosen = np.array(list(combinations(columns, size)))
        misses = ~holds[chosen].any(axis=1)
        for number in waiting.copy():
            covers = chosen[~misses[:, patterns[number]].any(axis=1)]
            if len(covers):
                at = outliers[pattern_of == number]
                best = covers[np.argmax(precedence[at][:, covers].sum(axis=2), axis=1)]
                blank[at[:, None], best] = True
                waiting.remove(number)
        if not waiting:
            break
    return blank


@dataclass(frozen=True, slots=True, kw_only=True)
class MuArgusSettings:
    """The settings of mu-Argus in a policy."""

    levels: Mapping[str, int] = parameter(
        "the level of each known field, 0 where it is not named",
        default_factory=dict,
        example="{ zip = 1 }",
    )
    max_size: int = parameter(
        "the largest combination that is counted; at least that of `combinations.sizes`",
        default=MuArgus.max_size,
        least=1,
        most=LARGEST_COMBINATION,
    )
    repeat: bool = parameter(
        "count and blank again until nothing is unsafe; `false` is the paper's way, and "
        "what is left unsafe is refused",
        default=MuArgus.repeat,
    )
    blanks: str = parameter(
        "a CSV file beside the policy with cells to blank first, as `sfumato explore` writes it; "
        "only its name travels with a release",
        default="",
    )


def _build(settings: MuArgusSettings, request: SolverRequest) -> MuArgus:
    policy = request.policy
    asked = policy.require.one("combinations")
    return MuArgus(
        k=asked.k if asked else policy.require.k or 1,
        ranks={name: policy.fields[name].rank for name in request.known},
        levels=settings.levels,
        max_size=settings.max_size,
        sizes=asked.sizes if asked else (),
        repeat=settings.repeat,
        models=request.models,
        max_suppression=request.max_suppression,
        fixed=request.fixed,
        chosen=policy.folder / settings.blanks if settings.blanks else (),
    )


def _combinations(settings: MuArgusSettings, request: SolverRequest) -> tuple[Combinations, ...]:
    """The combinations that ranks ask for, whatever was blanked by hand. A blank cell matches
    anything. mu-Argus ignores blank cells, and where a whole field is suppressed, the other fields
    of its combinations would be unguarded otherwise."""
    return (_build(settings, request).model(request.known),)


def _fits(settings: MuArgusSettings, policy: Policy) -> Iterator[Problem]:
    """mu-Argus counts combinations as large as those that are required, and the file of chosen
    cells is beside the policy."""
    if settings.blanks and Path(settings.blanks).name != settings.blanks:
        yield Problem(
            where="solve.blanks",
            found="It is a path, and the file is beside the policy.",
            attempt="the name of the file alone.",
        )
    asked = policy.require.one("combinations")
    largest = max(asked.sizes) if asked is not None else 0
    if settings.max_size < largest:
        larger = f"max_size = {largest}, or smaller sizes."
        yield Problem(
            where="solve.max_size",
            found=f"It is {settings.max_size}, and combinations of {counted(largest, 'field')} are required.",
            attempt=larger
            if largest <= LARGEST_COMBINATION
            else f"sizes up to {LARGEST_COMBINATION}.",
        )


def _promise(settings: MuArgusSettings, policy: Policy) -> str:
    """What the solver keeps of a policy: combinations, and k over all fields only by leaving rows
    out."""
    asked = policy.require.one("combinations")
    k = asked.k if asked else policy.require.k or 1
    checked = (
        f"mu_argus makes combinations of up to {counted(settings.max_size, 'field')}, those that "
        f"ranks choose, occur {k} times or more, by blanking cells."
    )
    if asked is None and max((each.rank for each in policy.fields.values()), default=0) < 2:
        checked += (
            " No field has a rank above 1, so ranks choose single values alone: give fields "
            "rank = 2 or 3, or require combinations."
        )
    if policy.require.k is None:
        return f"{checked} It does not promise k-anonymity: a row may be unique over more fields."
    limit = policy.require.max_suppression
    return (
        f"{checked} That alone is not k-anonymity: rows in bins under k = {policy.require.k} over "
        f"all known fields are left out too, and none is released where these are more than "
        f"{limit:.4g} of all."
    )


def _session(bins: Bins, hierarchies: Hierarchies, solver: MuArgus) -> MuArgusSession:
    from .mu_argus_session import MuArgusSession

    return MuArgusSession(bins, hierarchies, solver)


DECLARATION = SolverDeclaration(
    key="mu_argus",
    doc="mu-Argus: the fewest cells are blanked that make each checked combination frequent enough",
    settings=MuArgusSettings,
    abilities=SolverAbilities(
        recodes=RecodingKind.LOCAL,
        shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        need=SolverNeed(
            requirements=("combinations", "k"),
            because="counts combinations of fields",
            example="combinations = { k = 3, sizes = [2, 3] }",
        ),
        blanks_cells=True,
        holds_finest=True,
        fixes_cells=True,
    ),
    build=_build,
    readings={"combinations": _combinations},
    fits=_fits,
    session=_session,
    promise=_promise,
)
