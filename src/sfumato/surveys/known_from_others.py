"""Fields that are as well known as the fields beside them: a point on a map beside an address, an
interval between two dates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sfumato.engines import Engine
from sfumato.policy import Role

from .evidence import Evidence
from .hierarchy_choice import propose_hierarchy
from .records import Dependence, DependenceKind, FieldSurvey, LooksLike, Proposal
from .roles import RULES

SURE = 0.5
IN_CLEAR = (Role.SENSITIVE, Role.INSENSITIVE)


def hide_points_of_addresses(fields: Sequence[FieldSurvey]) -> tuple[FieldSurvey, ...]:
    """The fields, with coordinates removed beside a street address that is removed, because they
    locate it."""
    addresses = [
        item.name
        for item in fields
        if item.looks_like is LooksLike.ADDRESS and item.confidence >= SURE
    ]
    if not addresses:
        return tuple(fields)
    removed = RULES[LooksLike.ADDRESS]
    proposal = Proposal(
        role=removed.role,
        reasons=(f"it is the place of {addresses[0]} on a map",),
        replace=removed.replace,
    )
    return tuple(
        replace(item, proposal=proposal) if item.looks_like is LooksLike.COORDINATE else item
        for item in fields
    )


def protect_known_differences(
    engine: Engine,
    fields: Sequence[FieldSurvey],
    twins: Iterable[Dependence],
    *,
    evidence_of: Callable[[str], Evidence],
) -> tuple[FieldSurvey, ...]:
    """The fields; the difference of two quasi-identifiers is one too: a recipient who knows two
    dates infers the days between them. It answers an open question only where both are
    understood: of three numbers that nobody understands, all stay open."""
    out = {item.name: item for item in fields}
    for found in twins:
        if found.kind is not DependenceKind.DIFFERENCE:
            continue
        for name in found.fields:
            one, other = (each for each in found.fields if each != name)
            both = all(out[each].proposal.role is Role.QUASI for each in (one, other))
            if both and _is_weaker(out[name]):
                evidence = evidence_of(name)
                table, why = propose_hierarchy(engine, evidence, _kind(out[name]))
                reasons = (f"it follows from {one} and {other}, and is treated alike", why)
                stays_open = any(out[each].proposal.open for each in (one, other))
                out[name] = replace(
                    out[name],
                    proposal=Proposal(
                        role=Role.QUASI, reasons=reasons, hierarchy=table, open=stays_open
                    ),
                )
    return tuple(out.values())


def _is_weaker(item: FieldSurvey) -> bool:
    return item.proposal.role in IN_CLEAR or (
        item.proposal.role is Role.QUASI and item.proposal.open
    )


def _kind(item: FieldSurvey) -> LooksLike:
    is_date = item.looks_like in (LooksLike.DATE, LooksLike.BIRTH_DATE)
    return item.looks_like if is_date else LooksLike.NUMBER
