"""Re-checking a release from its manifest: digests, and every claim that the release alone can show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.bins import Bins
from sfumato.errors import PolicyError, ReleaseBroken, SfumatoError, SourceError
from sfumato.policy import Policy, Role, policy_from_table
from sfumato.protection import KMap, Verdict
from sfumato.protection.k_map import ESTIMATED
from sfumato.sources import open_source

from .aside import MANIFEST
from .manifest import FORMAT, digest
from .recount import recount
from .requirements import models_for

_NONE = {"suppress": True}
_AWAY = "needs the population or the source, which are not in the release"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One claim: whether it holds, fails, or cannot be seen from the release alone."""

    claim: str
    outcome: str
    found: str


def verify(folder: str | Path) -> tuple[Check, ...]:
    """Check every file and claim of a release; nothing is changed and the source is not needed."""
    place = Path(folder)
    facts = _manifest(place)
    try:
        return _checks(place, facts)
    except (KeyError, TypeError, ValueError, AttributeError, PolicyError):
        raise ReleaseBroken(f"{place / MANIFEST} is not a manifest that Sfumato wrote.") from None
    except SourceError as error:
        raise ReleaseBroken(
            f"The table of {place} is not the one that its manifest describes.", found=error.asked
        ) from None


def _checks(place: Path, facts: dict[str, Any]) -> tuple[Check, ...]:
    table = place / str(facts["table"]["file"])
    if not table.exists():
        raise ReleaseBroken(f"{place} has no {table.name}, which its manifest names.")
    checks = [_same("digest of " + table.name, facts["table"]["sha256"], digest(table))]
    policy = _policy(facts, place)
    known = tuple(facts["known_fields"])
    population = _weighed(policy, known, table)
    models = models_for(policy, known, int(facts["rows"]["source"]), population=population, hierarchies={})
    found = recount(table, known, models)
    checks.append(_same("rows released", facts["rows"]["released"], found.rows))
    checks.extend(_fields(table, facts))
    checks.extend(_verdicts(facts["verdicts"], found.verdicts))
    checks.append(
        Check(
            claim="released values are ancestors of the source's",
            outcome="review",
            found="only the holder of the source can see this; it held when the release was made",
        )
    )
    return tuple(checks)


def _weighed(policy: Policy, known: tuple[str, ...], table: Path) -> Bins | None:
    """The population that the released rows stand for, where a k-map rests on weights and these were released."""
    asked = policy.require.k_map
    decided = policy.fields.get(asked.weight) if asked is not None else None
    if asked is None or decided is None or decided.role not in (Role.SENSITIVE, Role.INSENSITIVE):
        return None
    if decided.shift or decided.follows:
        return None
    fields = tuple(name for name in asked.fields or known if name in known)
    with open_source(table) as engine:
        return Bins.count(engine, fields, weight=asked.weight)


def _policy(facts: dict[str, Any], place: Path) -> Policy:
    """The manifest's policy without its hierarchies: their files stay with the holder and are not needed here."""
    table = facts["policy"]
    fields = {
        name: {key: value for key, value in decided.items() if key != "hierarchy"}
        for name, decided in table["fields"].items()
    }
    require = dict(table.get("require", {}))
    if "t_closeness" in require:
        asked = require["t_closeness"]
        several = asked if isinstance(asked, list) else [asked]
        require["t_closeness"] = [one | ({"hierarchy": _NONE} if "hierarchy" in one else {}) for one in several]
    return policy_from_table(table | {"fields": fields, "require": require}, folder=place, name="the manifest's policy")


def _manifest(place: Path) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise ReleaseBroken(
                f"{place / MANIFEST} has format {facts['format']}; this version reads format {FORMAT}.",
                attempt="the version of Sfumato that wrote it.",
            )
    except SfumatoError:
        raise
    except OSError as error:
        raise ReleaseBroken(
            f"{place} is not a release.", found=f"{MANIFEST}: {error.strerror}.", attempt="the folder given as --to."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise ReleaseBroken(f"{place / MANIFEST} is not a manifest that Sfumato wrote.") from None
    return facts


def _same(claim: str, said: object, found: object) -> Check:
    if said == found:
        return Check(claim=claim, outcome="pass", found="as the manifest says")
    return Check(claim=claim, outcome="fail", found="not what the manifest says")


def _fields(table: Path, facts: dict[str, Any]) -> list[Check]:
    """Fields that the manifest calls removed are not in the table, and no others were added."""
    with open_source(table) as engine:
        have = {info.name for info in engine.fields()}
    kept = {name for name, words in facts["fields"].items() if not str(words).startswith("removed")}
    return [_same("released fields", sorted(kept), sorted(have))]


def _verdicts(said: list[dict[str, Any]], found: tuple[Verdict, ...]) -> list[Check]:
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
                    found=_AWAY,
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
