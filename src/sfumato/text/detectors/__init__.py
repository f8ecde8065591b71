"""Detectors, one file each; `RULES` are all that work by rules, `sets` has the learned ones too.

A score says how sure a detector is, on one scale for all of them:

| from | meaning |
| --- | --- |
| 0.95 | check digits agree, or nothing else looks like it |
| 0.8 | its form and the words around it say so |
| 0.5 | its form says so |
| below | a quasi-identifier that says little alone (a year, an age under 90, a sum of money), or a form much else has |
"""

from __future__ import annotations

from ..bids import Detector
from .accounts import Accounts
from .addresses import Addresses
from .ages import Ages
from .circumstances import Circumstances
from .coordinates import Coordinates
from .countries import Countries
from .dates import Dates
from .demographics import Demographics
from .devices import Devices
from .durations import Durations
from .emails import Emails
from .financial_numbers import FinancialNumbers
from .foreign_names import ForeignNames
from .hospitals import Hospitals
from .ip_addresses import IpAddresses
from .labelled_names import LabelledNames
from .licences import Licences
from .medicine import Medicine
from .national_numbers import NationalNumbers
from .numeric_dates import NumericDates
from .organisations import Organisations
from .person_names import PersonNames
from .phones import Phones
from .plates import Plates
from .postcodes import Postcodes
from .professions import Professions
from .quantities import Quantities
from .record_numbers import RecordNumbers
from .regions import Regions
from .relatives import Relatives
from .teams import Teams
from .times import Times
from .titled_names import TitledNames
from .towns import Towns
from .urls import Urls
from .user_names import UserNames
from .years import Years

PATTERNS: tuple[Detector, ...] = (
    Phones(),
    Emails(),
    Urls(),
    IpAddresses(),
    UserNames(),
    Dates(),
    NumericDates(),
    Years(),
    Times(),
    Durations(),
    Ages(),
    NationalNumbers(),
    FinancialNumbers(),
    RecordNumbers(),
    Accounts(),
    Licences(),
    Plates(),
    Devices(),
    Coordinates(),
    Quantities(),
)
"""Those that know a form: numbers, addresses of the net, dates."""

WORDS: tuple[Detector, ...] = (
    PersonNames(),
    TitledNames(),
    LabelledNames(),
    ForeignNames(),
    Relatives(),
    Addresses(),
    Postcodes(),
    Towns(),
    Regions(),
    Countries(),
    Hospitals(),
    Organisations(),
    Teams(),
    Professions(),
    Demographics(),
    Circumstances(),
    Medicine(),
)
"""Those that know words and what stands around them: names, places, bodies, and the medicine that stays."""

RULES: tuple[Detector, ...] = PATTERNS + WORDS
"""Every detector that works by rules."""

__all__ = ["PATTERNS", "RULES", "WORDS"]
