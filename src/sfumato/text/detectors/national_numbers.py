"""National numbers: social security, health service, tax and identity numbers of many countries.

A number is recognised by its shape, then by its check digits, then by the words before it. A number
whose check digits agree by chance once in ten times is no finding alone. Behind its own name it is
found even with a typing mistake in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..bids import Bid
from ..checksums import mod_11_10
from ..documents import Document
from ..kinds import ReferenceKind
from . import national_checks as checks
from .cued import CuedNumbers, cues
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form
from .shapes import ShapedText, Shapes, shaped

CUED, MISTYPED = 0.98, 0.9


@dataclass(frozen=True, slots=True)
class National:
    """One country's number: its shapes, its check, what it is worth without a word before it, and
    those words."""

    what: str
    shapes: tuple[str, ...]
    check: Callable[[str], bool]
    alone: float
    words: frozenset[str]


def _national(
    what: str, shapes: str, check: Callable[[str], bool], alone: float, words: str
) -> National:
    return National(what, tuple(shapes.split("|")), check, alone, frozenset(words.split()))


NATIONALS = (
    _national("US social security", "999-99-9999|999 99 9999", checks.us_ssn, 0.93, "ssn ss social"),
    _national("US social security", "999999999|999.99.9999|999-999-999", checks.us_ssn, 0.0, "ssn ss social"),
    _national("US individual taxpayer", "999-99-9999|999999999", checks.us_itin, 0.8, "itin taxpayer"),
    _national("US employer", "99-9999999", lambda number: True, 0.0, "ein fein tin employer"),
    _national("US Medicare",
              "9AA9-AA9-AA99|9A99-AA9-AA99|9AA9AA9AA99|9A99AA9AA99|9AA9-A99-AA99|9A99-A99-AA99|9A99A99AA99",
              lambda number: number[0] != "0", 0.9, "medicare mbi beneficiary"),
    _national("UK health service", "999 999 9999|9999999999|999-999-9999", checks.uk_nhs, 0.5, "nhs"),
    _national("UK national insurance", "AA999999A|AA 99 99 99 A|AA 999999 A|AA-99-99-99-A",
              checks.uk_nino, 0.95, "nino insurance ni"),
    _national("Canadian social insurance", "999-999-999|999 999 999|999999999",
              checks.ca_sin, 0.55, "sin insurance nas"),
    _national("French social security", "9 99 99 99 999 999 99|999999999999999|9999999999999 99|9 99 99 9A 999 999 99",
              checks.fr_nir, 0.96, "nir sécu sécurité securite insee"),
    _national("German tax", "99999999999|99 999 999 999|99 999999999",
              checks.de_tax, 0.5, "steuer steuernummer idnr identifikationsnummer tin id"),
    _national("German pension", "99999999A999|99 999999 A 999|99 999999A999",
              checks.de_pension, 0.96, "sozialversicherungsnummer versicherungsnummer svnr rentenversicherungsnummer"),
    _national("Austrian social security", "9999 999999|9999999999|9999-999999",
              checks.at_social, 0.5, "svnr sozialversicherungsnummer sv"),
    _national("Swiss social security", "999.9999.9999.99|9999999999999|999 9999 9999 99",
              checks.ch_social, 0.97, "ahv avs ahvn13 navs13"),
    _national("Spanish identity", "99999999A|99999999-A|99.999.999-A|99999999 A",
              checks.es_dni, 0.93, "dni nif nie documento"),
    _national("Spanish foreigner", "A9999999A|A-9999999-A|A9999999-A", checks.es_dni, 0.9, "nie dni"),
    _national("Italian fiscal", "AAAAAA99A99A999A", checks.it_fiscal, 0.98, "fiscale fiscal cf codice"),
    _national("Dutch citizen", "999999999|9999.99.999|9999 99 999",
              checks.nl_bsn, 0.0, "bsn burgerservicenummer sofinummer sofi"),
    _national("Belgian national", "99.99.99-999.99|999999-999-99|99999999999",
              checks.be_national, 0.9, "rijksregisternummer national registre insz niss"),
    _national("Polish", "99999999999", checks.pl_pesel, 0.6, "pesel"),
    _national("Czech or Slovak birth", "999999/9999|999999/999", checks.cz_birth, 0.85, "rč rodné číslo"),
    _national("Swedish or Danish personal", "999999-9999|99999999-9999|999999999999",
              checks.se_personal, 0.9, "personnummer pnr samordningsnummer"),
    _national("Danish CPR", "999999-9999|9999999999", checks.dk_cpr, 0.7, "cpr"),
    _national("Finnish personal", "999999-9999|999999-999A|999999A9999|999999A999A",
              checks.fi_personal, 0.96, "henkilötunnus hetu"),
    _national("Norwegian birth", "99999999999|999999 99999", checks.no_birth, 0.85, "fødselsnummer fnr personnummer"),
    _national("Estonian or Lithuanian personal", "99999999999", checks.ee_lt_personal, 0.6, "isikukood asmens"),
    _national("Turkish identity", "99999999999", checks.tr_kimlik, 0.85, "kimlik tc tckn"),
    _national("Romanian personal", "9999999999999", checks.ro_cnp, 0.85, "cnp"),
    _national("Bulgarian civil", "9999999999", checks.bg_egn, 0.45, "egn егн"),
    _national("Croatian", "99999999999", mod_11_10, 0.45, "oib"),
    _national("Greek social security", "99999999999", checks.gr_amka, 0.6, "amka αμκα"),
    _national("Portuguese tax", "999999999|999 999 999", checks.pt_nif, 0.0, "nif contribuinte"),
    _national("Irish personal public service", "9999999A|9999999AA", checks.ie_pps, 0.85, "pps ppsn"),
    _national("Brazilian CPF", "999.999.999-99|99999999999|999999999-99", checks.br_cpf, 0.85, "cpf"),
    _national("Argentine CUIT", "99-99999999-9", checks.ar_cuit, 0.95, "cuit cuil"),
    _national("Chilean RUT", "99.999.999-9|9.999.999-9|99.999.999-A|9.999.999-A|99999999-9|9999999-9|99999999-A",
              checks.cl_rut, 0.85, "rut run"),
    _national("Mexican CURP", "AAAA999999AAAAAA99|AAAA999999AAAAAAA9", checks.mx_curp, 0.98, "curp"),
    _national("Mexican tax", "AAAA999999AAA|AAAA999999999|AAAA999999A99|AAAA999999AA9",
              lambda number: True, 0.6, "rfc"),
    _national("Indian Aadhaar", "9999 9999 9999|999999999999|9999-9999-9999",
              checks.in_aadhaar, 0.75, "aadhaar aadhar uid uidai"),
    _national("Indian PAN", "AAAAA9999A", checks.in_pan, 0.85, "pan permanent"),
    _national("Chinese identity", "999999999999999999|99999999999999999A", checks.cn_identity, 0.96, "id identity"),
    _national("Korean resident", "999999-9999999", checks.kr_resident, 0.9, "rrn resident"),
    _national("Japanese My Number", "9999 9999 9999|999999999999", checks.jp_my_number, 0.4, "my mynumber"),
    _national("South African identity", "9999999999999|999999 9999 999|999999 9999 99 9",
              checks.za_identity, 0.85, "id identity"),
    _national("Australian tax file", "999 999 999|999999999", checks.au_tfn, 0.0, "tfn tax"),
    _national("Australian Medicare", "9999 99999 9|9999999999|99999999999", checks.au_medicare, 0.55, "medicare"),
    _national("New Zealand health", "AAA9999", checks.nz_nhi, 0.6, "nhi"),
)  # fmt: skip
_BY_SHAPE: dict[str, list[National]] = {}
for _each in NATIONALS:
    for _one in _each.shapes:
        _BY_SHAPE.setdefault(_one, []).append(_each)
_SHAPES = Shapes(_BY_SHAPE)

_NAMED = CuedNumbers(
    name="national numbers",
    kind=ReferenceKind.NATIONAL_NUMBER,
    cues=cues(
        """
        0.93: ssn, ssn#, social security, social insurance, national insurance, nino, national id, identity card, nhs
        0.93: passport, reisepass, passeport, pasaporte, passaporto, paspoort, personalausweis, ausweisnummer, id card
        0.93: personnummer, pesel, cpf, dni, nie, bsn, curp, aadhaar, cnp, egn, oib, amka, ppsn, isikukood, cpr, ahv
        0.93: avs, codice fiscale, carte d'identité, burgerservicenummer, sozialversicherungsnummer, steuernummer
        0.93: tax id, mbi, taxpayer, medicare, medicaid, ihi, health card, hkid, nric, fin, green card
        0.93: alien registration, uscis, itin
        0.7: citizen, tax, tin, residence permit, identity, visa
        """
    ),
    reason="follows the name of a national number",
)
_HIDDEN = (
    form(
        r"[Xx*#•](?<![\w*#•].)[Xx*#•]{2}[- ]?[Xx*#•]{2}[- ]?(?P<found>\d{4})(?!\w)",
        0.85,
        "the last digits of a social security number",
    ),
    form(
        r"[lL](?<!\w\w)ast (?:four|4)(?: digits)?(?: of (?:his|her|the|my)?)?\s?(?:SSN|ssn|social"
        r"|Social)?[\w ]{0,12}[: ]{1,2}(?P<found>\d{4})(?!\w|[./-]\d)",
        0.75,
        "the last digits of a number",
    ),
)


class NationalNumbers:
    """Looks up the shape of every number, checks it, and asks the words before it."""

    name = "national numbers"

    def bid(self, document: Document) -> Iterable[Bid]:
        for piece in shaped(document, _SHAPES):
            yield from self._of_shape(piece)
        yield from _NAMED.bid(document)
        yield from bids_of(_HIDDEN, document, ReferenceKind.NATIONAL_NUMBER, self.name)

    def _of_shape(self, piece: ShapedText) -> Iterator[Bid]:
        best, reason = 0.0, ""
        for national in _BY_SHAPE[piece.shape]:
            agrees = national.check(piece.characters)
            named = not national.words.isdisjoint(piece.code.before)
            score = (
                (CUED if agrees else MISTYPED)
                if named
                else national.alone
                if agrees
                else _unchecked(piece)
            )
            if score > best:
                best, reason = (
                    score,
                    f"{national.what} number" + (", check digits agree" if agrees else ""),
                )
        if best:
            yield Bid(
                piece.start, piece.end, ReferenceKind.NATIONAL_NUMBER, best, self.name, reason
            )


def _unchecked(piece: ShapedText) -> float:
    """Nothing else is written as three, two and four digits: even a number that was never issued is
    worth a bid."""
    return 0.75 if piece.shape == "999-99-9999" else 0.0


DECLARATION = DetectorDeclaration(
    key="national numbers",
    doc="social security, health service, tax and identity numbers of many countries",
    kinds=(ReferenceKind.NATIONAL_NUMBER,),
    basis=Basis.FORM,
    make=NationalNumbers,
    order=120,
    gives_way_below=0.6,
)
