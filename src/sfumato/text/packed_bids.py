"""Many bids in little memory: as objects, those for a long text would take more than the text."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from .bids import Bid
from .kinds import ReferenceKind


class PackedBids:
    """Bids as rows of numbers, unpacked one by one as they are read.

    Example:
        >>> packed = PackedBids([Bid(0, 4, ReferenceKind.NAME, 0.9, "x", "a word that is a name")])
        >>> len(packed), next(iter(packed)).end
        (1, 4)
    """

    def __init__(self, bids: Iterable[Bid] = ()) -> None:
        self._starts, self._ends, self._scores, self._labels = (
            array("q"),
            array("q"),
            array("d"),
            array("l"),
        )
        self._numbers: dict[tuple[ReferenceKind | None, str, str], int] = {}
        numbers = self._numbers
        for bid in bids:
            self._starts.append(bid.start)
            self._ends.append(bid.end)
            self._scores.append(bid.score)
            self._labels.append(
                numbers.setdefault((bid.kind, bid.detector, bid.reason), len(numbers))
            )

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[Bid]:
        labels = tuple(self._numbers)
        for start, end, score, number in zip(
            self._starts, self._ends, self._scores, self._labels, strict=True
        ):
            kind, detector, reason = labels[number]
            yield Bid(start, end, kind, score, detector, reason)
