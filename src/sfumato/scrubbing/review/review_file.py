"""The review file: JSON that a person can read and correct in any editor, one finding to a line.

`docs/text/review.md` has the format. The file holds originals in clear.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from math import floor
from typing import Any

from sfumato.text import Document

from .entries import Entry

FORMAT = "sfumato text review 1"
HOLDS = "This file holds originals in clear. It must stay with the holder of the data."
MASK, KEEP = "mask", "keep"
Key = tuple[str, str, int]
"""How a review names a document: its name, the digest of its text, and which of several alike it
is."""

# What an editor would not show, or would show in another order: written as \uXXXX.
_HIDDEN = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def keys_of(documents: Iterable[Document]) -> list[Key]:
    """The keys of a collection, in its order.

    Example:
        >>> [copy for _, _, copy in keys_of([Document("a"), Document("b"), Document("a")])]
        [1, 1, 2]
    """
    seen: Counter[tuple[str, str]] = Counter()
    out = []
    for document in documents:
        same = document.name, digest_of(document.text)
        seen[same] += 1
        out.append((*same, seen[same]))
    return out


def heading(key: Key, *, stands_out: bool) -> dict[str, Any]:
    """The head of a document's review, before its findings."""
    name, digest, copy = key
    return {
        "name": name,
        "digest": digest,
        **({"copy": copy} if copy > 1 else {}),
        "unusual": stands_out,
    }


def line(entry: Entry) -> dict[str, Any]:
    """One finding as the review file has it. The score is cut and not rounded, so that none passes
    a threshold by it.

    Example:
        >>> from sfumato.text.kinds import ReferenceKind
        >>> about = {"kind": ReferenceKind.NAME, "score": 0.4999, "detector": "x", "reason": "", "decided": ""}
        >>> line(Entry(start=0, end=4, masks=False, text="Anna", **about))["score"]
        0.499
    """
    return {
        "start": entry.start,
        "end": entry.end,
        "text": entry.text,
        "kind": str(entry.kind),
        "mask": entry.masks,
        **({} if entry.put is None else {"replaced by": entry.put, "how": entry.how}),
        "score": floor(entry.score * 1000) / 1000,
        "found by": entry.detector,
        "why": entry.reason,
        "proposed": f"{MASK if entry.masks else KEEP} as {entry.kind}",
        "decided": entry.decided,
    }


def pieces(
    purpose: str, documents: Iterable[tuple[dict[str, Any], Iterable[Entry]]]
) -> Iterator[str]:
    """The file piece by piece, so that a large collection need not be held twice."""
    opening = {
        "format": FORMAT,
        "holds": HOLDS,
        "purpose": purpose,
        "whole": True,
        "reviewer": "",
        "everywhere": [],
    }
    yield "{\n" + "".join(f" {written(key)}: {written(value)},\n" for key, value in opening.items())
    yield ' "documents": ['
    for place, (about, entries) in enumerate(documents):
        yield ",\n" if place else "\n"
        yield "  {\n" + "".join(
            f"   {written(key)}: {written(value)},\n" for key, value in about.items()
        )
        lines = ",\n".join(f"    {written(line(entry))}" for entry in entries)
        yield '   "findings": [' + (f"\n{lines}\n   " if lines else "") + "]\n  }"
    yield "\n ]\n}\n"


def written(value: Any) -> str:
    """As JSON, readable, with hidden characters spelled out.

    Example:
        >>> print(written({"text": "Zoë" + chr(0x202E)}))
        {"text": "Zoë\\u202e"}
    """
    return _HIDDEN.sub(_spelled, json.dumps(value, ensure_ascii=False))


def _spelled(found: re.Match[str]) -> str:
    return json.dumps(found.group())[1:-1]
