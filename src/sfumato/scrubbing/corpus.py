"""Finding in a corpus without replacing anything: which spans would be masked, for measuring.

A corpus is a JSON list of {"id", "text", ...}. It is read piece by piece, so that its size does not
matter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO, TypeVar

from sfumato.errors import Mistake, SourceError
from sfumato.runs import processes, worked
from sfumato.text import OwnDetector, Purpose, ReferenceKind, TextDetector, own_detectors
from sfumato.text.detectors import Detectors, detectors, usual_set

Word = TypeVar("Word", bound=StrEnum)
Given = TypeVar("Given")
_NEXT = re.compile(r"\s*[],]")
CHUNK = 1 << 20
TOGETHER = 50_000
"""So many characters of short texts are looked at together."""
Span = tuple[int, int, str, float, str]
"""Start, end, kind, score and the detector, or several of them joined by +."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindSettings:
    """The settings of finding: its purpose, the least scores, the detectors."""

    purpose: Purpose = Purpose.SINGLING_OUT
    thresholds: Mapping[ReferenceKind, float] = field(default_factory=dict)
    detectors: Detectors = field(default_factory=usual_set)
    own: tuple[OwnDetector, ...] = field(default=(), repr=False)

    def chosen(self) -> tuple[TextDetector, ...]:
        """The detectors of the set, and those of the user's own."""
        return (*detectors(self.detectors), *self.own)


def looking_for(
    *,
    purpose: str,
    thresholds: Mapping[str, float] | None = None,
    detectors: str | None = None,
    patterns: Mapping[str, str] | None = None,
    words: Mapping[str, str | Path] | None = None,
    templates: Mapping[str, str | Path] | None = None,
) -> FindSettings:
    """The kinds to look for, from words as a person writes them. `patterns` are regular expressions
    and `words` files with one entry for each line, by name; a kind may follow the name, as in
    "study:record number". Where no set of detectors is named, the transformer reads too if its
    extra is installed.

    Example:
        >>> looking_for(purpose="singling-out", thresholds={"name": 0.3}).thresholds
        {<ReferenceKind.NAME: 'name'>: 0.3}
    """
    return FindSettings(
        purpose=one_of(Purpose, purpose, "purpose"),
        thresholds={
            one_of(ReferenceKind, kind, "kind"): _share(least)
            for kind, least in (thresholds or {}).items()
        },
        detectors=one_of(Detectors, detectors, "set of detectors") if detectors else usual_set(),
        own=own_detectors(
            patterns={name: (kind, pattern) for (name, kind), pattern in _by_name(patterns or {})},
            words={name: (kind, Path(file)) for (name, kind), file in _by_name(words or {})},
            templates={name: Path(file) for name, file in (templates or {}).items()},
        ),
    )


def _by_name(given: Mapping[str, Given]) -> Iterator[tuple[tuple[str, str], Given]]:
    """Names and kinds apart; "other" where there is no kind."""
    for called, what in given.items():
        name, _, kind = called.partition(":")
        yield (
            (
                name.strip(),
                str(one_of(ReferenceKind, kind.strip(), "kind")) if kind.strip() else "other",
            ),
            what,
        )


def one_of(words: type[Word], asked: str, what: str) -> Word:
    """The member of an enumeration that a word names; also with hyphens for blanks, as a shell
    likes it."""
    for spelling in (str(asked), str(asked).replace("-", " ")):
        if spelling in list(words):
            return words(spelling)
    raise Mistake(f"There is no {what} called {asked!r}.", attempt=f"{', '.join(words)}.")


def _share(least: float) -> float:
    if not 0 <= least <= 1:
        raise Mistake(f"A threshold of {least:g} was asked for.", attempt="a number from 0 to 1.")
    return float(least)


def find_in_corpus(
    path: Path, looking: FindSettings | None = None, *, jobs: int = 1
) -> Iterator[tuple[str, list[Span]]]:
    """The spans that would be masked in each text of a corpus, in its order; each text is somebody
    else's."""
    wanted = looking or FindSettings()
    wanted.chosen()  # A missing extra is told here, not by a process.
    count = processes(jobs, path.stat().st_size if path.exists() else 0)
    pieces = _together(_corpus(path))
    for found in worked(_look, pieces, ready=_prepared, told=(wanted,), jobs=count):
        yield from found


def _prepared(looking: FindSettings) -> FindSettings:
    return looking


def _look(looking: FindSettings, piece: list[tuple[str, str]]) -> list[tuple[str, list[Span]]]:
    from sfumato.text import Document, find_together, read_ahead

    chosen = looking.chosen()
    out = []
    for document in read_ahead([Document(text, name=name) for name, text in piece], chosen):
        found = find_together(
            [document], purpose=looking.purpose, thresholds=looking.thresholds, detectors=chosen
        )
        spans = [
            (bid.start, bid.end, str(bid.kind), bid.score, bid.detector) for bid in found.masked[0]
        ]
        out.append((document.name, spans))
    return out


def _together(texts: Iterator[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Short texts some at a time: they are faster so."""
    piece: list[tuple[str, str]] = []
    for name, text in texts:
        piece.append((name, text))
        if sum(len(text) for _, text in piece) >= TOGETHER:
            yield piece
            piece = []
    if piece:
        yield piece


def _corpus(path: Path) -> Iterator[tuple[str, str]]:
    """The names and texts, each checked."""
    seen = set[str]()
    for number, entry in enumerate(_entries(path), start=1):
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("text"), str)
            or "id" not in entry
        ):
            raise SourceError(
                f"Entry {number:,} of {path} is no text with an id.",
                attempt='a list of {"id": ..., "text": ...}.',
            )
        name = str(entry["id"])
        if name in seen:
            raise SourceError(
                f"Entry {number:,} of {path} has the id of an earlier one.",
                attempt="ids that differ.",
            )
        seen.add(name)
        yield name, entry["text"]


def _entries(path: Path) -> Iterator[Any]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from _list(file)
    except IsADirectoryError:
        raise SourceError(
            f"{path} is a folder, and a corpus is one file.",
            attempt='a JSON list of {"id": ..., "text": ...}; or '
            "sfumato scrub FOLDER --to DIR --review DIR2, which marks each finding on a page.",
        ) from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read.", found=f"{error.strerror}.") from None
    except ValueError:  # Also what is not UTF-8. The messages would quote the file.
        raise SourceError(
            f"{path} is no JSON list.", attempt='a list of {"id": ..., "text": ...}.'
        ) from None


def _list(file: TextIO) -> Iterator[Any]:
    """The entries of a JSON list, one after the other."""
    stream = _Stream(file)
    stream.take("[")
    if stream.next_mark() != "]":
        yield stream.entry()
        while stream.next_mark() != "]":
            stream.take(",")
            yield stream.entry()
    stream.take("]")
    if stream.next_mark():
        raise ValueError


class _Stream:
    """A file of JSON, of which as much is held as the next entry needs."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._held, self._at = file, "", 0
        self._decoder = json.JSONDecoder()

    def next_mark(self) -> str:
        """The next character that is not blank; nothing at the end."""
        while True:
            while self._at < len(self._held):
                if not self._held[self._at].isspace():
                    return self._held[self._at]
                self._at += 1
            self._held, self._at = self._file.read(CHUNK), 0
            if not self._held:
                return ""

    def take(self, mark: str) -> None:
        if self.next_mark() != mark:
            raise ValueError
        self._at += 1

    def entry(self) -> Any:
        """The entry that starts here; as much is read as it needs, each time twice as much."""
        self.next_mark()
        while True:
            try:
                entry, end = self._decoder.raw_decode(self._held, self._at)
                if _NEXT.match(self._held, end):  # Else a number may go on.
                    self._at = end
                    return entry
            except ValueError:
                pass
            rest = self._held[self._at :]
            chunk = self._file.read(max(CHUNK, len(rest)))
            if not chunk:
                raise ValueError
            self._held, self._at = rest + chunk, 0
