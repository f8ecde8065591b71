"""Circumstances of a case in a court's decision: family, health, charges, counts, foreign words,
quotations.

None of them names anybody, and alone each discloses next to nothing: all bids are low. Together
with the other facts of a decision they can single out whose case it is. People who mask decisions
mask some of them (Pilán et al. 2022); `decision` learned which. In other texts nothing is bid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from ..bids import Bid
from ..documents import Document
from ..genres import reads_like_a_court
from ..kinds import ReferenceKind
from ..lexicons import conditions, medical_words, relatives, words
from ..word_reading import LOWER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .spoken_numbers import WORD

SCORE: Final = 0.12
_PEOPLE: Final = frozenset(
    "man woman boy girl child children baby infant teenager minor widow widower orphan "
    "twin twins pensioner student "
    "pupil prisoner refugee immigrant homosexual transsexual disabled blind deaf pregnant "
    "unemployed single married "
    "divorced unmarried".split()
)
_CHARGES: Final = frozenset(
    "murder manslaughter homicide robbery burglary theft fraud forgery rape assault "
    "abduction kidnapping arson bribery "
    "perjury libel defamation smuggling trafficking extortion embezzlement espionage "
    "treason desertion blasphemy "
    "drugs heroin cocaine cannabis firearm firearms explosives pistol rifle knife wounding "
    "incest sodomy battery "
    "blackmail conspiracy looting terrorism torture suicide bankruptcy divorce adoption "
    "custody eviction "
    "expropriation inheritance paternity".split()
)
_HEALTH: Final = frozenset(
    "injury injuries injured wound wounds bruise bruises scar scars fracture fractures "
    "operation surgery illness "
    "disease disability invalidity depression anxiety schizophrenia epilepsy cancer "
    "arthritis asthma diabetes "
    "alcoholic addict addiction overdose hiv aids hepatitis tuberculosis pain back neck "
    "head shoulder knee hip arm leg "
    "eye eyes ear spine chest skull".split()
)
_COUNTED: Final = re.compile(
    rf"(?<![\w.,/:§-])(?:\d{{1,4}}|{WORD}|several|dozens of|hundreds of) (?:other |further "
    r"|more |separate |young )?"
    r"(?P<what>[a-z]{4,14}s|men|women|children|people)(?!\w)"
)
_SHARE: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:[.,]\d{1,2})?(?: ?%| per ?cent)(?!\w)")
_QUOTED: Final = re.compile(r"[“\"](?P<said>[^“”\"\n]{3,60})[”\"]")
_TIMES: Final = frozenset(
    "days weeks months years hours minutes paragraphs articles sections pages".split()
)
_PLAIN: Final = "3"
"""From this grade on a word is one that English texts have."""


class Circumstances:
    """Looks for them in a text that reads like a court's decision."""

    name = "circumstances"

    def bid(self, document: Document) -> Iterable[Bid]:
        if not reads_like_a_court(document):
            return
        read = reading(document)
        for kind, known in (
            (ReferenceKind.DEMOGRAPHIC, _states()),
            (ReferenceKind.OTHER, _CHARGES),
        ):
            for place in read.places(known):
                if read.shapes[place] == LOWER:
                    yield self._bid(read, place, place, kind, "family, health or a charge")
        yield from self._foreign(read)
        for pattern, kind, reason in (
            (_COUNTED, ReferenceKind.QUANTITY, "how many there were"),
            (_SHARE, ReferenceKind.QUANTITY, "a share"),
            (_QUOTED, ReferenceKind.OTHER, "a quotation"),
        ):
            for found in pattern.finditer(document.text):
                if found.groupdict().get("what") not in _TIMES:
                    group = "said" if kind is ReferenceKind.OTHER else 0
                    yield Bid(found.start(group), found.end(group), kind, SCORE, self.name, reason)

    def _foreign(self, read: WordReading) -> Iterator[Bid]:
        """Words in small letters that no English text has: what the court's own language calls a
        thing."""
        run: list[int] = []
        for place in sorted(read.places(_Unknown())):
            if read.shapes[place] != LOWER:
                continue
            if run and (place > run[-1] + 2 or read.gap(run[-1]) not in (" ", "-")):
                yield self._bid(
                    read, run[0], run[-1], ReferenceKind.OTHER, "words of another language"
                )
                run = []
            run.append(place)
        if run:
            yield self._bid(read, run[0], run[-1], ReferenceKind.OTHER, "words of another language")

    def _bid(
        self, read: WordReading, first: int, last: int, kind: ReferenceKind, reason: str
    ) -> Bid:
        return Bid(*read.span(first, last), kind, SCORE, self.name, reason)


class _Unknown(frozenset[str]):
    """The set of all words that English does not have, for tests of membership."""

    def __len__(self) -> int:
        return 1 << 30

    def __contains__(self, fold: object) -> bool:
        return isinstance(fold, str) and len(fold) > 3 and fold.isalpha() and not _is_english(fold)


def _is_english(fold: str) -> bool:
    known = words()
    return fold in known or any(
        fold.endswith(end) and fold[: -len(end)] in known for end in ("s", "ed", "ing", "ly")
    )


@cache
def _states() -> frozenset[str]:
    """Words for who somebody is in a family and what ails them."""
    ailing = {
        word
        for word in medical_words() | conditions()
        if len(word) > 4 and words().get(word, "0") < _PLAIN
    }
    return _PEOPLE | _HEALTH | ailing | {word for word in relatives() if " " not in word}


DECLARATION = DetectorDeclaration(
    key="circumstances",
    doc="circumstances of a case in a court's decision",
    kinds=(ReferenceKind.DEMOGRAPHIC, ReferenceKind.OTHER, ReferenceKind.QUANTITY),
    basis=Basis.WORDS,
    make=Circumstances,
    order=360,
    gives_way_below=ALWAYS,
)
