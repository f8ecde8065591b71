"""Submissions: the register's records of a proposed policy and of the candidate that it made.

Digests, roles of fields, requirements, and the questions and colours of an assessment: nothing in
them is a cell value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from sfumato.errors import Mistake
from sfumato.policy import SECTIONS, AccessClass, Policy, made_table_policy, read_policy
from sfumato.releases import MANIFEST, UNMEASURED, hierarchy_files
from sfumato.releases import policy_facts as policy_table

from .agreements import Agreement
from .applications import worst_outcome
from .ledger_verdict import LedgerVerdict
from .moves import MoveKind
from .recipient_names import folded
from .release_checks import release_digest
from .release_content import released_fields

LETTERS: Final = "scrubbed"
_WORDS: Final = {**dict(zip(SECTIONS, ("synthesised", "counted"), strict=True)), LETTERS: ""}
_SETTINGS: Final = ("purpose", "thresholds", "detectors", "style")
"""What decides how letters are scrubbed, by the manifest; no file has it."""


def policy_facts(policy: Policy | str | Path, section: str = "") -> dict[str, Any]:
    """A proposal's facts about its policy, as a manifest holds it: its digest, its recipient, roles
    and requirements, and the digests of files with hierarchies. With a `section`, of what makes
    synthetic rows or counts; with LETTERS, of the settings of a trial, whose folder is given."""
    if section == LETTERS and not isinstance(policy, Policy):
        made = _policy_of(_trial_manifest(Path(policy)))
        return {"policy": _digest_of(made), "summary": _summary(made)}
    if section:
        if isinstance(policy, Policy):
            raise Mistake(
                f"The section {section} of a policy was to be proposed.",
                found="The policy is read, and not a file.",
                attempt="the file of the policy.",
            )
        made = json.loads(json.dumps(made_table_policy(policy, section)))
        return {"policy": _digest_of(made), "summary": _summary(made)}
    read = policy if isinstance(policy, Policy) else read_policy(Path(policy))
    table, files = policy_table(read), hierarchy_files(read)
    summary = _summary(table) | ({"hierarchies": files} if files else {})
    return {"policy": _digest_of(table), "summary": summary}


def manifest_facts(release: Path) -> Mapping[str, Any]:
    """The manifest of a candidate whose digest was read before."""
    facts: Mapping[str, Any] = json.loads((release / MANIFEST).read_bytes())
    return facts


def policy_digest(manifest: Mapping[str, Any]) -> str:
    """The digest of the policy that made a candidate."""
    return _digest_of(_policy_of(manifest))


def _policy_of(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The policy of a release; of letters, which have none, the settings by which they were made."""
    letters = manifest.get(LETTERS)
    if isinstance(letters, dict) and not manifest.get("policy"):
        return {LETTERS: {key: letters[key] for key in _SETTINGS if key in letters}}
    policy: Mapping[str, Any] = manifest.get("policy", {})
    return policy


def _trial_manifest(folder: Path) -> Mapping[str, Any]:
    release_digest(folder)
    manifest = manifest_facts(folder)
    if LETTERS not in manifest:
        raise Mistake(
            "The settings of letters were to be proposed.",
            found=f"{folder} holds no letters.",
            attempt="the folder of a trial that sfumato scrub made with these settings.",
        )
    return manifest


def check_described(
    manifest: Mapping[str, Any], *, policy: str, summary: Mapping[str, Any]
) -> None:
    """Refuse to deliver a candidate of another policy than the one described to the board. A maker
    may sign any description; delivery compares it with the manifest."""
    shown = {key: each for key, each in summary.items() if key != "hierarchies"}
    other = bool(policy) and policy_digest(manifest) != policy
    if other or (shown and _summary(_policy_of(manifest)) != shown):
        raise Mistake(
            "A candidate was to be delivered.",
            found="Roles or requirements of its policy are not those that the board was shown.",
            attempt="sfumato register propose, and the votes of the board.",
        )
    check_hierarchies(manifest, summary)


def check_hierarchies(manifest: Mapping[str, Any], summary: Mapping[str, Any]) -> None:
    """Refuse a candidate that was made with other files of hierarchies than the proposed policy: a
    policy names them, and whoever makes a candidate could exchange them."""
    files = summary.get("hierarchies", {})
    made = {
        name.removeprefix("release."): each.get("sha256")
        for name, each in manifest.get("hierarchies", {}).items()
    }
    other = [name for name in files if name in made and made[name] != files[name]]
    if other:
        raise Mistake(
            "A candidate was to be submitted or delivered.",
            found=f"The file of the hierarchy of {other[0]} is not that of the proposed policy.",
            attempt="the file as it was when the policy was proposed; or propose the policy again.",
        )


class MadeAssessment(Protocol):
    """An assessment that was made in this process, as `sfumato.assessment.assess` returns it."""

    def as_dict(self) -> dict[str, Any]: ...


def assessment_facts(assessment: str | Path | None, digest: str) -> dict[str, Any]:
    """The facts of a submission about the assessment of the release with this digest; nothing where
    there is none. Its maker signs for the file: nobody can see whether it was edited."""
    if assessment is None:
        return {}
    place = Path(assessment)
    try:
        content = place.read_bytes()
    except OSError as error:
        raise Mistake(
            f"An assessment was to be read from {place}.", found=f"{error.strerror}."
        ) from None
    return _asserted(content, digest, where=str(place))


def unmeasured_facts(manifest: Mapping[str, Any], digest: str, *, at: MoveKind) -> dict[str, Any]:
    """The facts about a release of a shape that nothing assesses: its files are those of its
    manifest, as was checked before, and the board decides about the rest. Nothing for others."""
    if manifest.get("shape") not in UNMEASURED:
        return {}
    judged = [
        {"question": "Is this the release that its manifest describes?", "outcome": "pass"},
        {"question": "How easily is a person found?", "outcome": "review"},
    ]
    told = _digest_of({"release": digest, "made": at.value})
    return {"digest": told, "outcome": "review", "judgements": judged}


def made_assessment_facts(assessment: MadeAssessment | None, digest: str) -> dict[str, Any]:
    """The facts of a delivery about an assessment that was made for it. No file is taken: the
    maker's own, edited in a word that nobody compares, would pass for a second one."""
    if assessment is None:
        return {}
    if isinstance(assessment, str | bytes | Path):
        raise Mistake(
            "A candidate was to be delivered with an assessment.",
            found="It is a file, and nobody can see who made it.",
            attempt="the assessment that `assess` returns; sfumato register deliver makes one.",
        )
    content = json.dumps(assessment.as_dict(), ensure_ascii=False).encode()
    return _asserted(content, digest, where="made now")


def _asserted(content: bytes, digest: str, *, where: str) -> dict[str, Any]:
    """The digest of an assessment, its outcome, and its questions with theirs."""
    try:
        found = json.loads(content)
        # Blanks, escapes, order of keys and 1.0 for 1 make no other assessment.
        told = _digest_of(json.loads(content, parse_int=float))
        judged = [
            {"question": str(each["question"]), "outcome": str(each["outcome"])}
            for each in found["judgements"]
        ]
        outcome, about = str(found["outcome"]), str(found.get("release", ""))
    except (ValueError, KeyError, TypeError):
        raise Mistake(
            f"An assessment was to be read from {where}.",
            found="It holds none.",
            attempt="the file that `sfumato assess RELEASE --json FILE` wrote.",
        ) from None
    found_wrong = ""
    if about != digest:
        found_wrong = "It is of another release: it names the digest of another manifest, or none."
    elif not judged:
        found_wrong = "It answers no question."
    elif outcome != worst_outcome(each["outcome"] for each in judged):
        found_wrong = "Its outcome is not that of its questions."
    if found_wrong:
        raise Mistake(
            f"The assessment {where} was to be recorded with a candidate.",
            found=found_wrong,
            attempt="sfumato assess on this candidate.",
        )
    return {"digest": told, "outcome": outcome, "judgements": judged}


def check_shown(verdicts: Mapping[str, LedgerVerdict], shown: Mapping[str, Any]) -> None:
    """Refuse to deliver where the ledger's verdict is worse than the one that the board was shown.
    The maker signed that one; since then a gate may have answered, or keys were declared anew."""
    for group, verdict in verdicts.items():
        was = str(dict(shown.get(group, {})).get("outcome", ""))
        if worst_outcome((verdict.outcome, was or "pass")) != (was or "pass"):
            raise Mistake(
                "A candidate was to be delivered.",
                found=f"The ledger's verdict for {group} is {verdict.outcome} now, and the board was "
                f"shown {was or 'none'}: {verdict.reason}.",
                attempt="--key KEY where the people record was not checked; otherwise sfumato "
                "register submit, and the votes of the board.",
            )


def check_access(manifest: Mapping[str, Any], agreement: Agreement) -> None:
    """Refuse a candidate that was judged for a narrower class of access than is agreed."""
    profiles = manifest.get("policy", {}).get("recipient", {})
    said = profiles.get(manifest.get("recipient", ""), {}).get("access", "")
    if said and AccessClass(said).breadth < agreement.access.breadth:
        raise Mistake(
            "A candidate was to be submitted or delivered under its agreement.",
            found=f"It was judged for a recipient whose access is {said}, and the agreement says "
            f"{agreement.access.value}: more people can have it than were counted on.",
            attempt="a policy with a recipient of that access, or a narrower agreement.",
        )


def check_agreement(manifest: Mapping[str, Any], agreement: Agreement | None) -> None:
    """Refuse a candidate whose manifest names another agreement than that of its application."""
    stated = manifest.get("agreement", {}).get("sha256", "")
    if not stated or (agreement is not None and stated == agreement.digest):
        return
    raise Mistake(
        "A candidate was to be submitted or delivered under its agreement.",
        found="Its manifest names another agreement than the application has."
        if agreement is not None
        else "Its manifest names an agreement, and the application has none.",
        attempt="sfumato release --register DIR --application NAME, which names the present one.",
    )


def check_linking(
    manifest: Mapping[str, Any], agreement: Agreement | None, linked: Iterable[str] = ()
) -> None:
    """Refuse a candidate with released fields that its recipient can link on, by this agreement or
    as `linked` by others, and that it does not count as known. An agreement may name them in another
    case, or a field of one of several tables with its table."""
    check_agreement(manifest, agreement)
    if agreement is None:
        return
    check_access(manifest, agreement)
    if "known_fields" not in manifest:
        return
    asked, known = set(map(folded, (*agreement.link_on, *linked))), set(manifest["known_fields"])
    released = [
        (name, f"{table}.{name}")
        for table, facts in manifest.get("tables", {}).items()
        for name in released_fields(facts)
    ]
    loose = sorted(
        {
            name
            for name, full in released
            if {folded(name), folded(full)} & asked and not {name, full} & known
        }
    )
    if loose:
        raise Mistake(
            "A candidate was to be submitted or delivered under its agreement.",
            found=f"The recipient can link on {', '.join(loose)}, which the candidate does not "
            "count as known.",
            attempt="a policy in which these fields are quasi-identifiers for this recipient.",
        )


def _digest_of(table: Mapping[str, Any]) -> str:
    text = json.dumps(table, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _summary(table: Mapping[str, Any]) -> dict[str, Any]:
    """The recipient of a policy, the roles of its fields and its requirements; or what a section
    synthesises or counts, and how."""
    if len(table) == 1 and (section := next(iter(table))) in _WORDS:
        return _made_table_summary(table[section], word=_WORDS[section])
    tables = table.get("tables") or {"": table}
    return {
        "recipient": str(table.get("release_to", "public")),
        "fields": {
            f"{name}.{each}" if name else each: str(decided.get("role", ""))
            for name, of in tables.items()
            for each, decided in of.get("fields", {}).items()
        },
        "require": table.get("require", {}),
    }


def _made_table_summary(asked: Mapping[str, Any], *, word: str) -> dict[str, Any]:
    """Domains are in the digest alone: they are long."""
    linked = asked.get("tables")
    tables = linked if isinstance(linked, dict) else {"": asked}
    lists = ("domains", "select", "fields")
    return {
        "recipient": "",
        "fields": {
            f"{name}.{each}" if name else each: word
            for name, of in tables.items()
            for key in lists
            for each in of.get(key, ())
        },
        "require": {key: each for key, each in asked.items() if key not in (*lists, "tables")},
    }
