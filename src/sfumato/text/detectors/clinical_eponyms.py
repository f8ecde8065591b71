"""Signs, tests and gradings by a person's name to keep: "Homans' sign", "Schatzker type II"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..lexicons import eponyms, first_names, last_names, medical_words, relatives
from ..word_reading import CAPS, INITIAL, LOWER, MIXED, NUMBER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import ROMAN, SURE, has_before
from .name_evidence import NEVER, TITLES

_SIGNS = frozenset(
    "sign signs reflex reflexes maneuver manoeuvre phenomenon triad nodes node criteria "
    "classification syndrome disease neuroma contracture hernia palsy lymphoma sarcoma shunt "
    "ulcer ulcers cyst rings ring nevus duct line lines angle angles sulcus sulci pouch tendon "
    "ligament fistula lordosis thyroiditis esophagus oesophagus anaemia anemia arthritis arteritis "
    "nephritis vasculitis encephalopathy dystrophy ataxia chorea diverticulum fascia membrane gland "
    "glands corpuscle corpuscles fossa foramen plexus papillae papilla valve valves sphincter "
    "spots nodule nodules bodies apraxia aphasia respiration respirations breathing murmur".split()
)
"""Words behind a name that make it one of medicine, also with a possessive."""
_TESTS = frozenset(
    "test tests fracture procedure operation repair incision approach view views protocol regimen "
    "technique solution stain method biopsies consensus pin pins rod rods cath caths frame traction "
    "cannula flap arthroplasty osteotomy anastomosis gastrectomy amputation hemorrhoidectomy".split()
)
"""The same, but not with the possessive of somebody's first name: "Anna's test"."""
_GRADES = frozenset("grade class type stage zone group".split())
_OF_A_PLACE = re.compile(
    rf"(?:[ ](?:class|grade|type|group|stage|criteria|classification))?[ ]"
    rf"(?:{ROMAN}|0-I[a-z]{{0,2}}|C\dM\d|[0-5](?=[).;]))(?![\w/]|[.,-]\d)",
    re.IGNORECASE,
)
_PLACES = frozenset(
    "vienna tokyo paris prague milan sydney marseille lille lugano rotterdam rome hannover amsterdam "
    "bethesda atlanta kyoto montreal toronto banff barcelona chicago baltimore boston geneva "
    "edinburgh copenhagen".split()
)
"""Towns that staging systems are called after."""
_PAIRS = frozenset(
    {
        ("marcus", "gunn"),
        ("lou", "gehrig"),
        ("argyll", "robertson"),
        ("austin", "flint"),
        ("brown", "sequard"),
    }
    | {
        ("graham", "steell"),
        ("carey", "coombs"),
        ("bence", "jones"),
        ("baker", "cyst"),
        ("le", "fort"),
    }
    | {
        ("dix", "hallpike"),
        ("hounsfield", "units"),
        ("ehlers", "danlos"),
        ("von", "willebrand"),
        ("von", "hippel"),
        ("de", "quervain"),
    }
)
"""Eponyms of two words that medicine also writes alone."""
_PARTICLES = frozenset({"von", "le", "de"})
_VALUE = re.compile(rf"[ -](?:{ROMAN}|\d{{1,2}}[a-cA-C]?)(?!\w|[/.-]\d)")
_FOUND = frozenset("positive negative equivocal absent present".split())
_COMMON = "3"
_OTHER_MEANINGS = frozenset(
    "cell cells body bodies heart line lines port pump loop tube index exam non plus reaction wave "
    "visual field fields".split()
)
"""Words that also follow somebody's name: "Wright cell 555-0123"."""
_GRADED = re.compile(
    rf"[ -](?:{ROMAN}|[A-D](?:[1-3])?|C\dM\d)(?![\w.])|[ ]\d{{1,3}}(?:/\d{{1,3}}){{0,2}}(?![\w/]|[.-]\d)|[ ]n/a(?!\w)"
)
_NUMERAL = re.compile(r"[ ](?:II|III|IV|VI{1,3}|IX)[ABab]?(?![\w.])")
_FIRST = re.compile(r"[ ](?:type[ ])?(?:I{1,3}|IV|[1-4])(?![\w.])")
_FIRST_GRADED = frozenset("chiari killip mallampati".split())
_HYPHENATED = frozenset(
    "brescia-cimino lich-gregoir brandt-daroff dix-hallpike blalock-taussig fanconi-bickel "
    "brown-sequard budd-chiari charcot-marie charcot-leyden "
    "cheyne-stokes churg-strauss creutzfeldt-jakob crigler-najjar dandy-walker "
    "dejerine-klumpke dubin-johnson edinger-westphal ehlers-danlos epstein-barr "
    "essex-lopresti fontan-kreutzer fitz-hugh gerstmann-straussler glasgow-blatchford "
    "gradenigo-lannois guillain-barre hill-sachs hardy-weinberg henoch-schonlein "
    "jarisch-herxheimer kaplan-meier kasabach-merritt kellgren-lawrence "
    "klippel-feil klippel-trenaunay kleine-levin landouzy-dejerine lambert-eaton legg-perthes lesch-nyhan "
    "libman-sacks li-fraumeni loeys-dietz lown-ganong machado-joseph "
    "mallory-weiss mayer-rokitansky monro-kellie muir-torre mueller-hinton "
    "nissen-rossetti osgood-schlatter osler-weber peutz-jeghers pierre-robin plummer-vinson "
    "prader-willi ramsay-hunt reed-sternberg romano-ward "
    "rubinstein-taybi sengstaken-blakemore "
    "sturge-weber stevens-johnson swan-ganz smith-lemli tay-sachs tako-tsubo "
    "treacher-collins von-recklinghausen waterhouse-friderichsen wernicke-korsakoff "
    "wolff-parkinson wolf-hirschhorn ziehl-neelsen zollinger-ellison".split()
)
"""Eponyms of two people that stand alone too."""
_RESULT = re.compile(
    r"(?:['’]s?)?[ ](?:to (?:R|L|the right|the left|right|left|midline)|neg|pos|negative|positive|"
    r"absent|present|equivocal|intact|normal|central|n/a|[+-](?=[,.;)\s]))(?!\w)"
)
_BY = frozenset("by with from per and saw seen to for told dr drs nurse attending resident".split())
_RULED_OUT = frozenset(
    "not excluded unlikely suspected noted negative absent resolved controlled stable in at on c1m1 c1m2 c1m3".split()
)
_LIKELY = frozenset("likely unlikely suspected excluded confirmed".split())
_PLACED = frozenset("at to from for and with by".split())
"""Words before the possessive of somebody or of a shop: "stays at Crohn's, I think"."""
_SUFFERED = frozenset(
    "no not of had has have hx history prior known with without r/o possible".split()
)
_SUFFERS = frozenset("with had has have of".split())
_PEOPLE_DO = frozenset(
    "said says reports reported called states stated will agrees agreed asks asked wants is was has "
    "examined saw reviewed notified aware performed assisted".split()
)
_FLUIDS = frozenset({"hartmann", "ringer"})
"""Solutions that are called by the possessive alone."""
_SIDES = frozenset("l r od os ou".split())
_THINGS = frozenset(
    "foley dobhoff dobbhoff hemovac shiley penrose yankauer veress hasson bovie tesio sengstaken "
    "ryles doppler valsalva pfannenstiel tenckhoff trendelenburg mcroberts".split()
)
"""Tools that are called by the name alone."""


class ClinicalEponyms:
    """Looks before the words for signs, tests and gradings for a name without title."""

    name = "clinical eponyms"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._named(read)
        yield from self._graded(read)
        yield from self._found(read)
        yield from self._staged(read)
        yield from self._paired(read)
        yield from self._hyphenated(read)
        for place in read.capitals:
            if (
                read.shapes[place] in (INITIAL, MIXED)
                and (end := _kept_to(read, place)) is not None
            ):
                yield Bid(
                    read.starts[place], end, None, SURE, self.name, "an eponym as medicine uses it"
                )

    def _named(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(_SIGNS | _TESTS):
            first = _name_before(read, place)
            if first is None:
                continue
            if read.folds[place] in _TESTS and _is_somebodys(read, place - 1):
                continue
            span = read.starts[first], read.ends[place]
            yield Bid(*span, None, SURE, self.name, "a sign, test or disease by its name")

    def _graded(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(_GRADES):
            if read.shapes[place] == CAPS:
                continue
            first = _name_before(read, place)
            if first is not None and (found := _VALUE.match(read.text, read.ends[place])):
                span = read.starts[first], found.end()
                yield Bid(*span, None, SURE, self.name, "a grading by its name, with its value")

    def _staged(self, read: WordReading) -> Iterator[Bid]:
        """Tokyo Grade II, Vienna 1, Prague C2M4"""
        for place in read.places(_PLACES):
            if read.is_capital(place) and (found := _OF_A_PLACE.match(read.text, read.ends[place])):
                span = read.starts[place], found.end()
                yield Bid(
                    *span, None, SURE, self.name, "a staging system by its town, with its value"
                )

    def _paired(self, read: WordReading) -> Iterator[Bid]:
        """RAPD OS (Marcus Gunn): nothing but the pair between brackets, or a sign behind it."""
        for place in read.places({first for first, _ in _PAIRS}):
            last = place + 1
            if (
                last < len(read)
                and (read.folds[place], read.bares[last]) in _PAIRS
                and read.is_capital(last)
                and (
                    (read.before(place).endswith("(") and read.gap(last).startswith(")"))
                    or (read.folds[place] in _PARTICLES and not has_before(read, place, TITLES))
                )
            ):
                yield Bid(*read.span(place, last), None, SURE, self.name, "an eponym of two words")

    def _hyphenated(self, read: WordReading) -> Iterator[Bid]:
        """Brandt-Daroff leaflet: two people, and no first name or title before them"""
        for place in read.places({pair.partition("-")[0] for pair in _HYPHENATED}):
            last = place + 1
            if (
                last < len(read)
                and read.gap(place) in ("-", "–")
                and f"{read.folds[place]}-{read.bares[last]}" in _HYPHENATED
                and read.is_capital(place)
                and not goes_on_a_name(read, place)
                and not has_before(read, place, TITLES)
            ):
                yield Bid(*read.span(place, last), None, SURE, self.name, "an eponym of two people")

    def _found(self, read: WordReading) -> Iterator[Bid]:
        """Negative Hoffman's, positive Patrick's test"""
        for place in read.places(_FOUND):
            name = place + 1
            if (
                name < len(read)
                and read.gap(place) == " "
                and read.shapes[name] in (INITIAL, MIXED)
                and read.folds[name].endswith("'s")
            ):
                span = read.starts[name], read.ends[name]
                if name + 1 < len(read) and read.folds[name + 1] in _TESTS | _SIGNS:
                    span = read.starts[name], read.ends[name + 1]
                yield Bid(*span, None, SURE, self.name, "a sign that is present or absent")


def _kept_to(read: WordReading, place: int) -> int | None:
    """Where an eponym with the words of medicine behind it ends, or a grading; None where the word
    may be somebody."""
    fold, end = read.bares[place], read.ends[place]
    if has_before(read, place, TITLES) or read.folds[place] in NEVER or goes_on_a_name(read, place):
        return None
    cued = place > 0 and read.folds[place - 1] in _BY
    if not cued and fold in _FIRST_GRADED and (found := _FIRST.match(read.text, end)):
        return found.end()
    if not cued and not fold.isdecimal() and (numeral := _NUMERAL.match(read.text, end)):
        return numeral.end()
    usual = eponyms().get(fold, "").split()
    if not usual:
        return None
    if not cued and read.gap(place) == "-" and read.is_capital(place + 1):
        return read.ends[place + 1] if read.bares[place + 1] in eponyms() else None
    following = read.folds[place + 1] if place + 1 < len(read) else ""
    spaced = read.gap(place) in (" ", "-", "' ", "’ ")
    common = last_names().get(fold, "0") >= _COMMON
    if spaced and following in usual and not (common and following in _OTHER_MEANINGS):
        return read.ends[place + 1]
    if not cued and "classification" in usual and (graded := _GRADED.match(read.text, end)):
        return graded.end()
    rated = not cued and ("maneuver" in usual or "classification" in usual)
    if rated and (result := _RESULT.match(read.text, end)):
        return result.end()
    if fold in _FLUIDS and read.folds[place] != fold and following not in relatives():
        return end
    if "disease" in usual or "esophagus" in usual or "cyst" in usual:
        return end if _is_suffered(read, place, following) else None
    return end if fold in _THINGS and not cued and not _is_somebody(read, place) else None


def goes_on_a_name(read: WordReading, place: int) -> bool:
    """Whether a first name or another word with a capital is before it: "Ann Weber B"."""
    before = place - 1
    return (
        before >= 0
        and read.gap(before) in (" ", ". ")
        and read.is_capital(before)
        and (read.folds[before] in first_names() or len(read.folds[before]) == 1)
        and read.folds[before] not in _SIDES
    )


def _is_suffered(read: WordReading, place: int, following: str) -> bool:
    """Whether somebody has it: "no Addison's", "had Crohn's", "father with Lynch"."""
    owned = read.folds[place] != read.bares[place]
    before = read.folds[place - 1] if place else ""
    if following in relatives():
        return False
    if owned and following in _RULED_OUT:
        return True
    if read.gap(place).startswith("?") or following in _LIKELY:
        return True
    if owned and read.gap(place)[:1] in (".", ",", ";") and before not in _PLACED:
        return not read.opens(place)
    if place and read.gap(place - 1) != " ":
        return False
    if owned:
        return before in _SUFFERED
    return before in _SUFFERS and place > 1 and read.folds[place - 2] in relatives()


def _is_somebody(read: WordReading, place: int) -> bool:
    """Whether the next words are a deed, a degree or a first name behind a comma."""
    following = place + 1
    if following >= len(read):
        return False
    if read.gap(place).startswith(","):
        return read.is_capital(following)
    return read.folds[following] in _PEOPLE_DO or (
        read.is_capital(following) and read.gap(place) == " "
    )


def is_eponymous(read: WordReading, place: int) -> bool:
    """Whether a word behind the name makes it one of medicine: "Hodgkin lymphoma", "Weber B".

    Example:
        >>> from sfumato.text import Document
        >>> [is_eponymous(reading(Document(text)), 0) for text in ("Bell palsy", "Bell called")]
        [True, False]
    """
    following = place + 1
    if read.folds[place].endswith("'s"):
        return True
    if following >= len(read) or read.gap(place) not in (" ", "-", "' ", "’ "):
        return False
    return (
        read.folds[following] in _SIGNS | _TESTS | _GRADES
        or read.folds[following] in medical_words()
        or read.gap(place) == "-"
        or (
            read.shapes[following] == NUMBER
            and _VALUE.match(read.text, read.ends[place]) is not None
        )
    )


def _name_before(read: WordReading, place: int) -> int | None:
    """The first word of a name right before the place, one or two with a hyphen between."""
    first = place - 1
    graded = read.shapes[place] == INITIAL and read.folds[place] in _GRADES
    if first < 0 or (read.shapes[place] != LOWER and not graded) or not _is_name(read, first):
        return None
    if read.gap(first) not in (" ", "' ", "’ "):
        return None
    while first > 0 and read.gap(first - 1) in ("-", "–") and _is_name(read, first - 1):
        first -= 1
    if has_before(read, first, TITLES):
        return None
    if first and read.gap(first - 1) == " " and read.bares[first - 1] in first_names():
        return None if read.is_capital(first - 1) else first
    return first


def _is_name(read: WordReading, place: int) -> bool:
    return read.shapes[place] in (INITIAL, MIXED) and read.folds[place] not in NEVER


def _is_somebodys(read: WordReading, place: int) -> bool:
    """Whether it is the possessive of a usual first name, without a finding before it."""
    known = first_names().get(read.bares[place], "x0")[-1] >= _COMMON
    owned = read.folds[place].endswith("'s")
    return known and owned and not has_before(read, place, _FOUND)


DECLARATION = DetectorDeclaration(
    key="clinical eponyms",
    doc="signs, tests, diseases and gradings to keep that have a person's name",
    kinds=(),
    basis=Basis.WORDS,
    make=ClinicalEponyms,
    order=380,
    vetoes=True,
)
