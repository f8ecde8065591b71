"""The history of views: the people record of every release that was made for their recipients.

Each release is recorded before anybody can read it, so that a run that is killed counts as seen."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from sfumato.errors import ReleaseBroken
from sfumato.files import write_whole
from sfumato.register import Ledger
from sfumato.releases import PeopleRecord

FORMAT: Final = 1
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
    """The holder's folder with all that was shown, oldest first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown: list[ShownRelease] = []
        file = folder / FILE
        if file.exists():
            self.shown = _read(file)

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
        facts = {"format": FORMAT, "shown": [asdict(each) for each in every]}
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
            ledger.add(each.name, PeopleRecord.read(self.records / each.record))
        return ledger


def _read(file: Path) -> list[ShownRelease]:
    try:
        facts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        return [
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
