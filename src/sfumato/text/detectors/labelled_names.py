"""Names that a label, a formula or their place in a letter marks: "RE: Virginia Townsend", "my name
is …"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import first_names, last_names, words
from ..word_reading import CAPS, LETTER, LOWER, NUMBER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .name_evidence import NEVER, SURE_DEGREES, TITLES, evidence, following_part, reach

_LABELS = frozenset(
    "re name names patient pt client attn attention cc from to physician provider doctor "
    "attending surgeon assistant "
    "resident dictated signed transcribed anesthesiologist anaesthetist radiologist "
    "pathologist cardiologist "
    "consultant nurse therapist pcp gp md referring referred reviewed interpreted author "
    "contact witness guardian "
    "insured subscriber mother father spouse wife husband son daughter brother sister "
    "parent kin father's mother's "
    "surname forename firstname lastname applicant respondent claimant plaintiff defendant "
    "appellant employee "
    "employer supervisor prepared by nom prénom prenom patiente vorname nachname nombre "
    "apellido apellidos cognome "
    "paciente naam achternaam voornaam imię nazwisko".split()
)
"""Words before a colon and a name."""
_FORMULAS = (
    ("my name is", 0.95),
    ("name is", 0.85),
    ("named", 0.85),
    ("nicknamed", 0.93),
    ("known as", 0.7),
    ("goes by", 0.9),
    ("called", 0.5),
    ("calls himself", 0.85),
    ("calls herself", 0.85),
    ("aka", 0.85),
    ("alias", 0.85),
    ("nee", 0.9),
    ("signed by", 0.9),
    ("dictated by", 0.93),
    ("seen by", 0.5),
    ("patient", 0.5),
    ("pt", 0.5),
    ("client", 0.45),
    ("i am", 0.45),
    ("i'm", 0.5),
    ("this is", 0.4),
    ("applicant", 0.4),
    ("on behalf of", 0.4),
    ("represented by", 0.6),
    ("accompanied by", 0.4),
    ("care of", 0.5),
)
_CLOSINGS = frozenset(
    "sincerely regards yours truly respectfully cordially faithfully wishes thanks best "
    "love signed".split()
)
_PERSON_WORDS = frozenset(
    "old yo y.o year-old male female man woman boy girl gentleman lady".split()
)
_COMMA_ORDER = re.compile(r",[ ]{1,2}(?=[^\W\d_])")


class LabelledNames:
    """Looks behind labels and formulas, below the closing of a letter, and for last names before a
    comma."""

    name = "labelled names"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._behind_labels(read)
        yield from self._behind_formulas(read)
        yield from self._told_of(read)
        yield from self._signatures(read)
        yield from self._comma_order(read)

    def _behind_labels(self, read: WordReading) -> Iterator[Bid]:
        for label in read.places(_LABELS):
            place = label + 1
            if (
                place >= len(read)
                or read.gap(label).strip(" \t.#*") not in (":", "：", ":-")
                or "\n" in read.gap(label)
            ):
                continue
            while (
                place + 1 < len(read)
                and read.folds[place] in TITLES
                and read.gap(place) in (" ", ". ")
            ):
                place += 1
            if read.is_capital(place) and _may_be_named(read, place):
                last = reach(read, place, most=5)
                score = 0.93 if last > place else 0.85
                yield self._bid(
                    read, place, last, _weakened(read, place, last, score), "behind a label"
                )

    def _behind_formulas(self, read: WordReading) -> Iterator[Bid]:
        for phrase, score in _FORMULAS:
            parts = phrase.split()
            for at in read.where.get(parts[-1], ()):
                first = at - len(parts) + 1
                if first < 0 or read.folds[first : at + 1] != parts or at + 1 >= len(read):
                    continue
                if (
                    read.gap(at).strip(" \"'“”‘’(.,") == ""
                    and "\n" not in read.gap(at)
                    and _may_be_named(read, at + 1)
                ):
                    if not read.is_capital(at + 1) and not (
                        read.is_caseless and read.shapes[at + 1] == LOWER
                    ):
                        continue
                    last = reach(read, at + 1)
                    yield self._bid(
                        read,
                        at + 1,
                        last,
                        _weakened(read, at + 1, last, score),
                        "behind words that name",
                    )

    def _told_of(self, read: WordReading) -> Iterator[Bid]:
        """Dot is a 7 and 6/12 year old female: a word with an age or a sex behind it is a name."""
        for verb in read.places(("is", "was")):
            name, end = verb - 1, min(verb + 9, len(read))
            if (
                name < 0
                or verb + 1 >= end
                or read.gap(name) != " "
                or read.folds[verb + 1] not in ("a", "an", "the")
            ):
                continue
            told = not _PERSON_WORDS.isdisjoint(read.folds[verb + 2 : end])
            if (
                told
                and read.is_capital(name)
                and read.shapes[name] != LETTER
                and _may_be_named(read, name)
            ):
                first = name
                if (
                    name
                    and following_part(read, name - 1) == name
                    and evidence(read, name - 1).net > 0
                ):
                    first = name - 1
                score = 0.85 if evidence(read, name).net > -0.5 else 0.6
                yield self._bid(read, first, name, score, "the text has an age or a sex")

    def _signatures(self, read: WordReading) -> Iterator[Bid]:
        """The line below "Sincerely," or a name alone on the last lines."""
        for closing in read.places(_CLOSINGS):
            place = closing + 1
            if (
                place < len(read)
                and "\n" in read.gap(closing)
                and read.gap(closing).strip(" ,.\n\r\t") == ""
            ):
                while (
                    place + 1 < len(read)
                    and read.folds[place] in TITLES
                    and read.gap(place) in (" ", ". ")
                ):
                    place += 1
                if read.is_capital(place) and _may_be_named(read, place):
                    last = reach(read, place)
                    yield self._bid(
                        read, place, last, 0.93 if read.opens(closing) else 0.8, "below a closing"
                    )

    def _comma_order(self, read: WordReading) -> Iterator[Bid]:
        """Townsend, Virginia M.: a last name, a comma, a first name, alone on a line or behind a
        label."""
        for place in read.capitals:
            end = read.ends[place]
            if (
                read.text[end : end + 1] != ","
                or place + 1 >= len(read)
                or not _COMMA_ORDER.match(read.text, end)
            ):
                continue
            first = place + 1
            known = first_names().get(read.folds[first])
            alone = read.starts_line(place) or (place and ":" in read.before(place))
            surname = last_names().get(read.folds[place], "0")
            if (
                not read.is_capital(first)
                or not known
                or len(read.folds[first]) < 3
                or surname == "0"
                or not _may_be_named(read, place)
            ):
                continue
            last = reach(read, first, most=3)
            capitals = read.shapes[place] == CAPS and read.shapes[first] == CAPS
            score = (
                0.9
                if alone and (read.ends_line(last) or capitals)
                else 0.7
                if alone
                else 0.35 + 0.15 * capitals
            )
            if following_part(read, last) is None and _ends_here(read, last):
                yield self._bid(read, place, last, score, "a last name, a comma and a first name")

    def _bid(self, read: WordReading, first: int, last: int, score: float, reason: str) -> Bid:
        return Bid(
            read.starts[first],
            read.bare(last)[1],
            ReferenceKind.NAME,
            round(score, 3),
            self.name,
            reason,
        )


def _may_be_named(read: WordReading, place: int) -> bool:
    fold, shape = read.folds[place], read.shapes[place]
    if fold in NEVER or fold in TITLES or fold in SURE_DEGREES or shape == NUMBER:
        return False
    known = fold in first_names() or fold in last_names()
    return words().get(fold, "0") < ("6" if known else "3") or shape == LETTER


def _weakened(read: WordReading, place: int, last: int, score: float) -> float:
    """Less for words that are no names: "Patient: Stable", "To: Whom"."""
    best = max(evidence(read, at).net for at in range(place, last + 1))
    if best >= 1.0:
        return min(0.97, score + 0.1 * (last > place))
    return score if best > 0.3 else score * 0.75 if best > -0.5 else score * 0.5


def _ends_here(read: WordReading, last: int) -> bool:
    """Whether the name is not one of a longer list: "Smith, John, and Mary"."""
    return read.gap(last)[:1] != "," or read.gap(last)[:2] == ",\n"


DECLARATION = DetectorDeclaration(
    key="labelled names",
    doc="names that a label or their place in a letter marks",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=LabelledNames,
    order=230,
)
