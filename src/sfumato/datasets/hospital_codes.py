"""The diagnoses of a made-up hospital, their frequencies, wards, drugs and procedures, and urns of
them.

An urn is a row of slots, each with the place of a value in its list; a value has adjacent slots, in
proportion to its weight. So a draw is one random number and one look-up, and several draws at equal
steps hit different values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .hospital import DIAGNOSES

SLOTS = 4_096
BANDS = "cao"  # Children below 16, adults, and the old, from 60.
SEXES = "fm"
MOST_PER_VISIT = 14  # Sweeney 1997, Table 7: procedure and medication codes, up to 14.


class Condition(NamedTuple):
    """A diagnosis, its patients (letters of `BANDS` and `SEXES`), the ward that treats it, and its
    drugs."""

    code: str
    weight: float
    chronic: bool
    bands: str
    sexes: str
    ward: str
    drugs: tuple[str, ...]


# The weight of a diagnosis that the flat table has too (-) is the one it has there.
_CONDITIONS = """
I10       -    chronic ao  fm medicine    lisinopril amlodipine
E11.9     -    chronic ao  fm medicine    metformin insulin
E78.5     -    chronic ao  fm medicine    atorvastatin
J45.20    -    chronic ca  fm medicine    salbutamol budesonide
M54.50    -    chronic ao  fm medicine    diclofenac
F32.A     -    chronic ao  fm psychiatry  sertraline
I25.10    -    chronic ao  fm cardiology  atorvastatin metoprolol
J44.9     -    chronic o   fm medicine    salbutamol tiotropium
N18.30    -    chronic o   fm nephrology  furosemide lisinopril
K21.9     -    chronic ao  fm medicine    pantoprazole
C50.911   -    chronic ao  f  oncology    tamoxifen paclitaxel
C61       -    chronic o   m  oncology    leuprorelin
B20       -    chronic a   fm medicine    dolutegravir
F10.20    -    chronic a   fm psychiatry  naltrexone
G40.909   -    chronic cao fm neurology   levetiracetam valproate
E66.9     -    chronic cao fm medicine    semaglutide
J18.9     -    acute   cao fm medicine    amoxicillin azithromycin
N39.0     -    acute   cao f  medicine    nitrofurantoin
S72.001A  -    acute   o   fm surgery     morphine heparin
O80       -    acute   a   f  obstetrics  oxytocin
J06.9     9    acute   cao fm emergency   dextromethorphan
A09       6    acute   cao fm emergency   ondansetron
R07.9     5    acute   ao  fm emergency   nitroglycerin
S93.401A  4    acute   ca  fm emergency   diclofenac
K35.80    2    acute   ca  fm surgery     cefazolin
H66.90    8    acute   c   fm medicine    amoxicillin
J21.9     5    acute   c   fm medicine    salbutamol
Z00.129  11    acute   c   fm medicine    cholecalciferol
L20.9     6    chronic c   fm medicine    hydrocortisone
F90.9     5    chronic c   fm psychiatry  methylphenidate
E10.9     3    chronic ca  fm medicine    insulin
Q21.0     2    chronic c   fm cardiology  furosemide
P07.30    2    chronic c   fm medicine    caffeine
C91.00    1    chronic c   fm oncology    vincristine
E84.9     0.6  chronic c   fm medicine    tobramycin
D57.1     0.5  chronic ca  fm medicine    hydroxyurea
I50.9     4    chronic o   fm cardiology  furosemide metoprolol
N18.6     2    chronic ao  fm nephrology  epoetin heparin
M32.9     0.4  chronic a   f  medicine    hydroxychloroquine
G71.01    0.1  chronic c   m  neurology   prednisolone
E75.22    0.05 chronic ca  fm medicine    prednisolone
A15.0     0.1  acute   ao  fm medicine    rifampicin
"""

# Type of physician by ward (Sweeney 1997, Table 7), and how many of every 24 physicians are of it.
SPECIALTIES = {
    "medicine": ("internal medicine", 6), "paediatrics": ("paediatrics", 4), "emergency": ("emergency medicine", 3),
    "surgery": ("surgery", 3), "cardiology": ("cardiology", 2), "obstetrics": ("obstetrics", 2),
    "oncology": ("oncology", 1), "psychiatry": ("psychiatry", 1), "neurology": ("neurology", 1),
    "nephrology": ("nephrology", 1),
}  # fmt: skip
WARDS = tuple(SPECIALTIES)

# ICD-10-PCS codes, how often they are done, and the ward that does them mostly; none where every
# ward does.
PROCEDURES = (
    ("B020ZZZ", 6, ""), ("BW03ZZZ", 14, ""), ("4A02X4Z", 14, ""), ("30233N1", 5, ""), ("3E0234Z", 8, "paediatrics"),
    ("0DJ08ZZ", 5, "medicine"), ("0DJD8ZZ", 6, "medicine"), ("0BJ08ZZ", 2, "medicine"), ("0HQ0XZZ", 4, "emergency"),
    ("2W3QX2Z", 4, "emergency"), ("0DTJ4ZZ", 4, "surgery"), ("0FT44ZZ", 4, "surgery"), ("0SR90JZ", 3, "surgery"),
    ("0QS636Z", 2, "surgery"), ("4A023N7", 4, "cardiology"), ("027034Z", 3, "cardiology"), ("B2111ZZ", 4, "cardiology"),
    ("10E0XZZ", 8, "obstetrics"), ("10D00Z1", 3, "obstetrics"), ("3E03305", 9, "oncology"),
    ("GZ58ZZZ", 9, "psychiatry"), ("4A00X4Z", 4, "neurology"), ("009U3ZX", 1, "neurology"),
    ("5A1D70Z", 9, "nephrology"),
)  # fmt: skip
# What any patient may be given beside the drugs of a diagnosis, and how often.
GENERAL_DRUGS = (
    ("paracetamol", 12), ("ibuprofen", 9), ("sodium chloride", 8), ("ondansetron", 4), ("pantoprazole", 4),
    ("cholecalciferol", 3), ("heparin", 3), ("morphine", 2), ("cetirizine", 2), ("docusate", 2), ("ferrous sulfate", 2),
    ("prednisolone", 1), ("lorazepam", 1), ("melatonin", 1),
)  # fmt: skip


def _conditions() -> tuple[Condition, ...]:
    weights = dict(DIAGNOSES)
    rows = (line.split() for line in _CONDITIONS.strip().splitlines())
    return tuple(
        Condition(
            code,
            weights[code] if w == "-" else float(w),
            kind == "chronic",
            bands,
            sexes,
            ward,
            tuple(drugs),
        )
        for code, w, kind, bands, sexes, ward, *drugs in rows
    )


CONDITIONS = _conditions()
DRUGS = tuple(
    dict.fromkeys(
        [drug for item in CONDITIONS for drug in item.drugs] + [drug for drug, _ in GENERAL_DRUGS]
    )
)


# What a drug typically costs by the ward that gives it first; what any patient may be given is
# cheap.
_PRICES = {"oncology": 900.0, "nephrology": 150.0, "cardiology": 45.0}
PRICES = tuple(
    4.0
    if drug in dict(GENERAL_DRUGS)
    else _PRICES.get(next(c.ward for c in CONDITIONS if drug in c.drugs), 20.0)
    for drug in DRUGS
)


def urn(weights: Sequence[float], *, slots: int = SLOTS) -> NDArray[np.uint8]:
    """Slots for places in a list, as many as their weights ask for, at least one for any weight
    above 0."""
    shares = np.asarray(weights, float)
    many = np.where(shares > 0, np.maximum(1, np.floor(shares / shares.sum() * slots)), 0).astype(
        np.int64
    )
    many[many.argmax()] += slots - many.sum()
    return np.repeat(np.arange(len(many), dtype=np.uint8), many)


def condition_urns(*, chronic: Mapping[bool, float]) -> NDArray[np.uint8]:
    """One urn of diagnoses for each band and sex, end to end; `chronic` weighs those that last, and
    the others."""
    return np.concatenate([
        urn([
            item.weight * chronic[item.chronic] * (band in item.bands and sex in item.sexes) for item in CONDITIONS
        ])
        for band in BANDS
        for sex in SEXES
    ])  # fmt: skip


def procedure_urns() -> NDArray[np.uint8]:
    """One urn of procedures for each ward: mostly its own and what every ward does, rarely
    another's."""
    return np.concatenate([
        urn([weight * (1.0 if home in ("", ward) else 0.02) for _, weight, home in PROCEDURES]) for ward in WARDS
    ])  # fmt: skip


def drug_urns() -> NDArray[np.uint8]:
    """One urn of drugs for each diagnosis: three in five are its own."""
    general = np.array([dict(GENERAL_DRUGS).get(drug, 0) for drug in DRUGS], float)
    general *= 0.4 / general.sum()
    own = np.array(
        [[0.6 / len(item.drugs) * (drug in item.drugs) for drug in DRUGS] for item in CONDITIONS]
    )
    return np.concatenate([urn(list(row)) for row in own + general])


def ward_table() -> NDArray[np.uint8]:
    """The ward of a diagnosis in each band: a child is treated in paediatrics where an adult is
    treated in medicine."""
    children = {"medicine": "paediatrics"}
    return np.array(
        [
            WARDS.index(children.get(item.ward, item.ward) if band == "c" else item.ward)
            for item in CONDITIONS
            for band in BANDS
        ],
        np.uint8,
    )


def number_urn(*, none: float, again: float) -> NDArray[np.uint8]:
    """How many rows a visit has in another table: none, or one and with chance `again` one more, up
    to the most."""
    more = (1 - none) * again ** np.arange(MOST_PER_VISIT)
    return urn([none, *(more * ((1 - none) / more.sum()))])
