"""Claims of a manifest, held against what was counted on the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.protection import KMap, Verdict
from sfumato.protection.k_map import ESTIMATED

from .texts.wording import SCRUBBED

_AWAY = "needs the population or the source, which are not in the release"
_UNREAD = "only a person who reads the text can say what it still tells"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One claim: whether it holds, fails, or cannot be seen from the release alone."""

    claim: str
    outcome: str
    found: str


def same_as_said(claim: str, said: object, found: object) -> Check:
    if said == found:
        return Check(claim=claim, outcome="pass", found="as the manifest says")
    return Check(claim=claim, outcome="fail", found="not what the manifest says")


def verdict_checks(said: list[dict[str, Any]], found: tuple[Verdict, ...]) -> list[Check]:
    out = []
    judged = {(verdict.model, verdict.requirement, verdict.fields): verdict for verdict in found}
    for claim in said:
        name = f"{claim['model']} ({claim['requirement']})"
        verdict = judged.get((claim["model"], claim["requirement"], tuple(claim["fields"])))
        if claim["model"] == KMap.name and claim["requirement"].endswith(ESTIMATED):
            out.append(_estimate(name, claim, found))
        elif verdict is None:
            out.append(
                Check(
                    claim=name,
                    outcome="review",
                    found=_UNREAD if claim["model"] == SCRUBBED else _AWAY,
                )
            )
        elif verdict.as_dict() == claim:
            out.append(Check(claim=name, outcome=verdict.outcome, found=verdict.reason))
        else:
            out.append(Check(claim=name, outcome="fail", found=f"counted now: {verdict.reason}"))
    return out


def _estimate(name: str, claim: dict[str, Any], found: tuple[Verdict, ...]) -> Check:
    """A k-map that rests on weights, held against the weights of the released rows alone.

    Those of rows that were left out, and of finer values under a coarser label, are missing from it: so what holds of
    the released rows holds, and what does not may hold all the same.
    """
    fields = tuple(claim["fields"])
    held = [verdict for verdict in found if verdict.model == KMap.name and verdict.fields == fields]
    if held and held[0].outcome == "pass":
        return Check(claim=name, outcome="pass", found=f"by the weights of the released rows alone: {held[0].reason}")
    return Check(claim=name, outcome="review", found=_AWAY)
