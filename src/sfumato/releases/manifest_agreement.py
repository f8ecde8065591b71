"""Whether a manifest agrees with itself and with its policy, in everything that the folder can
refute.

Claims that it cannot refute are named: only the holder can check them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sfumato.parts import ParameterKind
from sfumato.policy import TECHNIQUES, Field, Method, Policy, Role, encrypted_fields, is_released
from sfumato.wording import some_of

from .checks import Check, same, same_as_said
from .dates import describe_shift
from .identifiers import beginning, begins_as_asked, constant_words, key_words
from .manifest import ONE_TABLE, ReleaseShape
from .manifest_shapes import MOST_NAMED
from .solver_account import SolverAccount
from .suppression import BINS, BINS_AND_COUNTS, COUNTS, FOLLOWED, HOUSEHOLDS, NOBODY
from .treatments import BY_BIN, KEPT, NUMBERED, text_words

TOLD_OF_SOLVERS = (
    "package",
    "settings.numeric",
    "choice",
    "proof",
    "rolled_up",
    "moves",
    "notes",
)
TOLD = (
    "sfumato",
    "created",
    "engine",
    "snapshot",
    *(f"solver.{name}" for name in TOLD_OF_SOLVERS),
    "warnings",
    "registers",
    "recoding.kind",
    "recoding.level_names",
    "hierarchies.*.height",
    "steps.*.found",
)
TOLD_OF_ONE = ("utility", "ads0", "household")
TOLD_OF_TABLES = ("tables.*.left_out.by_reason", "tables.*.left_out.share_of_rows_dropped_at_most")
TOLD_OF_CHANNELS = (
    "sfumato",
    "created",
    "engine",
    "snapshot",
    "solver.notes",
    "warnings",
    *(
        f"channels.{name}"
        for name in (
            "input_channels",
            "risky_input_channels",
            "subjects_at_risk",
            "least_cost_at_least",
            "gap",
            "compared_with",
            "proven",
            "inputs_per_subject",
        )
    ),
)
TOLD_OF_TEXTS = ("sfumato", "created", "scrubbed")
TOLD_OF_SYNTHETIC = ("sfumato", "created", "synthesis", "policy")
TOLD_OF_COUNTS = ("sfumato", "created", "tabulation", "policy")
MOST_FIELDS = 10
"""So many fields of one table are named in a line for a terminal."""
_SUPPRESSED = "suppressed in every row"
_OF_KEYS = (key_words(kept=True), key_words(kept=False), beginning(Method.LOOKUP))
_IN_ROWS = re.compile(r"generalised in (\d+) of (\d+) rows")


def told_check(facts: Mapping[str, Any]) -> Check:
    """One line that names the claims that only the holder can check."""
    names = [name for name in told_of(facts) if name.partition(".")[0] in facts]
    fields = _told_by_table(facts)
    of_fields = {_place(table, name) for table, several in fields.items() for name in several}
    brief = [name for name in names if name not in of_fields]
    brief += [_places(table, several) for table, several in fields.items()]
    return Check(
        claim="stated by the holder, not checked here",
        outcome="review",
        found=", ".join(names),
        brief=", ".join(brief),
    )


def told_of(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The places of a manifest of this kind that its folder cannot refute; `*` is any name."""
    if facts["shape"] == ReleaseShape.LETTERS:
        return TOLD_OF_TEXTS
    if facts["shape"] == ReleaseShape.CHANNELS:
        return TOLD_OF_CHANNELS
    if facts["shape"] == ReleaseShape.SYNTHETIC:
        return TOLD_OF_SYNTHETIC
    if facts["shape"] == ReleaseShape.TABLES_OF_COUNTS:
        return TOLD_OF_COUNTS
    more = (
        *(("hierarchies.*.sha256",) if _files_of_hierarchies(facts) else ()),
        *(("texts",) if "texts" in facts else ()),
    )
    return (
        *TOLD,
        *(TOLD_OF_TABLES if facts["shape"] == ReleaseShape.PEOPLE else TOLD_OF_ONE),
        *more,
        *(_place(table, name) for table, names in _told_by_table(facts).items() for name in names),
    )


def _place(table: str, field: str) -> str:
    return f"tables.{table}.fields.{field}"


def _places(table: str, fields: Sequence[str]) -> str:
    """Fields of one table, named once with it.

    Example:
        >>> _places("visits", ["ward"]), _places("visits", ["ward", "seen"])
        ('tables.visits.fields.ward', 'tables.visits.fields.{ward, seen}')
    """
    several = f"{{{some_of(fields, MOST_FIELDS)}}}"
    return _place(table, several if len(fields) > 1 else fields[0])


def _told_by_table(facts: Mapping[str, Any]) -> dict[str, list[str]]:
    """Per table, the fields whose claims the folder cannot prove: whose key replaced or moved their
    values, and in which rows a recoding bin by bin changed them."""
    if facts["shape"] not in (ReleaseShape.ONE_ROW_EACH, ReleaseShape.PEOPLE):
        return {}
    found: dict[str, list[str]] = {}
    by_bin = facts["recoding"]["kind"] != "global"
    recoded = (BY_BIN, KEPT) if by_bin else ()
    for table, entry in facts["tables"].items():
        prefix = f"{table}." if facts["shape"] == ReleaseShape.PEOPLE else ""
        for name, said in entry["fields"].items():
            known = f"{prefix}{name}" in facts["known_fields"]
            in_some = known and (said in recoded or (by_bin and _IN_ROWS.search(said)))
            if in_some or any(words in said for words in _OF_KEYS):
                found.setdefault(table, []).append(name)
    return found


def _files_of_hierarchies(facts: Mapping[str, Any]) -> bool:
    return any(isinstance(said["made_by"], str) for said in facts["hierarchies"].values())


def _said(claim: str, wrong: list[str]) -> Check:
    found = (
        f"it contradicts itself in {some_of(wrong, MOST_NAMED)}"
        if wrong
        else "as the manifest says"
    )
    return Check(claim=claim, outcome="fail" if wrong else "pass", found=found)


# ------------------------------------------------------------------------------------------------------
# rows left out


def rows_check(entry: Mapping[str, Any], policy: Policy) -> Check:
    """The rows of a single table: the account of rows agrees with that of the rows left out."""
    rows, left_out = entry["rows"], entry["left_out"]
    judged = rows.get("after_steps", rows["source"])
    wrong = [] if ("after_steps" in rows) == bool(policy.steps) else ["rows.after_steps"]
    if (
        rows["suppressed"] != judged - rows["released"]
        or rows["suppressed"] != left_out["left_out"]
    ):
        wrong.append("rows.suppressed")
    if left_out["source"] != judged:
        wrong.append("left_out.source")
    if left_out["released"] != rows["released"]:
        wrong.append("left_out.released")
    if left_out["unit"] != "rows":
        wrong.append("left_out.unit")
    reasons = {BINS, *((HOUSEHOLDS,) if policy.household else ())}
    if not left_out["by_reason"].keys() <= reasons or 0 in left_out["by_reason"].values():
        wrong.append("left_out.by_reason")
    if not _sampled(rows, left_out, policy):
        wrong.append("left_out.sampling")
    wrong += [name for name in ("key", "links") if entry[name]]
    return _said("rows released and left out agree", wrong)


def _sampled(rows: Mapping[str, int], left_out: Mapping[str, Any], policy: Policy) -> bool:
    """Rows that were not drawn are those that the steps took; a step may have made some up
    besides."""
    said = int(sum(left_out.get("sampling", {}).values()))
    taken = rows["source"] - rows.get("after_steps", rows["source"])
    adds = any(step.declaration.adds_rows for step in policy.steps)
    if not any(step.declaration.samples_rows for step in policy.steps):
        return "sampling" not in left_out and (taken == 0 or (taken < 0 and adds))
    return said >= taken if adds else said == taken


def people_left_out(
    told: Mapping[str, Any],
    *,
    above: str,
    person: str,
    bin_size: int | None,
    judged: bool,
    sampled: bool,
    others: Mapping[str, Any],
) -> list[str]:
    """Contradictions in the numbers of people whom one table omits. `above` is the table that its
    rows link to, `others` the facts about the other tables. `judged` is whether people are counted
    in its bins, `sampled` whether a step draws people from it or from a table above."""
    reasons = {NOBODY, BINS} if not above or judged else {NOBODY}
    reasons |= {FOLLOWED} if above else set()
    reasons |= {COUNTS} if bin_size is not None else set()
    reasons |= {BINS_AND_COUNTS} if bin_size is not None and (judged or not above) else set()
    by_reason = told["by_reason"]
    wrong = [] if by_reason.keys() <= reasons and 0 not in by_reason.values() else ["by_reason"]
    if told["unit"] != "people":
        wrong.append("unit")
    if "sampling" in told and (not sampled or min(told["sampling"].values()) < 1):
        wrong.append("sampling")
    if above == person and by_reason.get(FOLLOWED, 0) > others[person]["left_out"]:
        wrong.append(f"by_reason.{FOLLOWED}")
    share = told.get("share_of_rows_dropped_at_most")
    if share is not None and (
        bin_size is None or share not in [tenths / 10 for tenths in range(1, 11)]
    ):
        wrong.append("share_of_rows_dropped_at_most")
    return wrong


# ---------------------------------------------------------------------------------------------------
# fields and steps


def recoding_checks(facts: Mapping[str, Any], policy: Policy) -> Iterator[Check]:
    """Levels, their names, hierarchies and steps, against each other and the policy."""
    recoding, hierarchies = facts["recoding"], facts["hierarchies"]
    levels, names = recoding.get("levels", {}), recoding.get("level_names", {})
    wrong = [] if levels.keys() == names.keys() else ["recoding.level_names"]
    wrong += [] if levels.keys() <= hierarchies.keys() else ["recoding.levels"]
    wrong += [
        f"recoding.levels.{n}"
        for n, level in levels.items()
        if level > hierarchies.get(n, {"height": 0})["height"]
    ]
    if recoding["kind"] not in ("global", "local", "labelled") or (
        recoding["kind"] != "global" and levels
    ):
        wrong.append("recoding.kind")
    wrong += [name for name in facts["known_fields"] if name not in hierarchies]
    wrong += [f"hierarchies.{name}" for name in hierarchies if name not in facts["known_fields"]]
    wrong += [
        f"hierarchies.{name}"
        for name, said in hierarchies.items()
        if not _as_asked(name, said, facts)
    ]
    yield _said("recoding and hierarchies agree with the policy", wrong)
    yield same_as_said("seed of the solver", facts["solver"]["seed"], policy.solve.seed)
    yield _steps(facts, policy)


def solver_check(facts: Mapping[str, Any], asked: Sequence[SolverAccount]) -> Check:
    """The solver and its settings are those of the policy. `asked` are the searches that the policy
    can lead to: where it takes the better of two, there are several."""
    told = facts["solver"]
    said = {"name": told["name"], "settings": told.get("settings", {})}
    fits = [json.loads(json.dumps(one.as_dict())) for one in asked]
    found = next((one for one in fits if same(said, one)), fits[0])
    return same_as_said("solver and settings are those of the policy", said, found)


def _as_asked(name: str, said: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    """Whether a hierarchy is the policy's, and its digest that of how it is made; of a file, only
    its name is known."""
    table = facts["policy"]
    if "tables" in table:
        there, _, field = name.partition(".")
        while there not in table["tables"] and "." in field:
            more, _, field = field.partition(".")
            there = f"{there}.{more}"
        fields = table["tables"].get(there, {}).get("fields", {})
    else:
        field = (
            name.removeprefix(f"{ONE_TABLE}.") if facts["shape"] == ReleaseShape.PEOPLE else name
        )
        fields = table.get("fields", {})
    asked = fields.get(field, {}).get("hierarchy", {"suppress": True})
    if not same(said["made_by"], asked):
        return False
    text = json.dumps(said["made_by"], sort_keys=True, default=str).encode()
    return isinstance(said["made_by"], str) or said["sha256"] == hashlib.sha256(text).hexdigest()


def _steps(facts: Mapping[str, Any], policy: Policy) -> Check:
    asked = [
        {
            "technique": step.technique,
            **({"table": step.table} if step.table else {}),
            "summary": step.declaration.doc,
            "fields": list(step.fields),
            "parameters": _without_files(step.technique, step.parameters),
            "truthful": step.truthful,
        }
        for step in policy.steps
    ]
    said = [
        {key: value for key, value in step.items() if key != "found"}
        for step in facts.get("steps", [])
    ]
    said = [
        step | {"parameters": _without_files(step["technique"], step["parameters"])}
        for step in said
    ]
    return same_as_said(
        "steps are those of the policy", said, json.loads(json.dumps(asked, default=str))
    )


def _without_files(technique: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    declared = TECHNIQUES[technique].parameters if technique in TECHNIQUES else ()
    files = {item.name for item in declared if item.kind is ParameterKind.FILE}
    return {
        name: value for name, value in parameters.items() if value is not None and name not in files
    }


def words_check(
    facts: Mapping[str, Any],
    words: Mapping[str, str],
    policy: Policy,
    *,
    table: str = "",
    distinct: Mapping[str, int],
    rows: int,
) -> Check:
    """The manifest's words about each field are those that the policy and the recoding give.

    `distinct` is how many values each known field has in the released table, `policy` that of the
    table."""
    wrong = sorted(policy.fields.keys() - words.keys())
    wrong += [
        name for name in words if name not in policy.fields and policy.other_fields == "refuse"
    ]
    for name, said in words.items():
        decided = policy.fields.get(name)
        if decided is None:
            holds = said == "removed: the policy does not name it"
        elif name in distinct:
            holds = _recoded(
                facts, f"{table}.{name}" if table else name, said, policy=policy, rows=rows
            )
            holds = holds and (_SUPPRESSED not in said or distinct[name] <= 1)
        else:
            holds = _treated(said, decided, policy)
        wrong += [] if holds else [name]
    where = f"fields of {table}" if table else "fields"
    return _said(
        f"{where}: what was done to each, as the policy asks", [f"fields.{name}" for name in wrong]
    )


def _recoded(facts: Mapping[str, Any], name: str, said: str, *, policy: Policy, rows: int) -> bool:
    """Whether words about a recoded field are those of its level, or of the rows in which it was
    changed."""
    recoding = facts["recoding"]
    if recoding["kind"] != "global":
        found = _IN_ROWS.search(said)
        fits = found is not None and 0 < int(found[1]) <= int(found[2]) == rows
        by_bin = said == BY_BIN and facts["shape"] == ReleaseShape.PEOPLE
        return fits or by_bin or (found is None and (said == KEPT or bool(policy.steps)))
    level, height = recoding["levels"].get(name, 0), facts["hierarchies"][name]["height"]
    if level == 0:
        return said == KEPT or bool(policy.steps)
    own = f"generalised to {recoding['level_names'][name]} (level {level} of {height})"
    last = said.rsplit(", then ", 1)[-1] if policy.steps else said
    return last.endswith(own) if last != _SUPPRESSED else level == height


def _treated(said: str, decided: Field, policy: Policy) -> bool:
    """Whether words about another field are among those that the policy leads to."""
    method = decided.replace.method if decided.replace else Method.REMOVE
    if policy.steps or decided.follows or decided.name in encrypted_fields(policy):
        return True
    if decided.role is Role.TEXT:
        asked = text_words(policy, decided)
        if not is_released(policy, decided.name):
            return said == asked
        return said.startswith(asked.partition(":")[0])
    if decided.role is Role.DIRECT:
        fixed = {Method.REMOVE: "removed", Method.NUMBER: NUMBERED}
        if method in fixed or decided.replace is None:
            return said == fixed[method]
        if decided.replace.leaves_a_constant:
            return said == constant_words(decided.replace)
        return begins_as_asked(said, decided.replace)
    if decided.shift is not None:
        return said in [describe_shift(decided.shift, kept=kept) for kept in (True, False)]
    return said == KEPT or any(asked.field == decided.name for asked in policy.require.each("k_m"))
