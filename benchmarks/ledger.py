"""Adding one release to a hundred about a million people, and building all of them: CPU seconds.

Each release has two fields in ranges of its own and a sensitive field of 40 values. Two kinds of
bins: a few, shifted, so that classes stay large; and bins that together distinguish nearly
everybody, which with `t` and `gain` is the slow one."""

from __future__ import annotations

import json
import resource
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

from sfumato.register import Author, Charter, LedgerRequirement, Register, release_checks
from sfumato.register.group_holdings import judge_groups
from sfumato.releases import PeopleRecord, SensitiveValues, manifest_digest
from sfumato.signatures import SigningKey

PEOPLE, RELEASES, VALUES = 1_000_000, 100, 40
CASES = {
    "classes stay large, k and l": (3, LedgerRequirement(k=5, l=2)),
    "all distinguished, k and l": (100, LedgerRequirement(k=5, l=2)),
    "all distinguished, k, l, t and gain": (100, LedgerRequirement(k=5, l=2, t=0.5, gain=0.5)),
    "classes stay large, k, l, t and gain": (3, LedgerRequirement(k=5, l=2, t=0.5, gain=0.5)),
}
"""By name: how many of the releases have ranges of their own, and what is required."""


class Source:
    """Made-up people with an age, an income and a diagnosis."""

    def __init__(self) -> None:
        chance = np.random.default_rng(1)
        self.tags = np.sort(chance.choice(1 << 62, PEOPLE, replace=False)).astype(np.uint64)
        self.readings = np.stack([self.tags + np.uint64(1 << 63), self.tags], axis=1)
        self.age = chance.integers(0, 36_500, PEOPLE)
        self.income = chance.integers(0, 100_000, PEOPLE)
        self.value = chance.integers(0, VALUES, PEOPLE).astype(np.int32)
        self.values = np.arange(VALUES, dtype=np.uint64)

    def release(self, number: int) -> PeopleRecord:
        ages = (self.age + 137 * number) // 3_650
        incomes = (self.income + 911 * number) // 5_000
        code = ages * 25 + incomes
        bins, place = np.unique(code, return_inverse=True)
        return PeopleRecord(
            release="",
            person="id",
            fields=("age", "income"),
            key_check="",
            tags=self.tags,
            bin_of=place.astype(np.int32),
            labels=np.stack([bins // 25, bins % 25], axis=1).astype(np.int32),
            sensitive={"diagnosis": SensitiveValues(tags=self.values, value_of=self.value)},
            readings=self.readings,
        )


def charter(key: SigningKey, asked: LedgerRequirement) -> Charter:
    members = {"ann": {"key": key.public.line, "roles": ["administrator", "custodian"]}}
    return Charter.of({"ledger": vars(asked), "members": members})


def folder_of(place: Path, name: str, record: PeopleRecord) -> tuple[Path, PeopleRecord]:
    """A release of which nothing but its manifest is there."""
    folder = place / name
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"sfumato": "0", "name": name}))
    return folder, replace(record, release=manifest_digest(folder))


@patch.object(release_checks, "verify", lambda *_, **__: ())  # There are manifests alone.
def measure(
    place: Path, source: Source, different: int, asked: LedgerRequirement
) -> tuple[float, float, float, int]:
    """CPU seconds of adding all releases one by one under k alone, of judging all afresh, and of
    adding one more; people below k."""
    key = SigningKey.generate()
    author = Author(name="ann", key=key)
    plain = charter(key, LedgerRequirement(k=asked.k))
    register = Register.create(place / "register", plain, author=author)
    added = 0.0
    for number in range(RELEASES):
        folder, record = folder_of(place, f"release {number}", source.release(number % different))
        started = process_time()
        register.add(folder, group="lab", author=author, people=record, imported=True)
        added += process_time() - started
    register.change_charter(charter(key, asked), author=author)
    started = process_time()
    judge_groups(replace(register.state(), classes={}), register._store)
    built = process_time() - started
    folder, record = folder_of(place, "one more", source.release(different))
    started = process_time()
    found = register.add(folder, group="lab", author=author, people=record, imported=True)
    return added, built, process_time() - started, found["lab"].below


def main() -> None:
    console, source = Console(), Source()
    headings = (
        "releases",
        "adding all s",
        "judging all s",
        "one more s",
        "people below k",
        "peak MB",
    )
    for name, (different, asked) in CASES.items():
        with TemporaryDirectory() as place:
            *seconds, below = measure(Path(place), source, different, asked)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table = Table(*headings)
        table.add_row(name, *(f"{each:.1f}" for each in seconds), f"{below:,}", f"{peak:,.0f}")
        console.print(table)  # Each case by itself: the next one takes minutes.


if __name__ == "__main__":
    main()
