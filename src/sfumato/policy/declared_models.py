"""The declared protection models as policies read them: the key, form, record and abilities of
each.

Models declare themselves in their own room, which is above this one; the registry imports it by
name when the first requirement is read. The declaration of a model, never its name, decides what a
policy may require of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sfumato.errors import Mistake, Problem
from sfumato.parts import Parameter, ParameterKind, Registry, Shape, did_you_mean, parameters_of

from .roles import Role
from .table_cursor import joined

if TYPE_CHECKING:
    from .records import Policy

Rule = Callable[["Policy", frozenset[str]], Iterable[Problem]]
"""Finds the problems of a policy; the names are fields that have a worse problem already."""


class RequirementForm(StrEnum):
    """The form of a requirement in a policy file."""

    VALUE = "the value of its only parameter"
    TABLE = "a table"
    TABLES = "a table or a list of tables"
    FLAG = "true or a table"


class LooksAt(StrEnum):
    """The data that a model judges."""

    QUASI = "bins of quasi-identifiers"
    SENSITIVE = "sensitive values in each bin"
    LABELS = "labels of released fields"
    SETS = "sets of values of a person"


class OutsideNeed(StrEnum):
    """The data that a requirement needs besides the released table to be judged."""

    NOTHING = ""
    POPULATION = "population"
    WEIGHTS = "weights"
    SOURCE = "source"
    PAIRING = "pairing"
    READER = "reader"
    PACKAGE = "package"


ROWS: Final = frozenset(
    {Shape.ONE_ROW, Shape.SEVERAL_TABLES, Shape.HOUSEHOLDS, Shape.WEIGHTS, Shape.NULL_READINGS}
)
"""The abilities of a model that judges the bins of the table with one row for each person, null as
a value of its own; a k-map by survey weights may be required beside it."""
PLACE_OF_OTHERS: Final = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class RequirementDeclaration:
    """The declaration of a protection model for policies: `key` names it in [require], `record`
    holds its parameters.

    `looks_at` and `needs` may depend on what is asked. `needs_reading` is why no other solver can
    work towards it, after the names of the solvers that read it in their own way; `against_blanks`,
    why none can that blanks cells. `roles` has, for each parameter that names fields, the roles
    that these may have; none means any. `reasons` say why it has no meaning in a shape. `counted`:
    a solver that only counts rows can work towards it. `holds_unlinked`: it protects quasi fields
    that the recipient does not link on too. `reads_labels`: it reads the meaning of labels, and
    cannot read a range. `counts_values`: it counts different values, or how often one occurs, and
    so does not judge numbers that all differ. `alike`: numbers nearer to each other than this are
    alike to it, and it does not judge numbers that are all farther apart. `least` is how many
    people every bin must have, where a requirement is of nothing else. `covers` are the quasi
    fields that it judges, if that does not follow from `looks_at` and `roles`. `checks` find what
    does not fit in a policy of one table, `table_checks` in one of several. `place` orders
    policies, verdicts and pages. `written_whole`: a policy names its defaults too."""

    key: str
    doc: str
    record: type
    form: RequirementForm = RequirementForm.TABLE
    looks_at: LooksAt | Callable[[Any], LooksAt] = LooksAt.QUASI
    needs: OutsideNeed | Callable[[Any], OutsideNeed] = OutsideNeed.NOTHING
    roles: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    shapes: frozenset[Shape] = frozenset({Shape.ONE_ROW})
    reasons: Mapping[Shape, str] = field(default_factory=dict)
    needs_reading: str = ""
    against_blanks: str = ""
    counted: bool = False
    holds_unlinked: bool = False
    reads_labels: bool = False
    counts_values: bool = False
    alike: Callable[[Any], float] | None = None
    least: Callable[[Any], int] | None = None
    covers: Callable[[Any, Policy], Iterable[str]] | None = None
    checks: tuple[Rule, ...] = ()
    table_checks: tuple[Rule, ...] = ()
    place: int = PLACE_OF_OTHERS
    written_whole: bool = False

    def __post_init__(self) -> None:
        if self.form is RequirementForm.VALUE and len(parameters_of(self.record)) != 1:
            raise Mistake(
                f'The protection model "{self.key}" is written in a policy as one value.',
                found=f"Its record has {len(parameters_of(self.record))} parameters.",
                attempt="form = Form.TABLE.",
            )

    def reason_against(self, shape: Shape) -> str:
        """Why it has no meaning in a shape, after "and"."""
        return self.reasons.get(shape, f"{self.key} does not declare what it means then")

    def need_of(self, asked: Any) -> OutsideNeed:
        """The data that judging this requirement needs besides the release."""
        return self.needs(asked) if callable(self.needs) else self.needs

    def look_of(self, asked: Any) -> LooksAt:
        """The data that it judges, for these parameters."""
        return self.looks_at if isinstance(self.looks_at, LooksAt) else self.looks_at(asked)

    @property
    def parameter(self) -> Parameter:
        """The only parameter of a requirement that is one value, by the key of the value."""
        (only,) = parameters_of(self.record)
        return only

    def place_of(self, parameter: str, name: str = "") -> str:
        """The place of a parameter in a policy, or, in a table by fields, the field with that
        `name`."""
        if self.form is not RequirementForm.VALUE:
            return f"require.{self.key}.{parameter}"
        return joined(f"require.{self.key}", name) if name else f"require.{self.key}"

    def named(self, asked: Any, parameter: str) -> tuple[str, ...]:
        """The fields that a parameter names."""
        value = getattr(asked, parameter)
        return ((value,) if value else ()) if isinstance(value, str) else tuple(value)

    def covered(self, asked: Any, policy: Policy) -> tuple[str, ...]:
        """The quasi fields that a requirement judges: those that it names, or all."""
        if self.covers is not None:
            return tuple(self.covers(asked, policy))
        if self.look_of(asked) not in (LooksAt.QUASI, LooksAt.SENSITIVE):
            return ()
        return self.quasi_named(asked) or policy.named(Role.QUASI)

    def quasi_named(self, asked: Any) -> tuple[str, ...]:
        """The quasi fields that a requirement names."""
        return tuple(name for key in self._naming(Role.QUASI) for name in self.named(asked, key))

    @property
    def names_a_set(self) -> bool:
        """Whether each of its records is about a set of quasi fields that it must name."""
        keys = self._naming(Role.QUASI)
        needed = [each.name for each in parameters_of(self.record) if each.needed]
        return (
            self.form is not RequirementForm.VALUE
            and bool(keys)
            and all(key in needed for key in keys)
        )

    def sensitive(self, asked: Any, policy: Policy) -> tuple[str, ...]:
        """The sensitive fields whose values it judges: those that it names, or all."""
        if self.look_of(asked) is not LooksAt.SENSITIVE:
            return ()
        named = [name for key in self._naming(Role.SENSITIVE) for name in self.named(asked, key)]
        return tuple(named) or policy.named(Role.SENSITIVE)

    def inside(self, asked: Any, policy: Policy, known: tuple[str, ...]) -> tuple[str, ...]:
        """The fields outside the bins over `known` whose values must be counted inside them."""
        if self.look_of(asked) is LooksAt.LABELS:
            named = (name for key in self.roles for name in self.named(asked, key))
            return tuple(name for name in named if name not in known)
        return self.sensitive(asked, policy)

    def _naming(self, role: Role) -> tuple[str, ...]:
        return tuple(key for key, roles in self.roles.items() if roles == (role,))

    def of_kind(self, kind: ParameterKind) -> tuple[str, ...]:
        """The parameters of one kind, such as those that name files."""
        return tuple(each.name for each in parameters_of(self.record) if each.kind is kind)


MODELS: Final[Registry[RequirementDeclaration]] = Registry(
    "protection model", room="sfumato.protection", group="sfumato.models"
)


def model_keys() -> tuple[str, ...]:
    """The keys of all models, in the order of policies and pages; those of other packages are
    last."""
    return tuple(sorted(MODELS, key=lambda key: (MODELS[key].place, key)))


@dataclass(frozen=True, slots=True, kw_only=True)
class UndeclaredRequirement:
    """A policy's request to a model that nothing here declares, as in the file."""

    asked: Any


def declared_model(key: str) -> RequirementDeclaration:
    """The declaration under a key. An undeclared model gets an empty declaration, which judges
    nothing."""
    if key in MODELS:
        return MODELS[key]
    return RequirementDeclaration(
        key=key,
        doc="declared by a package that is not installed",
        record=UndeclaredRequirement,
        needs=OutsideNeed.PACKAGE,
        shapes=frozenset(Shape),
        counted=True,
    )


def declaration_of(record: object) -> RequirementDeclaration:
    """The declaration of the model for a record: a registered one, or the one on the record's
    class."""
    found = [each for each in MODELS.all().values() if type(record) is each.record]
    brought = getattr(type(record), "declaration", None)
    if found:
        return found[0]
    if isinstance(brought, RequirementDeclaration) and brought.record is type(record):
        return brought
    raise Mistake(
        f"{type(record).__name__} was asked for as a requirement.",
        found="No declaration says which protection model judges it.",
        attempt="a record of sfumato.models, or a ModelDeclaration as the attribute `declaration` "
        "of the class.",
    )


def unknown_model(key: str, known: Iterable[str]) -> Problem:
    """A key of [require] that no model and none of the other `known` keys has."""
    near = did_you_mean(key, (*known, *model_keys()))
    return Problem(
        where=f"require.{key}",
        found=f"There is no such key here. {near}"
        if near
        else f'No protection model is called "{key}", neither in Sfumato nor in an installed '
        "package.",
        attempt=""
        if near
        else f"installing the package that brings it, or one of {', '.join(model_keys())}.",
    )
