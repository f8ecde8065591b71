"""The history of views: the people record of every release that was made for their recipients.

Each release is recorded before anybody can read it, so that a run that is killed counts as seen. The
list and every record bear a seal under the holder's key. So nobody without the key takes a release
out of the list, or puts another record in the place of one."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from sfumato.errors import ReleaseBroken
from sfumato.files import write_whole
from sfumato.keys import Key
from sfumato.register import Ledger
from sfumato.releases import PeopleRecord

FORMAT: Final = 2
FILE: Final = "views.json"


@dataclass(frozen=True, kw_only=True)
class ShownRelease:
    """A release that a profile was shown: its number, the levels of its fields, its tables, the
    file of its people record. `apart` is whether it was judged apart from other profiles."""

    number: int
    profile: str
    created: str
    digest: str
    record: str
    tables: tuple[str, ...]
    levels: Mapping[str, int] = field(default_factory=dict)
    apart: bool = False
    fields: tuple[str, ...] = ()
    """The fields of its people record: those that anybody was taken to know."""

    @property
    def name(self) -> str:
        return f"{self.profile} {self.number}"


class ViewHistory:
    """The holder's folder with all that was shown, oldest first, sealed under the holder's key."""

    def __init__(self, folder: Path, *, key: Key) -> None:
        self.folder = folder
        self._key = key
        self.shown: list[ShownRelease] = []
        self.read()

    def read(self) -> None:
        """Read all that was shown so far; another run may have added to it."""
        file = self.folder / FILE
        self.shown = _read(file, self._key) if file.exists() else []

    @property
    def next_number(self) -> int:
        return 1 + max((each.number for each in self.shown), default=0)

    def last(self, profile: str) -> ShownRelease | None:
        """The newest release of a profile."""
        return next((each for each in reversed(self.shown) if each.profile == profile), None)

    def make_folders(self) -> None:
        for place in (self.folder, self.records, self.releases):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def records(self) -> Path:
        return self.folder / "records"

    @property
    def releases(self) -> Path:
        return self.folder / "releases"

    def add(self, shown: list[ShownRelease]) -> None:
        """Record releases before they can be read."""
        every = [*self.shown, *shown]
        entries = [asdict(each) for each in every]
        facts = {"format": FORMAT, "shown": entries, "seal": _seal(entries, self._key)}
        write_whole(self.folder / FILE, json.dumps(facts, indent=2) + "\n")
        self.shown = every

    def held(self, apart: str = "") -> list[ShownRelease]:
        """All that recipients can combine: everything shown to profiles that are judged together,
        also to those without views now, or to a profile that is apart."""
        if apart:
            return [each for each in self.shown if each.profile == apart]
        return [each for each in self.shown if not each.apart]

    def ledger(self, shown: Iterable[ShownRelease]) -> Ledger:
        """Some releases, to be judged together."""
        ledger = Ledger()
        for each in shown:
            ledger.add(each.name, self._record(each))
        return ledger

    def _record(self, shown: ShownRelease) -> PeopleRecord:
        """The people record of a release, as it was kept."""
        record = PeopleRecord.read(self.records / shown.record)
        if record.release != shown.digest or not record.is_sealed_by(self._key):
            raise ReleaseBroken(
                f"The people record of {shown.name} was to be read from the history of views.",
                found="It is of another release, was changed, or was sealed with another key.",
                attempt="restoring the folder of the history from a backup, and the key of then.",
            )
        return record


def _seal(entries: Any, key: Key) -> str:
    """The seal of all entries, oldest first."""
    text = json.dumps(entries, sort_keys=True, separators=(",", ":"))
    return key.derive("views", "history").digest(text.encode()).hex()


def _read(file: Path, key: Key) -> list[ShownRelease]:
    try:
        facts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        is_sealed = hmac.compare_digest(str(facts["seal"]), _seal(facts["shown"], key))
        shown = [
            ShownRelease(
                **{**each, "tables": tuple(each["tables"]), "fields": tuple(each["fields"])}
            )
            for each in facts["shown"]
        ]
    except (ValueError, KeyError, TypeError):
        raise ReleaseBroken(
            f"{file} is not a history of views that this version reads.",
            attempt="the folder that `sfumato views` made; without it nobody knows what was shown.",
        ) from None
    if not is_sealed:
        raise ReleaseBroken(
            f"The history of views was to be read from {file}.",
            found="Its seal is not of this key: it was changed, or made with another key.",
            attempt="the key of all earlier runs, or restoring the folder from a backup.",
        )
    return shown
