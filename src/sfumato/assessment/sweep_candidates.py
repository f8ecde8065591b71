"""The common parts of the candidates of a sweep: bins that are counted once, and their consequences
for each policy."""

from __future__ import annotations

from typing import Any, cast

from sfumato.engines import Engine, Frequencies
from sfumato.policy import Policy
from sfumato.protection import Model
from sfumato.releases import PreparedSource, models_for


class CountedOnce:
    """An engine that remembers what it counted, so that solvers that need the same bins share
    them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._counted: dict[Any, Frequencies] = {}

    def as_engine(self) -> Engine:
        return cast(Engine, self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def frequencies(self, fields: Any, **options: Any) -> Frequencies:
        key = (tuple(fields), *((name, _key(value)) for name, value in sorted(options.items())))
        if key not in self._counted:
            self._counted[key] = self._engine.frequencies(fields, **options)
        return self._counted[key]


def _key(value: object) -> object:
    return value if isinstance(value, str) or value is None else tuple(cast(Any, value))


def models_again(prepared: PreparedSource, policy: Policy) -> tuple[Model, ...]:
    """The protection models of another policy with the same requirements and other numbers, over
    the same bins."""
    return models_for(
        policy,
        prepared.known,
        prepared.rows,
        populations=prepared.populations,
        hierarchies=prepared.hierarchies,
        source=prepared.bins,
    )
