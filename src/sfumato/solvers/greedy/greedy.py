"""Greedy: a wide table under bounded knowledge, by levels of whole fields, blank cells and rows
left out.

After the top-down specialisation of Mohammed, Fung, Hung and Lee 2009: everything is blank at
first, and fields are put in one after the other. Departures: a level is chosen for a whole field,
and cells that it makes too rare are blanked (`shown_cells`). The paper specialises one label at a
time for all rows. Register fields are first, because they are in every combination. The level that
loses least (NCP) is taken, where the paper weighs information gain against anonymity lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.bins import Bins
from sfumato.errors import HierarchyError, NoRecodingFound
from sfumato.hierarchies import SUPPRESSED, Hierarchy
from sfumato.parts import parameter
from sfumato.protection import BoundedKnowledge, Model, needs_of
from sfumato.wording import counted, some_of

from ..declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverRequest,
)
from ..effort import USUAL_SECONDS, Effort
from ..solver import DOWNCODING, MINIMALITY, Hierarchies, Solution, Step
from .field_order import BoundedFrame, FieldOrder, Placed
from .placed_fields import FieldLadder
from .shown_cells import BLANK, Marks

MOST_NAMED = 5

__all__ = ["BoundedKnowledge", "Greedy", "GreedySettings", "Hierarchy"]


@dataclass(frozen=True, kw_only=True)
class Greedy:
    """Levels of whole fields and blank cells, so that every bounded recipient finds enough people.

    Requirements besides bounded knowledge limit what is shown. A field is placed as far as every
    model holds, with at most the share `max_suppression` of rows suppressed. `weights` makes a
    field's loss count more (default 1). No field is put in once `seconds` of CPU time or `work`
    attempts are spent; fields that are not in by then stay blank.

    Does not protect: a recipient who knows more than the models assume.

    Example:
        >>> rows = {("f", "a", "x"): 2, ("f", "b", "x"): 2, ("f", "b", "y"): 3, ("m", "b", "y"): 1}
        >>> bins = Bins.of(("sex", "job", "town"), rows)
        >>> stars = [Hierarchy.from_rows([(v, "*") for v in labels]) for labels in bins.labels]
        >>> ladders = dict(zip(bins.fields, stars))
        >>> model = BoundedKnowledge(k=2, m=1, register=("sex",), others=("job", "town"))
        >>> found = Greedy(models=(model,)).solve(bins, ladders).recoding.apply(bins, ladders)
        >>> model.judge(found).outcome
        'pass'
    """

    models: Sequence[Model]
    max_suppression: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    seconds: float = float("inf")
    work: int | None = None

    name: ClassVar[str] = "greedy"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        _check_tops(bins, hierarchies)
        search = FieldOrder(
            bins=bins,
            hierarchies=hierarchies,
            frame=BoundedFrame.of(self.models, bins),
            ladders={
                name: FieldLadder.of(bins, name, hierarchies[name], self.weights.get(name, 1.0))
                for name in bins.fields
            },
            models=tuple(self.models),
            max_suppression=self.max_suppression,
            effort=Effort(seconds=self.seconds, work=self.work),
        )
        placed = search.run()
        out = None if placed is None else search.left_out(placed)
        if placed is None or out is None:
            raise self._not_found(bins, is_start=placed is None)
        return self._solution(search, placed, out)

    def _not_found(self, bins: Bins, *, is_start: bool) -> NoRecodingFound:
        asked = ", ".join(dict.fromkeys(model.name for model in self.models))
        where = "with every cell blank" if is_start else "of what could be shown"
        return NoRecodingFound(
            f"No levels and blank cells keep {asked} with at most {self.max_suppression:.1%} of "
            f"{bins.unit} left out.",
            found=f"It does not hold {where}.",
            attempt="weaker numbers, fewer sensitive fields or values, or a larger "
            "max_suppression.",
        )

    def _solution(self, search: FieldOrder, placed: Placed, out: Marks) -> Solution:
        bins = search.bins
        shown = {name: search.hierarchies[name].height for name in bins.fields}
        shown |= {name: found.level for name, found in placed.items() if found.column.codes.any()}
        coarse = search.released(placed).only(~out).recode({}, {})
        step = Step(
            what=f"put {counted(len(bins.fields), 'field')} in by {search.tries} attempts",
            levels=shown,
            bins=len(coarse),
            rows_failing=int(bins.rows_in_bins[out].sum()),
        )
        return Solution(
            solver=self.name,
            recoding=search.recoding(placed, out),
            steps=(step,),
            notes=tuple(_notes(search, placed, out, warned=bool(needs_of(self.models)))),
        )


def _notes(search: FieldOrder, placed: Placed, out: Marks, *, warned: bool) -> list[str]:
    bins = search.bins
    rows = bins.rows_in_bins * ~out
    total = max(int(rows.sum()), 1)
    blank = {name: int(rows[f.column.codes == BLANK].sum()) for name, f in placed.items()}
    cells, most = sum(blank.values()), total * max(len(bins.fields), 1)
    lost = [name for name in bins.fields if 2 * blank[name] > total]
    notes = [f"{cells} of {most} cells ({cells / most:.0%}) are blank, `{SUPPRESSED}`."]
    if lost:
        notes.append(f"Blank in more than half of the rows: {some_of(lost, MOST_NAMED)}.")
    if search.stopped:
        notes.append(
            f"The limit of {search.stopped} ended the search after {search.tries} attempts; "
            "fields that were not put in are blank."
        )
    return [*notes, DOWNCODING, *([MINIMALITY] if warned else [])]


def _check_tops(bins: Bins, hierarchies: Hierarchies) -> None:
    wrong = [name for name in bins.fields if hierarchies[name].labels[-1] != (SUPPRESSED,)]
    if wrong:
        raise HierarchyError(
            f"Greedy blanks cells, so the hierarchy of each field must end in {SUPPRESSED} alone.",
            found=f"That of {', '.join(wrong)} does not.",
            attempt=f"adding a last level with the label {SUPPRESSED} for every value.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GreedySettings:
    """The settings of the greedy solver in a policy."""

    seconds: float = parameter(
        "CPU seconds after which no field is put in", default=USUAL_SECONDS, least=0.1
    )
    work: int | None = parameter(
        "attempts to put a field in, at most; no limit where it is not named",
        default=None,
        least=1,
    )


def _build(settings: GreedySettings, request: SolverRequest) -> Greedy:
    return Greedy(
        models=request.models,
        max_suppression=request.max_suppression,
        weights=request.weights,
        seconds=settings.seconds,
        work=settings.work,
    )


DECLARATION = SolverDeclaration(
    key="greedy",
    doc="levels of whole fields and blank cells, for wide tables under bounded knowledge",
    settings=GreedySettings,
    abilities=SolverAbilities(
        recodes=RecodingKind.LOCAL,
        shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        limits=("seconds", "work"),
        holds_finest=True,
    ),
    build=_build,
)
