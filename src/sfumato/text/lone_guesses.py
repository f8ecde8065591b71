"""Lone guesses: in a text with medicine, a name or a place that nothing around it supports.

Notes from a clinic are full of capitals that name nobody: eponyms, brands, scales, tests. No list has
all of them. People and places stand in company: a title, a role, a relative, a first name, an initial,
a deed, an age, a preposition of place. A guess without any of these is dropped, and so is one that
has its company only in words of medicine. Where the same word has company elsewhere in the text, all
its mentions stay."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from .bids import Bid
from .detectors.clinical_abbreviations import is_abbreviation
from .detectors.demographics import PEOPLE
from .detectors.name_evidence import DEGREES, PARTICLES, TITLES, TITLES_TOO
from .documents import Document
from .kinds import ReferenceKind
from .lexicons import (
    countries,
    demonyms,
    eponyms,
    first_names,
    last_names,
    medical_words,
    organisations,
    professions,
    region_codes,
    regions,
    relatives,
    towns,
    words,
)
from .word_reading import CAPS, INITIAL, LETTER, LOWER, MIXED, NUMBER, OTHER, WordReading, reading

_PLACES: Final = frozenset({ReferenceKind.TOWN, ReferenceKind.REGION})
_BODIES: Final = frozenset({ReferenceKind.ORGANISATION, ReferenceKind.TEAM})
_GUESSED: Final = frozenset({ReferenceKind.NAME, ReferenceKind.DEMOGRAPHIC}) | _PLACES | _BODIES
_GUESSES: Final = frozenset(
    "person names|learned references|transformer|towns|regions|organisations|teams|demographics".split(
        "|"
    )
)
"""Detectors that know a word by lists or by how such words occur; all others have a reason by form."""
ROLES: Final = frozenset(
    "endoscopist surgeon assistant anaes anaesthetist anesthetist anesthesiologist "
    "anaesthesia anesthesia mda crna "
    "attending consultant resident registrar reg sho ho rmo intern fellow pgy pgi nurse rn sister "
    "sr np pa-c pa midwife cnm sw msw lcsw ot pt slp dietitian dietician rd pharmacist physio "
    "therapist psychologist chaplain pastor imam rabbi interpreter translator scribe tech technician "
    "radiographer sonographer endoscopist pathologist radiologist cardiologist neurologist "
    "nephrologist oncologist psychiatrist dermatologist physician provider pcp gp mo dr dsr prof "
    "doctor author referrer referring referral submitting coordinator caseworker aide carer caregiver "
    "caregivers hca pct cna lpn ma secretary receptionist supervisor manager boss teacher coach "
    "officer constable detective patient pt client name neighbour neighbor friend roommate flatmate "
    "housemate girlfriend boyfriend fiance fiancee ex partner spouse wife husband mum mom mother dad "
    "father nana nan gran grandma grandpa granny son daughter brother sister sib sibling aunt auntie "
    "uncle niece nephew cousin twin nok caretaker guardian witness escort donor recipient baby "
    "boy girl lad lass toddler kid cpn spr alo cmht nnp "
    "infant client phn hew anm asha lhw chw nc cns acnp aprn fnp consultants team".split()
)
_BEFORE: Final = frozenset(
    "told tell tells saw see sees seen met called phoned rang emailed paged informed asked "
    "notified d/w dw c/o cc dear attn w/o s/o d/o h/o nee née aka alias hi hello thanks thank bless "
    "signed dictated re named contact".split()
)
"""Words before a person."""
_WEAKLY_BEFORE: Final = frozenset("by with per and from to w/ for".split())
"""Words before a person, and before a tool: they count where the word is a name that people bear."""
LEARNED: Final = frozenset({"transformer", "learned references"})
_SURE: Final = 0.9
"""From this score on a rule has a reason beside its list: a region behind a town."""
_WHERE: Final = frozenset(
    "in from at to near of via outside visiting visited left lives living resident r/o native born "
    "moved transferred transfer for joined works worked employed attends attended plays member "
    "on @ between towards toward around de".split()
)
"""Words before a place or a body of people."""
_DEEDS: Final = frozenset(
    "said says reports reported states stated called calls phoned rang will would agrees agreed asks "
    "asked wants wanted is was has had examined saw reviewed notified aware performed assisted drove "
    "drives lives lived works worked came comes went gave gives collected collects helps helped "
    "understands verbalized verbalised consents consented declined declines refused refuses denies "
    "denied feels felt thinks thought told tells wrote writes sent brought brings tolerated presented "
    "presents attended attends who whose present aged does did voiced picked accepted "
    "interprets interpreted confirms confirmed recommends recommended advised advises".split()
)
"""Words behind a person. "is" and "has" count behind a known name alone."""
_WEAK_DEEDS: Final = frozenset("is was has had will would present does did who".split())
_AGED: Final = re.compile(
    r"[ \t,;(|/\-]{1,4}(?:(?:[MmFf]|male|female|boy|girl|man|woman)?[ ,/]{0,2}\d{1,3} ?"
    r"(?:[yY](?:rs?|/?o|\b)|[MmFf]\b|mo\b|/)|,? ?\d{2,3},|[MmFf][ ,]{1,2}\d{1,3}\b|"
    r"(?:DOB|dob|MRN|NHS|born|[Aa]ge)\b)"
)
"""An age, a sex or a date of birth behind somebody."""
_GRADED: Final = re.compile(
    r"(?: (?:&|and) [A-Z]\w+)? (?:[IV]{1,4}[ABCabc]?|\d(?:,\d)*[ABCabc]?)(?![\w/-])"
)
"""A grade behind a place: "Van Nuys 3", "Medina 1,1,0"."""
_COLUMNS: Final = ("  ", "\t", " - ", " – ", "| ", "· ")
"""Gaps before a column of a head: "OPERATION NOTE   Groote Schuur  Folder"."""
_JOINS: Final = frozenset(
    "and or but by who with in of from for on at to as is was has had lives living born only language "
    "today tomorrow tonight yesterday this that then now again once twice also here there when after "
    "before until since while about please "
    "interpreter background ancestry heritage parents parentage mother-tongue faith religion "
    "church".split()
)
"""Words behind a people's word that do not make it a thing's."""
_IN_ADDRESSES: Final = frozenset(
    {
        ReferenceKind.STREET,
        ReferenceKind.POSTCODE,
        ReferenceKind.HOSPITAL,
        ReferenceKind.PROFESSION,
    }
)
_PASSIVE: Final = frozenset(
    "admitted discharged released seen examined told informed counselled counseled referred born "
    "married divorced widowed transferred reviewed accompanied".split()
)
_BODY_PARTS: Final = frozenset(
    "canal foramen ligament duct valve circle loop islets islet bundle crypts crypt sinus vein artery "
    "nerve ampulla sphincter zone organ tubercle point fascia fold body ring arch root recess "
    "cave".split()
)
_TOOLS: Final = frozenset(
    "stitch stitches suture sutures flap flaps graft node nodes fossa space pouch line lines plane "
    "elevator elevators scissors forceps curette curettes retractor retractors drill needle needles "
    "clip clips clamp clamps blade punch probe dilator dilators drain drains tube tubes stent stents "
    "splint splints brace boot cast mesh screw screws plate plates nail wire wires rod cage catheter "
    "balloon valve filter patch pad pads pack dressing dressings tape gel foam paste wash spray cream "
    "lesions focus foci veil loop knot hook spoon bag boot test tests sign signs score scores "
    "scale index grade class type stage criteria rule formula "
    "triangle triangles angle ratio method technique approach incision position procedure operation "
    "repair protocol regimen view views lesion lesions ulcer ulcers cyst cysts spots bodies cells "
    "law reflex syndrome disease palsy hernia fracture nevus sulcus gland glands port ports reader "
    "pump monitor scanner system machine device ward".split()
)
"""Things of medicine that have somebody's name before them."""
_LAST_LATIN: Final = "\u024f"
_DONE: Final = frozenset(
    "seen reviewed done performed signed referred assisted accompanied dictated examined operated "
    "witnessed interpreted called".split()
)
"""Words before "by" and somebody, who may be in no list."""
_LONGEST_HEAD: Final = 160
_KNOWN_FIRST: Final = "3"
_COMMON: Final = "3"


def without_lone_guesses(bids: Sequence[Bid], document: Document) -> tuple[list[Bid], list[Bid]]:
    """The bids that stay, and the guesses that nothing around supports.

    Example:
        >>> note = Document("Kleihauer, anti-D 1500 iu. Seen by Ann Lee.")
        >>> guesses = [Bid(*span, ReferenceKind.NAME, 0.9, "transformer") for span in ((0, 9), (35, 42))]
        >>> kept, lone = without_lone_guesses(guesses, note)
        >>> [note.text[bid.start : bid.end] for bid in lone]
        ['Kleihauer']
    """
    read = reading(document)
    guesses = [bid for bid in bids if _is_guess(bid)]
    if not guesses:
        return list(bids), []
    vouched = {
        read.bares[place]
        for bid in bids
        if bid.kind is not None
        and not _is_guess(bid)
        and bid.kind in _GUESSED - {ReferenceKind.DEMOGRAPHIC}
        for place in _places(read, bid)
    }
    head = _head(document.text)
    beside = _addresses(bids)
    spans = {(bid.start, bid.end, bid.kind) for bid in guesses}
    supported = {
        span: _is_supported(read, *span, head)
        or (span[2] in _PLACES | _BODIES and _is_beside(document.text, *span[:2], beside))
        for span in spans
    }
    known = set(vouched)
    for (start, end, _), is_supported in supported.items():
        if is_supported:
            known.update(
                read.bares[place]
                for place in _between(read, start, end)
                if read.is_capital(place) and len(read.bares[place]) > 1
            )
    kept: list[Bid] = []
    lone: list[Bid] = []
    for bid in bids:
        if not _is_guess(bid) or supported[bid.start, bid.end, bid.kind]:
            kept.append(bid)
            continue
        own = [read.bares[place] for place in _places(read, bid)]
        (kept if not known.isdisjoint(own) else lone).append(bid)
    return kept, lone


def _is_guess(bid: Bid) -> bool:
    return (
        bid.kind in _GUESSED
        and bid.detector in _GUESSES
        and (bid.detector in LEARNED or bid.score < _SURE)
    )


def _places(read: WordReading, bid: Bid) -> range:
    return _between(read, bid.start, bid.end)


def _between(read: WordReading, start: int, end: int) -> range:
    return range(bisect_right(read.ends, start), bisect_left(read.starts, end))


def _is_supported(
    read: WordReading, start: int, end: int, kind: ReferenceKind | None, head: int
) -> bool:
    places = _between(read, start, end)
    if not places:
        return True
    first, last = places[0], places[-1]
    if any(read.shapes[place] == OTHER for place in places) or not _is_latin(read.text[start:end]):
        return True
    if end <= head and any(read.shapes[place] in (INITIAL, MIXED) for place in places):
        return True
    if kind is ReferenceKind.DEMOGRAPHIC:
        return not _names_a_thing(read, last)
    if kind is ReferenceKind.NAME:
        return _is_somebody(read, first, last)
    return _is_somewhere(read, first, last)


def _addresses(bids: Sequence[Bid]) -> tuple[frozenset[int], frozenset[int]]:
    """Where parts of addresses start and end: streets, postcodes, hospitals."""
    parts = [bid for bid in bids if bid.kind in _IN_ADDRESSES]
    return frozenset(bid.start for bid in parts), frozenset(bid.end for bid in parts)


def _is_beside(
    text: str, start: int, end: int, beside: tuple[frozenset[int], frozenset[int]]
) -> bool:
    """Whether nothing but a comma or the end of a line is between the span and an address."""
    starts, ends = beside
    before = (
        start
        - len(text[max(0, start - 4) : start])
        + len(text[max(0, start - 4) : start].rstrip(", \n"))
    )
    after = end + len(text[end : end + 4]) - len(text[end : end + 4].lstrip(", \n"))
    return before in ends or after in starts


def _is_latin(text: str) -> bool:
    return text.isascii() or all(letter <= _LAST_LATIN for letter in text if letter.isalpha())


def _names_a_thing(read: WordReading, last: int) -> bool:
    """Whether a people's word says what sort of thing it is: "Mongolian blue spot", "Russian 10/50"."""
    following = last + 1
    if following >= len(read) or read.gap(last) != " ":
        return False
    fold = read.folds[following]
    if read.shapes[following] == NUMBER:
        return not fold[0].isdecimal() or "/" in read.gap(following)
    return (
        read.shapes[following] == LOWER
        and fold in words()
        and fold not in PEOPLE
        and fold not in ROLES
        and fold not in relatives()
        and fold not in professions()
        and fold not in _JOINS
    )


def _head(text: str) -> int:
    """The end of the line that opens a note, where people and places stand without a word beside them."""
    end = text.find("\n")
    return end if 0 < end <= _LONGEST_HEAD else 0


def _is_somebody(read: WordReading, first: int, last: int) -> bool:
    if _is_part_of_a_body(read, first):
        return False
    if first == last and is_abbreviation(read, first):
        return _has_role_before(read, first)
    if not _has_role_before(read, first) and any(
        _modifies(read, place) for place in range(first, last + 1)
    ):
        return False
    return (
        _has_known_form(read, first, last)
        or _is_introduced(read, first, last)
        or _is_followed(read, last)
        or _has_its_line(read, first, last)
    )


def _has_known_form(read: WordReading, first: int, last: int) -> bool:
    """Whether the words are a name by themselves: a title, a first name with a last name, an initial."""
    places = range(first, last + 1)
    if first == last and (read.shapes[first] == LETTER or is_abbreviation(read, first)):
        return False
    if any(read.folds[place] in TITLES or read.folds[place] in DEGREES for place in places):
        return len(places) > 1
    folds = [read.bares[place] for place in places]
    if any(fold in PARTICLES for fold in folds) and len(folds) > 2:
        return True
    own = [place for place in places if read.bares[place] not in PARTICLES]
    if len(own) > 1:
        if any(
            read.bares[place] in first_names()
            and any(_bears(read.bares[other]) for other in own if other != place)
            for place in own
        ):
            return True
        initials = [place for place in own if read.shapes[place] == LETTER]
        return bool(initials) and any(_bears(read.bares[place]) for place in own)
    return any(_is_first_name(fold, least=_KNOWN_FIRST) for fold in folds)


def _is_first_name(fold: str, *, least: str) -> bool:
    known = first_names().get(fold)
    return (
        known is not None
        and (known[1] >= least or not (fold in last_names() or fold in towns() or fold in words()))
        and fold not in eponyms()
        and fold not in medical_words()
        and words().get(fold, "0") < "5"
    )


def _bears(fold: str) -> bool:
    return fold in last_names() or fold not in words()


def _is_part_of_a_body(read: WordReading, first: int) -> bool:
    """Whether it is somebody's part of the body: "pouch of Douglas", "space of Retzius"."""
    return (
        first > 1
        and read.folds[first - 1] == "of"
        and (read.folds[first - 2] in _TOOLS or read.folds[first - 2] in _BODY_PARTS)
        and read.shapes[first - 2] == LOWER
    )


def _modifies(read: WordReading, last: int) -> bool:
    """Whether a thing's word is right behind, as behind an eponym: "Kuhn curettes", "Walsh stitch"."""
    following = last + 1
    if (
        following >= len(read)
        or read.gap(last) != " "
        or read.shapes[following] != LOWER
        or read.folds[last].endswith("'s")
    ):
        return False
    fold = read.folds[following]
    if fold in medical_words() or fold in _TOOLS:
        return fold not in _DEEDS
    return (
        fold in words()
        and len(fold) > 3
        and words()[fold] < "6"
        and fold not in _DEEDS
        and fold not in _JOINS
        and fold not in ROLES
        and fold not in relatives()
        and not fold.endswith(("ed", "ing", "ly", "ves"))
    )


def _is_a_thing(read: WordReading, place: int) -> bool:
    """Whether a word within a guess is a thing of medicine in small letters: "Cameron erosions"."""
    fold = read.folds[place]
    return read.shapes[place] == LOWER and (fold in _TOOLS or fold in medical_words())


def _has_role_before(read: WordReading, first: int) -> bool:
    if first == 0 or "\n" in read.before(first) or len(read.before(first)) > 4:
        return False
    before = read.bares[first - 1]
    return before in ROLES or before in relatives() or before in TITLES or before in TITLES_TOO


def _is_introduced(read: WordReading, first: int, last: int) -> bool:
    """Whether a role, a relative or a word that leads to somebody is right before."""
    if first == 0:
        return False
    gap, before = read.before(first), read.bares[first - 1]
    if "\n" in gap:
        return False
    if _has_role_before(read, first):
        return True
    if gap in (" ", ". ", ": "):
        if before in _BEFORE:
            return True
        if before == "by" and first > 1 and read.folds[first - 2] in _DONE:
            return True
        if before in _WEAKLY_BEFORE and all(
            _bears_only(read.bares[place]) for place in {first, last}
        ):
            return True
    joined = read.text[max(0, read.starts[first] - 5) : read.starts[first]].lower()
    return joined.endswith(("d/w ", "c/o ", "w/o ", "s/o ", "d/o ", "cc: ", "re: "))


def _is_followed(read: WordReading, last: int) -> bool:
    """Whether a degree, a role, a deed, an age or a relative is right behind."""
    gap = read.gap(last)
    if _AGED.match(read.text, read.ends[last]):
        return True
    following = last + 1
    if following >= len(read) or "\n" in gap:
        return False
    fold, bare = read.folds[following], read.bares[following]
    if gap in (" ", ", ", " (", ",", "  ", "/") and (
        (fold in DEGREES and read.shapes[following] != LOWER and fold != "or")
        or bare in ROLES
        or bare in relatives()
    ):
        return True
    if gap != " ":
        return False
    if fold in _WEAK_DEEDS:
        further = read.folds[following + 1] if following + 1 < len(read) else ""
        return _bears_only(read.bares[last]) or (
            further in _PASSIVE and read.bares[last] not in words()
        )
    return fold in _DEEDS


def _bears_only(fold: str) -> bool:
    return (
        (fold in last_names() or fold in first_names())
        and fold not in eponyms()
        and fold not in medical_words()
        and words().get(fold, "0") < _COMMON
    )


def _has_its_line(read: WordReading, first: int, last: int) -> bool:
    """Whether nothing else is on its line, or in its column of a head."""
    opens = read.starts_line(first) or read.before(first).endswith(_COLUMNS)
    return opens and (read.ends_line(last) or read.gap(last).startswith(("  ", "\t", "   ")))


def _is_somewhere(read: WordReading, first: int, last: int) -> bool:
    places = range(first, last + 1)
    following = read.folds[last + 1] if last + 1 < len(read) and read.gap(last) == " " else ""
    if following in _TOOLS or any(_is_a_thing(read, place) for place in places):
        return False
    if _has_role_before(read, first):
        return True
    if first == last and read.bares[first] in demonyms():
        return False
    if (
        first
        and read.before(first) in (" ", " (", ": ", " @", " @ ")
        and (read.folds[first - 1] in _WHERE or "@" in read.before(first))
    ):
        return True
    if _GRADED.match(read.text, read.ends[last]):
        return False
    phrase = " ".join(read.folds[place] for place in places)
    if phrase in organisations():
        return True
    if all(read.shapes[place] == CAPS for place in places) and len(phrase) > 4:
        return False
    if phrase in countries() or _is_only_a_town(phrase):
        return True
    further = read.folds[last + 2] if last + 2 < len(read) and following else ""
    if (
        following in _GROUPS
        or further in _GROUPS
        or any(read.bares[place] in _GENERIC for place in places)
    ):
        return True
    if _has_its_line(read, first, last):
        return True
    if (
        first
        and read.before(first) == ", "
        and read.is_capital(first - 1)
        and read.shapes[first - 1] != CAPS
        and read.bares[first - 1] in towns()
    ):
        return True
    if last > first and last + 1 < len(read) and read.folds[last + 1] in _DEEDS - _WEAK_DEEDS:
        return read.gap(last) == " "
    gap = read.gap(last)
    return (
        gap.startswith(", ")
        and last + 1 < len(read)
        and (
            read.folds[last + 1] in regions()
            or read.folds[last + 1] in countries()
            or read.text[slice(*read.span(last + 1, last + 1))] in region_codes()
        )
    )


_GROUPS: Final = frozenset("team club school hospital university college".split())
_GENERIC: Final = frozenset(
    "hospital clinic centre center school university college church parish inc ltd llc corp gmbh "
    "company co bank council county city department dept society association trust foundation "
    "institute court prison police army navy station airport factory mine farm market polyclinic "
    "infirmary surgery practice house home lodge manor court pharmacy academy institute club "
    "team league "
    "union isle island mount lake glen village district province hall services service "
    "klinikum klinik krankenhaus spital "
    "ziekenhuis hopital hospitalet ospedale praktijk praxis poliklinik sykehus sjukhus".split()
)


def _is_only_a_town(phrase: str) -> bool:
    """Whether it is a larger town's name and nothing else."""
    known = towns().get(phrase)
    return (
        known is not None
        and known[-1] >= "5"
        and phrase not in eponyms()
        and phrase not in last_names()
        and phrase not in medical_words()
        and words().get(phrase, "0") < _COMMON
    )
