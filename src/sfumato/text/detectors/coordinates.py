"""Coordinates: decimal pairs, degrees and minutes, grid references, plus codes, three words, geo
addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import bids_of, form

_MINUTES = (
    r"(?:[.,]\d{1,8})?\s?[°º]\s?"
    r"(?:\d{1,2}(?:[.,]\d{1,6})?\s?['′’]\s?(?:\d{1,2}(?:[.,]\d{1,4})?\s?(?:\"|″|''|”)\s?)?)?"
)


def _is_on_earth(match: re.Match[str]) -> bool:
    return abs(float(match["lat"])) <= 90 and abs(float(match["lon"])) <= 180


_LONGITUDE = r"°?\s?[NS]?(?:\s?[,;/]\s{0,2}|\s(?=-))(?P<lon>[-+]?\d{1,3}\.\d{3,12})°?(?:\s?[EWO](?!\w))?(?![\w]|[.,]\d)"
_FORMS = (
    form(
        r"(?P<lat>[-+](?<![\w.,+-].)\d{1,2}\.\d{3,12})" + _LONGITUDE,
        0.85,
        "two decimal numbers that are a place on earth",
        check=_is_on_earth,
    ),
    form(
        r"(?P<lat>\d(?<![\w.,+-]\d)\d?\.\d{3,12})" + _LONGITUDE,
        0.85,
        "two decimal numbers that are a place on earth",
        check=_is_on_earth,
    ),
    form(
        rf"\d(?<![\w.,]\d)\d?{_MINUTES}[NS][ ,;/]{{1,3}}\d{{1,3}}{_MINUTES}[EWO](?!\w)",
        0.95,
        "degrees north or south and east or west",
        needs="°|º",
    ),
    form(
        r"[Ll](?<!\w\w)at(?:itude)?\.?\s?[:=]?\s?(?P<found>[-+]?\d{1,2}\.\d{2,12}°?(?:\s?[NS](?!\w))?)(?!\w)",
        0.9,
        "follows latitude",
        needs="at",
    ),
    form(
        r"[Ll](?<!\w\w)(?:on|ong|ng|ongitude)\.?\s?[:=]?\s?(?P<found>[-+]?\d{1,3}\.\d{2,12}°?(?:\s?[EWO](?!\w))?)(?!\w)",
        0.9,
        "follows longitude",
    ),
    form(r"[HJNOST](?<!\w\w)[A-HJ-Z] ?\d{3,5} ?\d{3,5}(?!\w)", 0.6, "a British grid reference"),
    form(
        r"\d(?<!\w\d)\d?[C-HJ-NP-X] \d{6,7}(?: ?m?E)?[ ,]{1,2}\d{6,8}(?: ?m?N)?(?!\w)",
        0.85,
        "a UTM reference",
    ),
    form(
        r"[23456789CFGHJMPQRVWX](?<!\w\w)[23456789CFGHJMPQRVWX]{3,7}\+[23456789CFGHJMPQRVWX]{2,3}(?!\w)",
        0.85,
        "a plus code",
        needs="+",
    ),
    form(
        r"/(?<![\w:/]/)//[^\W\d_]{2,20}\.[^\W\d_]{2,20}\.[^\W\d_]{2,20}(?!\w)",
        0.9,
        "a place in three words",
        needs="///",
    ),
    form(
        r"g(?<!\wg)eo:-?\d{1,2}\.\d{1,12},-?\d{1,3}\.\d{1,12}", 0.97, "a geo address", needs="geo:"
    ),
)


class Coordinates:
    """Places as numbers."""

    name = "coordinates"

    def bid(self, document: Document) -> Iterable[Bid]:
        return bids_of(_FORMS, document, ReferenceKind.COORDINATES, self.name)


DECLARATION = DetectorDeclaration(
    key="coordinates",
    doc="coordinates, grid references and plus codes",
    kinds=(ReferenceKind.COORDINATES,),
    basis=Basis.FORM,
    make=Coordinates,
    order=190,
    gives_way_below=ALWAYS,
)
