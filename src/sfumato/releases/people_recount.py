"""Whether a people record is of a release: its digest in the manifest, and its bins, counted again in
the released table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .checks import Check
from .finished_release import written
from .manifest import ReleaseShape
from .people_record import PEOPLE_RECORD, PeopleRecord


def record_digest(manifest: Mapping[str, Any]) -> str:
    """The digest of the people record that a manifest names; empty where it names none."""
    return str(manifest.get(PEOPLE_RECORD, {}).get("sha256", ""))


def people_record_checks(
    facts: Mapping[str, Any], *, given: PeopleRecord | None, digest: str
) -> Iterator[Check]:
    """Whether a people record is that of the release whose manifest has this digest. No key is
    needed."""
    if given is None:
        return
    named = record_digest(facts)
    found = (
        "its manifest names no people record"
        if not named
        else "its manifest names another people record"
        if named != given.digest
        else "the record names another release"
        if given.release != digest
        else ""
    )
    yield Check(
        claim="the people record is the one that was kept of this release",
        outcome="fail" if found else "pass",
        found=found or "each names the digest of the other",
    )


def people_misfit(place: Path, record: PeopleRecord, manifest: Mapping[str, Any]) -> str:
    """Why a record is not of this release, in words; nothing where it fits. Tables with several
    rows per person, or with cells that steps changed, cannot be compared, and give nothing either.

    A released table does not show the person of a row. It does show how many people have the same
    labels."""
    if manifest.get("shape") != ReleaseShape.ONE_ROW_EACH or manifest["policy"].get("steps"):
        return ""
    known = set(manifest.get("known_fields", ()))
    released = {
        name
        for table in manifest["tables"].values()
        for name, words in table["fields"].items()
        if not str(words).startswith("removed")
    }
    if (known & released) - set(record.fields) or set(record.fields) - released:
        return "It has other fields than those that the release counts as known."
    (facts,) = manifest["tables"].values()
    if not record.fields:
        return "" if facts["rows"]["released"] >= record.people else "It has more people."
    with written(place).opened(facts) as engine:
        counts = engine.frequencies(record.fields).counts
    own = np.bincount(record.bin_of, minlength=len(record.labels))
    missing = int(counts.sum()) - record.people
    if missing > 0 and record.not_judged:  # Rows without a person are in no bin of the record.
        return ""
    return (
        ""
        if np.array_equal(np.sort(counts), np.sort(own[own > 0]))
        else "Its bins have other sizes than those of the released table."
    )
