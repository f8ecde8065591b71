"""The checks of a release, its record and its names before anything is recorded."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from sfumato.errors import CandidateFailed, Mistake
from sfumato.releases import (
    MANIFEST,
    PeopleRecord,
    manifest_digest,
    outcome_of,
    people_misfit,
    verify,
)

_EVERYBODY: Final = ("everybody", "everyone", "anybody", "anyone", "all", "public")


def read_record(people: PeopleRecord | str | Path, digest: str) -> PeopleRecord:
    """The people record of the release with this manifest."""
    record = people if isinstance(people, PeopleRecord) else PeopleRecord.read(Path(people))
    if record.release != digest:
        raise Mistake(
            "A release was submitted with its people record.",
            found="The record is of another release.",
            attempt="the file that was kept when this release was made.",
        )
    return record


def check_people(release: Path, record: PeopleRecord | None, manifest: Mapping[str, Any]) -> None:
    """The bins of a record are those of the released table."""
    found = "" if record is None else people_misfit(release, record, manifest)
    if found:
        raise Mistake(
            "A release was submitted with its people record.",
            found=found,
            attempt="the file that was kept when this release was made.",
        )


def check_unbroken(release: Path, digest: str) -> None:
    if outcome_of(verify(release, digest=digest)) == "fail":
        raise CandidateFailed(
            f"The release {release.name} was not recorded.",
            found="It is not what its manifest says.",
            attempt=f"sfumato verify {release}.",
        )


def file_digest(path: Path) -> str:
    """The digest of a signed text that stays elsewhere."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Mistake(
            f"The text of the agreement was expected in {path}.", found=f"{error.strerror}."
        ) from None


def check_names(*names: str) -> None:
    for each in names:
        if not each or len(each) > 100 or not each.isprintable() or each != each.strip():
            raise Mistake(
                "A release and a group need names.",
                found="A name is empty, too long, or not printable.",
                attempt="1 to 100 printable characters with --name and --to.",
            )


def check_group(group: str, known: Iterable[str] = ()) -> None:
    """Refuse a name that reads like `everybody`, or like one of the `known` groups and is spelled
    otherwise: two spellings of one group would be judged as if they shared nothing."""
    if group.casefold() in _EVERYBODY and group != "everybody":
        raise Mistake(
            f"A release was asked for, for {group}.",
            found="The group of everybody has one name, and others hold less than it.",
            attempt="everybody, or the name of a group.",
        )
    alike = sorted({each for each in known if each != group and _folded(each) == _folded(group)})
    if alike:
        raise Mistake(
            f"The group {group} was named.",
            found=f"The register knows it as {alike[0]}; two spellings would be two groups.",
            attempt=f"{alike[0]}, or a name that differs by more than its spelling.",
        )


def _folded(name: str) -> str:
    """A name without case, accents, blanks and marks, by which spellings are compared."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(each for each in plain if each.isalnum()) or name


def release_digest(folder: Path) -> str:
    """The digest of a release's manifest, where there is one."""
    try:
        facts = json.loads((folder / MANIFEST).read_bytes())
        if not isinstance(facts, dict) or "sfumato" not in facts:
            raise ValueError("no manifest")
        return manifest_digest(folder)
    except (OSError, ValueError):
        raise Mistake(
            f"A release was expected in {folder}.",
            found=f"It has no {MANIFEST} that Sfumato wrote.",
            attempt="the folder given as --to of `sfumato release`.",
        ) from None
