"""The checks of a release, its record and its names before anything is recorded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import CandidateFailed, Mistake
from sfumato.keys import Key
from sfumato.releases import (
    MANIFEST,
    PeopleRecord,
    manifest_digest,
    outcome_of,
    people_misfit,
    record_digest,
    verify,
)


def read_record(
    people: PeopleRecord | str | Path,
    digest: str,
    *,
    manifest: Mapping[str, Any],
    key: Key | None = None,
) -> PeopleRecord:
    """The people record of the release with this manifest, which names it by its digest. One from a
    file must have the seal of the holder's key, where that is given."""
    record = people if isinstance(people, PeopleRecord) else PeopleRecord.read(Path(people))
    if record.release != digest or record_digest(manifest) not in ("", record.digest):
        raise Mistake(
            "A release was submitted with its people record.",
            found="The record is of another release, or was changed.",
            attempt="the file that was kept when this release was made.",
        )
    if key is not None and record.from_file and not record.is_sealed_by(key):
        raise Mistake(
            "A release was submitted with its people record.",
            found="Its seal is not of this key: it was changed, or made with another key."
            if record.seal
            else "It has no seal.",
            attempt="the file as it was kept when this release was made, and the key of then.",
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


def is_broken(release: Path, digest: str) -> bool:
    """Whether its files are not those of its manifest."""
    return outcome_of(verify(release, digest=digest)) == "fail"


def check_unbroken(release: Path, digest: str) -> None:
    if is_broken(release, digest):
        raise CandidateFailed(
            f"The release {release.name} was not recorded or confirmed.",
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
