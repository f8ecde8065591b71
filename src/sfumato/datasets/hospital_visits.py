"""The visits of made-up patients, with their further diagnoses, procedures and medications.

Chronic patients return with the same diagnosis to the same physician and get the same drugs. All of
these are read from their urns at a place of their own (`Patients.habit`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .hospital_codes import (
    CONDITIONS,
    DRUGS,
    PRICES,
    PROCEDURES,
    SLOTS,
    SPECIALTIES,
    WARDS,
    condition_urns,
    drug_urns,
    number_urn,
    procedure_urns,
    urn,
    ward_table,
)
from .hospital_people import FIRST_PATIENT, FIRST_PHYSICIAN, SPAN, TEAM, Columns, Patients, as_dates

FIRST_VISIT = 1_000_000_001  # No key of one table is one of another's.
FULL = 1 << 16  # Random numbers are of 16 bits: as many as a slot needs, and the fastest to draw.
SHIFT = FULL.bit_length() - SLOTS.bit_length()

_CODES = np.array([item.code for item in CONDITIONS], object)
_WARDS = np.array(WARDS, object)
_PROCEDURES = np.array([code for code, _, _ in PROCEDURES], object)
_DRUGS = np.array(DRUGS, object)
_EMERGENCY = WARDS.index("emergency")
_TEAM_SIZES = np.array([many for _, many in SPECIALTIES.values()], np.int64)
_TEAM_STARTS = np.cumsum(_TEAM_SIZES) - _TEAM_SIZES
_PRICES = np.array(PRICES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Urns:
    acute: NDArray[np.uint8]
    further: NDArray[np.uint8]
    procedures: NDArray[np.uint8]
    drugs: NDArray[np.uint8]
    wards: NDArray[np.uint8]
    stays: NDArray[np.uint8]
    numbers: tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]


@cache
def _urns() -> _Urns:
    return _Urns(
        acute=condition_urns(chronic={True: 0.1, False: 1.0}),
        further=condition_urns(chronic={True: 1.0, False: 0.3}),
        procedures=procedure_urns(),
        drugs=drug_urns(),
        wards=ward_table(),
        stays=urn(
            [0.75, *(0.25 * 0.22 * 0.78 ** np.arange(60))]
        ),  # Three in four go home on the same day.
        numbers=(
            number_urn(none=0.75, again=0.55),
            number_urn(none=0.83, again=0.46),
            number_urn(none=0.66, again=0.55),
        ),
    )


def make_visits(
    generator: np.random.Generator,
    patients: Patients,
    start: int,
    *,
    first_patient: int,
    physicians: int,
) -> Iterator[tuple[str, Columns]]:
    """All visits of `patients`, numbered from `start`, in the order of their dates, and what links
    to them."""
    person, day = _dates(generator, patients)
    many = len(person)
    draw = _Draws(generator, many)
    group, habit = patients.group[person], patients.habit[person]
    cause = _causes(draw, patients, person, group=group)
    urns = _urns()
    ward = urns.wards[cause.astype(np.int16) * 3 + (group >> 1)]
    ward[draw.chance(0.06)] = _EMERGENCY
    visit = FIRST_VISIT + start + np.arange(many)
    stay = urns.stays[draw.slots()]
    yield (
        "visits",
        {
            "visit_id": visit,
            "patient_id": FIRST_PATIENT + first_patient + person.astype(np.int64),
            "physician_id": _physicians(draw, habit, ward, physicians=physicians),
            "admitted": as_dates(day.astype(np.int64)),
            "discharged": _discharged(day, stay),
            "ward": _WARDS[ward],
            "principal_diagnosis": _CODES[cause],
            "charges": _charges(generator, 90.0 + 700.0 * stay),
        },
    )
    for table, columns in (
        ("diagnoses", _rows(draw, habit, group, kind=0, urns=urns.further, cause=cause)),
        ("procedures", _rows(draw, habit, ward, kind=1, urns=urns.procedures)),
        ("medications", _rows(draw, habit, cause, kind=2, urns=urns.drugs)),
    ):
        yield table, _named(generator, table, columns, visit=visit)


class _Draws:
    """Random numbers for each of `many` visits."""

    def __init__(self, generator: np.random.Generator, many: int) -> None:
        self.generator = generator
        self.many = many

    def numbers(self) -> NDArray[np.uint16]:
        return self.generator.integers(0, FULL, self.many, np.uint16)

    def slots(self) -> NDArray[np.uint16]:
        return np.right_shift(self.numbers(), np.uint16(SHIFT))

    def chance(self, likely: float) -> NDArray[np.bool_]:
        return self.numbers() < np.uint16(likely * FULL)


def _dates(
    generator: np.random.Generator, patients: Patients
) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """The person of each visit, and its day, sorted by day. The visits of a person are spread over
    their time."""
    visits = patients.visits
    many = int(visits.sum())
    person = np.repeat(np.arange(len(visits), dtype=np.int32), visits)
    step = (patients.span / np.maximum(visits, 1)).astype(np.float32)
    first = np.cumsum(visits) - visits
    turn = (np.arange(many) - np.repeat(first, visits)).astype(np.float32)
    turn += generator.random(many, np.float32)
    turn *= np.repeat(step, visits)
    turn += np.repeat(patients.begin.astype(np.float32), visits)
    day = np.minimum(
        turn.astype(np.uint16),
        np.repeat((patients.begin + patients.span - 1).astype(np.uint16), visits),
    )
    order = np.argsort(day, kind="stable")
    return person[order], day[order]


def _causes(
    draw: _Draws, patients: Patients, person: NDArray[np.int32], *, group: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """The principal diagnosis: one of the person's own the more often the more visits they have, or
    else an acute one."""
    own = (0.85 * FULL * patients.visits / (patients.visits + 5)).astype(np.uint16)
    slots = draw.numbers()
    chronic = patients.conditions.ravel()[person * 4 + (slots & 3)]
    acute = _urns().acute[group.astype(np.int32) * SLOTS + (slots >> SHIFT)]
    return np.where(draw.numbers() < own[person], chronic, acute)


def _physicians(
    draw: _Draws, habit: NDArray[np.uint16], ward: NDArray[np.uint8], *, physicians: int
) -> np.ma.MaskedArray[Any, Any]:
    """A physician of the ward, mostly the person's own; for one visit in fifty nobody wrote it
    down."""
    who = np.where(draw.chance(0.8), habit, draw.numbers()).astype(np.int64)
    team = (who * who >> 16) * (
        physicians // TEAM
    ) >> 16  # Squared: some have many more patients than others.
    place = (_TEAM_STARTS[ward] << 16) + (who * 40_503 & FULL - 1) * _TEAM_SIZES[ward] >> 16
    return np.ma.masked_array(FIRST_PHYSICIAN + team * TEAM + place, draw.chance(0.02))


def _discharged(day: NDArray[np.uint16], stay: NDArray[np.uint8]) -> NDArray[np.datetime64]:
    """The day of discharge; none for those who are still there after the last day."""
    last = day.astype(np.int64) + stay
    dates = as_dates(last)
    dates[last >= SPAN] = np.datetime64("NaT", "s")
    return dates


def _charges(generator: np.random.Generator, typical: NDArray[Any]) -> NDArray[np.float64]:
    factors = np.exp(0.8 * generator.standard_normal(len(typical), np.float32))
    charges: NDArray[np.float64] = np.rint(100.0 * typical * factors) / 100.0
    return charges


def _rows(
    draw: _Draws,
    habit: NDArray[np.uint16],
    which: NDArray[np.uint8],
    *,
    kind: int,
    urns: NDArray[np.uint8],
    cause: NDArray[np.uint8] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """For each visit a number of different codes from the urn `which`: the visit of each row, and
    its code.

    They are drawn at equal steps around the urn, so that equal ones are neighbours and are left
    out, as is `cause`."""
    number = _urns().numbers[kind][draw.slots()]
    visits = np.flatnonzero(number)
    number = number[visits].astype(np.int64)
    begin = np.where(draw.chance(0.7), habit, draw.numbers())[visits]
    first = np.cumsum(number) - number
    turn = np.arange(int(number.sum())) - np.repeat(first, number)
    slot = np.repeat(begin, number) + turn * np.repeat(FULL // number, number) & FULL - 1
    code = urns[np.repeat(which[visits].astype(np.int64) * SLOTS, number) + (slot >> SHIFT)]
    kept = np.ones(len(code), bool)
    kept[1:] = (code[1:] != code[:-1]) | (turn[1:] == 0)
    kept &= (turn == 0) | (code != np.repeat(code[first], number))
    if cause is not None:
        kept &= code != np.repeat(cause[visits], number)
    return np.repeat(visits, number)[kept], code[kept]


def _named(
    generator: np.random.Generator,
    table: str,
    rows: tuple[NDArray[np.int64], NDArray[np.uint8]],
    *,
    visit: NDArray[np.int64],
) -> Columns:
    """The columns of a table with one row for each code of a visit."""
    at, code = rows
    if table == "medications":
        return {
            "visit_id": visit[at],
            "drug": _DRUGS[code],
            "charges": _charges(generator, _PRICES[code]),
        }
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    lengths = np.diff(starts, append=len(at))
    position = 1 + np.arange(len(at)) - np.repeat(starts, lengths)
    labels = _CODES if table == "diagnoses" else _PROCEDURES
    return {"visit_id": visit[at], "position": position, "code": labels[code]}
