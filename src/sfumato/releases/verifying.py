"""Re-checking a release from its manifest: digests, and every claim that the release alone can show."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any

from sfumato.bins import Bins
from sfumato.errors import PolicyError, ReleaseBroken, SfumatoError, SourceError
from sfumato.policy import Policy, Role, policy_from_table
from sfumato.sources import open_source

from .aside import MANIFEST
from .checks import Check, same_as_said, verdict_checks
from .manifest import FORMAT, digest_of
from .recount import recount
from .requirements import models_for
from .tables.verifying import table_checks

_NONE = {"suppress": True}
_ANCESTORS = Check(
    claim="released values are ancestors of the source's",
    outcome="review",
    found="only the holder of the source can see this; it held when the release was made",
)


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
    if "tables" in facts:
        return (*table_checks(place, facts, _policy(facts, place)), _ANCESTORS)
    table = place / str(facts["table"]["file"])
    if not table.exists():
        raise ReleaseBroken(f"{place} has no {table.name}, which its manifest names.")
    checks = [same_as_said("digest of " + table.name, facts["table"]["sha256"], digest_of(table))]
    policy = _policy(facts, place)
    known = tuple(facts["known_fields"])
    population = _weighed(policy, known, table)
    models = models_for(policy, known, int(facts["rows"]["source"]), population=population, hierarchies={})
    found = recount(table, known, models)
    checks.append(same_as_said("rows released", facts["rows"]["released"], found.rows))
    checks.extend(_fields(table, facts))
    checks.extend(verdict_checks(facts["verdicts"], found.verdicts))
    checks.append(_ANCESTORS)
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
    asked = table.get("require", {}).get("k_m", [])
    sets = {(one.get("table"), one["field"]) for one in (asked if isinstance(asked, list) else [asked])}
    fields = {"fields": _without_hierarchies(table["fields"], {f for _, f in sets})} if "fields" in table else {}
    if "tables" in table:
        fields["tables"] = {
            name: decided | {"fields": _without_hierarchies(decided["fields"], {f for t, f in sets if t == name})}
            for name, decided in table["tables"].items()
        }
    require = dict(table.get("require", {}))
    if "t_closeness" in require:
        asked = require["t_closeness"]
        several = asked if isinstance(asked, list) else [asked]
        require["t_closeness"] = [one | ({"hierarchy": _NONE} if "hierarchy" in one else {}) for one in several]
    return policy_from_table(table | fields | {"require": require}, folder=place, name="the manifest's policy")


def _without_hierarchies(fields: dict[str, Any], sets: Container[str] = ()) -> dict[str, Any]:
    """Fields without their hierarchies; a set-valued one must have some."""
    return {
        name: {key: value for key, value in decided.items() if key != "hierarchy"}
        | ({"hierarchy": _NONE} if name in sets else {})
        for name, decided in fields.items()
    }


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


def _fields(table: Path, facts: dict[str, Any]) -> list[Check]:
    """Fields that the manifest calls removed are not in the table, and no others were added."""
    with open_source(table) as engine:
        have = {info.name for info in engine.fields()}
    kept = {name for name, words in facts["fields"].items() if not str(words).startswith("removed")}
    return [same_as_said("released fields", sorted(kept), sorted(have))]
