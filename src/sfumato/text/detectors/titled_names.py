"""Names that a title or a degree marks: "Mrs. Hodgkins", "Dear Dr. Lang", "Marjorie Long, M.D."."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import drugs, eponyms, first_names, foreign_words, last_names, medical_words, words
from ..word_reading import CAPS, INITIAL, LETTER, LOWER, MIXED, NUMBER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .name_evidence import (
    MONTHS_AND_DAYS,
    NEVER,
    PARTICLES,
    SURE_DEGREES,
    TITLES,
    TITLES_TOO,
    evidence,
    following_part,
    reach,
)

_UNITS = frozenset({"hr", "ms", "fr", "sr"})
_TITLE_GAPS = frozenset({" ", ". ", ".", "  ", ".  ", "\u00a0", ".\u00a0"})
_LINE_END = re.compile(r"\.?[ \t]*\r?\n[ \t]*")
_DEGREE = re.compile(
    r",?[ ]{1,2}(?:M\.? ?D\.?|D\.? ?O\.|Ph\.? ?D\.?|D\.? ?Phil\.?|R\.? ?N\.?|N\.? "
    r"?P\.?|P\.? ?A\.?(?:-C)?|CRNA|CNM|LPN|"
    r"D\.? ?D\.? ?S\.?|DMD|DVM|DPM|Pharm\.? ?D\.?|DPT|OTR|LI?CSW|MSW|MPH|MB "
    r"?BS|MBChB|FRCP|FRCS|MRCP|"
    r"FACS|FACP|FACC|Psy\.? ?D\.?|Ed\.? "
    r"?D\.?|Esq\.?|Jr\.?|Sr\.?|III|FNP|APRN|RPh|QC|KC|MP)(?![\w-])"
)
_NAMES_TOO = frozenset(
    {"may", "will", "law", "best", "street", "good", "page", "church", "school", "hospital", "part"}
)
_MONTHS_ONLY = MONTHS_AND_DAYS - frozenset({"may", "june", "april", "august"})
_ROLES = frozenset("np rn lpn cnm crna aprn".split())
"""Degrees of carers that stand before a name too: "NP Okafor"."""
_GENERIC = frozenset(
    "president chairman speaker ambassador minister secretary chancellor sir madam madame "
    "colleague colleagues friend "
    "friends parent parents doctor doctors all customer team patient patients student "
    "students family member members "
    "mom dad mum mother father editor applicant diary lord god professor".split()
)


class TitledNames:
    """Looks at each title for the name after it, and at each degree for the name before it."""

    name = "titled names"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._after_titles(read)
        yield from self._before_degrees(read)
        yield from self._saluted(read)

    def _after_titles(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(TITLES):
            name = place + 1
            follows = name < len(read) and (
                read.gap(place) in _TITLE_GAPS or _LINE_END.fullmatch(read.gap(place))
            )
            if read.before(place).endswith("/") and read.folds[place] in _UNITS:
                continue  # "91 mL/hr." is an hour, not a Danish Mister; "A/Prof Lee" is a person.
            if (
                read.folds[place] == "ms"
                and place
                and read.shapes[place] == LOWER
                and read.shapes[place - 1] == NUMBER
            ):
                continue  # "QRS 140 ms." is a time, not a woman's title.
            if read.folds[place] == "fr" and place and read.shapes[place - 1] == NUMBER:
                continue  # "19 Fr Blake" is the size of a drain, not a Father.
            if follows and not _ends_sentence(read, place):
                if "\n" in read.gap(place) and not _may_open_a_line(read, name):
                    # "Dr." may end a line with its name left out; the next line's first word is not
                    # it.
                    continue
                yield from self._named(read, name, 0.97, "after a title")
        for place in read.places(TITLES_TOO | _ROLES):
            name = place + 1
            if read.folds[place] in _ROLES and read.shapes[place] != CAPS:
                continue
            if (
                name < len(read)
                and read.gap(place) == " "
                and read.is_capital(name)
                and evidence(read, name).net > 0
            ):
                yield from self._named(read, name, 0.85, "after a word that may be a title")

    def _named(self, read: WordReading, place: int, score: float, reason: str) -> Iterator[Bid]:
        fold = read.folds[place]
        if fold in PARTICLES and (following := following_part(read, place)) is not None:
            yield self._bid(read, place, reach(read, following), score, reason)
        elif fold in TITLES or fold in _GENERIC or fold in _MONTHS_ONLY or fold in SURE_DEGREES:
            return
        elif read.is_capital(place):
            if (
                fold in NEVER
                and read.shapes[place] != LETTER
                and not (read.shapes[place] != CAPS and fold in _NAMES_TOO)
            ):
                return
            last = reach(read, place)
            lone = read.shapes[place] == LETTER and last == place
            yield self._bid(read, place, last, 0.75 if lone else score, reason)
        elif read.shapes[place] not in (LOWER, NUMBER) or (
            read.is_caseless and fold not in NEVER and words().get(fold, "0") < "4"
        ):
            last = place
            if (
                place + 1 < len(read)
                and read.gap(place) == " "
                and evidence(read, place + 1).net > 1.0
            ):
                last = place + 1
            yield self._bid(read, place, last, 0.8, reason + ", without capitals")

    def _before_degrees(self, read: WordReading) -> Iterator[Bid]:
        for place in read.capitals:
            end = read.ends[place]
            if (
                read.text[end : end + 1] not in (",", " ")
                or (found := _DEGREE.match(read.text, end)) is None
            ):
                continue
            comma = found.group().startswith(",")
            if found.group().endswith("III") and "classification" in eponyms().get(
                read.bares[place], ""
            ):
                continue  # "Mallampati III" is a grade.
            first = _first_part(read, place)
            words_of_it = range(first, place + 1)
            if not any(
                read.shapes[at] != LETTER and read.folds[at] not in NEVER for at in words_of_it
            ):
                continue
            if not comma and (
                first == place or max(evidence(read, at).net for at in words_of_it) <= 0
            ):
                continue
            if read.folds[place] not in TITLES and read.folds[place] not in SURE_DEGREES:
                yield self._bid(read, first, place, 0.95, "before a degree")

    def _saluted(self, read: WordReading) -> Iterator[Bid]:
        """Dear Virginia, or Hi Dot: a title after Dear is the first rule's."""
        for place in read.places(("dear", "hi", "hello", "hey", "attention", "attn")):
            name = place + 1
            if name < len(read) and read.gap(place) in (" ", ", ", ": ") and read.is_capital(name):
                fold = read.folds[name]
                if (
                    fold not in _GENERIC
                    and fold not in TITLES
                    and fold not in NEVER
                    and read.is_capital(place)
                ):
                    sure = read.folds[place] == "dear" or evidence(read, name).net > 0.5
                    yield self._bid(
                        read, name, reach(read, name), 0.93 if sure else 0.6, "in a salutation"
                    )

    def _bid(self, read: WordReading, first: int, last: int, score: float, reason: str) -> Bid:
        return Bid(
            read.starts[first], read.bare(last)[1], ReferenceKind.NAME, score, self.name, reason
        )


def _may_open_a_line(read: WordReading, place: int) -> bool:
    """Whether the first word of a line may be the name of a title that ends the line before. It
    must be no heading, no word of medicine or of every day. A word that no lexicon has may be a
    name."""
    fold = read.bares[place]
    if fold in medical_words() or fold in drugs() or read.gap(place)[:1] == ":":
        return False
    if fold in first_names() or fold in last_names():
        return words().get(fold, "0") < "5"
    return (
        read.shapes[place] in (INITIAL, MIXED)
        and fold not in words()
        and fold not in foreign_words()
    )


def _first_part(read: WordReading, place: int) -> int:
    """Where a name that ends here began: words with capitals and initials to its left, on its line,
    at most four."""
    first = place
    while (
        first
        and place - first < 3
        and following_part(read, first - 1) == first
        and read.is_capital(first - 1)
    ):
        before = first - 1
        if read.folds[before] in TITLES or (
            read.shapes[before] != LETTER and evidence(read, before).net <= -0.5
        ):
            break
        first = before
    return first


def _ends_sentence(read: WordReading, place: int) -> bool:
    """A title in lower case without a stop, such as "miss" the verb."""
    return (
        read.shapes[place] == LOWER
        and read.folds[place] in ("miss", "rep", "master", "col", "sen", "hon", "ms", "fr", "det")
        and (not read.is_capital(place + 1))
    )


DECLARATION = DetectorDeclaration(
    key="titled names",
    doc="names that a title or a degree marks",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=TitledNames,
    order=220,
)
