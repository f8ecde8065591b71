"""What the tests of all formats need: parts with some words replaced, as scrubbing would hand them back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import pytest

from sfumato.text.formats import Opened
from sfumato.text.kinds import Kind
from sfumato.text.replacement import How, Replaced, Replacement


def replaced_words(texts: Sequence[str], words: Mapping[str, str]) -> list[Replaced]:
    """Every place of a word, also where it stands inside another, with another word in its place."""
    out: list[Replaced] = []
    for text in texts:
        pieces: list[str] = []
        done: list[Replacement] = []
        last = length = 0
        pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        for found in re.finditer(pattern, text) if words else ():
            pieces.append(text[last : found.start()])
            start = length + found.start() - last
            new = words[found.group()]
            length = start + len(new)
            done.append(
                Replacement(
                    start=found.start(),
                    end=found.end(),
                    new_start=start,
                    new_end=start + len(new),
                    kind=Kind.NAME,
                    how=How.SURROGATE,
                    original=found.group(),
                    surrogate=new,
                )
            )
            pieces.append(new)
            last = found.end()
        out.append(Replaced(text="".join((*pieces, text[last:])), replacements=tuple(done)))
    return out


@pytest.fixture
def write() -> Callable[..., bytes]:
    """Writes an opened file with words replaced."""

    def written(opened: Opened, words: Mapping[str, str] | None = None) -> bytes:
        return opened.written(replaced_words([part.text for part in opened.parts], words or {}))

    return written
