"""The content of a release for the ledger: bins of people, private noise, or something unjudged.

A table of people has its people record. A table that was made with private noise has its account.
Its charges are in the register's account, or are added to it with the release. Of anything else the
register records only that it was released."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sfumato.accounting import (
    FROM_THE_POLICY,
    AccountBook,
    Measurement,
    PrivacyLimit,
    ReadCharges,
    check_account,
    epsilon_of_sum,
)
from sfumato.errors import CandidateFailed, Mistake
from sfumato.keys import Key
from sfumato.releases import MANIFEST, PeopleRecord, ReleaseShape

from .release_checks import file_digest, read_record, release_digest

UNKNOWN_ROWS: Final = "no people record was kept"
UNSEALED: Final = "nobody checked its people record with the holder's key"
OTHER_TOOL: Final = "it has no manifest, and nobody can say how it was made"
OTHER_KEY: Final = "its people were numbered with another key, and are taken to be the same"
UNJUDGED: Final = {
    ReleaseShape.LETTERS: "texts are not judged",
    ReleaseShape.SYNTHETIC: "synthetic rows without private noise are not judged",
    ReleaseShape.TABLES_OF_COUNTS: "counts without private noise are not judged",
}
"""Shapes of releases that nobody can judge with others: a group that holds one is at review."""
UNCONFIRMED: Final = "imported, and nobody but its importer confirmed it"
MOST_FILES: Final = 10_000


@dataclass(frozen=True, kw_only=True)
class PrivateCharges:
    """The cost of a release to its people, by its manifest: the lines, their delta, and the run by
    which an account knows them."""

    lines: tuple[Measurement, ...]
    delta: float
    run: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseContent:
    """A release that is to be recorded: its digest, and its known content."""

    digest: str
    record: PeopleRecord | None = None
    charges: PrivateCharges | None = None
    not_judged: tuple[str, ...] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def replaced_fields(self) -> tuple[str, ...]:
        """Released fields that its people record does not have, such as pseudonyms."""
        record, tables = self.record, self.manifest.get("tables", {})
        if record is None:
            return ()
        known = {*record.fields, *record.sensitive, *record.uncounted}
        called = [
            (name, f"{table}.{name}" if len(tables) > 1 else name)
            for table, facts in tables.items()
            for name in released_fields(facts)
        ]
        return tuple(full for name, full in called if not {name, full} & known)


def read_content(
    place: Path,
    people: PeopleRecord | str | Path | None,
    *,
    imported: bool,
    key: Key | None = None,
) -> ReleaseContent:
    """The content of a folder or a file for the ledger. Something that Sfumato did not make, or
    whose people nobody kept, can only be imported. A people record from a file is checked with the
    holder's key; without it, the release is not judged."""
    if imported and not (place / MANIFEST).is_file():
        return ReleaseContent(digest=digest_of_files(place), not_judged=(OTHER_TOOL,))
    digest = release_digest(place)
    manifest: Mapping[str, Any] = json.loads((place / MANIFEST).read_bytes())
    if people is not None:
        record = read_record(people, digest, manifest=manifest, key=key)
        why = (UNSEALED,) if key is None and record.from_file else ()
        return ReleaseContent(digest=digest, record=record, not_judged=why, manifest=manifest)
    if isinstance(manifest.get("account"), dict):
        return _private(digest, manifest, imported=imported)
    unjudged = UNJUDGED.get(manifest.get("shape", ""))
    if unjudged is not None:
        return ReleaseContent(digest=digest, not_judged=(unjudged,), manifest=manifest)
    if not imported:
        raise Mistake(
            "A release was submitted.",
            found="Without its people record nobody can judge it.",
            attempt="--people FILE, as `sfumato release --keep-people` wrote it.",
        )
    return ReleaseContent(digest=digest, not_judged=(UNKNOWN_ROWS,), manifest=manifest)


def _private(digest: str, manifest: Mapping[str, Any], *, imported: bool) -> ReleaseContent:
    account = manifest["account"]
    broken = check_account(account)
    if broken and not imported:
        raise CandidateFailed(
            "A private release was to be added; nothing was recorded.",
            found=f"Its account does not add up: {'; '.join(broken)}.",
            attempt="sfumato verify.",
        )
    if broken:
        return ReleaseContent(
            digest=digest, not_judged=("its account does not add up",), manifest=manifest
        )
    outside = [words for words in account["outside"] if not words.endswith(FROM_THE_POLICY)]
    charges = PrivateCharges(
        lines=tuple(map(Measurement.from_dict, account["measurements"])),
        delta=float(account["delta"]),
        run=str(account.get("run", "")),
    )
    return ReleaseContent(
        digest=digest,
        charges=charges,
        not_judged=tuple(f"outside the private account: {words}" for words in outside),
        manifest=manifest,
    )


def charge_release(
    book: AccountBook, content: ReleaseContent, limit: PrivacyLimit | None, *, imported: bool
) -> None:
    """Add the cost of a release to the register's account, unless it was charged there when it was
    made, or with an earlier group. Refused beyond the limit; an import is charged whatever it
    costs."""
    charges = content.charges
    if charges is None:
        return
    if not book.is_open:
        delta = charges.delta if limit is None else limit.delta
        book.open(delta=delta, epsilon=None if limit is None else limit.epsilon)
    charged = book.read()
    own = f"release {content.digest}"
    if charges.run and charged.charged_in(charges.run) == charges.lines:
        return
    if not charged.charged_in(own):
        book.append(charges.lines, run=own, after=charged)
    if not imported and limit is not None and charged.rho > limit.rho(charged.selected):
        raise CandidateFailed(
            "A private release was to be recorded; nothing was.",
            found=f"It would bring epsilon over everything that is private to "
            f"{epsilon_of_sum(charged.rho, charged.selected, limit.delta):.3g}, and the charter "
            f"allows {limit.epsilon:g} at delta {limit.delta:g}.",
            attempt="a release with more noise, or a higher limit that somebody decides on.",
        )


@dataclass(frozen=True, kw_only=True)
class AccountVerdict:
    """The cost to one person of everything private about the people of a register: releases,
    synthetic tables and the answers of a gate."""

    charges: int
    epsilon: float
    delta: float
    limit: float | None

    @classmethod
    def of(cls, charged: ReadCharges | None, limit: PrivacyLimit | None) -> AccountVerdict | None:
        """None where nothing was charged."""
        if charged is None or not charged.lines:
            return None
        delta = charged.delta if limit is None else limit.delta
        return cls(
            charges=len(charged.lines),
            epsilon=epsilon_of_sum(charged.rho, charged.selected, delta),
            delta=delta,
            limit=None if limit is None else limit.epsilon,
        )

    @property
    def is_beyond(self) -> bool:
        return self.limit is not None and self.epsilon > self.limit

    @property
    def reason(self) -> str:
        spent = f"epsilon {self.epsilon:.3g} at delta {self.delta:g} over everything private"
        if self.limit is None:
            return f"{spent}, without a limit in the charter"
        return f"{spent}, of {self.limit:g}"


def released_fields(table: Mapping[str, Any]) -> list[str]:
    """The fields of a released table that are in it, by its part of a manifest."""
    return [
        str(name)
        for name, words in table.get("fields", {}).items()
        if not str(words).startswith("removed")
    ]


def digest_of_files(place: Path) -> str:
    """The digest of a file, or of all files of a folder with their names."""
    if place.is_file():
        return file_digest(place)
    if not place.is_dir():
        raise Mistake(
            f"A release was to be read from {place}.",
            found="There is none.",
            attempt="a folder or a file.",
        )
    files = sorted(each for each in place.rglob("*") if each.is_file())
    if not files or len(files) > MOST_FILES:
        raise Mistake(
            f"A release was to be read from {place}.",
            found="It holds no file." if not files else f"It holds more than {MOST_FILES:,} files.",
            attempt="the folder with the files that left.",
        )
    told = hashlib.sha256()
    for each in files:
        told.update(f"{each.relative_to(place).as_posix()}\0{file_digest(each)}\n".encode())
    return told.hexdigest()
