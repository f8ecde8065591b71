"""PROV: every move of the register, or of one application, as PROV-JSON.
https://www.w3.org/submissions/prov-json/

Each move is an activity of its author; its subjects are entities. Sealed votes are activities
without any content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..moves import Move
from .export import URN, Export, as_json

_ENTITIES: Final = {
    "candidate": "release",
    "digest": "release",
    "policy": "policy",
    "application": "application",
}
"""Facts that name an entity, and its type. An agreement's digest is of its text."""
_MAKES: Final = {
    "application": ("application",),
    "proposal": ("policy",),
    "submission": ("candidate",),
    "release": ("digest",),
    "agreement": ("digest",),
}
"""The facts of each move that name the entities that it creates."""


def prov(export: Export) -> str:
    """A PROV-JSON document."""
    chosen = (
        [move for move in export.moves if move.facts.get("application") == export.application.name]
        if export.application is not None
        else list(export.moves)
    )
    out: dict[str, dict[str, Any]] = {
        "prefix": {"sfumato": URN},
        "agent": {},
        "activity": {},
        "entity": {},
        "wasAssociatedWith": {},
        "wasGeneratedBy": {},
        "used": {},
    }
    for move in chosen:
        activity, agent = f"sfumato:move-{move.number}", f"sfumato:member-{_slug(move.author)}"
        out["agent"][agent] = {"prov:type": _typed("prov:Person"), "prov:label": move.author}
        out["activity"][activity] = {
            "prov:startTime": move.time,
            "prov:endTime": move.time,
            "prov:label": move.kind,
            "sfumato:digest": move.digest,
        }
        number = len(out["wasAssociatedWith"])
        out["wasAssociatedWith"][f"_:a{number}"] = {"prov:activity": activity, "prov:agent": agent}
        for entity, label, made in _entities(move):
            known = entity in out["entity"]
            out["entity"].setdefault(entity, {"prov:label": label})
            kind = "wasGeneratedBy" if made and not known else "used"
            out[kind][f"_:{kind[0]}{len(out[kind])}"] = {
                "prov:activity": activity,
                "prov:entity": entity,
            }
    return as_json({kind: facts for kind, facts in out.items() if facts})


def _entities(move: Move) -> Iterator[tuple[str, str, bool]]:
    """The subject of a move: a name, a label, and whether the move creates it."""
    for fact, kind in _ENTITIES.items():
        value = move.facts.get(fact)
        if not isinstance(value, str) or not value:
            continue
        what = "agreement" if (fact, move.kind) == ("digest", "agreement") else kind
        made = fact in _MAKES.get(move.kind, ())
        label = f"{what} {value if fact == 'application' else value[:16]}"
        yield f"sfumato:{what}-{_slug(value)}", label, made


def _typed(name: str) -> Mapping[str, str]:
    return {"$": name, "type": "prov:QUALIFIED_NAME"}


def _slug(name: str) -> str:
    return "".join(
        each if each.isascii() and each.isalnum() else f"-{ord(each):x}-" for each in name
    )
