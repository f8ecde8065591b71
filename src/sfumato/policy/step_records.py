"""Steps: techniques that change cells or rows before anything is counted, and what a technique
declares.

Each file of `techniques/` declares one technique of the catalogue, and so may an installed package.
De-identifying, generalising, suppressing by bins and scrambling are no steps: roles, hierarchies,
solvers and `order` do them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sfumato.errors import Problem
from sfumato.parts import Parameter, ParameterKind, Registry, Shape, parameters_of

if TYPE_CHECKING:
    from .records import Policy


class Wants(StrEnum):
    """The kind of cells that a technique needs."""

    ANY = "any"
    NUMBERS = "numbers"
    NOTHING = "nothing"


def always(settings: Any) -> bool:
    return True


def never(settings: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TechniqueDeclaration:
    """The declaration of a technique: `key` is its word in a policy, `doc` what it does, `record`
    its parameters.

    `apply` takes cells, the step and its context, and returns cells with an account of the changes.
    `check` yields the problems of a step that its parameters cannot show one by one.

    `fields` is how many fields it takes, at least and at most (None: any number). With `truthful`,
    a row stays true of its person, only less precise; `still_truthful` takes that back for some
    settings. `draws` is whether chance changes each row by itself. `encrypts`: equal values stay
    equal, and the holder's key decrypts them. `by_hierarchy`: it needs the hierarchy of its field.
    `trials` are the settings that the continuum tries on one field, `trials_for` those that depend
    on its cells, `trials_together` those for all quasi-identifiers at once. `shapes` are the shapes
    of data that it can take; `reasons` say why it has no meaning in another."""

    key: str
    doc: str
    title: str
    record: type
    apply: Callable[[Any, PolicyStep, Any], Any]
    check: Callable[[Policy, PolicyStep, str], Iterator[Problem]] | None = None
    wants: Wants = Wants.ANY
    fields: tuple[int, int | None] = (1, None)
    truthful: bool = False
    still_truthful: Callable[[Any], bool] = always
    draws: Callable[[Any], bool] = always
    keyed: bool = False
    encrypts: bool = False
    by_hierarchy: bool = False
    samples_rows: bool = False
    adds_rows: bool = False
    trials: tuple[Mapping[str, object], ...] = ()
    trials_for: Callable[[Any, str], Iterable[Mapping[str, object]]] | None = None
    trials_together: tuple[Mapping[str, object], ...] = ()
    shapes: frozenset[Shape] = frozenset(Shape)
    reasons: Mapping[Shape, str] = field(default_factory=dict)

    @property
    def tuples(self) -> bool:
        """Whether rows are left out or added."""
        return self.samples_rows or self.adds_rows

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.record)

    def parameter(self, name: str) -> Parameter:
        return next(item for item in self.parameters if item.name == name)


TECHNIQUES: Final[Registry[TechniqueDeclaration]] = Registry(
    "technique", room="sfumato.techniques", group="sfumato.techniques"
)
"""Every technique, by its key in a policy."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PolicyStep:
    """One technique, applied to some fields. `settings` is the technique's record; `place` is which
    of the file's steps it is, counted from 0, where others could not be read. `table` names one of
    several tables."""

    technique: str
    table: str = ""
    fields: tuple[str, ...] = ()
    settings: Any
    place: int | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Chance under a key is bound to this text (`Chance.bound_to`): another text would draw
        other amounts."""
        where = f"table={self.table!r}, " if self.table else ""
        return (
            f"Step(technique={self.technique!r}, {where}fields={self.fields!r}, "
            f"settings={self.parameters!r}, "
            f"place={self.place!r})"
        )

    @property
    def declaration(self) -> TechniqueDeclaration:
        return TECHNIQUES[self.technique]

    @property
    def parameters(self) -> dict[str, object]:
        """Every parameter of it by name, given or by default."""
        return {
            item.name: getattr(self.settings, item.name)
            for item in parameters_of(type(self.settings))
        }

    @property
    def truthful(self) -> bool:
        """Whether a row is still true of its person afterwards; a mean of others is not."""
        return self.declaration.truthful and self.declaration.still_truthful(self.settings)

    @property
    def draws(self) -> bool:
        """Whether chance changes each row by itself."""
        return self.declaration.draws(self.settings)

    def number(self, name: str) -> float:
        return float(getattr(self.settings, name))

    def whole(self, name: str) -> int:
        return int(getattr(self.settings, name))

    def word(self, name: str) -> str:
        return str(getattr(self.settings, name))

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(getattr(self.settings, name))

    def named_by(self, kind: ParameterKind) -> dict[str, object]:
        """The parameters of one kind with what they hold, such as all that name fields or files."""
        held = self.parameters
        return {
            item.name: held[item.name]
            for item in parameters_of(type(self.settings))
            if item.kind is kind
        }

    @property
    def other_fields(self) -> dict[str, tuple[str, ...]]:
        """The fields that its parameters name, by parameter; it reads them and does not change them
        as `fields`."""
        return {name: self.names(name) for name in self.named_by(ParameterKind.FIELDS)}

    @property
    def touched(self) -> tuple[str, ...]:
        """Every field that it reads or changes."""
        others = [name for names in self.other_fields.values() for name in names]
        return tuple(dict.fromkeys((*self.fields, *others)))
