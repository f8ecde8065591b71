"""Declarations of protection models: the requirement, the needs and the constructor of each.

A model is one file of this room, or of an installed package that names its declaration under the
entry points `sfumato.models`. The file holds the model that judges, a frozen record of its
requirement, and a `ModelDeclaration`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from sfumato.bins import Bins, Pairing
from sfumato.hierarchies import Hierarchy
from sfumato.parts import Registry
from sfumato.policy import MODELS as DECLARED
from sfumato.policy import OutsideNeed, Policy, RequirementDeclaration, Role

from .model import Model
from .value_steps import SteppedField


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelContext:
    """The input of a model besides its parameters: the policy, the fields that the recipient may
    know, the number of rows, and data besides the release.

    `population` are the people that the requirement counts in, and `source` the source's bins with
    the values inside them. `pairing` has the person of each row where steps moved rows."""

    policy: Policy
    known: tuple[str, ...]
    rows: int
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    population: Bins | None = None
    source: Bins | None = None
    pairing: Pairing | None = None

    def has(self, need: OutsideNeed) -> bool:
        """Whether the data that a requirement needs is available."""
        held: Mapping[OutsideNeed, object] = {
            OutsideNeed.NOTHING: True,
            OutsideNeed.POPULATION: self.population,
            OutsideNeed.WEIGHTS: self.population,
            OutsideNeed.SOURCE: self.source,
            OutsideNeed.PAIRING: self.pairing,
        }
        return held.get(need) is not None

    def named(self, fields: Iterable[str]) -> tuple[str, ...]:
        """The named fields, as far as the recipient knows them; all known fields where none is
        named."""
        return tuple(name for name in tuple(fields) or self.known if name in self.known)

    def sensitive(self, fields: tuple[str, ...]) -> tuple[str, ...]:
        """The named sensitive fields; all where none is named. Those that are judged in steps
        carry them."""
        named = fields or self.policy.named(Role.SENSITIVE)
        steps = {
            name: field.value_steps
            for name, field in self.policy.fields.items()
            if field.value_steps
        }
        return tuple(
            SteppedField.of(name, steps[name]) if name in steps else name for name in named
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelDeclaration(RequirementDeclaration):
    """One protection model. `build` makes the models that judge the bins, from one record and its
    context. `models` are the classes that it makes, which declare themselves whether they read
    labels."""

    build: Callable[[Any, ModelContext], Iterable[Model]]
    models: tuple[type, ...] = ()

    def __post_init__(self) -> None:
        RequirementDeclaration.__post_init__(self)
        reads = self.reads_labels or any(
            getattr(model, "reads_labels", False) for model in self.models
        )
        object.__setattr__(self, "reads_labels", reads)

    def judged_from_release(self, asked: Any) -> bool:
        """Whether the model is judged from the released table alone."""
        return self.need_of(asked) is OutsideNeed.NOTHING


MODELS: Final = cast("Registry[ModelDeclaration]", DECLARED)
"""Every protection model that is declared, by its key: those of this room, then those of installed
packages."""
