"""Detectors of a user's own: patterns and word lists. They bid like the others, and their findings
are masked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from sfumato.errors import Mistake
from sfumato.patterns import SECONDS, PatternRefused, PatternTooSlow, checked_pattern, matches_of

from .bids import Bid
from .documents import Document
from .kinds import ReferenceKind

OWN: Final = "own:"
"""How the names of these detectors start in findings and manifests."""
SCORE: Final = 0.99
MOST_BYTES: Final = 64 << 20
"""Of a word list."""

_NAME = re.compile(r"[\w-][\w .-]{0,49}")
_WORD = re.compile(r"[^\W_]+")
_BEFORE, _AFTER = r"(?<![^\W_])", r"(?![^\W_])"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPattern:
    """Everything that a regular expression matches is one reference of a kind.

    Example:
        >>> study = OwnPattern(name="own:study", kind=ReferenceKind.RECORD_NUMBER, pattern=r"ST-\\d{4}")
        >>> [(bid.start, bid.end, bid.kind.value) for bid in study.bid(Document("In ST-1234 since May."))]
        [(3, 10, 'record number')]
    """

    name: str
    kind: ReferenceKind
    pattern: str = field(repr=False)

    def bid(self, document: Document) -> Iterable[Bid]:
        reason = f'the pattern "{self.name.removeprefix(OWN)}"'
        try:
            for match in matches_of(_compiled(self.pattern), document.text):
                yield Bid(match.start(), match.end(), self.kind, SCORE, self.name, reason)
        except PatternTooSlow:
            raise Mistake(
                f"{reason.capitalize()} was matched.",
                found=f"It takes more than {SECONDS:g} seconds for one text.",
                attempt="a pattern with fewer repeats, or a word list.",
            ) from None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return checked_pattern(pattern)


class OwnWords:
    """Every entry of a list is one reference of a kind, as whole words anywhere, in any case.

    Blanks within an entry match any blanks. Letters and digits before or behind make another word
    of it.

    Example:
        >>> wards = OwnWords("own:wards", ["Maple Ward", "C++"], kind=ReferenceKind.OTHER)
        >>> [(bid.start, bid.end) for bid in wards.bid(Document("maple  ward's C++, not Maple Wards."))]
        [(0, 11), (14, 17)]
    """

    def __init__(self, name: str, entries: Iterable[str], *, kind: ReferenceKind) -> None:
        self.name, self.kind = name, kind
        by_first: dict[str, dict[tuple[int, str], None]] = {}
        for entry in entries:
            first = _WORD.search(entry)
            if first is not None:
                by_first.setdefault(first.group().casefold(), {})[(first.start(), entry)] = None
        self._by_first = {first: tuple(entries) for first, entries in by_first.items()}

    def __repr__(self) -> str:
        return f"OwnWords(name={self.name!r}, kind={self.kind.value!r}, words={len(self)})"

    def __len__(self) -> int:
        return sum(map(len, self._by_first.values()))

    def bid(self, document: Document) -> Iterable[Bid]:
        text = document.text
        reason = f'the word list "{self.name.removeprefix(OWN)}"'
        for word in _WORD.finditer(text):
            for lead, entry in self._by_first.get(word.group().casefold(), ()):
                match = (
                    _as_words(entry).match(text, word.start() - lead)
                    if word.start() >= lead
                    else None
                )
                if match is not None:
                    yield Bid(match.start(), match.end(), self.kind, SCORE, self.name, reason)


@cache
def _as_words(entry: str) -> re.Pattern[str]:
    written = r"\s+".join(re.escape(part) for part in entry.split())
    before = _BEFORE if _WORD.match(entry) else ""
    after = _AFTER if _WORD.match(entry[-1]) else ""
    return re.compile(f"{before}{written}{after}", re.IGNORECASE)


def own_detectors(
    *,
    patterns: Mapping[str, tuple[str, str]],
    words: Mapping[str, tuple[str, Path]],
    templates: Mapping[str, Path] | None = None,
) -> tuple[OwnDetector, ...]:
    """The detectors of patterns and word lists by name, each with the kind of its references; every
    problem at once.

    Example:
        >>> [each.name for each in own_detectors(patterns={"ward": ("other", "W-[0-9]+")}, words={})]
        ['own:ward']
    """
    problems: list[Mistake] = []
    out: list[OwnDetector] = []
    for name in (*patterns, *words):
        try:
            out.append(_made(name, patterns=patterns, words=words))
        except Mistake as problem:
            problems.append(problem)
    for name, path in (templates or {}).items():
        try:
            out += own_templates(name, path)
        except Mistake as problem:
            problems.append(problem)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise Mistake(
            f"{len(problems)} patterns and word lists cannot be used.",
            found=" ".join(f"{each.asked} {each.found}" for each in problems),
            attempt=" ".join(dict.fromkeys(each.attempt for each in problems)),
        )
    return tuple(out)


def _made(
    name: str, *, patterns: Mapping[str, tuple[str, str]], words: Mapping[str, tuple[str, Path]]
) -> OwnDetector:
    if not _NAME.fullmatch(name):
        raise Mistake(
            "A pattern or word list has a name that cannot be used.",
            found="A name has up to 50 letters, digits, blanks, dots and hyphens.",
            attempt="a short name, such as ward.",
        )
    if name in patterns and name in words:
        raise Mistake(f'"{name}" is a pattern and a word list.', attempt="two names.")
    if name in patterns:
        kind, pattern = patterns[name]
        return own_pattern(name, pattern, kind=kind)
    kind, path = words[name]
    return own_words(name, path, kind=kind)


def own_pattern(name: str, pattern: str, *, kind: str) -> OwnPattern:
    try:
        checked_pattern(pattern)
    except PatternRefused as refused:
        raise Mistake(
            f'The pattern "{name}" was given.', found=refused.found, attempt=refused.attempt
        ) from None
    return OwnPattern(name=f"{OWN}{name}", kind=_kind(name, kind), pattern=pattern)


def own_words(name: str, path: Path, *, kind: str) -> OwnWords:
    """The list in a file of UTF-8: one entry for each line; empty lines and lines that start with #
    do not count."""
    asked = f'The word list "{name}" was given.'
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Mistake(
                asked,
                found=f"{path} has more than {MOST_BYTES >> 20} MiB.",
                attempt="several lists.",
            )
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        found = f"{path} cannot be read: {error.strerror}."
        raise Mistake(asked, found=found, attempt="a file with one entry for each line.") from None
    except UnicodeDecodeError:
        raise Mistake(asked, found=f"{path} is not UTF-8.", attempt="saving it as UTF-8.") from None
    entries = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    wordless = sum(_WORD.search(entry) is None for entry in entries)
    if not entries or wordless:
        found = (
            f"{wordless:,} lines of {path} hold no letter or digit."
            if wordless
            else f"{path} holds no entry."
        )
        raise Mistake(asked, found=found, attempt="a file with one entry for each line.")
    return OwnWords(f"{OWN}{name}", entries, kind=_kind(name, kind))


_SLOT: Final = re.compile(r"\{([a-z -]+)\}")


def own_templates(name: str, path: Path) -> tuple[OwnTemplate, ...]:
    """Lines of a form with slots, such as "Patient: {name}, MRN {record number}": one detector for
    each line that has any. The text in the place of a slot is a reference of the slot's kind."""
    asked = f'The template "{name}" was given.'
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise Mistake(
            asked, found=f"{path} cannot be read as UTF-8.", attempt="a text file."
        ) from None
    out = []
    for line in lines:
        kinds = [_kind(name, slot) for slot in _SLOT.findall(line)]
        if kinds and not _SLOT.sub("", line).strip():
            raise Mistake(
                asked,
                found="A line has nothing but slots, and would match every text.",
                attempt="the words of the form around each slot.",
            )
        if kinds:
            out.append(OwnTemplate(name=f"{OWN}{name}", kinds=tuple(kinds), line=line.strip()))
    if not out:
        raise Mistake(asked, found="It has no slot.", attempt="slots such as {name} or {date}.")
    return tuple(out)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTemplate:
    """A line of the holder's own form, with slots for references.

    Example:
        >>> form = OwnTemplate(name="own:form", kinds=(ReferenceKind.NAME,), line="Seen by {name} today")
        >>> text = "Seen by  Zyx Quor today."
        >>> [text[bid.start : bid.end] for bid in form.bid(Document(text))]
        ['Zyx Quor']
    """

    name: str
    kinds: tuple[ReferenceKind, ...]
    line: str = field(repr=False)

    def bid(self, document: Document) -> Iterable[Bid]:
        reason = f'a slot of the template "{self.name.removeprefix(OWN)}"'
        for found in _as_form(self.line).finditer(document.text):
            for number, kind in enumerate(self.kinds, start=1):
                start, end = found.span(number)
                if end > start:
                    yield Bid(start, end, kind, SCORE, self.name, reason)


@cache
def _as_form(line: str) -> re.Pattern[str]:
    """Words of the form as they are, with any blanks between; a slot is the rest of its line, up to
    what follows it there."""
    pieces = _SLOT.split(line)
    words = [r"[^\S\n]+".join(map(re.escape, piece.split())) for piece in pieces[::2]]
    between = []
    for place, piece in enumerate(pieces[::2]):
        before = r"[^\S\n]*" if place and piece[:1].isspace() else ""
        after = r"[^\S\n]*" if piece[-1:].isspace() else ""
        between.append(before + words[place] + after)
    last = len(between) - 1
    out = between[0]
    for place in range(1, len(between)):
        ends = place == last and not words[place]
        out += r"(\S[^\n]{0,79}?)" + (r"(?=[^\S\n]*(?:\n|\Z))" if ends else between[place])
    return re.compile(out, re.IGNORECASE)


def _kind(name: str, kind: str) -> ReferenceKind:
    if kind not in tuple(ReferenceKind):
        raise Mistake(
            f'"{name}" is to find references of a kind.',
            found=f'There is no kind "{kind}".',
            attempt=f"one of {', '.join(ReferenceKind)}.",
        )
    return ReferenceKind(kind)


def is_own(bid: Bid) -> bool:
    """Whether a pattern or word list of the user's own bid, alone or with others."""
    return any(each.startswith(OWN) for each in bid.detector.split("+"))


OwnDetector = OwnPattern | OwnWords | OwnTemplate
