"""Replacing in one person's documents until nothing that was masked stands in the new texts.

Replacing can lay a value bare that was no word of its own before: where "Court's" becomes
"[...]'s", what follows begins a new word. Such places are masked too, and the texts replaced anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from sfumato.text import Bid, Days, Document, RepeatValues, ReplacedDocument, replace_findings
from sfumato.text.surrogates import RealValues, Style

from .recount import Originals

MOST = 3
"""So many times at most: each masks more, so that it ends in any case."""
_REASON = "the same was masked in another place"
Findings = Sequence[tuple[Bid, ...]]


def replace_all(
    texts: Sequence[Document],
    findings: Findings,
    *,
    secret: bytes,
    style: Style,
    days: Days,
    real: RealValues,
    everywhere: RepeatValues,
    more: bool,
    known: Mapping[str, str] | None = None,
) -> tuple[Findings, tuple[ReplacedDocument, ...]]:
    """The findings, with those that replacing laid bare where `more` may be masked, and the
    documents replaced."""
    made = replace_findings(
        texts, findings, secret=secret, style=style, days=days, real=real, known=known
    )
    for _ in range(MOST if more else 0):
        wanted = (Originals.of(made).wanted, everywhere)
        bare = [tuple(_laid_bare(each, wanted)) for each in made]
        if not any(bare):
            break
        findings = [tuple(sorted((*own, *new))) for own, new in zip(findings, bare, strict=True)]
        made = replace_findings(
            texts, findings, secret=secret, style=style, days=days, real=real, known=known
        )
    return findings, made


def _laid_bare(replaced: ReplacedDocument, wanted: Sequence[RepeatValues]) -> Iterator[Bid]:
    """Findings of the old text for what stands in the new one outside of what was put there."""
    document = Document(replaced.text)
    starts = [change.new_start for change in replaced.replacements]
    taken = 0
    places = sorted(
        set(place for values in wanted for place in values.places(document)),
        key=lambda place: place[:2],
    )
    for start, end, kind in places:
        before = bisect_right(starts, start) - 1
        last = replaced.replacements[before] if before >= 0 else None
        follows = starts[before + 1] if before + 1 < len(starts) else len(replaced.text)
        if start < taken or end > follows or (last is not None and start < last.new_end):
            # A part of it was put there: it is none of the old text's, and the recount will tell.
            continue
        moved = last.end - last.new_end if last is not None else 0
        yield Bid(start + moved, end + moved, kind, 1.0, "sweeping", _REASON)
        taken = end
