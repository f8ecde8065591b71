"""Numbers of records: medical record, chart, specimen, case, file and application numbers.

Most are recognised by their label ("MRN 998877", "CH#32-841-09787", "application no. 18403/91"). A
court's number, a UUID and long codes are worth something by their form alone. The names of genes,
trials, classifications and articles have that form too and are left alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Code, Document
from ..kinds import ReferenceKind
from .cued import PUBLIC, CuedNumbers, cues, end_of_groups, has_unit, is_date_or_year
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form

_CUES = cues(
    """
    0.96: mrn, mrns, mrn's, medical record, med rec, medrec, mr number, mr no, mr, hospital number, hospital no
    0.96: patient id, patient number, patient no, patient identifier, chart, ch, unit number, unit no, hosp, urn, umrn
    0.96: nhc, emr, ehr, study id, subject id, participant, participant id, record, record id, accession, acc
    0.96: encounter, csn, fin, pt id, chi
    0.94: specimen, sample, visit number, visit id, order number, requisition, pathology, radiology, referral
    0.94: prescription, rx, case, case id, docket, application, applications, file, files, dossier, proceedings
    0.94: complaint, petition, crime, incident, police report, report number, inquiry, judgment, decision, indictment
    0.94: warrant, claim, appeal, aktenzeichen, az, fallnummer, patientennummer, patienten, krankenaktennummer
    0.94: aufnahmenummer, geschäftszeichen, numéro de dossier, dossier médical, ipp, nip, nda, historia clínica, nhc
    0.94: expediente, cartella clinica, cartella, fascicolo, processo, prontuário, patiëntnummer, patientnummer
    0.94: dossiernummer, journalnummer, sygn, akt, esas
    0.9: employee, employee id, staff, badge, student, student id, personnel, service number, prisoner, inmate, ticket
    0.9: confirmation, booking, reservation, tracking, order, invoice, reference, ref, our ref, your ref, id
    0.9: identifier
    0.85: bed, transaction id, episode, admission number, identification, registration number, uid, guid
    """
)
_GENES = re.compile(
    r"(?:NCT|PMC|PMID|ISRCTN|rs\d|CVE|ENSG|GSE|CYP|HLA|BRCA|KRAS|SARS|COVID|HPV|FDA|ISO|DSM|ICD|H\dN|miR|EGFR|FGFR"
    r"|TNF|mRNA)|"
    r"(?:IL|CD|PD|TP|Rh|Cas|B|C|T|L|S)-?\d{1,3}(?!\d)"
)
_CODED = re.compile(r"[A-Za-z0-9][A-Za-z0-9/_-]{5,29}")
_GROUPS = re.compile(r"\d{2,6}[-/]\d{2,6}[-/]\d{3,10}(?:[-/]\d{1,6})?")
_COURT = re.compile(r"(?:\d{1,6}[-–])?(?P<number>\d{1,6})/(?P<year>\d\d(?:\d\d)?)")
_VOLUME = re.compile(
    r"(?:19|20)\d\d[-‑–][IVX]{1,5}|\d{2,4}/\d{1,4}/(?:EEC|EC|EU|EURATOM)|\d{1,4}[-–]\d{1,4}"
)
_COUNTED = frozenset("no nos nr nrs n application applications case cases".split())
"""Words before the numbers of a court's cases."""
_FORMS = (
    form(
        r"[0-9a-fA-F](?<![\w-].)[0-9a-fA-F]{7}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![\w-])",
        0.95,
        "a UUID",
    ),
    form(
        r"[IVX\d](?<![\w.-].)[IVX\d]{0,4}[a-z]? "
        r"(?:BvR|BvL|BvF|ZR|ZB|StR|AZR|KR|SR|AR|BR|Ob|Ca|Cs|Ds|Ls|Js|O|OH|U|W"
        r"|K|Kp|CSK|CKN|SA) ?"
        r"\d{1,6}/\d{2,4}(?!\d)",
        0.85,
        "a court's file number",
        needs="/",
    ),
    form(r"[CTF](?<!\w.)-\d{1,4}/\d\d(?: P(?:PU)?)?(?!\w)", 0.6, "a case of the Court of Justice"),
    form(
        r"\[(?:19|20)\d\d\] (?:\d )?[A-Z][A-Za-z]{1,6}(?: [A-Z][a-z]{2,5})? \d{1,5}(?!\w)",
        0.6,
        "a citation of a case",
        needs="[",
    ),
)
_NAMED = CuedNumbers(
    "record numbers", ReferenceKind.RECORD_NUMBER, _CUES, "follows the name of a record number"
)


class RecordNumbers:
    """Numbers behind a cue, and codes that by their form can hardly be anything but somebody's
    number."""

    name = "record numbers"

    def bid(self, document: Document) -> Iterable[Bid]:
        for code in document.codes:
            if not PUBLIC.isdisjoint(code.before[:2]):
                continue
            heard = _CUES.before(document, code)
            if heard is not None and _NAMED.could_be(document, code, heard):
                end = end_of_groups(document, code)
                yield Bid(
                    code.start,
                    end,
                    ReferenceKind.RECORD_NUMBER,
                    round(heard.score, 2),
                    self.name,
                    _NAMED.reason,
                )
            if not _GENES.match(code.text):
                yield from self._by_form(document, code)
        yield from bids_of(_FORMS, document, ReferenceKind.RECORD_NUMBER, self.name)

    def _by_form(self, document: Document, code: Code) -> Iterator[Bid]:
        text = code.text
        if (
            len(text) < 4
            or len(text) > 40
            or has_unit(document.text, code.end)
            or is_date_or_year(text)
        ):
            return
        court = _COURT.fullmatch(text)
        if _VOLUME.fullmatch(text):
            return
        if court and _is_court(code, court):
            yield self._bid(code, 0.75, "number and year, as courts count their cases")
        elif _GROUPS.fullmatch(text):
            yield self._bid(code, 0.6, "groups of digits")
        elif text.isdecimal():
            if len(text) >= 6 and document.text[code.start - 1 : code.start] not in (
                "$",
                "€",
                "£",
                ",",
                ".",
                "+",
            ):
                yield self._bid(code, 0.5 if len(text) < 8 else 0.55, "a long number")
        elif _CODED.fullmatch(text) and _is_coded(text):
            yield self._bid(code, 0.5, "letters and digits mixed")

    def _bid(self, code: Code, score: float, reason: str) -> Bid:
        return Bid(
            code.start, code.end, ReferenceKind.RECORD_NUMBER, round(score, 2), self.name, reason
        )


def _is_court(code: Code, court: re.Match[str]) -> bool:
    """Numbers such as 18403/91. Below a thousand a word for such numbers is asked for in the
    sentence: 120/80 is a blood pressure."""
    number, year = court["number"], court["year"]
    if len(year) == 4 and not 1900 <= int(year) <= 2099:
        return False
    if (
        len(number) == 4
        and 1800 <= int(number) < 2100
        and int(year[-2:]) == (int(number) + 1) % 100
    ):
        return False  # A year and the next, as in 1996/97.
    if len(number) >= 4:
        return True
    before = code.before
    named = bool(before) and (before[0] in _COUNTED or before[0] == "and" or before[0].isdecimal())
    return named and not _COUNTED.isdisjoint(before) and len(number) >= 2 and int(number) > 12


def _is_coded(text: str) -> bool:
    """Capitals and three digits or more; not a word with a number, as in Omega-3000 or
    20-year-old."""
    if sum(map(str.isdecimal, text)) < 3 or not any(map(str.isupper, text)):
        return False
    return not any(
        len(part) > 3 and part.isalpha() and not part.isupper() for part in re.split(r"[-/_]", text)
    )


DECLARATION = DetectorDeclaration(
    key="record numbers",
    doc="numbers of medical records, specimens, cases and files",
    kinds=(ReferenceKind.RECORD_NUMBER,),
    basis=Basis.FORM,
    make=RecordNumbers,
    order=140,
    gives_way_below=0.8,
)
