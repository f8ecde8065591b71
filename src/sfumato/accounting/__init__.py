"""One account for everything private: measurements with noise, their cost to a person in rho, and
the noise itself, drawn only after the charge."""

from .account import (
    NEIGHBOURS,
    UNIT,
    PrivacyAccount,
    PrivacyLimit,
    check_account,
    displayed_epsilon,
    sum_of,
)
from .account_file import read_lines
from .conversion import epsilon_of, rho_of
from .discrete_gaussian import Counts, check_noise_source
from .measurement import DISCRETE_GAUSSIAN, THRESHOLD, Measurement, rounded_up

__all__ = [
    "DISCRETE_GAUSSIAN",
    "NEIGHBOURS",
    "THRESHOLD",
    "UNIT",
    "Counts",
    "Measurement",
    "PrivacyAccount",
    "PrivacyLimit",
    "check_account",
    "check_noise_source",
    "displayed_epsilon",
    "epsilon_of",
    "read_lines",
    "rho_of",
    "rounded_up",
    "sum_of",
]
