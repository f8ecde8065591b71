"""Small word lists that detectors compare values with, in lower case without accents."""

from .confidential import AGREEMENTS, FINDINGS, TEST_RESULTS, VERDICTS, VITAL_STATES
from .names import FIRST_NAMES, NAME_PARTICLES, SURNAMES
from .people import BELIEFS, EDUCATIONS, ETHNICITIES, HONORIFICS, LANGUAGES, MARITAL_STATUSES, SEXES
from .places import COUNTRIES, COUNTRY_CODES, STATE_CODES, STATES, STREETS

__all__ = [
    "AGREEMENTS",
    "BELIEFS",
    "COUNTRIES",
    "COUNTRY_CODES",
    "EDUCATIONS",
    "ETHNICITIES",
    "FINDINGS",
    "FIRST_NAMES",
    "HONORIFICS",
    "LANGUAGES",
    "MARITAL_STATUSES",
    "NAME_PARTICLES",
    "SEXES",
    "STATES",
    "STATE_CODES",
    "STREETS",
    "SURNAMES",
    "TEST_RESULTS",
    "VERDICTS",
    "VITAL_STATES",
]
