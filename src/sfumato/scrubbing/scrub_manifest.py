"""The manifest of scrubbed files. It holds counts and digests of what was written, nothing of the
text.

No digest of a source is in it: of a short note it would let a guess be confirmed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.releases import Manifest, ReleaseShape, needs_review
from sfumato.releases.identifiers import key_words
from sfumato.text import DE_IDENTIFIED, How, ReferenceKind
from sfumato.text.detectors import weights_of
from sfumato.text.surrogates import Style

from .replace_pass import Wrote
from .request import Names, ScrubRequest
from .unusual_texts import Unusual

if TYPE_CHECKING:
    from .table_knowledge import Beside


def describe(
    asked: ScrubRequest,
    wrote: Sequence[Wrote],
    *,
    unusual: Sequence[Unusual],
    skipped: int,
    kept_key: bool,
    created: str,
    checked: bool | Mapping[str, Any] = False,
    beside: Beside | None = None,
) -> Manifest:
    """The manifest of scrubbed files. `checked` is whether a person decided, or who did and what
    they changed."""
    looking = asked.looking
    scrubbed = {
        "files": [_file(each) for each in wrote],
        "findings": by_kind(wrote),
        "unusual": [
            {"file": each.file, "where": each.where, "score": round(each.score, 3)}
            for each in unusual
        ],
        "files_skipped": skipped,
        "found_again": sum(each.found_again for each in wrote),
        "languages": languages_in(wrote),
        "unreadable_pages": sum(each.seen.unreadable for each in wrote),
        "purpose": str(looking.purpose),
        "thresholds": {str(kind): least for kind, least in sorted(looking.thresholds.items())},
        "detectors": {
            "set": str(looking.detectors),
            "names": [detector.name for detector in looking.chosen()],
            "weights": weights_of(looking.detectors),
        },
        "style": _style(asked.style),
        "names": "numbered in an order that only the key reveals"
        if asked.names is Names.NUMBERED
        else "kept",
        "key": key_words(kept=kept_key),
        "linked_tables": _beside(beside),
        "checked_by_a_person": dict(checked) if isinstance(checked, Mapping) else checked,
    }
    return Manifest(
        shape=ReleaseShape.LETTERS,
        created=created,
        outcome="review" if needs_review(scrubbed) else "pass",
        sections={"statement": DE_IDENTIFIED, "scrubbed": scrubbed},
    )


def languages_in(wrote: Sequence[Wrote]) -> dict[str, int]:
    """In how many passages each language is used, the most usual first."""
    total: Counter[str] = Counter()
    for each in wrote:
        total.update(each.languages)
    return dict(sorted(total.items(), key=lambda each: (-each[1], each[0])))


def _beside(beside: Beside | None) -> dict[str, Any]:
    """The common parts of letters and their tables."""
    if beside is None:
        return {}
    return {
        "person": beside.per,
        "dates": "moved as in the tables"
        if beside.shift
        else "moved by a number of days of their own",
        "names": "as in the tables where these have them"
        if beside.given
        else "drawn for the letters",
    }


def by_kind(wrote: Sequence[Wrote]) -> dict[str, dict[str, int]]:
    """The number of findings by kind and treatment; combinations that did not occur are left
    out."""
    total: Counter[tuple[ReferenceKind, How]] = Counter()
    for each in wrote:
        total.update(each.counts)
    out: dict[str, dict[str, int]] = {}
    for kind in ReferenceKind:
        became = {str(how): total[kind, how] for how in How if total[kind, how]}
        if became:
            out[str(kind)] = became
    return out


def _file(wrote: Wrote) -> dict[str, Any]:
    facts: Mapping[str, Any] = {
        "file": wrote.name,
        "sha256": wrote.sha256,
        "bytes": wrote.size,
        "format": wrote.seen.format,
        "texts": wrote.parts,
        "languages": dict(sorted(wrote.languages.items())),
        "findings": sum(wrote.counts.values()),
        "left_out": list(wrote.seen.left_out),
    }
    return dict(facts)


def _style(style: Style) -> dict[str, Any]:
    return {
        "method": str(style.method),
        "by_kind": {str(kind): str(method) for kind, method in sorted(style.by_kind.items())},
        "keep": sorted(map(str, style.keep)),
        "dates": str(style.dates),
        "places": str(style.places),
        "unsure": str(style.unsure),
    }
