"""People who have left a table: keyed tags of them, and which of them nothing distinguished.

Somebody who returns, changed or not, is linked to earlier answers about them. They therefore return
with those who left from the same classes, as a cohort of their own. This is allowed only where
nobody of these stays away, or k do and no rule is about values. Erased people never return, nor do
those who left with them."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.hierarchies import Label

from .decide.held_rows import HeldRows
from .state import GateState


@dataclass(frozen=True, eq=False, kw_only=True)
class Departures:
    """By keyed tag of a person: the number of the classes they were shown in, or 0 where they were
    erased."""

    of_tag: Mapping[str, int] = field(default_factory=dict, repr=False)
    next_number: int = 1

    def returning(self, tags: Iterable[str], *, least_away: int | None) -> dict[str, int]:
        """Those of some people who left before and may return, with their number. Of those who left
        together, none or `least_away` stay away; without that number all return, or nobody."""
        back = {tag: self.of_tag[tag] for tag in tags if self.of_tag.get(tag, 0) > 0}
        away = Counter(self.of_tag.values())
        away.subtract(Counter(back.values()))
        enough = math.inf if least_away is None else least_away
        return {tag: number for tag, number in back.items() if not 0 < away[number] < enough}

    def with_erased(self, tags: Iterable[str]) -> Departures:
        """Some people erased, and with them all who left together with one of them: whoever of
        these returned would leave the erased person as the difference."""
        gone = set(tags)
        together = {self.of_tag[tag] for tag in gone if self.of_tag.get(tag, 0) > 0}
        kept = {tag: 0 if at in together else at for tag, at in self.of_tag.items()}
        return replace(self, of_tag={**kept, **dict.fromkeys(gone, 0)})

    def erased(self, tag: str) -> bool:
        return self.of_tag.get(tag) == 0

    def packed(self) -> str:
        """For the gate's state; `unpacked` reads it."""
        told = json.dumps([self.next_number, dict(self.of_tag)]).encode()
        return base64.b64encode(zlib.compress(told)).decode()

    @classmethod
    def unpacked(cls, content: str | None) -> Departures:
        if content is None:
            return cls()
        number, tags = json.loads(zlib.decompress(base64.b64decode(content)))
        return cls(of_tag=tags, next_number=number)


def without_erased(rows: HeldRows, state: GateState, account: str, secret: bytes) -> HeldRows:
    """Rows of a source without people who were erased here and are still there."""
    departures = read_departures(state, account)
    if not rows.person or 0 not in departures.of_tag.values():
        return rows
    gone = [
        departures.erased(person_tag(key, account=account, secret=secret))
        for key in rows.values[rows.person]
    ]
    return rows.only(~np.array(gone, bool)[rows.codes[rows.person]])


def read_departures(state: GateState, account: str) -> Departures:
    return Departures.unpacked(state.fact(departures_fact(account)))


def departures_fact(account: str) -> str:
    return f"departures of {account}"


def person_tag(key: Label, *, account: str, secret: bytes) -> str:
    """A keyed tag of a person; it discloses nothing without the gate's key."""
    told = repr((account, key)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, key=secret[:32], digest_size=9).hexdigest()
