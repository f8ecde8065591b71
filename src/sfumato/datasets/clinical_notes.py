"""Made-up clinical notes with known facts, and which of them a scrubbed note still has.

A researcher cannot see a falsified dose or stage. The kept facts are therefore counted on notes
whose every fact is known, by reading the scrubbed note line by line."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .clinical_note_lines import HEADERS, LINES, LISTS, SIGNATURES

_SLOT = re.compile(r"\{([^{}]+)\}")
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_MARK = re.compile(r"[«»‹›]")
_LINES_OF_NOTE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicalFact:
    """One fact: the class that it belongs to, its line in the note, and how it is written."""

    kind: str
    line: int
    text: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The fact as whole words: "BG 18" is not in "BG 188"."""
        return re.compile(rf"(?<![\w.]){re.escape(self.text)}(?![\w]|\.\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicalNote:
    """A note, the facts in it and the identities in it."""

    text: str = field(repr=False)
    facts: tuple[ClinicalFact, ...] = field(repr=False)
    identities: tuple[str, ...] = field(repr=False)

    def changed_facts(self, scrubbed: str) -> tuple[ClinicalFact, ...]:
        """The facts that a scrubbed note does not have on the same line as often as the note.

        Example:
            >>> note = read_marked(["«BG 188» at noon"], kinds=["vitals"])
            >>> [fact.text for fact in note.changed_facts("BG 418 at noon")]
            ['BG 188']
        """
        before, after = self.text.split("\n"), scrubbed.split("\n")
        if len(before) != len(after):
            return self.facts
        return tuple(
            fact
            for fact in self.facts
            if len(fact.pattern.findall(after[fact.line]))
            < len(fact.pattern.findall(before[fact.line]))
        )


def make_clinical_notes(count: int, *, identities: bool, seed: int = 22) -> Iterator[ClinicalNote]:
    """Notes of all classes of facts; with `identities` people are named in them."""
    dice = random.Random(f"{seed} {identities}")
    kinds = list(LINES)
    for _ in range(count):
        chosen = [dice.choice(kinds) for _ in range(_LINES_OF_NOTE)]
        lines = [dice.choice(_without_identities(kind, allowed=identities)) for kind in chosen]
        if identities:
            chosen, lines = (
                ["", *chosen, ""],
                [dice.choice(HEADERS), *lines, dice.choice(SIGNATURES)],
            )
        yield read_marked([_filled(line, dice) for line in lines], kinds=chosen)


def read_marked(lines: Iterable[str], *, kinds: Iterable[str]) -> ClinicalNote:
    """The note made of marked lines; `kinds` has the class of each line's facts."""
    text: list[str] = []
    facts: list[ClinicalFact] = []
    people: list[str] = []
    for place, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        text.append(_MARK.sub("", line))
        facts += (
            ClinicalFact(kind=kind, line=place, text=found)
            for found in re.findall("«([^»]*)»", line)
        )
        people += re.findall("‹([^›]*)›", line)
    return ClinicalNote(text="\n".join(text), facts=tuple(facts), identities=tuple(people))


def count_facts(facts: Iterable[ClinicalFact]) -> Counter[str]:
    """How many facts there are, by class."""
    return Counter(fact.kind for fact in facts)


def _without_identities(kind: str, *, allowed: bool) -> tuple[str, ...]:
    return LINES[kind] if allowed else tuple(line for line in LINES[kind] if "‹" not in line)


def _filled(line: str, dice: random.Random) -> str:
    def draw(slot: re.Match[str]) -> str:
        if numbers := _RANGE.fullmatch(slot[1]):
            return str(dice.randint(int(numbers[1]), int(numbers[2])))
        choices: Sequence[str] = LISTS.get(slot[1]) or slot[1].split("|")
        return dice.choice(choices)

    return _SLOT.sub(draw, line)
