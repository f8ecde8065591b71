"""What the tests of all formats need: parts with some words replaced, as scrubbing would hand them
back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import pytest

from sfumato.text.formats import OpenedFile
from sfumato.text.kinds import ReferenceKind
from sfumato.text.replacement import How, ReplacedDocument, TextReplacement


def replaced_words(texts: Sequence[str], words: Mapping[str, str]) -> list[ReplacedDocument]:
    """Every place of a word, also where it stands inside another, with another word in its
    place."""
    out: list[ReplacedDocument] = []
    for text in texts:
        pieces: list[str] = []
        done: list[TextReplacement] = []
        last = length = 0
        pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        for found in re.finditer(pattern, text) if words else ():
            pieces.append(text[last : found.start()])
            start = length + found.start() - last
            new = words[found.group()]
            length = start + len(new)
            done.append(
                TextReplacement(
                    start=found.start(),
                    end=found.end(),
                    new_start=start,
                    new_end=start + len(new),
                    kind=ReferenceKind.NAME,
                    how=How.SURROGATE,
                    original=found.group(),
                    surrogate=new,
                )
            )
            pieces.append(new)
            last = found.end()
        out.append(ReplacedDocument(text="".join((*pieces, text[last:])), replacements=tuple(done)))
    return out


@pytest.fixture
def write() -> Callable[..., bytes]:
    """Writes an opened file with words replaced."""

    def written(opened: OpenedFile, words: Mapping[str, str] | None = None) -> bytes:
        return opened.written(replaced_words([part.text for part in opened.parts], words or {}))

    return written
