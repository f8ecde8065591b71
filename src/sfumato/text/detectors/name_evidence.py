"""The evidence for and against a word being part of somebody's name, and how far a name reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..lexicons import (
    countries,
    demonyms,
    drugs,
    faiths_and_peoples,
    first_names,
    folded,
    foreign_words,
    last_names,
    medical_words,
    regions,
    towns,
    words,
)
from ..word_reading import CAPS, LETTER, LOWER, MIXED, NUMBER, OTHER, WordCache, WordReading

FIRST = {"1": 0.8, "2": 1.2, "3": 1.8, "4": 2.2, "5": 2.6}
LAST = {"1": 0.6, "2": 1.0, "3": 1.6, "4": 2.0, "5": 2.2}
ORDINARY = {"1": 0.3, "2": 0.7, "3": 1.4, "4": 2.2, "5": 3.0, "6": 4.0}
UNKNOWN = 0.6
"""For a capitalised word that no lexicon has: foreign names are many, and lists of them short."""
AMID_SENTENCE = 0.4
"""How much an ordinary word's commonness counts where its capital is not due to the place."""

PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le el al bin binti ibn ben st st. "
    "ter ten zu zur af av y e abu "
    "op 't".split()
)
TITLES = frozenset(
    "mr mrs ms miss mx dr drs doctor prof professor sir dame rev reverend herr herrn frau "
    "hr fr mme mlle monsieur "
    "madame señor senor señora senora sra srta signor signora sig dott dhr mevr mw shri "
    "smt sheikh atty hon esq "
    "messrs master sgt capt lt col maj cpl pvt cmdr gov sen rep supt det insp".split()
)
TITLES_TOO = frozenset(
    "judge justice nurse sister father brother rabbi imam pastor sergeant captain "
    "lieutenant colonel major corporal "
    "officer detective inspector president senator governor mayor minister attorney lord "
    "lady midwife coach aunt "
    "uncle aunty auntie grandma grandpa private general commissioner chancellor ambassador "
    "prince princess queen king "
    "pope bishop archbishop cardinal superintendent constable prosecutor lawyer advocate "
    "pan pani don doña".split()
)
"""Titles that are ordinary words too: the name must look like one."""

DEGREES = frozenset(
    "md m.d do phd dphil rn np pa crna cnm lpn lvn dds dmd dvm od dpm pharmd pt dpt ot otr "
    "slp lcsw licsw msw mph mha "
    "mba mbbs mbchb bds frcp frcs mrcp facs facp facc facog faap esq jr sr ii iii iv bsc "
    "msc jd llm cpa rph aprn fnp "
    "msn bsn psyd edd ma ba bs ms".split()
)
SURE_DEGREES = DEGREES - frozenset("do pa od pt ot ma ba bs ms ii iv".split())
MONTHS_AND_DAYS = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday "
    "thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon "
    "tue tues wed thu thur thurs "
    "fri sat christmas easter thanksgiving ramadan passover hanukkah".split()
)
NEVER = frozenset(
    "i he she it we they you his her its their our my your him them this that these those "
    "the a an and or but if when "
    "while where what who whom whose which why how not no yes then there here also however "
    "therefore in on at by for "
    "from to of with as is was are were be been has have had would can could should shall "
    "might must do does did dear "
    "re cc attn tel fax phone dob mrn ssn id am pm section article rule part chapter page "
    "table figure protocol "
    "please thanks thank hello hi good best kind regards sincerely yours respectfully "
    "cordially patient pt name date "
    "note discharge admission hospital clinic court government street avenue road town "
    "city state county university "
    "school college church department commission committee convention act law code "
    "ministry office police party "
    "prison station international national european medical center centre health care "
    "history exam assessment plan "
    "impression allergies medications diagnosis".split()
)
"""Words that are no name even with a capital, unless a title is before them."""

_LONGEST_TITLES = 60
"""A longer text than this is more than titles."""
_INNER_GAPS = frozenset({" ", "-", "\u00a0", "  ", "‐"})
_AFTER_LETTER = frozenset({" ", ". ", ".", "-", ".-", ".\u00a0"})


def is_title(text: str) -> bool:
    """Whether a text is titles and degrees and nothing else, as "Dr." is at the end of a line: it
    names nobody.

    Example:
        >>> is_title("Prof. Dr."), is_title("Jr., M.D."), is_title("Dr. Lee"), is_title("")
        (True, True, False, False)
    """
    if len(text) > _LONGEST_TITLES:
        return False
    parts = [part for part in (word.strip(".,:;'") for word in folded(text).split()) if part]
    return bool(parts) and all(part in TITLES or part in SURE_DEGREES for part in parts)


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """The worth of a word as a first name, as a last name, and what else it may be."""

    first: float
    last: float
    against: float

    @property
    def net(self) -> float:
        return max(self.first, self.last) - self.against


def evidence(read: WordReading, place: int) -> NameEvidence:
    """The evidence of lexicons for the word, and that of its capital for an ordinary word there."""
    found: NameEvidence | None = read.evidence.get(place)
    if found is None:
        found = read.evidence[place] = _weighed(read, place)
    return found


def _weighed(read: WordReading, place: int) -> NameEvidence:
    fold = read.bares[place]
    first, last, common, against = _known[fold]
    if common:
        against += ORDINARY[common] * (
            1.0 if read.opens(place) or read.shouts(place) else AMID_SENTENCE
        )
    elif not first and not last and not against and _looks_like_a_name(read, place, fold):
        first = last = UNKNOWN
    return NameEvidence(first, last, against)


def _looked_up(fold: str) -> tuple[float, float, str, float]:
    """The evidence of lexicons for a word by itself: as a first name, as a last name, how common it
    is, what else it means."""
    known_first, known_last = first_names().get(fold), last_names().get(fold)
    first = FIRST[known_first[1]] if known_first else 0.0
    return (
        first,
        LAST[known_last] if known_last else 0.0,
        words().get(fold, ""),
        _elsewhere(fold, first),
    )


_known = WordCache(_looked_up)


def _elsewhere(fold: str, first: float) -> float:
    """The evidence of a word's other meanings against its being a name: months, countries, regions,
    towns, medicine."""
    if fold in MONTHS_AND_DAYS or fold in NEVER:
        return 5.0
    if fold in countries() or fold in demonyms() or fold in faiths_and_peoples():
        return 1.2 if first >= FIRST["3"] else 3.0
    against = 0.0
    if fold in regions():
        against = 0.6 if first >= FIRST["4"] else 1.5
    elif (town := towns().get(fold)) and town[-1] >= "5":
        against = (0.4 if first >= FIRST["3"] else 1.4) if town[-1] >= "6" else 0.3
    if fold in medical_words() or (fold in drugs() and first < FIRST["3"]):
        against += 1.8
    return against


def _looks_like_a_name(read: WordReading, place: int, fold: str) -> bool:
    """Whether a word of no lexicon could be a name: letters with a vowel, not an abbreviation."""
    shape = read.shapes[place]
    if fold in foreign_words():
        return False
    if (
        shape in (NUMBER, LETTER, OTHER)
        or len(fold) < 3
        or not any(letter in "aeiouy" for letter in fold)
    ):
        return False
    return not (shape == CAPS and (len(fold) < 5 or not read.shouts(place))) and shape != LOWER


def reach(read: WordReading, place: int, *, most: int = 4) -> int:
    """The last word of a name that begins here for sure, as a title before it shows; the first word
    is taken as it is.

    Further words belong to it if they have a capital and could be names: "Dr. Frank" ends before
    "at", "Mr. van der Berg" has particles, "Mrs J. K. Long" initials."""
    last, counted = place, 1
    while counted < most:
        following = following_part(read, last)
        if following is None:
            break
        if read.shapes[following] != LETTER and evidence(read, following).net <= -0.4:
            break
        last, counted = following, counted + 1
    return last


def following_part(read: WordReading, place: int) -> int | None:
    """The next word that may continue a name: it has a capital, and at most particles are
    between."""
    at = place
    for _ in range(3):
        gaps = (
            _AFTER_LETTER
            if read.shapes[at] == LETTER or read.folds[at] in ("st", "jr", "sr")
            else _INNER_GAPS
        )
        if at + 1 >= len(read) or read.gap(at) not in gaps:
            return None
        at += 1
        if read.is_capital(at) and read.folds[at] not in PARTICLES:
            return (
                at if read.folds[at] not in TITLES and read.folds[at] not in SURE_DEGREES else None
            )
        if read.folds[at] not in PARTICLES:
            return None
    return None


def runs(read: WordReading) -> Iterator[list[int]]:
    """The words with capitals that follow each other as the parts of a name would, particles left
    out."""
    run: list[int] = []
    for place in read.capitals:
        if run and (place <= run[-1] or following_part(read, run[-1]) != place):
            yield run
            run = []
        if read.folds[place] not in TITLES:
            run.append(place)
        elif run:
            yield run
            run = []
    if run:
        yield run


def is_mixed_name(read: WordReading, place: int) -> bool:
    """McDonald, O'Brien, DeWitt: written as only names are."""
    return read.shapes[place] == MIXED and read.folds[place].startswith(
        ("mc", "mac", "o'", "d'", "de", "di", "la", "van", "fitz")
    )
