"""The people of the made-up hospital database: its patients, their numbers of visits, and its
physicians.

Sweeney 1997 (section 3.8) reports of 300 patients and 7617 visits: 21 patients had one visit, and
30 % had four or fewer. 15 % had a number of visits that nobody else had, and over half of the
numbers of visits were one patient's. A log-normal number of visits, rounded up, has all of this and
the paper's mean at the same time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from math import log
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .hospital import ETHNICITIES, FIRST, LAST, LAST_DAY, ZIPS
from .hospital_codes import SLOTS, SPECIALTIES, condition_urns, urn

Columns = dict[str, NDArray[Any]]

SPAN = 1_461  # The visits are of four years, as in the paper (Sweeney 1997, section 3.9).
FIRST_PATIENT, FIRST_PHYSICIAN = 10_000_001, 500_001  # No key of one table is one of another's.
LOG_VISITS = NormalDist(2.2, 1.5)
MOST_VISITS = 730
JITTER = 0.6
SOCIAL = 565 * 99 * 9_999  # Areas, groups and serials of Social Security numbers.
SOCIAL_STEP = 179_424_673  # A prime that divides none of them, so that no number comes twice.
TEAM = sum(many for _, many in SPECIALTIES.values())

_FIRST_DAY = (LAST_DAY - date(1970, 1, 1)).days - SPAN + 1
_NAMES = np.array([f"{first} {last}" for first in FIRST for last in LAST], object)
_ZIPS = np.array([code for code, _ in ZIPS], object)
_ETHNICITIES = np.array([name for name, _ in ETHNICITIES], object)
_SEXES = np.array(["f", "m", None], object)
_SPECIALTIES = np.repeat(np.array([name for name, _ in SPECIALTIES.values()], object), [
    many for _, many in SPECIALTIES.values()
])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Patients:
    """Patients in the order of their registration, and what their visits depend on.

    `group` is their age band and sex; `conditions` are four chronic diagnoses each, mostly the same
    one; `habit` is a number of their own, from which follow their physician, their other diagnoses
    and their drugs."""

    columns: Columns
    visits: NDArray[np.int64]
    begin: NDArray[np.int64]
    span: NDArray[np.int64]
    group: NDArray[np.uint8]
    conditions: NDArray[np.uint8]
    habit: NDArray[np.uint16]


def make_patients(
    generator: np.random.Generator, start: int, *, coming: int, without: int, visits: int
) -> Patients:
    """Patients from number `start` on: `coming` with together `visits` visits, and `without` who
    have none yet."""
    many = coming + without
    number = np.zeros(many, np.int64)
    number[:coming] = visit_numbers(generator, coming, visits=visits)
    ages = np.maximum(_ages(generator, many), 2 * number + 1)
    within = np.minimum(ages, SPAN)  # Newborns come from their birth on.
    span = np.clip(number * generator.integers(4, 60, many), 1, within)
    begin = SPAN - within + generator.integers(0, within - span + 1)
    known = generator.integers(0, 2, many) * generator.integers(0, 4_000, many)
    registered = np.maximum(begin - known, SPAN - ages)
    order = np.argsort(registered, kind="stable")
    number, ages, span, begin = number[order], ages[order], span[order], begin[order]
    sex = generator.integers(0, 2, many)
    group = (2 * np.digitize(ages, (16 * 365.25, 60 * 365.25)) + sex).astype(np.uint8)
    slots = generator.integers(0, SLOTS, (many, 3))[:, (0, 0, 1, 2)]
    return Patients(
        columns=_columns(generator, start, ages=ages, registered=registered[order], sex=sex),
        visits=number,
        begin=begin,
        span=span,
        group=group,
        conditions=_urns()[0][group[:, None].astype(np.int64) * SLOTS + slots],
        habit=generator.integers(0, 1 << 16, many, np.uint16),
    )


def visit_numbers(
    generator: np.random.Generator, patients: int, *, visits: int
) -> NDArray[np.int64]:
    """How many visits each patient has: at least one, together `visits`.

    The patients are spread evenly over the distribution, with some chance, so that even a small
    database has its shape. They are brought to the total by one factor, close to 1, which mostly
    moves those with many visits."""
    quantiles = (np.arange(patients) + 0.5 + JITTER * (generator.random(patients) - 0.5)) / patients
    more = np.searchsorted(_distribution(), quantiles).astype(float)
    shares = more * ((visits - patients) / max(more.sum(), 1.0))
    whole = np.floor(shares)
    left = round(visits - patients - whole.sum())
    whole[np.argsort(whole - shares, kind="stable")[:left]] += 1
    return generator.permutation(1 + whole.astype(np.int64))


def make_physicians(generator: np.random.Generator, many: int) -> Columns:
    """All physicians. The type follows from the place: every `TEAM` of them are a whole
    hospital."""
    return {
        "physician_id": FIRST_PHYSICIAN + np.arange(many),
        "name": _NAMES[generator.integers(0, len(_NAMES), many)],
        "specialty": np.tile(_SPECIALTIES, many // TEAM),
    }


def as_dates(days: NDArray[np.int64]) -> NDArray[np.datetime64]:
    """Dates from days since the first of `SPAN`, by the second: DuckDB reads no NumPy dates by the
    day."""
    return ((days + _FIRST_DAY) * 86_400).view("datetime64[s]")


def _columns(
    generator: np.random.Generator,
    start: int,
    *,
    ages: NDArray[Any],
    registered: NDArray[Any],
    sex: NDArray[Any],
) -> Columns:
    many = len(ages)
    _, zips, ethnicities = _urns()
    unspecified = (
        generator.random(many) < 1 / 300
    )  # Sweeney 1997, section 3.9: of 300 patients, one.
    return {
        "patient_id": FIRST_PATIENT + start + np.arange(many),
        "name": _NAMES[generator.integers(0, len(_NAMES), many)],
        "ssn": _socials(generator, start, many),
        "birth": as_dates(SPAN - ages),
        "sex": _SEXES[np.where(unspecified, 2, sex)],
        "ethnicity": _ETHNICITIES[ethnicities[generator.integers(0, SLOTS, many)]],
        "zip": _ZIPS[zips[generator.integers(0, SLOTS, many)]],
        "registered": as_dates(registered),
    }


def _ages(generator: np.random.Generator, many: int) -> NDArray[np.int64]:
    """Ages in days on the last day: a third are children, most of them small, and a few are very
    old."""
    children = generator.random(many) ** 1.6 * 18
    adults = np.clip(generator.gamma(6.0, 8.5, many), 18, 104)
    return (np.where(generator.random(many) < 0.35, children, adults) * 365.25).astype(np.int64)


def _socials(generator: np.random.Generator, start: int, many: int) -> NDArray[np.object_]:
    numbers = (np.arange(1, many + 1) + start) * SOCIAL_STEP % SOCIAL
    area, rest = np.divmod(numbers, 99 * 9_999)
    group, serial = np.divmod(rest, 9_999)
    digits = (
        ((area + 100) * 1_000_000 + (group + 1) * 10_000 + serial + 1)[:, None]
        // 10 ** np.arange(8, -1, -1)
        % 10
    )
    text = np.full((many, 11), ord("-"), np.uint8)
    text[:, (0, 1, 2, 4, 5, 7, 8, 9, 10)] = digits + ord("0")
    socials: NDArray[np.object_] = text.view("S11").ravel().astype("U11").astype(object)
    socials[generator.random(many) < 0.02] = None
    return socials


@cache
def _distribution() -> NDArray[np.float64]:
    """How likely a patient is to have at most 1, 2, 3, ... visits."""
    chances = np.array([LOG_VISITS.cdf(log(visits)) for visits in range(1, MOST_VISITS + 1)])
    chances /= chances[-1]
    return chances


@cache
def _urns() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    return (
        condition_urns(chronic={True: 1.0, False: 0.0}),
        urn([weight for _, weight in ZIPS]),
        urn([weight for _, weight in ETHNICITIES]),
    )
