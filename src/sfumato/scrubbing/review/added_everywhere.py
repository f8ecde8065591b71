"""Everywhere: what a person added in one place is masked wherever it stands, in a part and misspelt
too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from sfumato.text import (
    THRESHOLD,
    Bid,
    Document,
    KnownNames,
    ReferenceKind,
    as_seen,
    spread,
    visible,
)

Asked = tuple[str, ReferenceKind]
"""The words, and what they are."""
_BY = "review"


class Everywhere:
    """What is to be masked wherever it stands. Made once for all documents in which it is looked
    for.

    Example:
        >>> asked = Everywhere([("Dot Long", ReferenceKind.NAME)])
        >>> text = "DOT LONG came. Dot is 7. A dot."
        >>> [text[bid.start : bid.end] for bid in asked.bids(Document(text))]
        ['DOT LONG', 'Dot']
    """

    def __init__(self, asked: Iterable[Asked]) -> None:
        self._kinds = {_plain(visible(text)): kind for text, kind in asked}
        longest_first = sorted(self._kinds, key=lambda text: (-len(text), text))
        self._pattern = (
            re.compile("|".join(map(_written, longest_first)), re.UNICODE) if self._kinds else None
        )
        self._known = reduce(
            or_, (_known(text, kind) for text, kind in self._kinds.items()), KnownNames()
        )

    def bids(self, document: Document) -> tuple[Bid, ...]:
        """Where it stands: word for word first, then in parts, as a nickname or misspelt."""
        if self._pattern is None:
            return ()
        seen = as_seen(document)
        text = seen.document
        kinds = self._kinds | {words.upper(): kind for words, kind in self._kinds.items()}
        exact = [
            Bid(
                found.start(),
                found.end(),
                kinds[_plain(found.group())],
                1.0,
                _BY,
                "asked for everywhere",
            )
            for found in self._pattern.finditer(text.text)
        ]
        wider: Sequence[Bid] = (
            spread(text, (), elsewhere=self._known) if self._known != KnownNames() else ()
        )
        taken = bytearray(len(text.text))
        for bid in exact:
            taken[bid.start : bid.end] = b"\1" * len(bid)
        near = [
            bid for bid in wider if bid.score >= THRESHOLD and 1 not in taken[bid.start : bid.end]
        ]
        return tuple(sorted(map(seen.back, (*exact, *near))))


def _known(text: str, kind: ReferenceKind) -> KnownNames:
    return KnownNames.of(Document(text), [Bid(0, len(text), kind, 1.0, _BY)])


def _plain(text: str) -> str:
    return " ".join(text.split())


def _written(text: str) -> str:
    """As it is written or in capitals, with any blanks between its words, and not within a longer
    word."""
    before = r"(?<!\w)" if _is_word(text[0]) else ""
    after = r"(?!\w)" if _is_word(text[-1]) else ""
    forms = dict.fromkeys((text, text.upper()))
    return (
        before
        + "(?:"
        + "|".join(r"\s+".join(map(re.escape, form.split())) for form in forms)
        + ")"
        + after
    )


def _is_word(mark: str) -> bool:
    return mark.isalnum() or mark == "_"
