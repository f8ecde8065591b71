"""Whether an exposure keeps to the policy: its classes as bins, judged by the policy's own protection models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import PolicyError, Problem
from sfumato.policy import Policy
from sfumato.protection import KAnonymity, Model, needs_of
from sfumato.releases.requirements import models_for
from sfumato.releases.value_models import needed_fields
from sfumato.sources import Histogram

from .exposure import Exposure
from .holding import Holding

CLASS = ("class",)
"""The one field over which classes are bins."""

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]

_NOT_HERE = ("k_map", "combinations", "anonymity", "delta_presence", "population_uniqueness", "null_map", "wrong_map")


@dataclass(frozen=True, eq=False, kw_only=True)
class Conditions:
    """The confidentiality conditions of one recipient profile over one holding (004, section 3).

    Rules about how many people there are look at the classes of all answers; rules about the values of a field look at
    the classes of the answers that touched it.
    """

    holding: Holding
    policy: Policy = field(repr=False)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        return needed_fields(self.policy, CLASS)

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """What is judged, over classes. A requirement that classes cannot be held to is refused, not passed over."""
        require = self.policy.require
        strange = [name for name in _NOT_HERE if getattr(require, name) is not None]
        strange += ["k_m"] if require.k_m else []
        if strange:
            problems = [
                Problem(where=f"require.{name}", found="the gate cannot judge it.", attempt="k and rules about values.")
                for name in strange
            ]
            raise PolicyError(problems, name=self.policy.name)
        least = max([require.k or 1, *require.bin_sizes.values(), *(key.k for key in require.key_combinations)])
        plain = replace(require, k=least, quasi_identifiers=(), bin_sizes={}, key_combinations=())
        whole = self._bins(np.zeros(len(self.holding.corners), np.int64), self.needed)
        models = models_for(
            replace(self.policy, require=plain),
            CLASS,
            len(self.holding),
            population=None,
            hierarchies={},
            source=whole,
        )
        return tuple(models)

    @cached_property
    def of_people(self) -> tuple[Model, ...]:
        return tuple(model for model in self.models if not needs_of(model))

    @cached_property
    def of_values(self) -> Mapping[str, tuple[Model, ...]]:
        """By field; a rule about several fields is one about each."""
        return {
            name: tuple(_about(model, name) for model in self.models if name in needs_of(model)) for name in self.needed
        }

    @property
    def k(self) -> int:
        return max((model.k for model in self.models if isinstance(model, KAnonymity)), default=1)

    def failing(self, exposure: Exposure, *, shows: Iterable[str]) -> Marks:
        """The corners whose class breaks a rule; `shows` are the fields whose classes may have changed."""
        out = self._failing(exposure.anyone, (), self.of_people)
        if out.any():
            return out
        for name in shows:
            out |= self._failing(exposure.classes_of(name), (name,), self.of_values.get(name, ()))
        return out

    def _failing(self, classes: Wholes, fields: tuple[str, ...], models: Iterable[Model]) -> Marks:
        bins = self._bins(classes, fields)
        broken = np.zeros(len(bins), bool)
        for model in models:
            broken |= model.failing(bins)
        return np.asarray(broken[classes], bool)

    def _bins(self, classes: Wholes, fields: Iterable[str]) -> Bins:
        """The classes as bins that count people; inside them, how many people have each value of some fields."""
        count = int(classes.max(initial=-1)) + 1
        of_row = classes[self.holding.corner_of]
        if self.holding.one_row_each:
            people = np.bincount(of_row, minlength=count)
        else:
            pairs = np.unique(of_row * self.holding.people + self.holding.person_of)
            people = np.bincount(pairs // self.holding.people, minlength=count)
        histograms = {name: self._histogram(of_row, name) for name in fields}
        codes = np.arange(count, dtype=np.int32)[:, None]
        unread = cast(tuple[str, ...], range(count))  # As many labels as there are classes; nobody reads them.
        return Bins(CLASS, (unread,), codes, people.astype(np.int64), histograms)

    def _histogram(self, of_row: Wholes, name: str) -> Histogram:
        held = self.holding.fields[name]
        width = max(len(held.values), 1)
        keys = of_row * width + held.codes
        if not self.holding.one_row_each:
            keys = np.unique(keys * self.holding.people + self.holding.person_of) // self.holding.people
        found, counts = np.unique(keys, return_counts=True)
        return Histogram(
            values=held.values,
            bin_of=found // width,
            value_of=(found % width).astype(np.int32),
            counts=counts.astype(np.int64),
        )


def _about(model: Any, name: str) -> Model:
    """A rule about several fields as one about one of them."""
    return cast(Model, replace(model, sensitive=(name,)) if isinstance(model.sensitive, tuple) else model)
