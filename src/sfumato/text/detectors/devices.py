"""Devices: serial numbers, IMEI, MAC addresses, unique device identifiers of implants."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..checksums import luhn
from ..documents import Document
from ..kinds import ReferenceKind
from .cued import CuedNumbers, cues
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form
from .shapes import characters_of

_NAMED = CuedNumbers(
    name="devices",
    kind=ReferenceKind.DEVICE,
    cues=cues(
        """
        0.96: serial, serials, serial#, s n, sn, device, device id, device serial, udi, imei, imsi, iccid, meid, esn
        0.96: implant, mac, mac address, model serial, pacemaker, defibrillator, icd serial, pump serial, glucometer
        0.96: asset, asset tag
        0.94: seriennummer, gerätenummer, numéro de série, número de serie, numero di serie, serienummer, matricola
        0.8: implant lot, lot, pump, stent, prosthesis, sensor, transmitter, monitor, scanner, catheter, model
        """
    ),
    reason="follows a word for a device or its serial number",
)


def _is_imei(match: re.Match[str]) -> bool:
    digits = characters_of(match.group())
    return (
        len(digits) == 15
        and luhn(digits)
        and digits[:2] in ("01", "35", "86", "99", "49", "33", "44", "45", "52", "53")
    )


_FORMS = (
    form(
        r"[0-9A-Fa-f](?<![\w:-]\w)[0-9A-Fa-f](?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])",
        0.95,
        "a MAC address",
        needs=":|-",
    ),
    form(
        r"[0-9A-Fa-f](?<![\w.]\w)[0-9A-Fa-f]{3}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])",
        0.7,
        "a MAC address with dots",
    ),
    form(
        r"\d(?<![\w.-]\d)\d[ -]?\d{6}[ -]?\d{6}[ -]?\d(?![\w-])",
        0.85,
        "an IMEI, check digit agrees",
        check=_is_imei,
    ),
    form(
        r"\((?<!\w\()01\) ?\d{14}(?: ?\((?:10|11|17|21|240)\) ?[\w./-]{1,20}){0,4}",
        0.95,
        "a unique device identifier",
        needs="(01)",
    ),
    form(
        r"\+(?<!\w\+)[A-Z]\d{3}[A-Z0-9]{3,18}\d/\$?[\w.$+/-]{4,30}",
        0.8,
        "a unique device identifier of HIBCC",
        needs="+",
    ),
)


class Devices:
    """By form and check digit, or by the word before."""

    name = "devices"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from _NAMED.bid(document)
        yield from bids_of(_FORMS, document, ReferenceKind.DEVICE, self.name)


DECLARATION = DetectorDeclaration(
    key="devices",
    doc="serial numbers, IMEI, MAC addresses and identifiers of implants",
    kinds=(ReferenceKind.DEVICE,),
    basis=Basis.FORM,
    make=Devices,
    order=180,
    gives_way_below=0.6,
)
