"""Brands of medicine to keep: drugs, dressings, sutures and devices that no list of names has."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from ..bids import Bid
from ..documents import Document
from ..lexicons import (
    drugs,
    first_names,
    hospitals,
    last_names,
    organisations,
    professions,
    regions,
    towns,
    words,
)
from ..word_reading import CAPS, INITIAL, MIXED, WordReading, reading
from .clinical_eponyms import goes_on_a_name
from .declaration import Basis, DetectorDeclaration
from .medical_labels import has_before
from .name_evidence import TITLES

_BRANDS: Final = frozenset(
    "accuchek actico acticoat actiq activheal adaptic adherus aerochamber airomir airsleeve "
    "airtraq airvo algivon allevyn alloderm allurion ambu amplatzer ampliatzer angioseal "
    "aptima aquaphor ascomp auvelity bactrigras bardport bendeka betadine biatain biofreedom "
    "bioglue biopatch bioprosthetic bipap caduet calcichew carvykti cavi cavilon celluvisc "
    "celsentri cilest ciproxin climara clopixol codman coflex comfeel controloc conveen "
    "corevalve coroflex coseal curafoam curaprox cuticell cutimed cyberknife daivobet "
    "daktarin depomedrol deponit dermabond dermaflex desitin dexcom dianeal digifab diprobase "
    "diprosalic dulera duoderm duragen duraseal durepair dymista dytor eclypse ecosprin "
    "endobag endocatch endoeye endogia endoloop endostitch engerix epaderm epilim epzicom "
    "esmya estraderm ethiguard eucerin evarrest everolux evolut fastum femibion ferinject "
    "fibrillar fibrosure flaminal flexima floseal flowtron flowtronic flowtrons fluenz "
    "fujinon fusidic galvus gambro gastrisail gelfoam gelofusine gelport genvoya gliderite "
    "glidescope glubran glucomen glyxambi granuflex grifols heartmate heartware hemabate "
    "hemolock hemolok hemopatch hemosil hemovac histoacryl hypafix hyzaar ikervis imdur "
    "impella inadine incruse inderide infergen interceed intrasite jadelle jakavi janumet "
    "jaydess jelonet jentadueto juvederm kaltostat kenacort kerecis kerlix klacid klexane "
    "kliniderm kliofem kogenate komboglyze kyphon lacrilube leukomed leukoplast levonelle "
    "lexiscan ligaclip ligamax ligasure lipofundin lotrel lotriderm luveris madopar medihoney "
    "medisense mefilm mefix melolin menopur mepiform mepilex mepitel mepore meronem mersilene "
    "mezavant miacalcin micralax microgynon microtek midanium mitigare mitraclip mixtard "
    "modecate moderna moduretic monosof monosyn movicol mybetriq mycamine naprogesic neulasta "
    "nexgen nicotinell nimbex nitroderm novavax novomix nurolon nutramigen nutrison nuwiq "
    "nystan octagam octylseal odefsey olbetam omnipod onbrez onetouch opmi opsite optiflow "
    "orbera orfiril orsiro oxaydo oxinium oxynorm palacos perclose percodan perfalgan "
    "permacol permcath picolax plasbumin plasmalyte polymem portacath powerport prepidil "
    "prevena priadel prialt primaxin primolut prineo profore proglide promogran promus "
    "pronova prontosan proseal prostin rapiplas recombivax relvar remodulin renvela replens "
    "resectisol resmed resochin retin roxicodone saflutan sativex selincro seprafilm septrin "
    "serdolect serenace seretide signifor simdax simpla sinopharm sinovac sofradex sofratulle "
    "solosite solucortef somatuline sonicision sorbsan spedra stalevo stemetil steridrape "
    "steristrip steristrips sterofundin stratasorb stribild sunlenca supprelin surgicel "
    "surgiflo surgifoam synacthen synthes syntometrine synvisc systane taperloc tardyferon "
    "taxus tazocin tegaderm telfa telzir tensogrip tensoplast tesio thunderbeat tielle tienam "
    "tildiem torem tramacet trexall triesence trimovate tubifast tubigrip tubinette "
    "turbohaler tyvaso uceris ultibro ultimaster ultravist urgoclean urgosorb urgostart "
    "urgotul utrogestan vantas vaprisol vemlidy ventouse versatis versiva viekira visanne "
    "viscotears visipaque vloc vytorin xatral xeplion xience zemplar zetuvit".split()
)
"""Brands that the lexicon of drugs lacks; none is a name, a town or an ordinary word."""
_FORMS: Final = frozenset(
    "border lite plus forte retard depot duo ag xt xl sr xr cr acuphase consta sensoready trinza max "
    "rapid extra relief night day junior flex transfer foam non-adhesive heel sacral".split()
)
"""Words that say in which form a brand is sold: "Mepilex Border"."""
_SHORTEST: Final = 5
_CALLED: Final = frozenset("named called name surname née nee".split())
_SCORE: Final = 0.93


class ClinicalBrands:
    """Looks for words with a capital that are a brand or a drug and nobody's name or place."""

    name = "clinical brands"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.capitals:
            if (
                read.shapes[place] in (INITIAL, MIXED, CAPS)
                and is_brand(read.bares[place])
                and not _names_somebody(read, place)
            ):
                last = place
                if read.gap(place) == " " and place + 1 < len(read):
                    last += read.is_capital(place + 1) and read.folds[place + 1] in _FORMS
                span = read.span(place, last)
                yield Bid(*span, None, _SCORE, self.name, "a brand or a drug")


def is_brand(fold: str) -> bool:
    """Whether a word is a brand or a drug and nothing else that a lexicon knows.

    Example:
        >>> [is_brand(word) for word in ("mepilex", "eliquis", "heather", "water")]
        [True, True, False, False]
    """
    return fold in _BRANDS or (len(fold) >= _SHORTEST and fold in _sole_drugs())


def _names_somebody(read: WordReading, place: int) -> bool:
    """Whether a title or a first name is before it, or a label for a name."""
    return (
        goes_on_a_name(read, place)
        or has_before(read, place, TITLES)
        or has_before(read, place, _CALLED)
    )


@cache
def _sole_drugs() -> frozenset[str]:
    others = (first_names, last_names, towns, regions, words, hospitals, organisations, professions)
    single = {drug for drug in drugs() if drug.isalpha()}
    return frozenset(single.difference(*(lexicon() for lexicon in others)))


DECLARATION = DetectorDeclaration(
    key="clinical brands",
    doc="brands of drugs, dressings, sutures and devices to keep",
    kinds=(),
    basis=Basis.WORDS,
    make=ClinicalBrands,
    order=387,
    vetoes=True,
)
