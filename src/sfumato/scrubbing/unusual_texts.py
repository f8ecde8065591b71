"""The written texts that are unusual in the collection: those to read first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.text import judged

from .replace_pass import Wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusual:
    """An unusual text: the written file, its place there ("" for the whole of it), and its score
    from 0 to 1."""

    file: str
    where: str
    score: float


def unusual_in(wrote: Sequence[Wrote]) -> tuple[Unusual, ...]:
    """The unusual texts, the most unusual first."""
    texts = [(each.name, where, score) for each in wrote for where, score in each.scores]
    found = [
        Unusual(file=name, where=where, score=verdict.score)
        for (name, where, _), verdict in zip(
            texts, judged([score for *_, score in texts]), strict=True
        )
        if verdict.stands_out and verdict.score is not None
    ]
    return tuple(sorted(found, key=lambda each: (-each.score, each.file, each.where)))
