"""Abbreviations of medicine to keep: BP, AF, OR, MD, PR, ECG; also those that are a state's letters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..lexicons import region_codes
from ..word_reading import INITIAL, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import words
from .name_evidence import TITLES

_KEPT = words(
    "BP HR RR AF OR MD RN PR ECG EKG CT MS MI PE PT OT DVT NPO SOB CP IV IM PO SC SQ AP PA LA RA LV "
    "RV EF CVA TIA TIAs CAD CHF COPD GERD HTN DM DM1 DM2 T2DM CKD ESRD UTI URI ICU PACU ED ER NICU "
    "CCU MICU SICU RUQ LUQ RLQ LLQ RLL LLL RUL LUL RLE LLE RUE LUE BLE BUE LE UE PIP DIP MCP MTP ROM "
    "CNS GI GU ENT HEENT PMH PSH FH SH ROS HPI CC EBL IVF LR NS RL D5W NSR RVR PVC PVCs PAC LBBB RBBB "
    "AV VT VF SVT PTCA CABG TAH BSO TURP ORIF THA TKA ACL MCL PCL LCL MRI MRA MRCP ERCP EGD PET US "
    "CXR KUB DEXA EEG EMG NCV PFT PFTs ABG CBC BMP CMP LFT LFTs UA INR PTT TSH PSA AFB RPR ANA CSF "
    "BAL FNA LP NG OG ETT JP PICC CVC TPN PCA PRN BID TID QID QHS QD HS AC PTA S/P DNR DNI POA WBAT "
    "NWB TTWB PWB ADL ADLs OD OS OU VA IOP APD LMP EDC EDD SVD NSVD AROM SROM GBS FHT FHR SVE IUP IUGR "
    "D&C TM TMs JVD LAD RCA LCX LMCA PDA MGM MGF PGM PGF RHM RHF LHM LHF A&O AAO NAD WNL RRR CTA CTAB "
    "NT ND BS HSM CVAT DTR DTRs SLR MGUS MDS AML CLL ALL CML NHL SCC BCC DCIS LCIS CA Ca mets SBE RNP "
    "RA SLE PMR OA DJD RF ID ETOH TOB IVDU LBP TMJ BPH ED PID STD STI HIV HCV HBV HPV EBV CMV RSV "
    "BMI VS I/O O2 MAP CVP PCWP CO CI SVR TEE TTE IABP ECMO LVAD RN LPN CNA NP MA IgA IgG IgM IgE "
    "FRCS FRCP FRCPC FRCSC MRCP MRCS MRCOG FRCOG FRACS FRACP FACS FACC MBBS MBChB "
    "AJCC UICC NCCN ESMO ASCO FIGO SOGC ACOG RCOG WHO BTS GOLD ESC AHA ACC NICE DSM ICD ABO Hib AZO "
    "TOP EDSS OGTT GBS CTG ARM IOL LSCS NVD FTND RTA TKR THR ORIF K-wire MUA EUA LA GA RSI TIVA "
    "Pre Post Lap Echo Cath Path Bilat Imp Obs Ix O/E C/O U/S "
    "AVR MVR TAVR TAVI LIMA SVG PDA OM POAG NAMD GETA FOB "
    "Pt pt Hx Dx Tx Rx Sx Fx Abd Ext Neuro Gen Psych Resp Derm Heme Onc Neph Meds Vitals"
)
_FOLDS = frozenset(each.lower() for each in _KEPT)
_ZIP = re.compile(r"[ ,]{1,2}\d{5}(?!\d)")
_PLACE_BEFORE = frozenset("in from near of to at".split())


def is_abbreviation(read: WordReading, place: int) -> bool:
    """Whether the word is one of them, as it is written."""
    return read.text[read.starts[place] : read.ends[place]] in _KEPT


class ClinicalAbbreviations:
    """Looks at short words in capitals that clinics write. The letters of a state behind a comma,
    behind a preposition or before a postcode are a place."""

    name = "clinical abbreviations"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        codes = region_codes()
        for place in read.places(_FOLDS):
            start, end = read.span(place, place)
            written = read.text[start:end]
            if written not in _KEPT or read.shouts(place):
                continue
            before = read.folds[place - 1] if place else ""
            if before in TITLES and read.before(place) in (" ", ". "):
                continue
            if (written in codes or written == "AP") and (
                "," in read.before(place)
                or "\n" in read.before(place)
                or (place and read.is_capital(place - 1) and not read.opens(place - 1))
                or (before in _PLACE_BEFORE and written != "OR")
                or _ZIP.match(read.text, end)
                or _names_a_body(read, place)
            ):
                continue
            yield Bid(start, end, None, 0.93, self.name, "an abbreviation of medicine")


def _names_a_body(read: WordReading, place: int) -> bool:
    """Whether a word with a capital follows: "LA Medical Center"."""
    following = place + 1
    return following < len(read) and read.gap(place) == " " and read.shapes[following] == INITIAL


DECLARATION = DetectorDeclaration(
    key="clinical abbreviations",
    doc="abbreviations of medicine to keep",
    kinds=(),
    basis=Basis.WORDS,
    make=ClinicalAbbreviations,
    order=383,
    vetoes=True,
)
