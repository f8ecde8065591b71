"""Reading scrubbed text back: every text that was written is one that was scrubbed, and has no
forbidden value of its person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.engines import Engine
from sfumato.wording import counted

from .known_values import stands_in
from .messages import Forbidden
from .spill_file import Spill

_NONE = -1


class ScrubbedDigests:
    """The texts that were made, by their digest, each with the values that must not be in it;
    several people may share one."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._values = Spill()

    def add(self, text: str, forbidden: Sequence[Forbidden]) -> None:
        digest = _digest(text)
        self._places[digest] = self._values.put((self._places.get(digest, _NONE), tuple(forbidden)))

    def is_made(self, text: str) -> bool:
        return _digest(text) in self._places

    def left_in(self, text: str) -> int:
        """How many original values of the people with this text are in it."""
        left, place = 0, self._places.get(_digest(text), _NONE)
        while place != _NONE:
            place, forbidden = self._values.at(place)
            left += sum(stands_in(each, text) for each in forbidden)
        return left


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsFound:
    """The check of a text field that was read back: texts that nobody scrubbed, and originals that
    are still in it."""

    strange: int
    left: int

    def broken(self, name: str) -> list[str]:
        out = (
            [f"{name} has {counted(self.strange, 'text')} not as scrubbed"] if self.strange else []
        )
        return (
            [*out, f"{name} still has {counted(self.left, 'original value')}"] if self.left else out
        )


def recount_texts(written: Engine, name: str, passed: ScrubbedDigests) -> TextsFound:
    """Read a field of a written table back and check every text."""
    strange = left = 0
    for batch in written.distinct((name,)):
        for text in batch[name].tolist():
            if text is not None:
                strange += not passed.is_made(text)
                left += passed.left_in(text)
    return TextsFound(strange=strange, left=left)


def _digest(text: str) -> bytes:
    """Line endings are normalised: a CSV file may have those of another system."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.blake2b(lines.encode("utf-8", "surrogatepass"), digest_size=16).digest()
