"""The declared solvers as policies read them: their names, settings and abilities.

Solvers declare themselves in their own room, which is above this one; the registry imports it by
name when the first policy is read. The `SolverAbilities` of a solver, never its name, decide what a
policy may require of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

from sfumato.errors import Mistake, Problem
from sfumato.parts import Registry, Shape, with_question

if TYPE_CHECKING:
    from .records import Policy

SOLVER_GROUP: Final = "sfumato.solvers"


class RecodingKind(StrEnum):
    """The effect of a solver's recoding on a field."""

    GLOBAL = "every value of a field alike"
    LOCAL = "bin by bin"
    EITHER = "either, whichever loses less"
    NUMERIC = "numbers in place of numbers"


class ModelScope(StrEnum):
    """Which protection models a solver works towards; a policy that requires others is refused."""

    EVERY = "every model"
    COUNTS = "numbers of rows alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverNeed:
    """Requirements of which a solver needs one, or exactly one if they `exclude` each other.

    `because` is what the solver does with it, after the solver's name; `example` is one that can be
    written."""

    requirements: tuple[str, ...]
    because: str
    example: str
    exclude: bool = False


COUNTED: Final = frozenset(
    {Shape.ONE_ROW, Shape.SEVERAL_TABLES, Shape.WEIGHTS, Shape.NULL_READINGS}
)
"""The abilities of every solver that gets the bins of the person's table with their models, which
handle weights and nulls themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverAbilities:
    """The abilities of a solver, as data.

    `limits` are the settings that end its search early, and `proves` is whether it bounds its
    distance from the optimum. `rolls_up`: it may search a table that was rolled up first.
    `holds_unlinked`: it protects quasi fields that the recipient does not link on too.
    `blanks_cells`: a cell that it suppresses matches any value. `holds_finest`: it releases no cell
    below the finest level of its field. `fixes_cells`: some fields of a table may have cells that
    it keeps as they are, as those of the tables above. `orders_values`: it needs to know which
    fields hold only numbers or dates. `level_is_k`: Datafly's level is its k over all known fields
    together, and effort counts only where it is given. `only_climbs`: each step is counted from the
    source, so that levels need not nest. `reasons` say why it has no meaning in a shape, and
    `counts_because` why it reads numbers of rows alone."""

    recodes: RecodingKind
    shapes: frozenset[Shape] = COUNTED
    models: ModelScope = ModelScope.EVERY
    need: SolverNeed | None = None
    limits: tuple[str, ...] = ()
    proves: bool = False
    rolls_up: bool = False
    holds_unlinked: bool = False
    blanks_cells: bool = False
    holds_finest: bool = False
    fixes_cells: bool = False
    orders_values: bool = False
    level_is_k: bool = False
    only_climbs: bool = False
    reasons: Mapping[Shape, str] = field(default_factory=dict)
    counts_because: str = ""


class DeclaredSolver(Protocol):
    """A solver's declaration, as far as a policy asks it. `readings` are requirements that it reads
    in its own way."""

    @property
    def key(self) -> str: ...

    @property
    def doc(self) -> str: ...

    @property
    def settings(self) -> type: ...

    @property
    def abilities(self) -> SolverAbilities: ...

    @property
    def readings(self) -> Mapping[str, Any]: ...

    @property
    def fits(self) -> Callable[[Any, Policy], Iterable[Problem]]: ...


SOLVERS: Final[Registry[DeclaredSolver]] = Registry(
    "solver", room="sfumato.solvers", group=SOLVER_GROUP
)


def declared_solver(key: str) -> DeclaredSolver:
    """The solver with this name; where there is none, a Mistake that lists all of them."""
    if key not in SOLVERS:
        raise Mistake(
            with_question(f'No solver is called "{key}".', key, SOLVERS),
            attempt=f"one of {', '.join(SOLVERS)}.",
        )
    return SOLVERS[key]


def solver_of(policy: Policy) -> DeclaredSolver:
    """The declaration of the solver that a policy names."""
    return declared_solver(policy.solve.solver)


def abilities_of(policy: Policy) -> SolverAbilities:
    """The abilities of the solver that a policy names."""
    return solver_of(policy).abilities


def solvers_for(able: Callable[[SolverAbilities], bool]) -> str:
    """The solvers that are able to do something, for a message.

    Example:
        >>> solvers_for(lambda abilities: abilities.proves)
        'anytime, optimal'
    """
    return ", ".join(key for key, solver in SOLVERS.all().items() if able(solver.abilities))


def solvers_of(shape: Shape) -> str:
    """The solvers that can take a shape of data, for a message."""
    return solvers_for(lambda abilities: shape in abilities.shapes)


def settings_for(key: str, given: Any) -> Any:
    """The given settings, or the usual settings of a solver where none were given; settings of
    another solver are a Mistake."""
    record = declared_solver(key).settings
    if given is not None and type(given) is not record:
        raise Mistake(
            f'Settings of the class {type(given).__name__} were given to the solver "{key}".',
            found=f"Its settings are {record.__name__}.",
            attempt=f"{record.__name__}(), or leaving the settings out.",
        )
    return record() if given is None else given
