"""People whom medicine's own words hide: "Patient Name: Child, Julia", "Hodgkin tolerated chemo".

Surnames that are also diseases, body parts or ordinary words are names where only people occur.
Examples are behind a label or a role, before a deed of a person, and behind "discussed with".
Behind a label they are certain. By grammar alone medicine is as likely, so they score below what
counts as certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import eponyms, first_names, last_names, medical_words, relatives, words
from ..word_reading import CAPS, INITIAL, LETTER, LOWER, MIXED, WordReading, reading
from .clinical_abbreviations import is_abbreviation
from .clinical_eponyms import is_eponymous
from .declaration import Basis, DetectorDeclaration
from .name_evidence import NEVER, PARTICLES, SURE_DEGREES, TITLES

LABELLED, UNSURE = 0.9, 0.59
_LABELS = frozenset(
    "patient pt name recipient donor client surname contact referring ordering attending resident "
    "physician provider surgeon assistant caseworker coordinator paciente patientin nombre".split()
)
"""Words before a colon, or a patient's before a blank, with a name behind."""
_ROLES = frozenset(
    "attending resident fellow intern nurse midwife coordinator caseworker donor recipient surgeon "
    "assistant therapist physician patient pt paciente patientin dietitian pharmacist chaplain "
    "anesthesiologist radiologist pathologist registrar anaesthetist anesthetist obstetrician "
    "paediatrician pediatrician physio anaes sho pct cna lpn hca phlebotomist scribe porter".split()
)
_AIDES = frozenset(
    "nurse midwife pct cna lpn hca phlebotomist scribe porter chaplain dietitian physio sho anaes".split()
)
"""People who are called by their first names."""
_MET = frozenset(
    "discussed spoke talked met meeting appointment appt appointments visit consulted conferred "
    "rounded".split()
)
_DONE = frozenset(
    "seen examined reviewed referred dictated signed interpreted assisted staffed "
    "precepted cosigned countersigned witnessed accompanied".split()
)
_ACTS = frozenset(
    "tolerated tolerates refuses refused complains complained reports reported denies denied states "
    "stated says said woke awoke presented presents lives lived works worked smokes drinks called "
    "phoned telephoned assisted agrees agreed declined declines consented wishes wants feels felt "
    "likes asked asks requests requested ambulated ambulates voided ate slept understands "
    "verbalized verbalised returned klagt berichtet refiere niega acude".split()
)
_PASSIVE = frozenset(
    "admitted discharged seen examined told informed counseled counselled referred referring born "
    "accompanied married divorced widowed retired".split()
)
_COMMON = "4"
"""An ordinary word this common (the first 3,000) may open a sentence before any verb."""
_VERBS = frozenset({"will"})
"""Names that are verbs: no other verb follows a verb, so "Will was seen" speaks of a person."""
_FIRST_NAME = "2"

_PATIENTS = frozenset("patient pt paciente patientin".split())
"""Behind them findings have capitals too ("Pt Alert"): a person's deed is asked for as well."""
_HAS = frozenset("has had with con mit tiene".split())


class ClinicalPeople:
    """Looks behind labels and roles, and at the deeds of a person in a sentence."""

    name = "clinical people"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._labelled(read)
        yield from self._with_initials(read)
        yield from self._in_full(read)
        yield from self._in_roles(read)
        yield from self._met(read)
        yield from self._acting(read)

    def _labelled(self, read: WordReading) -> Iterator[Bid]:
        """Patient Name: Child, Julia"""
        for label in read.places(_LABELS):
            place = label + 1
            if place >= len(read) or not _follows_label(read, label):
                continue
            if (last := _in_comma_order(read, place)) is not None:
                yield self._bid(read, place, last, LABELLED, "behind a label, last name first")
            elif ":" in read.gap(label) and (last := _after_first_name(read, place)) is not None:
                yield self._bid(read, place, last, LABELLED, "behind a label")

    def _with_initials(self, read: WordReading) -> Iterator[Bid]:
        """Peyronie, F.: a last name and an initial that open a line or a sentence"""
        for place in read.capitals:
            last = place + 1
            if (
                last < len(read)
                and read.shapes[last] == LETTER
                and read.gap(place) == ", "
                and read.opens(place)
                and read.gap(last)[:1] in (".", ";", " ", ",", "\n", "")
                and _is_surname(read, place)
            ):
                yield self._bid(read, place, last, 0.8, "a last name, a comma and an initial")

    def _in_full(self, read: WordReading) -> Iterator[Bid]:
        """Ann Marfan was admitted"""
        for place in read.capitals:
            last = place + 1
            if (
                last < len(read)
                and _is_first_name(read, place)
                and read.gap(place) == " "
                and (read.bares[last] in eponyms() or read.bares[last] in medical_words())
                and read.shapes[last] in (INITIAL, MIXED)
                and not is_eponymous(read, last)
                and last + 1 < len(read)
                and read.gap(last) == " "
                and _is_act(read, last + 1)
            ):
                yield self._bid(read, place, last, 0.8, "a first name, a last name and a deed")

    def _in_roles(self, read: WordReading) -> Iterator[Bid]:
        """Attending Long, resident Small"""
        for role in read.places(_ROLES):
            place = role + 1
            if place >= len(read) or read.gap(role) != " ":
                continue
            if not _may_be_person(read, place) and not (
                read.folds[role] in _AIDES
                and read.shapes[place] == INITIAL
                and _is_first_name(read, place)
                and not _is_title_of_line(read, place)
            ):
                continue
            if read.bares[place] in medical_words() and read.bares[place] not in eponyms():
                continue
            if read.folds[role] not in _PATIENTS or acts(read, place):
                yield self._bid(read, place, place, UNSURE, "behind the word for a role")

    def _met(self, read: WordReading) -> Iterator[Bid]:
        """Discussed with Crohn and Hodgkin; seen by Apgar"""
        for deed in read.places(_MET | _DONE):
            place = deed + 2
            joint = "with" if read.folds[deed] in _MET else "by"
            if place >= len(read) or read.folds[deed + 1] != joint:
                continue
            while place < len(read) and read.gap(place - 1) == " " and _may_be_person(read, place):
                yield self._bid(read, place, place, UNSURE, "with or by whom something was done")
                if place + 2 >= len(read) or read.folds[place + 1] != "and":
                    break
                place += 2

    def _acting(self, read: WordReading) -> Iterator[Bid]:
        """Hodgkin tolerated chemo"""
        for deed in read.places(_ACTS | {"is", "was"}):
            place = deed - 1
            if (
                place >= 0
                and read.gap(place) == " "
                and read.opens(place)
                and _is_act(read, deed)
                and _may_be_person(read, place)
                and (words().get(read.folds[place], "0") <= _COMMON or read.folds[place] in _VERBS)
                and read.shapes[place] != CAPS
            ):
                yield self._bid(read, place, place, UNSURE, "before what only a person does")

    def _bid(self, read: WordReading, first: int, last: int, score: float, reason: str) -> Bid:
        span = read.starts[first], read.bare(last)[1]
        return Bid(*span, ReferenceKind.NAME, score, self.name, reason)


def _follows_label(read: WordReading, label: int) -> bool:
    """Whether a colon follows the label; behind a patient's a blank is enough."""
    gap = read.gap(label).strip(" \t")
    patient = read.folds[label] in ("patient", "pt") or read.is_capital(label)
    return gap in (":", "：") or (gap == "" and patient and read.gap(label) == " ")


def _in_comma_order(read: WordReading, place: int) -> int | None:
    """The last word of "Child, Julia M." or "Colles, A."; None where it is none."""
    first = place + 1
    while first < len(read) and read.folds[first - 1] in PARTICLES and first - place < 3:
        first += 1  # "von Willebrand, E."
    if first >= len(read) or read.gap(first - 1) not in (", ", ",") or not _is_own(read, first - 1):
        return None
    if read.shapes[first] == LETTER:
        return first
    if not read.is_capital(first) or not (
        read.folds[first] in first_names() and read.folds[first] not in NEVER
    ):
        return None
    middle = first + 1
    more = middle < len(read) and read.shapes[middle] == LETTER and read.gap(first) == " "
    return middle if more and read.gap(middle)[:1] in (".", " ", "\n") else first


def _after_first_name(read: WordReading, place: int) -> int | None:
    """The last word of "Abraham Colles" or "Learned Hand"; None where no name of people goes
    before what medicine or every day uses."""
    last = place + 1
    if last >= len(read) or read.gap(place) != " " or not _is_own(read, last):
        return None
    known = read.bares[last] in last_names() or read.bares[last] in eponyms()
    ends = read.gap(last)[:1] in (".", ",", ";", "\n", "", "(") or read.ends_line(last)
    if is_eponymous(read, last) or not read.is_capital(place) or read.gap(last)[:1] == ":":
        return None
    if _is_first_name(read, place) and (ends or known):
        return last
    return last if known and ends and read.folds[place] not in NEVER else None


def _is_own(read: WordReading, place: int) -> bool:
    """Whether the word is written as a name and is none of a form's words."""
    fold = read.folds[place]
    return (
        read.shapes[place] in (INITIAL, MIXED, CAPS)
        and len(fold) > 1
        and fold not in NEVER
        and fold not in TITLES
        and fold not in SURE_DEGREES
        and not (read.shapes[place] == CAPS and is_abbreviation(read, place))
    )


def _is_surname(read: WordReading, place: int) -> bool:
    fold = read.bares[place]
    known = fold in eponyms() or last_names().get(fold, "0") >= "2"
    return known and _is_own(read, place) and words().get(fold, "0") < _COMMON


def _is_first_name(read: WordReading, place: int) -> bool:
    entry = first_names().get(read.folds[place])
    return (
        entry is not None
        and read.shapes[place] in (INITIAL, CAPS)
        and (entry[1] >= _FIRST_NAME or read.folds[place] not in words())
        and read.folds[place] not in NEVER
    )


def _may_be_person(read: WordReading, place: int) -> bool:
    """Whether the word is a surname of people or of medicine, without a word of medicine behind."""
    fold = read.bares[place]
    return (
        read.shapes[place] in (INITIAL, MIXED)
        and (fold in eponyms() or fold in last_names())
        and fold == read.folds[place]
        and fold not in _MACHINES
        and fold not in relatives()
        and _is_own(read, place)
        and not is_eponymous(read, place)
        and not _is_title_of_line(read, place)
    )


_MACHINES = frozenset("doppler holter foley swan medicare medicaid".split())
"""Names that are things wherever they have no title."""


def _is_title_of_line(read: WordReading, place: int) -> bool:
    """Patient Education: a head, not a person."""
    return read.gap(place)[:1] == ":" or (
        place + 1 < len(read) and read.gap(place) == " " and read.is_capital(place + 1)
    )


def acts(read: WordReading, place: int) -> bool:
    """Whether the word behind is a deed or a possession of a person.

    Example:
        >>> [acts(reading(Document(text)), 0) for text in ("Down has pain.", "Down the stairs.")]
        [True, False]
    """
    following = place + 1
    return (
        following < len(read)
        and read.shapes[place] in (INITIAL, MIXED)
        and read.gap(place) == " "
        and (read.folds[following] in _HAS or _is_act(read, following))
    )


def _is_act(read: WordReading, place: int) -> bool:
    """Whether the word there is a person's deed: "refuses", "was admitted"."""
    if read.shapes[place] != LOWER:
        return False
    if read.folds[place] in _ACTS:
        return True
    return (
        read.folds[place] in ("is", "was")
        and place + 1 < len(read)
        and read.folds[place + 1] in _PASSIVE
    )


DECLARATION = DetectorDeclaration(
    key="clinical people",
    doc="people with names that medicine uses, by label, role and deed",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=ClinicalPeople,
    order=255,
    vouches_from=UNSURE,
)
