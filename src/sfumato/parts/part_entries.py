"""Entries of a catalogue: the parts of a registry with their parameters, as plain data for screens,
pages and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .parameter import Parameter, parameters_of
from .reference_tables import holds
from .registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEntry:
    """One part. `origin` is the package that brought it, empty for Sfumato's own; `abilities` what
    it can do, where its kind has such a list."""

    key: str
    doc: str
    origin: str = ""
    parameters: tuple[Parameter, ...] = ()
    abilities: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The entry as plain values.

        Example:
            >>> PartEntry(key="round", doc="numbers are rounded").as_json()
            {'key': 'round', 'doc': 'numbers are rounded', 'origin': 'sfumato', 'parameters': []}
        """
        out: dict[str, Any] = {"key": self.key, "doc": self.doc, "origin": self.origin or "sfumato"}
        out["parameters"] = [
            {
                "name": each.name,
                "holds": holds(each, quote=""),
                "needed": each.needed,
                "default": _plain(each.default),
                "doc": each.doc,
            }
            for each in self.parameters
        ]
        return {**out, **({"abilities": dict(self.abilities)} if self.abilities else {})}


def entries_of(registry: Registry[Any]) -> tuple[PartEntry, ...]:
    """Every part of a registry. A declaration may have a `record` of parameters (a solver calls it
    `settings`), and `abilities` as words by name."""
    return tuple(
        PartEntry(
            key=key,
            doc=part.doc,
            origin=registry.origin(key),
            parameters=_parameters(part),
            abilities=part.abilities
            if isinstance(getattr(part, "abilities", None), Mapping)
            else {},
        )
        for key, part in registry.all().items()
    )


def _parameters(part: Any) -> tuple[Parameter, ...]:
    record = getattr(part, "record", None) or getattr(part, "settings", None)
    return () if record is None else parameters_of(record)


def _plain(value: Any) -> Any:
    """A default as JSON holds it."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value if value is None or isinstance(value, bool | int | float) else str(value)
