"""Declarations of solvers: the settings of each, its abilities, and how it is built; and the
registry that finds them.

A solver is one file of this room, or of an installed package that names its declaration under the
entry points `sfumato.solvers`. The file holds the algorithm, a frozen record of its settings and a
`SolverDeclaration`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar, cast

from sfumato.bins import Bins
from sfumato.errors import Mistake, Problem
from sfumato.parts import Registry, Shape
from sfumato.policy import (
    COUNTED,
    KEPT_WEIGHT,
    ModelScope,
    Policy,
    RecodingKind,
    SolverAbilities,
    SolverNeed,
)
from sfumato.policy import SOLVERS as DECLARED
from sfumato.protection import Model

from .solver import Hierarchies, Solver

if TYPE_CHECKING:
    from .people import PeopleSolution, TableBins

__all__ = [
    "COUNTED",
    "SOLVERS",
    "ModelScope",
    "PeopleRequest",
    "PeopleSolver",
    "RecodingKind",
    "Shape",
    "SolverAbilities",
    "SolverDeclaration",
    "SolverNeed",
    "SolverRequest",
    "build_people_solver",
    "build_solver",
    "labels_looked_up",
]

Settings = TypeVar("Settings")


@dataclass(frozen=True, eq=False, kw_only=True)
class SolverRequest:
    """The input of a solver besides its settings: the policy, the fields that the recipient may
    know and the models to keep. It also has the fields whose order of values is used, those whose
    cells are decided already, and the number of rows of the source."""

    policy: Policy
    known: tuple[str, ...]
    models: tuple[Model, ...] = ()
    numeric: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    rows: int = 0

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each known field's loss: by the recipient's tolerance, more where the
        policy keeps it, unless [solve] weighs it."""
        return self.policy.weights(self.known)

    @property
    def told_weights(self) -> dict[str, float]:
        """The weight of each field's loss by what the policy keeps or weighs alone; 1 where not
        named. It is for a solver that reads the recipient's tolerance itself."""
        kept = {name: KEPT_WEIGHT for name in self.known if name in self.policy.keep}
        return {**kept, **self.policy.solve.weights}

    @property
    def max_suppression(self) -> float:
        """The share that may be left out; at most twice the loss of an anonymity level."""
        return _max_suppression(self.policy)

    @property
    def whole(self) -> bool:
        """Whether no bin may be cut: where households are left out together, the recoding of each
        row must be known."""
        return self.policy.household is not None

    @property
    def largest_k(self) -> int:
        """The k of the policy, or the largest that a model asks of bins over all known fields."""
        over_all = [
            model for model in self.models if set(getattr(model, "fields", ())) == set(self.known)
        ]
        least = max((int(getattr(model, "least_bin", 1)) for model in over_all), default=1)
        return self.policy.require.k or least

    @property
    def tolerated(self) -> dict[str, float]:
        """How much distortion of each known field the recipient tolerates."""
        return {name: self.policy.profile.tolerates(name) for name in self.known}


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleRequest:
    """The input of a solver that counts people: every bin of every table must have `k` of them."""

    policy: Policy
    k: int
    weights: Mapping[str, float]

    @property
    def max_suppression(self) -> float:
        """The share that may be left out; at most twice the loss of an anonymity level."""
        return _max_suppression(self.policy)


def _max_suppression(policy: Policy) -> float:
    most, asked = policy.require.max_suppression, policy.require.one("anonymity")
    return most if asked is None else min(most, 2 * asked.loss)


class PeopleSolver(Protocol):
    """A solver for tables in which a person may have several rows."""

    @property
    def name(self) -> str: ...

    def solve(self, tables: Sequence[TableBins]) -> PeopleSolution:
        """One recoding for all tables, or NoRecodingFound."""
        ...


Build = Callable[[Settings, SolverRequest], Solver]
Reading = Callable[[Settings, SolverRequest], Sequence[Model]]


def _fits(settings: object, policy: Policy) -> Iterable[Problem]:
    return ()


@dataclass(frozen=True, eq=False, kw_only=True)
class SolverDeclaration(Generic[Settings]):
    """One solver: `key` is its name in a policy, `doc` one line about it, `settings` the record of
    its settings.

    `build` makes it for one table with a row for each person, `build_people` for every other.
    `readings` are requirements that it turns into models in its own way. `fits` finds other parts
    of a policy that do not fit its settings. `session` lets a person move in steps, `promise` says in
    words what it keeps where that is less than its name suggests, and `page` is
    its page in the docs."""

    key: str
    doc: str
    settings: type[Settings]
    abilities: SolverAbilities
    build: Build[Settings]
    build_people: Callable[[Settings, PeopleRequest], PeopleSolver] | None = None
    readings: Mapping[str, Reading[Settings]] = field(default_factory=dict)
    fits: Callable[[Settings, Policy], Iterable[Problem]] = _fits
    session: Callable[[Bins, Hierarchies, Any], Any] | None = None
    promise: Callable[[Settings, Policy], str] | None = None
    page: str = ""


SOLVERS: Final = cast("Registry[SolverDeclaration[Any]]", DECLARED)


def build_solver(request: SolverRequest) -> Solver:
    """The solver that the policy names, as it declares to be built."""
    declared = SOLVERS[request.policy.solve.solver]
    made = declared.build(request.policy.solve.settings, request)
    if not is_dataclass(made) or not callable(getattr(made, "solve", None)):
        raise Mistake(
            f'The solver "{declared.key}" was asked for.',
            found="What it builds is no record with a method solve, so its settings cannot be "
            "documented.",
            attempt="another version of the package that brings it.",
        )
    return made


def build_people_solver(request: PeopleRequest) -> PeopleSolver:
    """The same, for tables in which people are counted."""
    declared = SOLVERS[request.policy.solve.solver]
    if declared.build_people is None:
        raise Mistake(
            f'The solver "{declared.key}" was asked for where people must be counted.',
            found="It counts rows.",
            attempt="another solver, such as anytime.",
        )
    return declared.build_people(request.policy.solve.settings, request)


def labels_looked_up(policy: Policy) -> tuple[str, ...]:
    """The requirements that look labels up in the hierarchies: labels that are in none mean nothing
    to them."""
    return tuple(
        dict.fromkeys(
            declared.key for declared, _ in policy.require.items() if declared.reads_labels
        )
    )
