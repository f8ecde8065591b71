"""Re-checking a release from its manifest: digests, and every claim that the release alone can show."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any

from sfumato.bins import Bins
from sfumato.errors import PolicyError, ReleaseBroken, SfumatoError, SourceError
from sfumato.policy import Policy, Role, policy_from_table
from sfumato.sources import Engine

from .channels.verifying import channel_checks
from .checks import Check, same_as_said, verdict_checks
from .manifest import FORMAT
from .recount import recount
from .requirements import models_for
from .tables.verifying import table_checks
from .written import Written, written

_NONE = {"suppress": True}
_ANCESTORS = Check(
    claim="released values are ancestors of the source's",
    outcome="review",
    found="only the holder of the source can see this; it held when the release was made",
)


def _ancestors(facts: dict[str, Any]) -> Check:
    """What a step made up, exchanged or moved is no ancestor of what was collected; it is of what the steps left."""
    changed = sorted({name for step in facts.get("steps", []) if not step["truthful"] for name in step["fields"]})
    made_up = any(step["technique"] == "add_rows" for step in facts.get("steps", []))
    if not changed and not made_up:
        return _ANCESTORS
    what = " and ".join([*([f"of {', '.join(changed)}"] if changed else []), *(["in made-up rows"] if made_up else [])])
    return Check(
        claim=f"released values are ancestors of the source's, except {what}, which steps changed",
        outcome=_ANCESTORS.outcome,
        found=_ANCESTORS.found,
    )


def verify(folder: str | Path) -> tuple[Check, ...]:
    """Check every table and claim of a release; nothing is changed and the source is not needed.

    A release is in a folder, or at postgresql://host/database#schema.
    """
    release = written(folder)
    facts = manifest_of(release)
    try:
        return _checks(release, facts)
    except (KeyError, TypeError, ValueError, AttributeError, PolicyError):
        raise ReleaseBroken(f"The manifest of {release.title} is not one that Sfumato wrote.") from None
    except SourceError as error:
        raise ReleaseBroken(
            f"The table of {release.title} is not the one that its manifest describes.", found=error.asked
        ) from None


def _checks(release: Written, facts: dict[str, Any]) -> tuple[Check, ...]:
    if "scrubbed" in facts:
        from .scrubbing.verifying import scrub_checks  # The text room is read only where texts are checked.

        return tuple(scrub_checks(release.folder, facts))
    policy = policy_without_hierarchies(facts, release.folder)
    if "channels" in facts:
        return channel_checks(release, facts, policy)
    if "tables" in facts:
        return (*table_checks(release, facts, policy), _ancestors(facts))
    checks = list(release.check(facts["table"]))
    known = tuple(facts["known_fields"])
    with release.opened(facts["table"]) as table:
        population = _weighed(policy, known, table)
        rows = int(facts["rows"].get("after_steps", facts["rows"]["source"]))
        models = models_for(policy, known, rows, population=population, hierarchies={})
        found = recount(table, known, models)
        checks.append(same_as_said("rows released", facts["rows"]["released"], found.rows))
        checks.append(_fields(table, facts))
    checks.extend(verdict_checks(facts["verdicts"], found.verdicts))
    checks.append(_ancestors(facts))
    return tuple(checks)


def _weighed(policy: Policy, known: tuple[str, ...], table: Engine) -> Bins | None:
    """The population that the released rows stand for, where a k-map rests on weights and these were released."""
    asked = policy.require.k_map
    decided = policy.fields.get(asked.weight) if asked is not None else None
    if asked is None or decided is None or decided.role not in (Role.SENSITIVE, Role.INSENSITIVE):
        return None
    if decided.shift or decided.follows:
        return None
    fields = tuple(name for name in asked.fields or known if name in known)
    return Bins.count(table, fields, weight=asked.weight)


def policy_without_hierarchies(facts: dict[str, Any], place: Path) -> Policy:
    """The manifest's policy without its hierarchies: their files stay with the holder and are not needed here."""
    table = facts["policy"]
    asked = table.get("require", {}).get("k_m", [])
    sets = {(one.get("table"), one["field"]) for one in (asked if isinstance(asked, list) else [asked])}
    classed = {name for step in table.get("steps", []) if step["technique"] == "substitute" for name in step["fields"]}
    classed |= {field for _, field in sets}
    fields = {"fields": _without_hierarchies(table["fields"], classed)} if "fields" in table else {}
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


def manifest_of(release: Written) -> dict[str, Any]:
    """The manifest of a release, if it is one that this version reads."""
    try:
        facts: dict[str, Any] = json.loads(release.manifest())
        if facts["format"] != FORMAT:
            raise ReleaseBroken(
                f"The manifest of {release.title} has format {facts['format']}; this version reads format {FORMAT}.",
                attempt="the version of Sfumato that wrote it.",
            )
    except SfumatoError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ReleaseBroken(f"The manifest of {release.title} is not one that Sfumato wrote.") from None
    return facts


def _fields(table: Engine, facts: dict[str, Any]) -> Check:
    """Fields that the manifest calls removed are not in the table, and no others were added."""
    have = {info.name for info in table.fields()}
    kept = {name for name, words in facts["fields"].items() if not str(words).startswith("removed")}
    return same_as_said("released fields", sorted(kept), sorted(have))
