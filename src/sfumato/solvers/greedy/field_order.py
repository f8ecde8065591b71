"""How fields are put into a table: register levels by descent, other fields one by one, and rows
set aside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, LocalRecoding
from sfumato.protection import BoundedInference, BoundedKnowledge, KAnonymity, Model, inside

from ..effort import Effort
from ..solver import Hierarchies
from .field_copies import copies_of, placed_alike, weighed
from .placed_fields import FieldLadder, PlacedField
from .shown_cells import BLANK, GroupRule, InferenceLimit, Marks, ShownCells

GAIN = 1e-9  # Losses that differ by less are the same.
LEAST_SAMPLE = 10  # So many other fields at least are put in while register levels are compared,
PAIRS_COUNTED = 4_000_000  # and more where pairs of fields and bins are fewer than this,
PAIRS_OF_PEOPLE = 2_000_000  # or this, where people are counted.
REGISTER_SHARE = 0.4  # So much of the effort is spent on register levels at most.
ROUNDS = 4  # So often rows are set aside at most,
ASIDE = (0.03, 0.1)  # each time one of these shares of a group.

Placed = Mapping[str, PlacedField]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoundedFrame:
    """One recipient with the knowledge of every bounded recipient that the models name."""

    k: int
    m: int
    register: tuple[str, ...]
    limits: tuple[InferenceLimit, ...]

    @classmethod
    def of(cls, models: Iterable[Model], bins: Bins) -> BoundedFrame:
        """Where nothing bounds what is known, every field is a register field."""
        several = tuple(models)
        counts = [model for model in several if isinstance(model, BoundedKnowledge)]
        values = [model for model in several if isinstance(model, BoundedInference)]
        named = {name for model in (*counts, *values) for name in model.register}
        limits = [
            InferenceLimit(
                sensitive=model.sensitive,
                limited=model.limited(inside(bins, model.sensitive).values),
                confidence=model.confidence,
            )
            for model in values
        ]
        return cls(
            k=max((model.k for model in counts), default=1),
            m=max((model.m for model in (*counts, *values)), default=1),
            register=tuple(n for n in bins.fields if n in named or not (counts or values)),
            limits=tuple(limits),
        )


@dataclass(slots=True, eq=False, kw_only=True)
class FieldOrder:
    """One search. `tries` counts how often a field was put in. Of fields with the same content, one
    is among the `register` fields or the `others`, and shown with its `copies`."""

    bins: Bins
    hierarchies: Hierarchies
    frame: BoundedFrame
    ladders: Mapping[str, FieldLadder]
    models: tuple[Model, ...]
    max_suppression: float
    effort: Effort
    tries: int = 0
    stopped: str = ""
    register: tuple[str, ...] = field(init=False)
    others: tuple[str, ...] = field(init=False)
    copies: Mapping[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        free = [name for name in self.bins.fields if name not in self.frame.register]
        self.copies = copies_of(self.ladders, (*self.frame.register, *free))
        self.ladders = weighed(self.ladders, self.copies)
        self.register = tuple(name for name in self.frame.register if name in self.copies)
        self.others = tuple(
            sorted(
                (name for name in free if name in self.copies),
                key=lambda n: (-self.ladders[n].weight, self.bins.distinct(n)),
            )
        )

    def run(self) -> dict[str, PlacedField] | None:
        """The fields as far as they can be shown; None where nothing holds with all cells blank, nor
        with all as they are."""
        whole = {name: self.ladders[name].whole for name in self.bins.fields}
        out = self.left_out(whole)
        if out is not None and not out.any():
            return whole
        blank = {name: self.ladders[name].blank for name in self.bins.fields}
        if self.left_out(blank) is None:
            return whole if out is not None else None
        levels = self._register_levels(blank)
        start, placed = self._with_register(levels, blank)
        placed = self._with_others(start, placed, self.others)
        return self._with_aside(start, placed)

    def left_out(self, placed: Placed) -> Marks | None:
        """The bins to leave out so that every model holds of the rest; None beyond the limit."""
        cells = self.released(placed)
        out = np.zeros(len(cells), bool)
        while not out.all():
            coarse, groups = cells.only(~out).recoded({}, {})
            failing = np.zeros(len(coarse), bool)
            for model in self.models:
                failing |= model.failing(coarse)
            if not failing.any():
                break
            out[np.flatnonzero(~out)[failing[groups]]] = True
            if not cells.may_leave_out(out, self.max_suppression):
                return None
        return out

    def released(self, placed: Placed) -> Bins:
        """The bins of the source under the labels that are shown."""
        return self.bins.with_cells(*self.recoding(placed).cells(self.bins, self.hierarchies))

    def recoding(self, placed: Placed, out: Marks | None = None) -> LocalRecoding:
        levels = np.zeros(self.bins.codes.shape, np.int16)
        for column, name in enumerate(self.bins.fields):
            found, top = placed[name], self.hierarchies[name].height
            levels[:, column] = np.where(found.column.codes == BLANK, top, found.level)
        return LocalRecoding(
            bin_of=np.arange(len(self.bins)),
            rows=self.bins.counts,
            levels=levels,
            suppressed=np.zeros(len(self.bins), bool) if out is None else out,
        )

    # ---------------------------------------------------------------------------------------------
    # register fields

    def _register_levels(self, blank: Placed) -> dict[str, int]:
        """Levels of the register fields, one a level finer at a time as long as that loses less
        over all fields, losses squared. A field that is lost is worse than two that are half lost.

        Gains shrink as other fields get finer. So only the field that promised most is looked at
        again, and taken where it keeps that. A part of the time is left for the other fields."""
        levels = {name: self.ladders[name].height for name in self.register}
        sample = self._sample()
        best = self._cost(levels, sample, blank)
        promised = dict.fromkeys((n for n in levels if self._is_coarse(n, levels)), float("inf"))
        while promised and not self._is_spent(REGISTER_SHARE):
            name = max(promised, key=lambda each: promised[each])
            cost = self._cost({**levels, name: levels[name] - 1}, sample, blank)
            gain = best - cost
            if gain < -GAIN:
                del promised[name]
            elif gain + GAIN < max((g for n, g in promised.items() if n != name), default=0.0):
                promised[name] = gain
            else:
                best, levels[name] = cost, levels[name] - 1
                promised[name] = gain
                if not self._is_coarse(name, levels):
                    del promised[name]
        return levels

    def _is_coarse(self, name: str, levels: Mapping[str, int]) -> bool:
        """Whether a field may still be finer."""
        return levels[name] > self.ladders[name].finest

    def _sample(self) -> tuple[str, ...]:
        """All other fields, or some with few and some with many values where all take too long;
        those that weigh most in any case."""
        counted = PAIRS_COUNTED if self.bins.adds_up else PAIRS_OF_PEOPLE
        many = int((counted / max(len(self.bins), 1)) ** 0.5)
        step = -(-len(self.others) // max(many, LEAST_SAMPLE)) if self.others else 1
        most = max((self.ladders[name].weight for name in self.others), default=0.0)
        heavy = [name for name in self.others if self.ladders[name].weight >= most]
        heavy = heavy if len(heavy) <= LEAST_SAMPLE else []
        rest = [name for name in self.others if name not in heavy]
        return (*heavy, *rest[::step])

    def _cost(self, levels: Mapping[str, int], sample: Sequence[str], blank: Placed) -> float:
        """Register fields weigh together as much as all the others."""
        start, placed = self._with_register(levels, blank)
        placed = self._with_others(start, placed, sample)
        register = self._squares(placed, self.register)
        return register + (self._squares(placed, sample) if sample else 0.0)

    def _squares(self, placed: Placed, names: Sequence[str]) -> float:
        total = sum(self.ladders[name].weight for name in names)
        squares = sum(self.ladders[name].weight * placed[name].loss ** 2 for name in names)
        return squares / total if total else 0.0

    def _with_register(
        self, levels: Mapping[str, int], blank: Placed
    ) -> tuple[ShownCells, dict[str, PlacedField]]:
        """The register fields at some levels, those with few labels first."""
        rule = GroupRule(bins=self.bins, k=self.frame.k, limits=self.frame.limits)
        cells, placed = ShownCells.nothing(rule, self.frame.m), dict(blank)
        shown = [name for name, level in levels.items() if level < self.ladders[name].height]
        for name in sorted(shown, key=lambda n: self.ladders[n].at(levels[n]).values):
            found = self._tried(cells, name, levels[name], register=True)
            shown_too = self._with_copies(name, found)
            if self._holds({**placed, **shown_too}):
                placed |= shown_too
                cells = cells.with_register(found.column)
        return cells, placed

    # ---------------------------------------------------------------------------------------------
    # other fields

    def _with_others(
        self,
        cells: ShownCells,
        placed: Placed,
        names: Sequence[str],
        *,
        levels: Mapping[str, int] | None = None,
        aside: Marks | None = None,
        blame: NDArray[np.float64] | None = None,
    ) -> dict[str, PlacedField]:
        """Each field at the level that loses least beside those that are in already."""
        found = dict(placed)
        for name in names:
            if self._is_spent():
                break
            some = self.ladders[name].levels if levels is None else (levels[name],)
            best = self._best(cells, name, found, some, aside, blame)
            found |= self._with_copies(name, best)
            cells = cells.with_column(name, found[name].column)
        return found

    def _best(
        self,
        cells: ShownCells,
        name: str,
        placed: Placed,
        levels: Iterable[int],
        aside: Marks | None,
        blame: NDArray[np.float64] | None,
    ) -> PlacedField:
        ladder = self.ladders[name]
        best = ladder.blank
        for level in levels:
            if level >= ladder.height or ladder.floor(level) >= best.loss - GAIN:
                continue
            found = self._tried(cells, name, level, aside=aside, blame=blame)
            if found.loss >= best.loss - GAIN:
                continue
            if self._holds({**placed, **self._with_copies(name, found)}):
                best = found
        return best

    def _with_copies(self, name: str, found: PlacedField) -> dict[str, PlacedField]:
        """A field that was put in, and those with the same content."""
        return {
            name: found,
            **{copy: placed_alike(found, self.ladders[copy]) for copy in self.copies[name]},
        }

    def _tried(
        self,
        cells: ShownCells,
        name: str,
        level: int,
        *,
        register: bool = False,
        aside: Marks | None = None,
        blame: NDArray[np.float64] | None = None,
    ) -> PlacedField:
        self.tries += 1
        ladder = self.ladders[name]
        at = ladder.at(level, aside)
        column = cells.fitted(at, is_register=register, blame=blame)
        return ladder.placed(level, column)

    def _holds(self, placed: Placed) -> bool:
        """Whether what is required besides bounded knowledge holds."""
        asked = [model for model in self.models if not _is_kept_anyway(model)]
        if not asked:
            return True
        coarse = self.released(placed).recode({}, {})
        if not any(model.failing(coarse).any() for model in asked):
            return True
        return self.max_suppression > 0 and self.left_out(placed) is not None

    def _is_spent(self, share: float = 1.0) -> bool:
        """Whether a share of the effort is spent; the search has stopped where all is."""
        if share < 1.0:
            return bool(self.effort.part(share).spent(self.tries))
        self.stopped = self.stopped or self.effort.spent(self.tries)
        return bool(self.stopped)

    # ---------------------------------------------------------------------------------------------
    # rows set aside

    def _with_aside(
        self, start: ShownCells, placed: dict[str, PlacedField]
    ) -> dict[str, PlacedField]:
        """In each group, blank all other fields of the rows that most cells are blank for, where
        the rest then shows more. It is repeated, because others are then unusual.

        Groups do not depend on each other: each takes what loses least in it."""
        told = [copy for name in self.others for copy in (name, *self.copies[name])]
        bare = placed | {name: self.ladders[name].blank for name in told}
        levels = {name: placed[name].level for name in self.others}
        aside, best = np.zeros(len(self.bins), bool), placed
        for _ in range(ROUNDS):
            blame = np.zeros(len(self.bins))
            found = self._with_others(
                start, bare, self.others, levels=levels, aside=aside, blame=blame
            )
            tried = [(self._losses(start, found), aside)]
            for share in ASIDE:
                more = _oddest(start, blame, aside, share=share, least=self.frame.k)
                found = self._with_others(start, bare, self.others, levels=levels, aside=more)
                tried.append((self._losses(start, found), more))
            which = np.argmin([losses for losses, _ in tried], axis=0)
            aside = np.choose(which[start.groups], [marks for _, marks in tried]).astype(bool)
            found = self._with_others(start, bare, self.others, aside=aside)
            if self._is_spent() or self._total(found) >= self._total(best) - GAIN:
                break
            if self._holds(found):
                best, levels = found, {name: found[name].level for name in self.others}
        return best

    def _losses(self, start: ShownCells, placed: Placed) -> NDArray[np.float64]:
        """The loss of each group."""
        rows = np.zeros(len(self.bins))
        for name in self.others:
            rows += self.ladders[name].weight * self.ladders[name].cell_losses(placed[name])
        return np.bincount(start.groups, rows * self.bins.rows_in_bins, start.count).astype(float)

    def _total(self, placed: Placed) -> float:
        return sum(self.ladders[name].weight * placed[name].loss for name in self.others)


def _is_kept_anyway(model: Model) -> bool:
    """Whether no shown cell can break it: bounded knowledge is looked after cell by cell."""
    is_vacuous = isinstance(model, KAnonymity) and model.k <= 1
    return is_vacuous or isinstance(model, BoundedKnowledge | BoundedInference)


def _oddest(
    start: ShownCells, blame: NDArray[np.float64], aside: Marks, *, share: float, least: int
) -> Marks:
    """The bins that are set aside, and a share of each group's bins, those with most blame first. A
    group too small for two parts has none."""
    sizes = np.bincount(start.groups, minlength=start.count)
    already = np.bincount(start.groups[aside], minlength=start.count)
    many = np.maximum(already + np.ceil(share * sizes), least)
    many = np.where(sizes >= many + least, many, already)
    order = np.lexsort((-blame, ~aside, start.groups))
    ranked = start.groups[order]
    ranks = np.zeros(len(aside), np.int64)
    ranks[order] = np.arange(len(order)) - np.searchsorted(ranked, ranked)
    return aside | (ranks < many[start.groups])
