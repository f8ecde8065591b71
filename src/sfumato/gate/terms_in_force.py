"""The terms in force: budgets, modes and audiences of gate.toml, once two people have agreed to
them.

The file's first terms hold. From then on the gate remembers them. A file that makes them provably
stricter holds when the gate opens. Any other change waits for a second person and holds when the
gate is next opened after that.

So does a table that is new in the file, or whose source is another one. Under a second name, the
same rows would be shown under a policy that nobody agreed to. Until then it is not served."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, Final

from sfumato.engines import is_address

from .audit import Audit
from .settings import HeldTable, Lifetime, Settings, Terms
from .state import GateState
from .strictness import loosened_terms

FACT: Final = "terms"
Told = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsInForce:
    """The terms that hold and, where gate.toml has others, those that wait. Both are plain tables,
    as in the file."""

    held: Told
    proposed: Told | None = None
    at: float = 0.0
    """When they were proposed."""

    @property
    def changed(self) -> tuple[str, ...]:
        """The parts that are not provably as strict."""
        return () if self.proposed is None else tuple(_loosened(self.held, self.proposed))

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that are not served until somebody has agreed."""
        return () if self.proposed is None else tuple(_new_tables(self.held, self.proposed))


def read_terms(state: GateState) -> TermsInForce | None:
    found = state.fact(FACT)
    return None if found is None else TermsInForce(**json.loads(found))


def write_terms(state: GateState, terms: TermsInForce) -> None:
    content = {part.name: getattr(terms, part.name) for part in fields(TermsInForce)}
    state.state_fact(FACT, json.dumps(content, ensure_ascii=False))


def settings_in_force(settings: Settings, state: GateState, audit: Audit) -> Settings:
    """The settings with the terms that hold; what changed in the file is written down."""
    given, known = _told(settings), read_terms(state)
    if known is None or known.held == given:
        if known is None or known.proposed is not None:
            write_terms(state, TermsInForce(held=given))
        return settings
    waits = tuple(_loosened(known.held, given))
    if not waits:
        write_terms(state, TermsInForce(held=given))
        audit.append("terms in force", {"who": "the file", "why": "They are stricter."})
        return settings
    if known.proposed != given:
        write_terms(state, TermsInForce(held=known.held, proposed=given, at=time.time()))
        audit.append("terms proposed", {"who": "the file", "changed": ", ".join(waits)})
    return _with(settings, known.held)


def _told(settings: Settings) -> Told:
    terms = {name: _plain(each) for name, each in sorted(settings.terms.items())}
    tables = sorted(settings.tables.items())
    out: Told = {
        "terms": terms, "coarsest": {name: dict(table.coarsest) for name, table in tables},
        "tables": {name: _source(settings, table) for name, table in tables},
    }  # fmt: skip
    return out if settings.lifetime is None else {**out, "lifetime": _plain(settings.lifetime)}


def _source(settings: Settings, table: HeldTable) -> list[str]:
    """Where the rows of a table are, from the gate's folder: that it was moved as a whole is no
    change. With its people, where somebody names them."""
    place = (
        table.source if is_address(table.source) else os.path.relpath(table.source, settings.folder)
    )
    return [place, table.table, *([table.people] if table.people else [])]


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    return value.value if isinstance(value, StrEnum) else value


def _terms(told: Mapping[str, Any]) -> Terms:
    """Terms from their table; a part that was not there when they were written has its usual
    value."""
    usual = Terms()
    known = {part.name for part in fields(Terms)}
    return replace(
        usual, **{n: _like(getattr(usual, n), value) for n, value in told.items() if n in known}
    )


def _like(usual: Any, value: Any) -> Any:
    if isinstance(usual, StrEnum):
        return type(usual)(value)
    if is_dataclass(usual) and not isinstance(usual, type):
        known = {part.name for part in fields(usual)}
        return replace(
            usual, **{n: _like(getattr(usual, n), part) for n, part in value.items() if n in known}
        )
    if isinstance(value, dict):
        return {
            name: tuple(part) if isinstance(part, list) else part for name, part in value.items()
        }
    return tuple(value) if isinstance(value, list) else value


def _loosened(before: Told, after: Told) -> Iterator[str]:
    """By profile: one that is not named has the usual terms."""
    for name in sorted({*before["terms"], *after["terms"]}):
        old, new = (_terms(told["terms"].get(name, {})) for told in (before, after))
        yield from (f"terms.{name}.{part}" for part in loosened_terms(old, new))
    for name, levels in after["coarsest"].items():
        known = before["coarsest"].get(name)
        if known is not None and any(
            levels.get(each, level + 1) > level for each, level in known.items()
        ):
            yield f"tables.{name}.coarsest"
    if _longer_lifetime(before.get("lifetime"), after.get("lifetime")):
        yield "lifetime"
    yield from (f"tables.{name}" for name in _new_tables(before, after))


def _longer_lifetime(before: Told | None, after: Told | None) -> bool:
    """Whether people may lose more than was agreed on."""
    if before is None:
        return False
    return after is None or any(after[part] > before[part] for part in ("epsilon", "delta"))


def _new_tables(before: Told, after: Told) -> list[str]:
    """Tables that are not known, or whose rows are from elsewhere; none where no table was written
    down yet."""
    known = before.get("tables")
    given = after.get("tables", {})
    return (
        []
        if known is None
        else [name for name, source in given.items() if known.get(name) != source]
    )


def _with(settings: Settings, held: Told) -> Settings:
    """A profile that the terms do not name has the usual terms; a table that is new is not
    served."""
    waits = _new_tables(held, _told(settings))
    tables = {
        name: replace(table, coarsest=held["coarsest"].get(name, table.coarsest))
        for name, table in settings.tables.items()
        if name not in waits
    }
    lifetime = held.get("lifetime")
    return replace(
        settings,
        tables=tables,
        terms={name: _terms(told) for name, told in held["terms"].items()},
        lifetime=None if lifetime is None else Lifetime(**lifetime),
    )
