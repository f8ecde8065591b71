"""Re-checking a release: its files, its policy, and every requirement of the policy, judged again
or named as unjudged.

The requirements of the policy decide what is checked; a manifest that claims less, more or other
than that fails."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.engines import Engine
from sfumato.errors import (
    CandidateFailed,
    Mistake,
    PolicyError,
    ReleaseBroken,
    SfumatoError,
    SourceError,
)
from sfumato.parts import ParameterKind
from sfumato.policy import (
    SETTINGS,
    SOLVERS,
    TECHNIQUES,
    USUAL_SOLVER,
    LooksAt,
    Policy,
    declared_model,
    policy_from_table,
    section_with_solver,
)
from sfumato.signatures import SigningKey, VerifyKey
from sfumato.wording import counted, some_of

from .anchors import Anchors, anchor_checks
from .channels.verification import channel_checks
from .checks import Check, Checks, accepted, outcome_of, same_as_said, verdict_checks
from .documentation import documentation_check
from .field_checks import field_checks
from .finished_release import Written, written
from .manifest import FORMAT, ONE_TABLE, ReleaseShape
from .manifest_agreement import (
    recoding_checks,
    rows_check,
    solver_check,
    told_check,
    words_check,
)
from .manifest_shapes import MOST_NAMED, misfits, shape_of
from .outside_tables import Outside, known_weights
from .people_record import PeopleRecord
from .policy_choice import PolicyLike
from .policy_copy import unlike
from .prepared_source import known_fields, repeats
from .profile_folder import is_profile_folder, profile_folder_checks
from .release_record import Release
from .release_recount import recount
from .required_verdicts import required_of_bins, required_of_texts
from .requirements import models_for, needed_fields
from .signed_manifest import check_signable, sign_manifest, signature_check
from .solver_account import solver_of_table, told_numeric
from .suppression import limit_check
from .tables.verification import table_checks

_NONE = {"suppress": True}
_TOP = 1
"""The one level above the values, in a hierarchy that only suppresses."""
_KEY = re.compile(r"[a-z][a-z0-9_]{0,49}")
LONGEST_PLACE = 80
TABLE_SHAPES = (ReleaseShape.ONE_ROW_EACH, ReleaseShape.PEOPLE)
_ANCESTORS = Check(
    claim="released values are ancestors of the source's",
    outcome="review",
    found="only the holder of the source can check this; it held when the release was made",
)
_NOT_OURS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    PolicyError,
)


def verify(
    folder: str | Path | Release,
    *,
    policy: PolicyLike | None = None,
    digest: str | None = None,
    population: Any = None,
    source: Any = None,
    accept: Sequence[str] = (),
    signer: VerifyKey | str | Path | None = None,
    agreement: str | Path | None = None,
    people: PeopleRecord | str | Path | None = None,
) -> Checks:
    """Check every file, table and requirement of a release. The source is not needed, and nothing
    is changed.

    A release is in a folder, at postgresql://host/database#schema, or in memory. The folder may
    also be one with a release for each of several profiles; each of them is checked, and their joint
    requirement stays undecided (`joint`). `policy` is the one that the release must have been made
    under. `digest` is that of its manifest, as the release printed it. `signer` is the public key of
    its holder, or its file. Without one of these three, somebody who rewrote tables, manifest and
    policy together is not noticed.

    `agreement` is the file of the text that the recipient signed, or sha256:…: the manifest must
    name it. `people` is the people record that was kept: manifest and record must name each other,
    which needs no key. `population` and `source` are for requirements that cannot be judged without them. `accept`
    names requirements, by their keys, that may stay undecided.

    Example:
        >>> import sfumato
        >>> sfumato.verify("release").outcome  # doctest: +SKIP
        'pass'
    """
    if isinstance(folder, Release):
        with folder.on_disk() as place:
            return verify(
                place,
                policy=policy,
                digest=digest or folder.digest,
                population=population,
                source=source,
                accept=accept,
                signer=signer,
                agreement=agreement,
                people=people,
            )
    if not isinstance(folder, str | Path):
        raise Mistake(
            f"A release was expected, and {type(folder).__name__} was given.",
            found="A release is a folder, an address or what sfumato.release returns.",
            attempt="made.save(folder), then the folder; sfumato.assess for any other table.",
        )
    anchors = Anchors.of(policy, digest, signer=signer, agreement=agreement, people=people)
    if is_profile_folder(folder):
        return _verify_profiles(
            Path(folder), anchors, population=population, source=source, accept=accept
        )
    return _verify(folder, anchors, population=population, source=source, accept=accept)


def _verify_profiles(
    folder: Path, anchors: Anchors, *, accept: Sequence[str], **outside: Any
) -> Checks:
    """Check the releases of several profiles; the policy that was given is that of each, with the
    profile as its recipient."""

    def verified(profile: str, accept: Sequence[str]) -> Checks:
        given = anchors.policy
        own = None if given is None else replace(given, recipient=profile)
        held = replace(anchors, policy=own, digest="", any_solver=True)
        return _verify(folder / profile, held, accept=accept, **outside)

    def policy_of(profile: str) -> Policy:
        release = written(folder / profile)
        return policy_without_hierarchies(_facts(release, _manifest_text(release)), release.folder)

    checks = profile_folder_checks(
        folder, digest=anchors.digest, accept=accept, verified=verified, policy_of=policy_of
    )
    return Checks(checks)


def _verify(
    folder: str | Path,
    anchors: Anchors,
    *,
    population: Any,
    source: Any,
    accept: Sequence[str],
) -> Checks:
    release = written(folder)
    outside = Outside(policy=anchors.policy, population=population, source=source)
    text = _manifest_text(release)
    facts = _facts(release, text)
    try:
        checks = [
            *anchor_checks(anchors, text, facts),
            signature_check(release.signature(), text, facts, signer=anchors.signer),
            *_checks(release, facts, outside),
        ]
    except _NOT_OURS:
        raise ReleaseBroken(
            f"The manifest of {release.title} is not one that Sfumato wrote."
        ) from None
    except SourceError as error:
        raise ReleaseBroken(
            f"The table of {release.title} is not the one that its manifest describes.",
            found=error.asked,
        ) from None
    return accepted(checks, _requirements(accept, facts, checks))


def sign_release(folder: str | Path, key: SigningKey | str | Path) -> str:
    """Sign a release that was made before, of any kind; the number of the key.

    CandidateFailed where it differs from its manifest: nobody should sign that."""
    place = Path(folder)
    facts = check_signable(place)
    if outcome_of(verify(place)) == "fail":
        raise CandidateFailed(
            f"The release {place.name} was to be signed.",
            found="It is not what its manifest says.",
            attempt=f"sfumato verify {place}.",
        )
    signer = key if isinstance(key, SigningKey) else SigningKey.from_file(Path(key))
    sign_manifest(place, facts, signer)
    return signer.public.number


def _requirements(
    accept: Sequence[str], facts: dict[str, Any], checks: Sequence[Check]
) -> Sequence[str]:
    """The keys that a person accepts as undecided; each must be one of this policy's
    requirements."""
    known = {check.requirement for check in checks if check.requirement} - {
        *SETTINGS,
        "anonymity.loss",
    }
    known |= {key for key in facts.get("policy", {}).get("require", {}) if key not in SETTINGS}
    strange = [key for key in accept if key not in known]
    if strange:
        raise Mistake(
            f"{', '.join(map(repr, strange))} was accepted as undecided, which this policy "
            "does not require.",
            found=f"It requires {', '.join(sorted(known))}."
            if known
            else "It requires nothing that could be accepted.",
            attempt="one of these keys." if known else "leaving --accept out.",
        )
    return accept


def _checks(release: Written, facts: dict[str, Any], outside: Outside) -> Iterator[Check]:
    if facts["shape"] == ReleaseShape.LETTERS:
        from .scrub_checks import (
            scrub_checks,
        )  # The text room is read only where texts are checked.

        yield from scrub_checks(release.folder, facts)
        yield told_check(facts)
        return
    if facts["shape"] == ReleaseShape.SYNTHETIC:
        from .synthetic import synthetic_checks

        yield from synthetic_checks(release, facts)
        yield told_check(facts)
        return
    if facts["shape"] == ReleaseShape.TABLES_OF_COUNTS:
        from .tabulated import tabulated_checks

        yield from tabulated_checks(release, facts)
        yield told_check(facts)
        return
    policy = policy_without_hierarchies(facts, release.folder)
    yield from _as_documented(release, facts, policy)
    yield _shape_check(facts, policy)
    yield from documentation_check(facts, policy)
    if policy.channels is not None:
        yield from channel_checks(release, facts, policy)
    elif facts["shape"] == ReleaseShape.PEOPLE:
        yield from table_checks(release, facts, policy, outside)
        yield _ancestors(facts)
    else:
        yield from _single_checks(release, facts, policy, outside)
        yield _ancestors(facts)
    yield told_check(facts)


def _as_documented(release: Written, facts: dict[str, Any], policy: Policy) -> Iterator[Check]:
    """The policy file, the outcome, and whether a person confirmed the policy."""
    text = release.policy_text()
    if text is not None:
        beside = json.loads(json.dumps(tomllib.loads(text), default=str))
        differing = sorted(unlike(beside, facts["policy"]))
        found = (
            f"they differ in {', '.join(differing[:3])}" if differing else "as the manifest says"
        )
        yield Check(
            claim="policy.toml is the policy of the manifest",
            outcome="fail" if differing else "pass",
            found=found,
        )
    yield same_as_said("recipient", facts["recipient"], policy.recipient)
    outcomes = [claim["outcome"] for claim in facts["verdicts"]]
    worst = next(
        (word for word in ("fail", "review") if word in outcomes), "pass" if outcomes else "review"
    )
    yield same_as_said(
        "the outcome follows from the verdicts",
        facts["outcome"],
        worst if policy.is_decided else "review",
    )
    if policy.proposed:
        yield Check(
            claim="a person has confirmed the policy",
            outcome="review",
            found="it was proposed by a survey and still has proposed = true",
            requirement="proposed",
        )
    undecided = policy.open_fields
    told_open = facts.get("open_fields", [])
    if undecided or told_open:
        yield same_as_said("fields that are open", told_open, list(undecided))
    if undecided:
        yield Check(
            claim="a person has decided about every field",
            outcome="review",
            found=f"{counted(len(undecided), 'field is', 'fields are')} open: "
            f"{some_of(undecided, MOST_NAMED)}",
            requirement="open",
        )
    if not outcomes and not policy.require.keys and policy.channels is None:
        yield Check(
            claim="the policy requires something",
            outcome="review",
            found="it requires nothing",
            requirement="require",
        )


def _shape_check(facts: dict[str, Any], policy: Policy) -> Check:
    """A policy decides whether it is about channels or several tables; one table may have one row
    per person or more."""
    shapes = (
        (ReleaseShape.CHANNELS,)
        if policy.channels is not None
        else (ReleaseShape.PEOPLE,)
        if policy.tables
        else TABLE_SHAPES
    )
    fits = facts["shape"] in shapes and (
        bool(policy.tables) or list(facts["tables"]) == [ONE_TABLE]
    )
    return Check(
        claim="the release has the shape of its policy",
        outcome="pass" if fits else "fail",
        found="it holds" if fits else f"the manifest says {facts['shape']}",
    )


def _one_row_each(table: Engine, policy: Policy) -> Check:
    """Rows are counted as people: that is right where nobody has two. Where the release does not
    identify the person of a row, only the holder can see that."""
    claim = "each person has one row"
    if policy.entity not in {info.name for info in table.fields()}:
        return Check(
            claim=claim, outcome="review", found="the release does not identify the person of a row"
        )
    repeated = repeats(table, policy)
    found = "some have several" if repeated else "nobody has two"
    return Check(claim=claim, outcome="fail" if repeated else "pass", found=found)


def _single_checks(
    release: Written, facts: dict[str, Any], policy: Policy, outside: Outside
) -> Iterator[Check]:
    """A table with one row per person."""
    entry = facts["tables"][ONE_TABLE]
    yield from release.check(facts, {ONE_TABLE: entry})
    known = known_fields(policy)
    yield same_as_said("fields that the recipient may know", facts["known_fields"], list(known))
    with release.opened(entry) as table:
        yield from field_checks(table, entry["fields"], policy)
        if policy.entity is not None:
            yield _one_row_each(table, policy)
        rows = int(entry["rows"].get("after_steps", entry["rows"]["source"]))
        models = models_for(
            policy, known, rows, populations=known_weights(policy, known, table), hierarchies={}
        )
        found = recount(table, known, models, sensitive=needed_fields(policy, known))
    yield rows_check(entry, policy)
    yield from recoding_checks(facts, policy)
    asked = solver_of_table(policy, models, known, numeric=told_numeric(facts))
    yield solver_check(facts, [asked])
    distinct = {name: found.bins.distinct(name) for name in known}
    yield words_check(facts, entry["fields"], policy, distinct=distinct, rows=found.rows)
    yield from _figures(facts, policy, found.rows)
    more = outside.models(facts, known)
    required = [
        *required_of_bins(policy, known, rows, bins=found.bins),
        *required_of_texts(policy.fields),
    ]
    yield same_as_said("rows released", entry["rows"]["released"], found.rows)
    yield limit_check(policy, entry["left_out"], released=found.rows)
    yield from verdict_checks(
        facts["verdicts"], required, (*found.verdicts, *more.judged(found.bins))
    )


def _figures(facts: dict[str, Any], policy: Policy, rows: int) -> Iterator[Check]:
    """The figures of usefulness and households, as far as they are about rows and fields."""
    utility = facts["utility"]
    said = [utility["rows_released"], utility["rows_suppressed"], sorted(utility["per_field"])]
    now = [rows, facts["tables"][ONE_TABLE]["rows"]["suppressed"], sorted(facts["known_fields"])]
    yield same_as_said("rows and fields whose usefulness is stated", said, now)
    yield same_as_said("household", facts.get("household", {}).get("field"), policy.household)


def _ancestors(facts: dict[str, Any]) -> Check:
    """A value that a step made up, exchanged or moved is no ancestor of the collected one; it is of
    what the steps left."""
    changed = sorted(
        {name for step in facts.get("steps", []) if not step["truthful"] for name in step["fields"]}
    )
    made_up = any(step["technique"] == "add_rows" for step in facts.get("steps", []))
    if not changed and not made_up:
        return _ANCESTORS
    what = " and ".join(
        [
            *([f"of {', '.join(changed)}"] if changed else []),
            *(["in made-up rows"] if made_up else []),
        ]
    )
    return Check(
        claim=f"released values are ancestors of the source's, except {what}, which steps changed",
        outcome=_ANCESTORS.outcome,
        found=_ANCESTORS.found,
    )


def _check_parts(table: dict[str, Any]) -> None:
    """The work of a part that is not here cannot be checked, and is no pass."""
    strange = sorted(
        {
            str(step["technique"])
            for step in table.get("steps", [])
            if step["technique"] not in TECHNIQUES
        }
    )
    if strange:
        named = ", ".join(
            name if _KEY.fullmatch(name) else "one whose name is no name" for name in strange
        )
        raise Mistake(
            "The release cannot be judged here.",
            found=f"Its steps use techniques that are not installed: {named}.",
            attempt="installing the package that brings them.",
        )


def _by_hierarchy(technique: str) -> bool:
    return technique in TECHNIQUES and TECHNIQUES[technique].by_hierarchy


def policy_without_hierarchies(facts: dict[str, Any], place: Path) -> Policy:
    """The manifest's policy without its hierarchies: their files stay with the holder and are not
    needed here."""
    table = facts["policy"]
    _check_parts(table)
    require = dict(table.get("require", {}))
    led = {
        (one.get("table"), one["field"])
        for key in require
        if declared_model(key).looks_at is LooksAt.SETS
        for one in _tables(require[key])
    }
    steps = [step for step in table.get("steps", []) if _by_hierarchy(step["technique"])]
    led |= {(step.get("table"), name) for step in steps for name in step["fields"]}
    fields = {}
    if "fields" in table:
        fields["fields"] = _without_hierarchies(table["fields"], {field for _, field in led})
    if "tables" in table:
        fields["tables"] = {
            name: decided
            | {"fields": _without_hierarchies(decided["fields"], {f for t, f in led if t == name})}
            for name, decided in table["tables"].items()
        }
    for key in require:
        specs = declared_model(key).of_kind(ParameterKind.HIERARCHY)
        if specs:
            several = _tables(require[key])
            require[key] = [one | {name: _NONE for name in specs if name in one} for one in several]
    whole = table | fields | {"require": require, "solve": _known_section(facts)}
    return policy_from_table(whole, folder=place, name="the manifest's policy", undeclared=True)


def _tables(asked: Any) -> list[dict[str, Any]]:
    return asked if isinstance(asked, list) else [asked]


def _known_section(facts: dict[str, Any]) -> dict[str, object]:
    """The manifest's [solve]. Settings of other solvers, which were once ignored, stay ignored in
    releases."""
    section = facts["policy"].get("solve", {})
    solver = section.get("solver", USUAL_SOLVER)
    if isinstance(solver, str) and solver not in SOLVERS:
        package = facts.get("solver", {}).get("package", "")
        raise Mistake(
            "The release was made with a solver that is not installed here.",
            found=f'The manifest calls it "{solver[:LONGEST_PLACE]}"'
            + (f", of the package {package[:LONGEST_PLACE]}." if package else "."),
            attempt="installing the package that brings it.",
        )
    return section_with_solver(section, solver)


def _without_hierarchies(fields: dict[str, Any], sets: Container[str] = ()) -> dict[str, Any]:
    """Fields without their hierarchies and levels of these; a set-valued one must have some. That a
    field has a finest level stays, because some requirements ask for one."""
    of_hierarchies = ("hierarchy", "finest", "coarsest")
    return {
        name: {key: value for key, value in decided.items() if key not in of_hierarchies}
        | ({"hierarchy": _NONE} if name in sets else {})
        | ({"finest": _TOP} if "finest" in decided else {})
        for name, decided in fields.items()
    }


def manifest_of(release: Written) -> dict[str, Any]:
    """The manifest of a release, if it is one that this version reads."""
    return _facts(release, _manifest_text(release))


def _manifest_text(release: Written) -> str:
    try:
        return release.manifest()
    except UnicodeDecodeError:
        raise ReleaseBroken(
            f"The manifest of {release.title} is not one that Sfumato wrote."
        ) from None


def _facts(release: Written, text: str) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads(text, object_pairs_hook=_once)
        if facts["format"] != FORMAT:
            raise ReleaseBroken(
                f"The manifest of {release.title} has format {facts['format']!r:.20}; this "
                f"version reads {FORMAT}.",
                attempt="the version of Sfumato that wrote it.",
            )
        strange = [
            place[:LONGEST_PLACE] or "all of it" for place in misfits(facts, shape_of(facts))
        ]
    except SfumatoError:
        raise
    except _NOT_OURS:
        raise ReleaseBroken(
            f"The manifest of {release.title} is not one that Sfumato wrote."
        ) from None
    if strange:
        more = f" and {len(strange) - MOST_NAMED} more places" if len(strange) > MOST_NAMED else ""
        raise ReleaseBroken(
            f"The manifest of {release.title} is not one that Sfumato wrote.",
            found=f"Keys that no release has, or lacks: {', '.join(strange[:MOST_NAMED])}{more}.",
        )
    return facts


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no key occurs twice: readers would disagree about it."""
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key is there twice")
    return out
