"""A detector bids for a piece of text: what it takes it for, how sure it is, and why (Sweeney 2000,
section 6.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from .documents import Document
from .kinds import ReferenceKind


@dataclass(frozen=True, slots=True)
class Bid:
    """The characters from `start` up to and without `end`. `score` is from 0 to 1; at 1 nothing
    outbids it but length.

    `reason` is in words for the person who checks and holds nothing of the text. A bid of no kind
    claims words as ones to keep, such as the name of a disease: where it wins, nothing is found.
    """

    start: int
    end: int
    kind: ReferenceKind | None
    score: float
    detector: str
    reason: str = field(default="", compare=False)

    def __len__(self) -> int:
        return self.end - self.start

    def __lt__(self, other: Bid) -> bool:
        """In the order of the text; of one place, bids of no kind first."""
        one = (self.start, self.end, self.kind or "", self.score, self.detector)
        return one < (other.start, other.end, other.kind or "", other.score, other.detector)

    def moved(self, by: int) -> Bid:
        return Bid(
            self.start + by, self.end + by, self.kind, self.score, self.detector, self.reason
        )

    def overlaps(self, other: Bid) -> bool:
        return self.start < other.end and other.start < self.end


class TextDetector(Protocol):
    """One way of finding one or a few kinds of references. It sees a whole document and keeps
    nothing between two."""

    @property
    def name(self) -> str: ...

    def bid(self, document: Document) -> Iterable[Bid]: ...
