"""Licences and certificates: driving, medical and other licences, DEA numbers, a doctor's number
after the title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .cued import CuedNumbers, cues
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form
from .national_checks import us_npi

_NAMED = CuedNumbers(
    name="licences",
    kind=ReferenceKind.LICENCE,
    cues=cues(
        """
        0.96: license, licence, licenses, licences, lic, driver's license, drivers license, driving licence, dl, cdl
        0.96: dln, certificate, certification, cert, certificate id, permit, dea, npi, gmc, nmc, gdc, bar number
        0.96: bar no, upin, state license, medical license, nursing license, rn, registration, registered
        0.96: provider number, prescriber
        0.94: führerschein, führerscheinnummer, lanr, bsnr, approbation, permis, permis de conduire, rpps, adeli
        0.94: licencia, carnet de conducir, colegiado, patente, rijbewijs, rijbewijsnummer, big, körkort, førerkort
        0.94: prawo jazdy, crm
        """
    ),
    reason="follows the name of a licence or certificate",
)


def _is_dea(match: re.Match[str]) -> bool:
    """The DEA's check digit: the first, third and fifth digit and twice the others."""
    digits = [int(digit) for digit in match.group()[2:9]]
    return (sum(digits[:5:2]) + 2 * sum(digits[1:6:2])) % 10 == digits[6]


_FORMS = (
    form(
        r"[ABCDEFGHJKLMPRSTUX](?<!\w\w)[A-Z9]\d{7}(?:-[A-Z0-9]{1,6})?(?!\w)",
        0.85,
        "a DEA number",
        check=_is_dea,
    ),
    form(
        r"[MDRNP](?<!\w\w)(?:\.? ?D\.?|\.? ?O\.?|\.?N\.?|A-C|\.?P\.?|h\.? ?D\.?),? {1,3}(?:#|No\.? "
        r"|Lic\.? )?(?P<found>(?:\d{4,7}|[A-Z]{1,3}\d{3,7}|\d{2,7}-\d{1,7}"
        r"|\d{3}(?= \d{3}))(?: \d{3,5}){0,2})(?![\w/]|[.,-]\d)",
        0.8,
        "a number after a doctor's title",
    ),
    form(
        r"[A-Z](?<!\w[A-Z])[A-Z]{4}\d{6}[A-Z0-9]{2}\d[A-Z]{2}(?!\w)",
        0.9,
        "a British driving licence",
    ),
    form(
        r"[A-Z](?<!\w[A-Z])\d{3}-\d{4}-\d{4}(?:-\d\d)?(?!\w)",
        0.8,
        "the shape of an American driving licence",
    ),
    form(
        r"[A-Z](?<!\w[A-Z])\d{3}-\d{3}-\d\d-\d{3}-\d(?!\w)",
        0.85,
        "the shape of an American driving licence",
    ),
)


class Licences:
    """By name, by form, and by their check digits."""

    name = "licences"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from _NAMED.bid(document)
        yield from bids_of(_FORMS, document, ReferenceKind.LICENCE, self.name)
        yield from self._npi(document)

    def _npi(self, document: Document) -> Iterator[Bid]:
        for code in document.codes:
            if len(code.text) == 10 and code.text.isdecimal() and us_npi(code.text):
                score = 0.97 if "npi" in code.before else 0.5
                yield Bid(
                    code.start,
                    code.end,
                    ReferenceKind.LICENCE,
                    score,
                    self.name,
                    "a provider's number, check digit agrees",
                )


DECLARATION = DetectorDeclaration(
    key="licences",
    doc="licences and certificates",
    kinds=(ReferenceKind.LICENCE,),
    basis=Basis.FORM,
    make=Licences,
    order=160,
    gives_way_below=0.6,
)
